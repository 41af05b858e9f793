/** Installing what a .vsix carries, with real Pythons and with such as people have and that will not do. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { CannotInstall, install } from '../src/bundled';
import { look, newEnough } from '../src/python';

const PYTHON = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();

async function within(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rz-bundled-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that is called like a Python. */
function program(folder: string, script: string): string {
  const file = path.join(folder, 'python3');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Why it cannot be installed, with what was said; and nothing half-made is left behind. */
async function refusal(folder: string, candidates: string[]): Promise<CannotInstall> {
  const [carried, storage] = [path.join(folder, 'wheels'), path.join(folder, 'storage')];
  mkdirSync(carried);
  writeFileSync(path.join(carried, 'roundzero-0.1.0-py3-none-any.whl'), 'no wheel');
  const error = await install(carried, storage, candidates, () => undefined).then(
    () => assert.fail('it was installed'),
    (raised: unknown) => raised,
  );
  assert.ok(error instanceof CannotInstall, String(error));
  const left = readdirSync(folder).includes('storage') ? readdirSync(storage) : [];
  assert.deepEqual(left, []);
  return error;
}

void test('without any Python the reason is Python', async () => {
  await within(async (folder) => {
    const { reason, detail } = await refusal(folder, [path.join(folder, 'nowhere')]);
    assert.deepEqual([reason, detail], ['python', '']);
  });
});

void test('one that is too old is named with its version', async () => {
  await within(async (folder) => {
    const old = program(folder, 'echo 3.9 False');
    const { reason, detail } = await refusal(folder, [old]);
    assert.deepEqual([reason, detail], ['python', `${old} 3.9`]);
  });
});

void test('without venv Python’s own words are kept', async () => {
  await within(async (folder) => {
    const words = 'case "$*" in *venv*) echo "No module named venv" >&2; exit 1;; *) echo 3.12 False;; esac';
    const { reason, detail } = await refusal(folder, [program(folder, words)]);
    assert.deepEqual([reason, detail], ['venv', 'No module named venv']);
  });
});

void test('a wheel that does not fit is pip’s to explain', async () => {
  await within(async (folder) => {
    const { reason, detail } = await refusal(folder, [PYTHON]);
    assert.equal(reason, 'pip');
    assert.match(detail, /roundzero-0\.1\.0-py3-none-any\.whl/);
  });
});

void test('a Python says its version and whether it has the package, whatever lies in the current folder', async () => {
  await within(async (folder) => {
    mkdirSync(path.join(folder, 'roundzero'));
    writeFileSync(path.join(folder, 'roundzero', '__init__.py'), 'raise SystemExit("imported")\n');
    const before = process.cwd();
    process.chdir(folder);
    try {
      execFileSync(PYTHON, ['-m', 'venv', '--without-pip', 'env']);
      const { version, packaged } = await look(path.join(folder, 'env', 'bin', 'python'));
      assert.ok(newEnough(version), version);
      assert.equal(packaged, false);
    } finally {
      process.chdir(before);
    }
  });
});

void test('a Python that has the package says so', async () => {
  await within(async (folder) => {
    execFileSync(PYTHON, ['-m', 'venv', '--without-pip', path.join(folder, 'env')]);
    const lib = path.join(folder, 'env', 'lib');
    const [name = ''] = readdirSync(lib);
    const place = path.join(lib, name, 'site-packages', 'roundzero');
    mkdirSync(place);
    writeFileSync(path.join(place, '__init__.py'), '');
    assert.equal((await look(path.join(folder, 'env', 'bin', 'python'))).packaged, true);
  });
});

void test('a program that is no Python has no version, and its words are kept', async () => {
  await within(async (folder) => {
    const { version, said } = await look(program(folder, 'echo cannot do this >&2; exit 3'));
    assert.deepEqual([version, said], ['', 'cannot do this']);
  });
});

void test('versions compare by number', () => {
  assert.deepEqual(['3.9', '3.10', '3.11', '3.14', '4.0', ''].map(newEnough), [false, false, true, true, true, false]);
});

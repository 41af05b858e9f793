import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { LISTING, PLACES, refs } from '../src/pure/refs';

/** A repository with a branch, a newer annotated tag, an older plain one, a remote branch and what points to it. */
function listed(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rz-refs-'));
  const git = (when: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@e.example', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: devNull,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_DATE: when,
        GIT_COMMITTER_DATE: when,
      },
    });
  try {
    git('2020-01-01T00:00:00Z', 'init', '--quiet', '--template=', '--initial-branch=main');
    git('2020-01-01T00:00:00Z', 'commit', '--quiet', '--allow-empty', '--message', 'one');
    git('2020-01-01T00:00:00Z', 'tag', 'v1');
    git('2021-01-01T00:00:00Z', 'tag', '--annotate', '--message', 'two', 'v2');
    git('2022-01-01T00:00:00Z', 'commit', '--quiet', '--allow-empty', '--message', 'three');
    git('2022-01-01T00:00:00Z', 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    git('2022-01-01T00:00:00Z', 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    git('2022-01-01T00:00:00Z', 'update-ref', 'refs/stash', 'HEAD');
    return git('2022-01-01T00:00:00Z', 'for-each-ref', ...LISTING, ...PLACES);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void test('branches come first and tags last, newest first, annotated ones too, and nothing twice', () => {
  assert.deepEqual(
    refs(listed()).map(({ kind, name }) => [kind, name]),
    [
      ['branch', 'main'],
      ['remote', 'origin/main'],
      ['tag', 'v2'],
      ['tag', 'v1'],
    ],
  );
});

void test('each says when it was made', () => {
  assert.ok(refs(listed()).every(({ when }) => /ago$/.test(when)));
});

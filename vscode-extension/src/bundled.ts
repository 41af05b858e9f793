/**
 * Installs the wheels this .vsix carries into the extension's storage, once. It does not know the editor; what it does
 * takes no network. Invariant: a folder that bears its final name is complete, also when two windows install at once.
 */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promises as fs } from 'node:fs';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { look, newEnough } from './python';

const run = promisify(execFile);
const INSTALL_MS = 180_000;
/** A version nobody started for this long goes, and so does what an interrupted installation left. */
const KEPT_MS = 30 * 24 * 3600 * 1000;
const LEFT_MS = 3600 * 1000;

/** Why it cannot be installed, for a person to read, with the way out. */
export class CannotInstall extends Error {
  constructor(
    readonly reason: 'python' | 'venv' | 'pip',
    readonly detail: string,
  ) {
    super(detail);
  }
}

/** Names of the wheels; none in the universal .vsix. */
export async function wheels(folder: string): Promise<string[]> {
  const names = await fs.readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.whl')).sort();
}

/** The interpreter of the installed server; installs it when it is not there. `report` hears the stages in words. */
export async function install(
  carried: string,
  storage: string,
  candidates: readonly string[],
  report: (stage: 'create' | 'install') => void,
): Promise<string> {
  const names = await wheels(carried);
  const sizes = await Promise.all(names.map(async (name) => (await fs.stat(path.join(carried, name))).size));
  const digest = createHash('sha256')
    .update(JSON.stringify([names, sizes]))
    .digest('hex')
    .slice(0, 12);
  const folder = path.join(storage, `server-${digest}`);
  const python = inside(folder);
  if (await works(python)) {
    await fs.utimes(folder, new Date(), new Date()).catch(() => undefined);
    return python;
  }
  const base = await find(candidates);
  await fs.mkdir(storage, { recursive: true });
  const making = await fs.mkdtemp(path.join(storage, 'making-'));
  try {
    report('create');
    await run(base, ['-I', '-m', 'venv', making], { timeout: INSTALL_MS }).catch((error: unknown) => {
      throw new CannotInstall('venv', text(error));
    });
    report('install');
    const own = names.find((name) => name.startsWith('roundzero-')) ?? 'roundzero';
    const pip = ['-I', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '--no-index'];
    await run(inside(making), [...pip, '--find-links', carried, path.join(carried, own)], {
      timeout: INSTALL_MS,
    }).catch((error: unknown) => {
      throw new CannotInstall('pip', text(error));
    });
    // Whoever was first keeps the name. An incomplete folder of that name is what an interpreter left that has gone.
    if (!(await works(python))) {
      await fs.rm(folder, { recursive: true, force: true });
      await fs.rename(making, folder).catch(async (error: unknown) => {
        if (!(await works(python))) {
          throw error;
        }
      });
    }
    await forgetOld(storage, folder);
    return python;
  } finally {
    await fs.rm(making, { recursive: true, force: true });
  }
}

function inside(folder: string): string {
  return process.platform === 'win32' ? path.join(folder, 'Scripts', 'python.exe') : path.join(folder, 'bin', 'python');
}

/** A symbolic link to an interpreter that was removed is there and yet does not start. */
async function works(python: string): Promise<boolean> {
  return await fs.stat(python).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The first interpreter that is new enough. */
async function find(candidates: readonly string[]): Promise<string> {
  const tried: string[] = [];
  for (const candidate of candidates) {
    const { version } = await look(candidate);
    if (newEnough(version)) {
      return candidate;
    }
    if (version !== '') {
      tried.push(`${candidate} ${version}`);
    }
  }
  throw new CannotInstall('python', tried.join(', '));
}

async function forgetOld(storage: string, kept: string): Promise<void> {
  for (const name of await fs.readdir(storage)) {
    const folder = path.join(storage, name);
    const limit = name.startsWith('server-') ? KEPT_MS : name.startsWith('making-') ? LEFT_MS : Infinity;
    const old = await fs.stat(folder).then(
      (found) => Date.now() - found.mtimeMs > limit,
      () => false,
    );
    if (old && folder !== kept) {
      await fs.rm(folder, { recursive: true, force: true });
    }
  }
}

function text(error: unknown): string {
  const words = error as { stderr?: string; message?: string };
  return (words.stderr?.trim() !== '' ? words.stderr : words.message)?.trim().split('\n').slice(-4).join('\n') ?? '';
}

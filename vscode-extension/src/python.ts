/**
 * What a Python says of itself. It does not know the editor, and changes nothing. Invariant: nothing of the current folder
 * is imported for it.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const OLDEST = [3, 11] as const;
const PATIENCE_MS = 20_000;
/** `-P` would keep the current folder off the module path too, but an old Python does not know it. */
const QUESTION = `
import sys
sys.path = [each for each in sys.path if each]
import importlib.util
print("%d.%d" % sys.version_info[:2], importlib.util.find_spec("roundzero") is not None)
`;

export interface Looked {
  /** "3.12", or "" when it did not start. */
  version: string;
  /** Whether it has the package `roundzero`. */
  packaged: boolean;
  /** The last line of what it said instead. */
  said: string;
}

export async function look(interpreter: string): Promise<Looked> {
  try {
    const { stdout } = await promisify(execFile)(interpreter, ['-c', QUESTION], { timeout: PATIENCE_MS });
    const [, version = '', packaged = ''] = /^(\d+\.\d+) (True|False)\s*$/.exec(stdout) ?? [];
    return { version, packaged: packaged === 'True', said: version === '' ? lastLine(stdout) : '' };
  } catch (error) {
    const { stderr = '', message = '' } = error as { stderr?: string; message?: string };
    return { version: '', packaged: false, said: lastLine(stderr.trim() === '' ? message : stderr) };
  }
}

export function newEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

/**
 * Which ways there are to start the server, best first. It looks at nothing itself; what is there is handed in.
 * Invariant: nothing that a workspace could have put there is run before the workspace is trusted.
 */

export interface Wishes {
  /** `roundzero.path`: the program. */
  path: string;
  /** `roundzero.interpreter`: a Python that has the package. */
  interpreter: string;
  strategy: 'useBundled' | 'fromEnvironment';
  /** Whether this .vsix carries wheels. */
  bundled: boolean;
  /** The Python that another extension has selected for this workspace; "" where there is none. */
  selected: string;
  trusted: boolean;
}

export type Way =
  | { kind: 'program'; program: string; asked: boolean }
  | { kind: 'interpreter'; interpreter: string; asked: boolean }
  | { kind: 'bundled' }
  | { kind: 'onPath' };

/** The ways to try in order. One that was asked for by name is the only one: no surprise by another version. */
export function ways(wishes: Wishes): Way[] {
  if (wishes.path !== '') {
    return [{ kind: 'program', program: wishes.path, asked: true }];
  }
  if (wishes.strategy === 'useBundled' && wishes.bundled) {
    return [{ kind: 'bundled' }];
  }
  if (wishes.interpreter !== '') {
    return [{ kind: 'interpreter', interpreter: wishes.interpreter, asked: true }];
  }
  const found: Way[] = [];
  if (wishes.trusted && wishes.selected !== '') {
    found.push({ kind: 'interpreter', interpreter: wishes.selected, asked: false });
  }
  found.push({ kind: 'onPath' });
  return found;
}

/**
 * The command line of a Python that has the package. `-P` keeps the current folder off the module path: a workspace
 * with a folder named `roundzero` must not become the server.
 */
export function pythonCommand(interpreter: string): [string, ...string[]] {
  return [interpreter, '-P', '-m', 'roundzero', 'lsp'];
}

/** Folders of PATH that can be trusted: relative ones mean the current folder, which is the workspace's. */
export function searched(path: string, separator: string, absolute: (folder: string) => boolean): string[] {
  return path.split(separator).filter((folder) => folder !== '' && absolute(folder));
}

/** File names a program may have. */
export function names(program: string, windows: boolean): string[] {
  return windows ? [`${program}.exe`, `${program}.cmd`] : [program];
}

/**
 * Which settings the server is told. Only what somebody set: a default of the editor's would win over the repository's
 * own `.roundzero.toml`, and an empty text is what the settings' page leaves of one that was taken back. Pure. Invariant: settings of the extension alone never reach the server.
 */

/** What VS Code's `inspect` says of one setting. */
export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** Read by the extension; the server has no such settings. */
export const OURS: ReadonlySet<string> = new Set(['path', 'interpreter', 'importStrategy']);

export function told(
  names: Iterable<string>,
  inspect: (name: string) => Inspected | undefined,
  get: (name: string) => unknown,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    if (OURS.has(name)) {
      continue;
    }
    const seen = inspect(name);
    const set = [seen?.globalValue, seen?.workspaceValue, seen?.workspaceFolderValue];
    const value = get(name);
    if (value !== '' && set.some((each) => each !== undefined && each !== null)) {
      found[name] = value;
    }
  }
  return found;
}

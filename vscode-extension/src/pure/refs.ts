/**
 * The refs a person can choose as base, from what git lists. Pure. Invariant: branches come before remote branches, and
 * those before tags; within each git's order is kept.
 */

export type RefKind = 'branch' | 'remote' | 'tag';

export interface Ref {
  /** As people write it: "main", "origin/main", "v1". */
  name: string;
  kind: RefKind;
  /** When it was made, in git's words; annotated tags included. */
  when: string;
}

/** Arguments of `git for-each-ref`, newest first. `creatordate` is there for annotated tags too, `committerdate` is not. */
export const LISTING: readonly string[] = [
  '--sort=-creatordate',
  '--format=%(refname)%09%(refname:short)%09%(symref)%09%(creatordate:relative)',
];

const KINDS: readonly (readonly [string, RefKind])[] = [
  ['refs/heads/', 'branch'],
  ['refs/remotes/', 'remote'],
  ['refs/tags/', 'tag'],
];
export const PLACES: readonly string[] = KINDS.map(([prefix]) => prefix);

/** Without what only points to another ref, as "origin/HEAD" does. */
export function refs(listed: string): Ref[] {
  const found: Record<RefKind, Ref[]> = { branch: [], remote: [], tag: [] };
  for (const line of listed.split('\n')) {
    const [full = '', name = '', symbolic = '', when = ''] = line.split('\t');
    const kind = KINDS.find(([prefix]) => full.startsWith(prefix))?.[1];
    if (kind !== undefined && symbolic === '') {
      found[kind].push({ name, kind, when });
    }
  }
  return [...found.branch, ...found.remote, ...found.tag];
}

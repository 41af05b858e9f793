/**
 * A finding that a command is about, with what else a code action says. Pure. Invariant: the server is told all that was
 * asked of it, and nothing that is meant for editors that can neither show nor ask by themselves.
 */

/** A finding by its id; `uri` names its repository where that is known. The rest is as the server's command takes it. */
export interface Named {
  id: string;
  uri?: string;
  [more: string]: unknown;
}

const FOR_OTHERS: ReadonlySet<string> = new Set(['show', 'ask']);

export function own(asked: Named): Record<string, unknown> {
  return Object.fromEntries(Object.entries(asked).filter(([name]) => !FOR_OTHERS.has(name)));
}

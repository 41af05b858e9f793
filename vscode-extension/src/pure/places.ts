/**
 * Where findings lie, and which repository a document belongs to. Pure. Invariant: `neighbour` visits every place in a
 * fixed order, whichever it starts from.
 */

import type { Status } from '../wire';

/** A finding in a document. Lines and characters as the editor has them, from 0. */
export interface Place {
  uri: string;
  line: number;
  character: number;
  id: string;
}

/** The status of the deepest repository that holds a document. */
export function statusOf(statuses: Iterable<Status>, uri: string): Status | undefined {
  let best: Status | undefined;
  for (const each of statuses) {
    const inside = uri === each.uri || uri.startsWith(each.uri.replace(/\/$/, '') + '/');
    if (inside && (best === undefined || each.uri.length > best.uri.length)) {
      best = each;
    }
  }
  return best;
}

function compare(one: Omit<Place, 'id'>, other: Omit<Place, 'id'>): number {
  if (one.uri !== other.uri) {
    return one.uri < other.uri ? -1 : 1;
  }
  return one.line - other.line || one.character - other.character;
}

/** The place after (1) or before (-1) a position, going round; undefined where there is none at all. */
export function neighbour(places: readonly Place[], from: Omit<Place, 'id'>, direction: 1 | -1): Place | undefined {
  const sorted = [...places].sort(compare);
  if (direction === 1) {
    return sorted.find((each) => compare(each, from) > 0) ?? sorted[0];
  }
  return sorted.reverse().find((each) => compare(each, from) < 0) ?? sorted[0];
}

/** UTF-16 units of the first `column - 1` code points of a line. `column` counts from 1, in code points. */
export function character(line: string, column: number): number {
  let units = 0;
  let points = 1;
  for (const point of line) {
    if (points >= column) {
      break;
    }
    units += point.length;
    points += 1;
  }
  return units;
}

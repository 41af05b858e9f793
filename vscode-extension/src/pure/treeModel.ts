/**
 * The findings view as data: what is shown, in which groups and in which order. It knows no editor. Invariant: every
 * finding that passes the filter is in exactly one group.
 */

import { SEVERITIES, type Finding, type Severity } from '../wire';
import type { Say } from './words';

export const GROUPINGS = ['severity', 'file', 'state', 'family'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A finding and the URI of its repository's root. */
export interface Found {
  root: string;
  finding: Finding;
}

export interface Filter {
  /** The mildest severity that is shown. */
  severity: Severity;
  /** What title, item or path must contain, whatever the case; "" for everything. */
  text: string;
  dismissed: boolean;
}

export const EVERYTHING: Filter = { severity: 'P3', text: '', dismissed: false };

export interface Group {
  key: string;
  label: string;
  /** What the label means, in few words; "" where it speaks for itself. */
  meaning: string;
  found: readonly Found[];
}

const LIVE = new Set(['open', 'stale', 'unconfirmed']);

/** Whether a finding is shown by this filter. Those that left (fixed, refuted, superseded) show with the dismissed. */
export function passes(finding: Finding, filter: Filter): boolean {
  if (!filter.dismissed && !LIVE.has(finding.state)) {
    return false;
  }
  if (SEVERITIES.indexOf(finding.severity) > SEVERITIES.indexOf(filter.severity)) {
    return false;
  }
  const text = filter.text.toLowerCase();
  return [finding.title, finding.item, finding.path ?? ''].some((each) => each.toLowerCase().includes(text));
}

/** The groups with what is in them, in the order they are shown. */
export function groups(all: readonly Found[], grouping: Grouping, filter: Filter, say: Say): Group[] {
  const shown = all.filter((each) => passes(each.finding, filter)).sort(order);
  const byKey = new Map<string, { label: string; found: Found[] }>();
  for (const each of shown) {
    const [key, label] = keyOf(each, grouping, say);
    const group = byKey.get(key) ?? { label, found: [] };
    group.found.push(each);
    byKey.set(key, group);
  }
  const found = [...byKey].map(([key, group]) => ({ key, meaning: meaning(grouping, key, say), ...group }));
  return grouping === 'severity' ? found.sort((one, other) => (one.key < other.key ? -1 : 1)) : found;
}

function meaning(grouping: Grouping, key: string, say: Say): string {
  if (grouping !== 'severity') {
    return '';
  }
  switch (key as Severity) {
    case 'P0':
      return say('must not be merged');
    case 'P1':
      return say('should not be merged');
    case 'P2':
      return say('worth changing');
    case 'P3':
      return say('worth knowing');
  }
}

function keyOf({ root, finding }: Found, grouping: Grouping, say: Say): [string, string] {
  switch (grouping) {
    case 'severity':
      return [finding.severity, finding.severity];
    case 'file':
      return [`${root} ${finding.path ?? ''}`, finding.path ?? say('the change as a whole')];
    case 'state':
      return [finding.state, say(finding.state)];
    case 'family':
      return [finding.family ?? '', finding.family ?? say('no family')];
  }
}

function order(one: Found, other: Found): number {
  return (
    compare(one.finding.severity, other.finding.severity) ||
    compare(one.root, other.root) ||
    compare(one.finding.path ?? '', other.finding.path ?? '') ||
    (one.finding.range?.start.line ?? 0) - (other.finding.range?.start.line ?? 0) ||
    compare(one.finding.id, other.finding.id)
  );
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Where a finding is, after its title: "app.py:12", or nothing for the change as a whole. */
export function place(finding: Finding): string {
  const path = finding.path ?? finding.anchor?.path;
  const line = finding.side === 'head' ? (finding.range?.start.line ?? finding.anchor?.line) : finding.anchor?.line;
  const name = path?.split('/').pop() ?? '';
  return line === undefined ? name : `${name}:${line}`;
}

/** The same with the whole path, for where there is room. */
export function where(finding: Finding): string {
  const path = finding.path ?? finding.anchor?.path ?? '';
  return `${path.slice(0, path.lastIndexOf('/') + 1)}${place(finding)}`;
}

/** Words that menus of the view look for: what can be done with this finding. */
export function context(finding: Finding): string {
  const words = ['finding'];
  words.push(finding.state === 'dismissed' ? 'dismissed' : LIVE.has(finding.state) ? 'open' : 'gone');
  if (finding.path !== null) {
    words.push('placed');
  }
  if (finding.open_questions.length > 0) {
    words.push('asking');
  }
  return words.join(' ');
}

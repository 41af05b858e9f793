/** A status and a finding as the server sends them, to be varied. */

import type { Finding, Status } from '../src/wire';

export function status(change: Partial<Status>): Status {
  return {
    uri: 'file:///code',
    verdict: { status: 'BLOCKED', stale: false, depth: 'off', blocking: 1, reasons: [] },
    counts: { P0: 0, P1: 1, P2: 0, P3: 0 },
    hidden: 0,
    base: { ref: 'refs/heads/main', merge_base: 'a'.repeat(40), how: 'latest-merge-base', doubts: [] },
    head: { commit: 'b'.repeat(40), branch: 'work', dirty: false },
    round: { index: 1, previous: null },
    coverage: { files: 1, reviewed: 1, added_lines: 4, skipped: [] },
    model: { state: 'off', until: null, tokens: 0, cost: 0 },
    running: false,
    paused: false,
    problems: [],
    ...change,
  };
}

export function finding(change: Partial<Finding>): Finding {
  return {
    id: 'rz-1',
    item: 'python/mutable-default',
    severity: 'P1',
    blocking: true,
    title: 'one default object is shared by all calls',
    why: 'Because.',
    path: 'shop/app.py',
    side: 'head',
    symbol: null,
    range: { start: { line: 5, column: 15 }, end: { line: 5, column: 17 } },
    anchor: null,
    origin: 'introduced',
    state: 'open',
    state_reason: null,
    family: null,
    source: 'check',
    open_questions: [],
    ...change,
  };
}

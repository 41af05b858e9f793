/**
 * The shapes that come over the wire, as far as this extension reads them; the server publishes them as JSON schemas.
 * Types and names only. Invariant: whatever the server may leave out is optional or null here.
 */

export type Severity = 'P0' | 'P1' | 'P2' | 'P3';
export const SEVERITIES: readonly Severity[] = ['P0', 'P1', 'P2', 'P3'];

export interface Verdict {
  status: 'LGTM' | 'BLOCKED' | 'INCOMPLETE';
  stale: boolean;
  depth: 'off' | 'quick' | 'deep';
  blocking: number;
  reasons: string[];
}

export interface Skipped {
  path: string;
  kind: 'by-rule' | 'not-checked';
  reason: string;
}

export interface ModelLane {
  state: 'off' | 'idle' | 'waiting' | 'running' | 'paused' | 'offline' | 'budget-spent';
  until: string | null;
  tokens: number;
  cost: number;
  /** Why others were not looked at, or why nothing is asked. */
  reasons?: string[];
  name?: string | null;
  /** What it is asked for in a deep review: draft, recheck, confirm, fact-check or overview. */
  stage?: string | null;
}

/** Parameters of `roundzero/status`; `uri` is the root of one repository. */
export interface Status {
  uri: string;
  verdict: Verdict | null;
  counts: Record<Severity, number>;
  hidden: number;
  base: { ref: string | null; merge_base: string | null; how: string; doubts: string[] } | null;
  head: { commit: string | null; branch: string | null; dirty: boolean } | null;
  round: { index: number | null; previous: number | null };
  coverage: { files: number; reviewed: number; added_lines: number; skipped: Skipped[] } | null;
  model: ModelLane;
  running: boolean;
  paused: boolean;
  problems: string[];
}

/** Lines and columns count from 1; columns count code points. */
export interface Position {
  line: number;
  column: number;
}

export interface Finding {
  id: string;
  item: string;
  severity: Severity;
  blocking: boolean;
  title: string;
  why: string | null;
  path: string | null;
  side: 'head' | 'base';
  symbol: string | null;
  range: { start: Position; end: Position } | null;
  anchor: { path: string; line: number } | null;
  origin: string;
  state: string;
  state_reason: { text: string | null } | null;
  family: string | null;
  source: 'check' | 'model';
  open_questions: { text: string; decides: string }[];
}

export const STATUS = 'roundzero/status';
export const FINDINGS = 'roundzero/findings';
export const BASE_TEXT = 'roundzero/baseText';
export const COMPLETE = 'roundzero/complete';

/**
 * What the status bar says. It does not touch the editor. Invariant: the text tells state, numbers, base and verdict of
 * one review in one short line; everything longer is in the tooltip.
 */

import { SEVERITIES, type Status } from '../wire';
import { escaped, type Say } from './words';

/** Where the extension stands when there is no review to speak of. */
export type Stage = 'noServer' | 'noRepository' | 'starting' | 'ready';

export interface Bar {
  text: string;
  tooltip: string;
  tone: 'normal' | 'warning' | 'error';
}

/** The numbers of findings, gravest first, without zeros: "P1:2 P3:1". */
export function numbers(status: Status): string {
  return SEVERITIES.filter((each) => status.counts[each] > 0)
    .map((each) => `${each}:${status.counts[each]}`)
    .join(' ');
}

/** The name of the base as people say it: its ref without "refs/heads/", or else the first digits of the commit. */
export function baseName(status: Status): string {
  const ref = status.base?.ref?.replace(/^refs\/(heads|remotes|tags)\//, '');
  return ref ?? status.base?.merge_base?.slice(0, 8) ?? '';
}

/** All findings that are shown, of every severity. */
export function total(status: Status): number {
  return SEVERITIES.reduce((sum, each) => sum + status.counts[each], 0);
}

/** `doing` says what takes long while it starts; "" when nothing does. */
export function bar(stage: Stage, status: Status | undefined, say: Say, doing = ''): Bar {
  switch (stage) {
    case 'noServer':
      return {
        text: `$(warning) Round Zero`,
        tooltip: say('The server does not run. Click to see what to do.'),
        tone: 'warning',
      };
    case 'noRepository':
      return {
        text: `$(circle-slash) Round Zero`,
        tooltip: say('No folder here lies in a git repository.'),
        tone: 'normal',
      };
    case 'starting':
      return {
        text: `$(sync~spin) Round Zero${doing === '' ? '' : `: ${doing}`}`,
        tooltip: say('Starting'),
        tone: 'normal',
      };
    case 'ready':
      return status === undefined
        ? { text: `$(circle-outline) Round Zero`, tooltip: say('No review yet'), tone: 'normal' }
        : { text: line(status, say), tooltip: details(status, say).join('\n\n'), tone: tone(status) };
  }
}

function line(status: Status, say: Say): string {
  const words = [`${icon(status)} RZ`];
  if (status.paused) {
    words.push(say('paused'));
  } else if (status.verdict === null) {
    words.push(status.running ? say('reviewing') : say('no verdict'));
  } else {
    words.push(status.verdict.status + (status.verdict.stale ? '*' : ''));
  }
  words.push(numbers(status));
  const base = baseName(status);
  words.push(base === '' ? '' : `↔ ${base}`);
  if (!['off', 'idle'].includes(status.model.state)) {
    words.push(`$(sparkle) ${say(status.model.state)}`);
  }
  return words.filter((word) => word !== '').join(' ');
}

function icon(status: Status): string {
  if (status.paused) {
    return '$(debug-pause)';
  }
  if (status.running) {
    return '$(sync~spin)';
  }
  switch (status.verdict?.status) {
    case 'LGTM':
      return '$(pass)';
    case 'BLOCKED':
      return '$(error)';
    case 'INCOMPLETE':
      return '$(warning)';
    default:
      return '$(circle-outline)';
  }
}

function tone(status: Status): Bar['tone'] {
  if (status.problems.length > 0 || (status.base?.doubts.length ?? 0) > 0) {
    return 'warning';
  }
  return 'normal';
}

/** How the base was chosen, in the words of the report. */
function chosen(how: string, say: Say): string {
  switch (how) {
    case 'explicit':
      return say('as asked for');
    case 'pull-request':
      return say('the pull request’s target');
    case 'upstream':
      return say('the branch’s upstream');
    case 'latest-merge-base':
      return say('the latest merge base with a main branch');
    case 'head':
      return say('the last commit');
    case 'empty-tree':
      return say('no commits yet');
    default:
      return how;
  }
}

/** Everything a person may ask about one review, a paragraph of Markdown each. */
export function details(status: Status, say: Say): string[] {
  const found: string[] = [];
  if (status.verdict !== null) {
    const old = status.verdict.stale ? ` (${say('of the texts as they were')})` : '';
    found.push(`**${status.verdict.status}**${old} ${numbers(status)}`.trimEnd());
    found.push(...status.verdict.reasons.map(escaped));
  }
  if (status.base !== null) {
    const commit = status.base.merge_base?.slice(0, 10);
    const [name, how] = [escaped(baseName(status)), chosen(status.base.how, say)];
    found.push(
      commit === undefined ? say('Base: {0}, {1}', name, how) : say('Base: {0} at {1}, {2}', name, commit, how),
    );
    found.push(...status.base.doubts.map(escaped));
  }
  if (status.coverage !== null) {
    found.push(say('{0} of {1} changed files reviewed', status.coverage.reviewed, status.coverage.files));
    const left = status.coverage.skipped.filter((each) => each.kind === 'not-checked');
    found.push(...left.map((each) => escaped(`${each.path}: ${each.reason}`)));
  }
  if (status.round.index !== null) {
    found.push(say('Round {0}', status.round.index));
  }
  const spent = status.model.tokens > 0 ? `, ${say('{0} tokens', status.model.tokens)}` : '';
  const until = status.model.until === null ? '' : ` (${status.model.until})`;
  const name = status.model.name == null ? '' : ` ${escaped(status.model.name)}`;
  const stage = status.model.stage == null ? '' : `, ${say(status.model.stage)}`;
  const state = say('Model: {0}', say(status.model.state));
  found.push(state + stage + name + until + spent, ...(status.model.reasons ?? []).map(escaped));
  found.push(...status.problems.map(escaped));
  return found;
}

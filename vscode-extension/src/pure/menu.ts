/**
 * The menu behind the status bar item: which commands make sense now, in order. Pure. Invariant: every entry's command
 * is one that package.json contributes, which a test compares.
 */

import type { Status } from '../wire';
import { baseName, total, type Stage } from './statusText';
import type { Say } from './words';

export interface Entry {
  command: string;
  label: string;
  description?: string;
}

export function menu(stage: Stage, status: Status | undefined, model: boolean, say: Say): Entry[] {
  const found: Entry[] = [];
  const add = (command: string, icon: string, label: string, description = ''): void => {
    found.push({
      command: `roundzero.${command}`,
      label: `$(${icon}) ${label}`,
      ...(description === '' ? {} : { description }),
    });
  };
  if (stage === 'ready' && status !== undefined) {
    if (status.running) {
      add('stop', 'debug-stop', say('Stop'));
    }
    add('review', 'play', say('Review the change now'), say('and remember the round'));
    if (model) {
      add('reviewModel', 'sparkle', say('Review with the model'), say(status.model.state));
    }
    if (total(status) > 0) {
      add('next', 'arrow-down', say('Go to the next finding'));
    }
    add('findings.focus', 'list-tree', say('Show the findings'), String(total(status)));
    add(
      'report',
      'book',
      say('Show the report'),
      status.round.index === null ? '' : say('Round {0}', status.round.index),
    );
    add('selectBase', 'git-compare', say('Compare with another base'), baseName(status));
    add('showBase', 'diff', say('Compare this file with its base version'));
    add('recheck', 'refresh', say('Check everything again'), say('no round is remembered'));
    if (status.paused) {
      add('resume', 'debug-continue', say('Go on'));
    } else {
      add('pause', 'debug-pause', say('Pause'));
    }
  }
  if (stage !== 'noRepository' && stage !== 'noServer' && !model) {
    add('setUpModel', 'sparkle', say('Set up a model'));
  }
  if (stage !== 'noRepository') {
    add('restart', 'debug-restart', say('Restart the server'));
  }
  add('settings', 'gear', say('Open the settings'));
  add('log', 'output', say('Show the log'));
  return found;
}

/**
 * The picker of the base. It asks git for names of branches and tags when a person wants to choose, and never else.
 * Invariant: nothing a repository configures runs for it.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { Status } from './wire';
import { baseName } from './pure/statusText';

const LIST = [
  'for-each-ref',
  '--sort=-committerdate',
  '--format=%(refname:short)%09%(committerdate:relative)',
  '--count=500',
];
const PLACES = ['refs/heads', 'refs/remotes', 'refs/tags'];
const PATIENCE_MS = 10_000;

/** A ref, null for the automatic choice, undefined when nothing was chosen. */
export async function chooseBase(status: Status): Promise<string | null | undefined> {
  interface Item extends vscode.QuickPickItem {
    ref?: string | null;
    typed?: boolean;
  }
  const now = baseName(status);
  const items: Item[] = [
    {
      label: `$(wand) ${vscode.l10n.t('Choose automatically')}`,
      description: status.base?.how === 'explicit' ? '' : now,
      ref: null,
    },
    { label: `$(edit) ${vscode.l10n.t('Type a ref or a commit…')}`, typed: true },
    ...(await refs(vscode.Uri.parse(status.uri).fsPath)).map(([ref, when]): Item => ({
      label: `$(git-branch) ${ref}`,
      description: [when, ref === now ? vscode.l10n.t('now') : ''].filter((word) => word !== '').join(' · '),
      ref,
    })),
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Compare with (now: {0})', now),
  });
  if (chosen?.typed === true) {
    return await vscode.window.showInputBox({ prompt: vscode.l10n.t('A branch, tag or commit') });
  }
  return chosen?.ref;
}

async function refs(folder: string): Promise<[string, string][]> {
  const options = { cwd: folder, timeout: PATIENCE_MS, maxBuffer: 8 << 20 };
  const done = await promisify(execFile)('git', ['-c', 'core.fsmonitor=false', ...LIST, ...PLACES], options).catch(
    () => undefined,
  );
  const lines = done?.stdout.split('\n').filter((line) => line !== '') ?? [];
  return lines.map((line) => {
    const [ref = '', when = ''] = line.split('\t');
    return [ref, when];
  });
}

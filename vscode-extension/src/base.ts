/**
 * The picker of the base. It asks git for names of branches and tags when a person wants to choose, and never else.
 * Invariant: nothing a repository configures runs for it.
 */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { Status } from './wire';
import { LISTING, PLACES, refs, type Ref, type RefKind } from './pure/refs';
import { baseName } from './pure/statusText';

const ICONS: Record<RefKind, string> = { branch: 'git-branch', remote: 'cloud', tag: 'tag' };
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
    ...rows(await listed(vscode.Uri.parse(status.uri).fsPath), now, status.head?.branch ?? ''),
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Compare with (now: {0})', now),
  });
  if (chosen?.typed === true) {
    return await vscode.window.showInputBox({ prompt: vscode.l10n.t('A branch, tag or commit') });
  }
  return chosen?.ref;
}

/** A row for each ref, under a heading for each kind. */
function rows(found: readonly Ref[], now: string, branch: string): (vscode.QuickPickItem & { ref?: string })[] {
  const headings: Record<RefKind, string> = {
    branch: vscode.l10n.t('branches'),
    remote: vscode.l10n.t('remote branches'),
    tag: vscode.l10n.t('tags'),
  };
  return found.flatMap((each, at) => {
    const words = [
      each.when,
      each.name === now ? vscode.l10n.t('now') : '',
      each.kind === 'branch' && each.name === branch ? vscode.l10n.t('this branch') : '',
    ];
    const description = words.filter((word) => word !== '').join(' · ');
    const row = { label: `$(${ICONS[each.kind]}) ${each.name}`, description, ref: each.name };
    const heading = { label: headings[each.kind], kind: vscode.QuickPickItemKind.Separator };
    return found[at - 1]?.kind === each.kind ? [row] : [heading, row];
  });
}

async function listed(folder: string): Promise<Ref[]> {
  const options = { cwd: folder, timeout: PATIENCE_MS, maxBuffer: 8 << 20 };
  const list = ['-c', 'core.fsmonitor=false', 'for-each-ref', ...LISTING, ...PLACES];
  const done = await promisify(execFile)('git', list, options).catch(() => undefined);
  return refs(done?.stdout ?? '');
}

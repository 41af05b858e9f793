/**
 * Which finding a command is about: a row of the view, an argument of a code action, or what is under the cursor.
 * Invariant: where nothing fits the person is told, and nothing is done.
 */

import * as vscode from 'vscode';
import type { Server } from './client';
import { rootOf, type FindingsView, type Node } from './findingsView';
import type { Named } from './pure/named';

export async function named(argument: unknown, server: Server, view: FindingsView): Promise<Named | undefined> {
  if (isNode(argument)) {
    return argument.kind === 'finding' ? { id: argument.finding.id, uri: argument.root } : undefined;
  }
  if (isNamed(argument)) {
    return argument;
  }
  return await underCursor(server, view);
}

/** Where no text is in front, the row that is selected in the view counts. */
async function underCursor(server: Server, view: FindingsView): Promise<Named | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    const { selected } = view;
    if (selected === undefined) {
      say(vscode.l10n.t('Put the cursor on a finding first.'));
      return undefined;
    }
    return { id: selected.finding.id, uri: selected.root };
  }
  const uri = editor.document.uri;
  const line = server.placesIn(uri).filter((each) => each.line === editor.selection.active.line);
  const root = rootOf(server, uri);
  const of = (id: string): Named => (root === undefined ? { id } : { id, uri: root });
  if (line.length === 0) {
    say(vscode.l10n.t('There is no finding on this line.'));
    return undefined;
  }
  const [first] = line;
  if (line.length === 1 && first !== undefined) {
    return of(first.id);
  }
  const here = vscode.languages.getDiagnostics(uri).filter((each) => each.source === 'roundzero');
  const items = line.map((place) => {
    const shown = here.find((each) => (each as { data?: { id?: string } }).data?.id === place.id);
    return { label: shown?.message ?? place.id, id: place.id };
  });
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which finding?') });
  return chosen === undefined ? undefined : of(chosen.id);
}

/** A dismissed finding that is chosen, or the one a command was given. */
export async function dismissed(argument: unknown, server: Server, view: FindingsView): Promise<Named | undefined> {
  if (isNode(argument) || isNamed(argument)) {
    return await named(argument, server, view);
  }
  const items = (await view.refresh())
    .filter(({ finding }) => finding.state === 'dismissed')
    .map(({ finding, root }) => ({
      label: finding.title,
      description: finding.path ?? '',
      detail: finding.state_reason?.text ?? '',
      id: finding.id,
      uri: root,
    }));
  if (items.length === 0) {
    say(vscode.l10n.t('Nothing is dismissed.'));
    return undefined;
  }
  return await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Reopen which finding?') });
}

/** In the status bar for a moment: it is no news that must be closed. */
export function say(message: string): void {
  vscode.window.setStatusBarMessage(`Round Zero: ${message}`, 5000);
}

function isNode(argument: unknown): argument is Node {
  return typeof argument === 'object' && argument !== null && 'kind' in argument;
}

function isNamed(argument: unknown): argument is Named {
  return typeof argument === 'object' && argument !== null && typeof (argument as { id?: unknown }).id === 'string';
}

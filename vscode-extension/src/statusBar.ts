/** The one status bar item. It draws what statusText says, and nothing runs for it. Invariant: a click opens the menu. */

import * as vscode from 'vscode';
import type { Server } from './client';
import { statusOf } from './pure/places';
import { bar, total } from './pure/statusText';
import type { Status } from './wire';

/** The status of the repository a person looks at; of several, and none in sight, the one with most findings. */
export function current(server: Server): Status | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const shown = uri === undefined ? undefined : statusOf(server.statuses.values(), uri.toString());
  return shown ?? [...server.statuses.values()].sort((one, other) => total(other) - total(one))[0];
}

export function statusBar(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('roundzero.status', vscode.StatusBarAlignment.Left, 50);
  item.name = 'Round Zero';
  item.command = 'roundzero.menu';
  const draw = (): void => {
    const { text, tooltip, tone } = bar(server.stage, current(server), vscode.l10n.t, server.doing);
    item.text = text;
    item.tooltip =
      server.missing === ''
        ? new vscode.MarkdownString(tooltip)
        : new vscode.MarkdownString().appendText(server.missing);
    item.backgroundColor = tone === 'normal' ? undefined : new vscode.ThemeColor(`statusBarItem.${tone}Background`);
  };
  draw();
  item.show();
  return vscode.Disposable.from(item, server.onChange(draw), vscode.window.onDidChangeActiveTextEditor(draw));
}

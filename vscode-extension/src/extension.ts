/**
 * The entry. It registers what people can reach and starts the server without waiting for it. Invariant: activation
 * does no IO of its own and never fails because of the server.
 */

import { stopwatch } from './clock';
import * as vscode from 'vscode';
import { Server } from './client';
import { commands } from './commands';
import { Documents } from './documents';
import { FindingsView } from './findingsView';
import { statusBar } from './statusBar';

const loading = stopwatch.read();

/** What activation returns, for tests and for other extensions. */
export interface Api {
  readonly server: Server;
  readonly view: FindingsView;
  /** Milliseconds of processor time that loading and activation took. */
  readonly activation: number;
}

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  stopwatch.start();
  const log = vscode.window.createOutputChannel('Round Zero', { log: true });
  const server = new Server(context, log);
  const documents = new Documents(server);
  const view = new FindingsView(server, context.workspaceState);
  context.subscriptions.push(log, server, documents, view, commands(server, view, documents));
  context.subscriptions.push(statusBar(server), server.watch(), contexts(server));
  running = server;
  void server.start();
  return { server, view, activation: loading + stopwatch.read() };
}

/** The editor waits for this, and not for what is disposed of: the server gets to say goodbye. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}

/** What `when` clauses of package.json ask for. Only what has changed is set. */
function contexts(server: Server): vscode.Disposable {
  const set = new Map<string, unknown>();
  const tell = (): void => {
    const model = vscode.workspace.getConfiguration('roundzero').get<string | null>('model.provider') ?? '';
    const statuses = [...server.statuses.values()];
    const running = statuses.some((status) => status.running);
    const settled = statuses.some((status) => status.verdict !== null);
    // Steps of the walkthrough are done when a key changes while it is open, hence the number.
    const now = { state: server.stage, model: model !== '', running, settled, reviews: server.reviews };
    for (const [name, value] of Object.entries(now)) {
      if (set.get(name) !== value) {
        set.set(name, value);
        void vscode.commands.executeCommand('setContext', `roundzero.${name}`, value);
      }
    }
  };
  /** A step whose condition holds before the walkthrough is known to the editor is never done by it; by these it is. */
  const walked = ({ opened }: vscode.TabChangeEvent): void => {
    if (opened.some((tab) => tab.input === undefined)) {
      void vscode.commands.executeCommand('setContext', 'roundzero.reviewedBefore', server.reviews > 0);
      void vscode.commands.executeCommand('setContext', 'roundzero.modelBefore', set.get('model') === true);
    }
  };
  tell();
  return vscode.Disposable.from(
    server.onChange(tell),
    vscode.workspace.onDidChangeConfiguration(tell),
    vscode.window.tabGroups.onDidChangeTabs(walked),
  );
}

/**
 * Read-only documents of ours: base versions, reports, explanations. Invariant: a text that cannot be had is empty and
 * said so, never an error page that looks like code.
 */

import * as vscode from 'vscode';
import type { Server } from './client';
import { BASE_TEXT } from './wire';

const BASE = 'roundzero-base';
const PAGE = 'roundzero-page';

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #pages = new Map<string, string>();
  readonly #registered: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.#registered = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(BASE, this),
      vscode.workspace.registerTextDocumentContentProvider(PAGE, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.#pages.delete(document.uri.toString())),
    );
  }

  dispose(): void {
    this.#registered.dispose();
    this.#changed.dispose();
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    if (uri.scheme === PAGE) {
      return this.#pages.get(uri.toString()) ?? '';
    }
    return (await this.#baseText(uri.with({ scheme: 'file', query: '' }))) ?? '';
  }

  /** Show a file beside what it was at the base. */
  async showBase(file: vscode.Uri): Promise<void> {
    const text = await this.#baseText(file);
    const name = vscode.workspace.asRelativePath(file);
    const title =
      text === null ? vscode.l10n.t('{0} (not at the base)', name) : vscode.l10n.t('{0} (base ↔ now)', name);
    const base = file.with({ scheme: BASE });
    this.#changed.fire(base);
    await vscode.commands.executeCommand('vscode.diff', base, file, title, { preview: true });
  }

  /** Show Markdown as a rendered page. */
  async showPage(name: string, markdown: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: PAGE, path: `/${name}.md` });
    this.#pages.set(uri.toString(), markdown);
    this.#changed.fire(uri);
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  }

  async #baseText(file: vscode.Uri): Promise<string | null> {
    const answer = await this.server.request<{ text: string | null }>(BASE_TEXT, { uri: file.toString() });
    return answer.text;
  }
}

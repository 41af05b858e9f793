/**
 * The view of findings. What is in it and in which order treeModel decides; this draws it and asks the server, and only
 * while the view can be seen. Invariant: an answer that came late never replaces a newer one.
 */

import * as vscode from 'vscode';
import type { Server } from './client';
import { character, statusOf } from './pure/places';
import { total } from './pure/statusText';
import {
  context,
  EVERYTHING,
  GROUPINGS,
  groups,
  place,
  where,
  type Filter,
  type Found,
  type Group,
  type Grouping,
} from './pure/treeModel';
import { SEVERITIES, type Severity } from './wire';

const DELAY_MS = 150;
const ICONS: Record<Severity, [string, string]> = {
  P0: ['error', 'list.errorForeground'],
  P1: ['error', 'list.errorForeground'],
  P2: ['warning', 'list.warningForeground'],
  P3: ['info', 'notificationsInfoIcon.foreground'],
};

/** A row of the view. */
export type Node = { kind: 'group'; group: Group } | ({ kind: 'finding' } & Found);

export class FindingsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<Node>;
  readonly #others: vscode.Disposable;
  #found: Found[] = [];
  #filter: Filter = EVERYTHING;
  #grouping: Grouping;
  #asked = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {
    this.#grouping = memory.get<Grouping>('grouping', 'severity');
    this.#view = vscode.window.createTreeView('roundzero.findings', { treeDataProvider: this, showCollapseAll: true });
    this.#others = vscode.Disposable.from(
      this.#view,
      this.#changed,
      server.onChange(() => {
        this.#soon();
      }),
      this.#view.onDidChangeVisibility(() => {
        this.#soon();
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#others.dispose();
  }

  /** What the view holds, whatever the filter; for tests and for commands that offer a choice. */
  get found(): readonly Found[] {
    return this.#found;
  }

  /** The finding whose row is selected. */
  get selected(): Found | undefined {
    const [row] = this.#view.selection;
    return this.#view.visible && row?.kind === 'finding' ? row : undefined;
  }

  get showsDismissed(): boolean {
    return this.#filter.dismissed;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.kind === 'group') {
      const item = new vscode.TreeItem(node.group.label, vscode.TreeItemCollapsibleState.Expanded);
      const { found, meaning } = node.group;
      item.description = [String(found.length), meaning].filter((word) => word !== '').join(' · ');
      item.id = `group ${this.#grouping} ${node.group.key}`;
      return item;
    }
    const { finding, root } = node;
    const item = new vscode.TreeItem(finding.title);
    const [icon, colour] = ICONS[finding.severity];
    item.id = `finding ${root} ${finding.id}`;
    item.description = [place(finding), finding.state === 'open' ? '' : vscode.l10n.t(finding.state)]
      .filter((word) => word !== '')
      .join(' · ');
    item.iconPath =
      finding.state === 'dismissed'
        ? new vscode.ThemeIcon('eye-closed')
        : new vscode.ThemeIcon(icon, new vscode.ThemeColor(colour));
    // The row may be too narrow for its title and its place.
    const tooltip = new vscode.MarkdownString(`**${finding.severity}** `);
    tooltip.appendText(finding.title);
    for (const text of [where(finding), finding.item, finding.why ?? '', finding.state_reason?.text ?? '']) {
      if (text !== '') {
        tooltip.appendMarkdown('\n\n').appendText(text);
      }
    }
    item.tooltip = tooltip;
    item.contextValue = context(finding);
    item.command = { command: 'roundzero.open', title: '', arguments: [node] };
    return item;
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      const all = groups(this.#found, this.#grouping, this.#filter, vscode.l10n.t);
      return all.map((group) => ({ kind: 'group', group }));
    }
    return node.kind === 'group' ? node.group.found.map((each) => ({ kind: 'finding', ...each })) : [];
  }

  /** Ask for the findings of every repository, now. What came is returned, also where something newer is on its way. */
  async refresh(): Promise<readonly Found[]> {
    const turn = ++this.#asked;
    const roots = [...this.server.statuses.keys()];
    const answers = await Promise.all(
      roots.map(async (root) => (await this.server.findings(root)).map((finding) => ({ root, finding }))),
    ).catch(() => undefined);
    if (answers === undefined) {
      return this.#found;
    }
    const found = answers.flat();
    // Rows that are drawn anew lose the command of a click that is on its way.
    if (turn === this.#asked && JSON.stringify(found) !== JSON.stringify(this.#found)) {
      this.#found = found;
      this.#draw();
    }
    return found;
  }

  async open({ finding, root }: Found): Promise<void> {
    const path = finding.side === 'head' ? finding.path : (finding.anchor?.path ?? finding.path);
    if (path === null) {
      await vscode.commands.executeCommand('roundzero.explain', { id: finding.id, uri: root });
      return;
    }
    const uri = vscode.Uri.joinPath(vscode.Uri.parse(root), path);
    const at = finding.side === 'head' ? finding.range?.start : undefined;
    const document = await vscode.workspace.openTextDocument(uri);
    // Where the finding is shown now is newer than what the view was told.
    const now = this.server.placesIn(uri).find((each) => each.id === finding.id);
    const line = now?.line ?? (at?.line ?? finding.anchor?.line ?? 1) - 1;
    const text = line < document.lineCount ? document.lineAt(line).text : '';
    const position = new vscode.Position(line, now?.character ?? character(text, at?.column ?? 1));
    await vscode.window.showTextDocument(document, {
      selection: new vscode.Range(position, position),
      preserveFocus: false,
    });
  }

  async chooseGrouping(): Promise<void> {
    const words: Record<Grouping, string> = {
      severity: vscode.l10n.t('by severity'),
      file: vscode.l10n.t('by file'),
      state: vscode.l10n.t('by state'),
      family: vscode.l10n.t('by family'),
    };
    const items = GROUPINGS.map((grouping) => ({
      label: words[grouping],
      grouping,
      picked: grouping === this.#grouping,
    }));
    const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Group the findings') });
    if (chosen !== undefined) {
      await this.groupBy(chosen.grouping);
    }
  }

  async groupBy(grouping: Grouping): Promise<void> {
    this.#grouping = grouping;
    await this.memory.update('grouping', grouping);
    this.#draw();
  }

  async chooseFilter(): Promise<void> {
    const words: Record<Severity, string> = {
      P3: vscode.l10n.t('Everything'),
      P2: vscode.l10n.t('{0} and worse', 'P2'),
      P1: vscode.l10n.t('{0} and worse', 'P1'),
      P0: vscode.l10n.t('{0} only', 'P0'),
    };
    const levels = [...SEVERITIES].reverse().map((severity) => ({
      label: words[severity],
      description: severity === this.#filter.severity ? vscode.l10n.t('now') : '',
      severity,
    }));
    const contains = { label: vscode.l10n.t('Title, item or path contains…'), severity: undefined };
    const chosen = await vscode.window.showQuickPick([...levels, contains], {
      placeHolder: vscode.l10n.t('Show which findings?'),
    });
    if (chosen === undefined) {
      return;
    }
    if (chosen.severity !== undefined) {
      this.filter({ severity: chosen.severity, text: '' });
      return;
    }
    const text = await vscode.window.showInputBox({
      prompt: vscode.l10n.t('Title, item or path contains'),
      value: this.#filter.text,
    });
    if (text !== undefined) {
      this.filter({ text });
    }
  }

  filter(change: Partial<Filter>): void {
    this.#filter = { ...this.#filter, ...change };
    void vscode.commands.executeCommand('setContext', 'roundzero.dismissedShown', this.#filter.dismissed);
    void vscode.commands.executeCommand('setContext', 'roundzero.filtered', this.#filtered !== '');
    this.#draw();
  }

  /** The filter in words; "" where everything shows. */
  get #filtered(): string {
    const { severity, text } = this.#filter;
    const level = severity === 'P0' ? vscode.l10n.t('{0} only', 'P0') : vscode.l10n.t('{0} and worse', severity);
    return [severity === 'P3' ? '' : level, text === '' ? '' : `“${text}”`].filter((word) => word !== '').join(', ');
  }

  /** Collects what comes in quick succession; a timer runs only after something has changed. */
  #soon(): void {
    this.#badge();
    if (!this.#view.visible || this.#timer !== undefined) {
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.refresh();
    }, DELAY_MS);
  }

  #draw(): void {
    this.#view.description = this.#filtered;
    this.#changed.fire(undefined);
    this.#badge();
  }

  #badge(): void {
    const value = [...this.server.statuses.values()].reduce((sum, status) => sum + total(status), 0);
    const tooltip = value === 1 ? vscode.l10n.t('1 finding') : vscode.l10n.t('{0} findings', value);
    this.#view.badge = value === 0 ? undefined : { value, tooltip };
  }
}

/** The repository a document lies in. */
export function rootOf(server: Server, uri: vscode.Uri): string | undefined {
  return statusOf(server.statuses.values(), uri.toString())?.uri;
}

/**
 * The commands. Each does what a person asked for and says in few words what came of it; what goes wrong is said once.
 * Invariant: every command of package.json is registered here, whether or not a server runs.
 */

import * as vscode from 'vscode';
import { chooseBase } from './base';
import type { Server } from './client';
import type { Documents } from './documents';
import { dismissed, named, say } from './finding';
import { rootOf, type FindingsView } from './findingsView';
import { askForKey, setUpModel } from './model';
import { menu } from './pure/menu';
import { own, type Named } from './pure/named';
import { neighbour } from './pure/places';
import { details } from './pure/statusText';
import { EVERYTHING, type Found } from './pure/treeModel';
import { escaped } from './pure/words';
import { current } from './statusBar';

type Command = (argument?: unknown) => unknown;

export function commands(server: Server, view: FindingsView, documents: Documents): vscode.Disposable {
  const all: Record<string, Command> = {
    ...rounds(server, view),
    ...findings(server, view, documents),
    ...looking(server, view, documents),
    ...setUp(server),
  };
  const registered = Object.entries(all).map(([name, command]) =>
    vscode.commands.registerCommand(`roundzero.${name}`, (argument?: unknown) =>
      guarded(server, () => command(argument)),
    ),
  );
  return vscode.Disposable.from(...registered);
}

/** Say what went wrong. A cancelled round went as it was meant to. */
async function guarded(server: Server, run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    const cancelled = -32800;
    if (error instanceof vscode.CancellationError || (error as { code?: unknown }).code === cancelled) {
      return undefined;
    }
    const message = error instanceof Error ? error.message : String(error);
    server.log.warn(message);
    void vscode.window.showWarningMessage(message.startsWith('Round Zero') ? message : `Round Zero: ${message}`);
    return undefined;
  }
}

function rounds(server: Server, view: FindingsView): Record<string, Command> {
  const review = async (argument: Record<string, unknown>): Promise<void> => {
    await server.longCommand('review', vscode.l10n.t('Round Zero: reviewing'), argument);
  };
  const active = (): string => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri?.scheme !== 'file') {
      throw new Error(vscode.l10n.t('Open a file of the repository first.'));
    }
    return uri.toString();
  };
  return {
    review: (argument) => review(isRecord(argument) ? argument : {}),
    reviewFile: () => review({ uri: active() }),
    reviewStaged: () => review({ scope: 'staged' }),
    reviewModel: () => review({ depth: 'quick' }),
    reviewDeep: () => review({ depth: 'deep' }),
    stop: () => server.command('stop'),
    pause: () => server.command('pause'),
    resume: () => server.command('resume'),
    recheck: async (argument) => {
      if (argument === undefined) {
        return await server.command('recheck');
      }
      const finding = await named(argument, server, view);
      return finding === undefined ? undefined : await server.command('recheck', own(finding));
    },
    selectBase: async (argument) => {
      if (isRecord(argument) && 'ref' in argument) {
        return await server.command('selectBase', argument);
      }
      const status = current(server);
      if (status === undefined) {
        throw new Error(vscode.l10n.t('No folder here lies in a git repository.'));
      }
      const ref = await chooseBase(status);
      return ref === undefined ? undefined : await server.command('selectBase', { ref, uri: status.uri });
    },
  };
}

function findings(server: Server, view: FindingsView, documents: Documents): Record<string, Command> {
  return {
    dismiss: async (argument) => {
      const finding = await named(argument, server, view);
      const way = finding === undefined ? undefined : 'reason' in finding ? {} : await chooseReason();
      if (finding !== undefined && way !== undefined) {
        await server.command('dismiss', { ...own(finding), ...way });
        say(vscode.l10n.t('dismissed; “Reopen a Finding” undoes it'));
      }
    },
    reopen: async (argument) => {
      const finding = await dismissed(argument, server, view);
      if (finding !== undefined) {
        await server.command('reopen', own(finding));
        say(vscode.l10n.t('reopened'));
      }
    },
    explain: async (argument) => {
      const finding = await named(argument, server, view);
      if (finding !== undefined) {
        await documents.showPage(vscode.l10n.t('Finding'), await server.command<string>('explain', own(finding)));
      }
    },
    copy: async (argument) => {
      const finding = await named(argument, server, view);
      if (finding !== undefined) {
        await vscode.env.clipboard.writeText(await server.command<string>('copy', own(finding)));
        say(vscode.l10n.t('copied as a comment'));
      }
    },
    answer: async (argument) => {
      const finding = await named(argument, server, view);
      if (finding !== undefined) {
        await answer(server, view, finding);
      }
    },
    /** What code actions name where the editor can ask for a text. */
    askAnswer: async (argument) => {
      const finding = await named(argument, server, view);
      if (finding !== undefined) {
        await answer(server, view, finding);
      }
    },
  };
}

/** Asks for what was not said with the command: which question, and what the answer is. */
async function answer(server: Server, view: FindingsView, asked: Named): Promise<void> {
  const found = (await view.refresh()).find(({ finding }) => finding.id === asked.id);
  const questions = found?.finding.open_questions ?? [];
  if (questions.length === 0) {
    say(vscode.l10n.t('this finding asks nothing'));
    return;
  }
  const items = questions.map((each) => ({ label: each.text, detail: each.decides }));
  const meant = items.find((each) => each.label === asked['question']);
  const question = meant ?? (items.length === 1 ? items[0] : await vscode.window.showQuickPick(items));
  if (question === undefined) {
    return;
  }
  const said = asked['text'];
  const text =
    typeof said === 'string'
      ? said
      : await vscode.window.showInputBox({ title: question.label, prompt: question.detail, ignoreFocusOut: true });
  if (text !== undefined && text.trim() !== '') {
    await server.command('answer', { ...own(asked), question: question.label, text });
  }
}

async function chooseReason(): Promise<{ reason: string; scope?: string } | undefined> {
  interface Item extends vscode.QuickPickItem {
    reason?: string;
    scope?: string;
  }
  const falsePositive = vscode.l10n.t('False positive');
  const items: Item[] = [
    { label: falsePositive, reason: 'false-positive' },
    { label: vscode.l10n.t('Intended'), reason: 'intended' },
    { label: vscode.l10n.t('Later'), reason: 'later' },
    { label: vscode.l10n.t('Another reason…') },
    { label: vscode.l10n.t('More than this one'), kind: vscode.QuickPickItemKind.Separator },
    { label: falsePositive, description: vscode.l10n.t('in this file'), reason: 'false-positive', scope: 'file' },
    {
      label: falsePositive,
      description: vscode.l10n.t('on lines like this'),
      reason: 'false-positive',
      scope: 'similar',
    },
    { label: falsePositive, description: vscode.l10n.t('everywhere'), reason: 'false-positive', scope: 'item' },
  ];
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Why dismiss it?') });
  if (chosen === undefined) {
    return undefined;
  }
  const reason = chosen.reason ?? (await vscode.window.showInputBox({ prompt: vscode.l10n.t('Reason') }));
  if (reason === undefined || reason.trim() === '') {
    return undefined;
  }
  return chosen.scope === undefined ? { reason } : { reason, scope: chosen.scope };
}

function looking(server: Server, view: FindingsView, documents: Documents): Record<string, Command> {
  return {
    open: (argument) => view.open(argument as Found),
    next: () => step(server, 1),
    previous: () => step(server, -1),
    groupBy: () => view.chooseGrouping(),
    filter: () => view.chooseFilter(),
    clearFilter: () => {
      view.filter({ ...EVERYTHING, dismissed: view.showsDismissed });
    },
    showDismissed: () => {
      view.filter({ dismissed: true });
    },
    hideDismissed: () => {
      view.filter({ dismissed: false });
    },
    showBase: async (argument) => {
      await documents.showBase(fileOf(argument));
    },
    report: async () => {
      const uri = current(server)?.uri;
      const text = await server.command<string>('report', {
        format: 'markdown',
        ...(uri === undefined ? {} : { uri }),
      });
      await documents.showPage(vscode.l10n.t('Round Zero report'), text);
    },
    status: async () => {
      const pages = [...server.statuses.values()].map((status) => {
        const folder = vscode.Uri.parse(status.uri).fsPath;
        return [`# ${escaped(folder)}`, ...details(status, vscode.l10n.t).map((line) => `- ${line}`)].join('\n');
      });
      const none = escaped(
        server.missing === '' ? vscode.l10n.t('No folder here lies in a git repository.') : server.missing,
      );
      await documents.showPage(vscode.l10n.t('Round Zero status'), pages.length === 0 ? none : pages.join('\n\n'));
    },
    menu: async () => {
      const model = (vscode.workspace.getConfiguration('roundzero').get<string | null>('model.provider') ?? '') !== '';
      const title = server.missing === '' ? 'Round Zero' : server.missing;
      const entries = menu(server.stage, current(server), model, vscode.l10n.t);
      const chosen = await vscode.window.showQuickPick(entries, { title });
      return chosen === undefined ? undefined : await vscode.commands.executeCommand(chosen.command);
    },
  };
}

/** What a command was given: a row of the view, an argument of a code action, a file; or else the file in front. */
function fileOf(argument: unknown): vscode.Uri {
  if (argument instanceof vscode.Uri) {
    return argument;
  }
  const { root, finding, uri } = (isRecord(argument) ? argument : {}) as Partial<Found> & { uri?: string };
  if (root !== undefined && finding !== undefined) {
    return vscode.Uri.joinPath(vscode.Uri.parse(root), finding.path ?? '');
  }
  const file = uri === undefined ? vscode.window.activeTextEditor?.document.uri : vscode.Uri.parse(uri);
  if (file?.scheme !== 'file') {
    throw new Error(vscode.l10n.t('Open a file of the repository first.'));
  }
  return file;
}

async function step(server: Server, direction: 1 | -1): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const from = editor?.selection.active ?? new vscode.Position(0, 0);
  const uri = editor?.document.uri.toString() ?? '';
  const root = editor === undefined ? undefined : rootOf(server, editor.document.uri);
  const inReach = server.places.filter(
    (each) => root === undefined || rootOf(server, vscode.Uri.parse(each.uri)) === root,
  );
  const next = neighbour(inReach, { uri, line: from.line, character: from.character }, direction);
  if (next === undefined) {
    say(vscode.l10n.t('no findings'));
    return;
  }
  const position = new vscode.Position(next.line, next.character);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(next.uri));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
}

function setUp(server: Server): Record<string, Command> {
  return {
    setUpModel: () => setUpModel(server),
    setKey: () => askForKey(server),
    clearKey: async () => {
      await server.setKey(undefined);
      say(vscode.l10n.t('the key is gone'));
    },
    restart: () => server.restart(),
    settings: () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:roundzero.roundzero'),
    log: () => {
      server.log.show();
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

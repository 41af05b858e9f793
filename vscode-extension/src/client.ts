/**
 * The language client: starts and stops the server, and keeps what it tells. Nothing here shows anything. Invariant:
 * there is at most one server, and restarts follow each other.
 */

import * as os from 'node:os';
import * as vscode from 'vscode';
import {
  LanguageClient,
  RevealOutputChannelOn,
  State,
  Trace,
  type ConfigurationParams,
  type DynamicFeature,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { WorkDoneProgress, type WorkDoneProgressReport } from 'vscode-languageclient/node';
import { complete, type Question } from './languageModel';
import { told } from './pure/settings';
import type { Place } from './pure/places';
import type { Stage } from './pure/statusText';
import { Missing, serverCommand } from './server';
import { COMPLETE, FINDINGS, STATUS, type Finding, type Status } from './wire';

/** Commands of ours that the server's code actions may name. */
const OURS = ['roundzero.showBase', 'roundzero.askAnswer'];
const KEY = 'roundzero.apiKey';

/** Without the feature that registers the server's commands: ours have the same names and do more. */
class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const method = 'registrationType' in feature ? feature.registrationType.method : '';
    if (method !== 'workspace/executeCommand') {
      super.registerFeature(feature);
    }
  }
}

/** Tells the server which commands of ours its code actions may name. */
const announcing: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { commands: { commands: OURS } };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

export class Server implements vscode.Disposable {
  readonly statuses = new Map<string, Status>();
  /** How often a review has said how things stand. */
  reviews = 0;
  readonly #places = new Map<string, Place[]>();
  readonly #changed = new vscode.EventEmitter<void>();
  /** The stage, a status, or where findings are has changed. */
  readonly onChange = this.#changed.event;
  #client: Client | undefined;
  #stage: Stage = 'starting';
  #missing = '';
  #doing = '';
  #queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly log: vscode.LogOutputChannel,
  ) {}

  get stage(): Stage {
    return this.#stage === 'starting' || this.#stage === 'noServer' || this.statuses.size > 0
      ? this.#stage
      : 'noRepository';
  }

  /** Why there is no server. */
  get missing(): string {
    return this.#missing;
  }

  /** What takes long before the server can start; "" when nothing does. */
  get doing(): string {
    return this.#doing;
  }

  /** Where the findings of all documents are. */
  get places(): Place[] {
    return [...this.#places.values()].flat();
  }

  placesIn(uri: vscode.Uri): Place[] {
    return this.#places.get(uri.toString()) ?? [];
  }

  start(): Promise<void> {
    return this.#next(async () => {
      await this.#start();
    });
  }

  restart(): Promise<void> {
    return this.#next(async () => {
      await this.#stop();
      await this.#start();
    });
  }

  stop(): Promise<void> {
    return this.#next(async () => {
      await this.#stop();
    });
  }

  dispose(): void {
    this.#changed.dispose();
    void this.stop();
  }

  /** Run one of the server's commands. Rejects with a message for people. */
  async command<T>(
    name: string,
    argument?: Record<string, unknown>,
    token?: vscode.CancellationToken,
    workDoneToken?: string,
  ): Promise<T> {
    const parameters = {
      command: `roundzero.${name}`,
      arguments: argument === undefined ? [] : [argument],
      ...(workDoneToken === undefined ? {} : { workDoneToken }),
    };
    return await this.request<T>('workspace/executeCommand', parameters, token);
  }

  /** A command that takes its time, with a progress bar that can be cancelled. */
  async longCommand<T>(name: string, title: string, argument: Record<string, unknown>): Promise<T> {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return await vscode.window.withProgress(options, async (progress, token) => {
      const workDoneToken = `roundzero-${String(Date.now())}-${String(Math.random()).slice(2)}`;
      let percent = 0;
      const heard = this.#client?.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
        const { message, percentage } = value as WorkDoneProgressReport;
        const increment = Math.max(0, (percentage ?? percent) - percent);
        percent += increment;
        progress.report({ increment, ...(message === undefined ? {} : { message }) });
      });
      try {
        return await this.command<T>(name, argument, token, workDoneToken);
      } finally {
        heard?.dispose();
      }
    });
  }

  async findings(root: string): Promise<Finding[]> {
    const answer = await this.request<{ findings: Finding[] }>(FINDINGS, { uri: root });
    return answer.findings;
  }

  async request<T>(method: string, parameters: unknown, token?: vscode.CancellationToken): Promise<T> {
    if (this.#client === undefined) {
      throw new Error(this.#missing === '' ? vscode.l10n.t('The server is still starting.') : this.#missing);
    }
    return await (token === undefined
      ? this.#client.sendRequest<T>(method, parameters)
      : this.#client.sendRequest<T>(method, parameters, token));
  }

  async setKey(key: string | undefined): Promise<void> {
    await (key === undefined ? this.context.secrets.delete(KEY) : this.context.secrets.store(KEY, key));
  }

  /** Restart when what the server is told only at its start has changed. */
  watch(): vscode.Disposable {
    const started = ['roundzero.path', 'roundzero.interpreter', 'roundzero.importStrategy', 'roundzero.model.provider'];
    return vscode.Disposable.from(
      this.context.secrets.onDidChange((event) => {
        if (event.key === KEY) {
          void this.restart();
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        void this.restart();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (started.some((name) => event.affectsConfiguration(name))) {
          void this.restart();
        } else if (event.affectsConfiguration('roundzero.trace')) {
          void this.#trace();
        }
      }),
    );
  }

  /** One after the other; what went wrong in one does not keep the next from its turn. */
  async #next(step: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(step).catch((error: unknown) => {
      this.#fail(error);
    });
    await this.#queue;
  }

  async #start(): Promise<void> {
    this.#enter('starting');
    const [program = '', ...args] = await serverCommand(this.context, this.log, (doing) => {
      this.#doing = doing;
      this.#changed.fire();
    });
    const key = await this.context.secrets.get(KEY);
    const env = { ...process.env, ...(key === undefined ? {} : { ROUNDZERO_API_KEY: key }) };
    // The home folder, not the workspace: what lies in a repository must not be taken for a part of the server.
    const client = new Client(
      'roundzero',
      'Round Zero',
      { command: program, args, options: { env, cwd: os.homedir() } },
      this.#options(),
    );
    client.registerFeature(announcing);
    client.onNotification(STATUS, (status: Status) => {
      this.statuses.set(status.uri, status);
      this.reviews += status.verdict === null ? 0 : 1;
      this.#changed.fire();
    });
    client.onRequest(COMPLETE, (question: Question, token: vscode.CancellationToken) => complete(question, token));
    client.onDidChangeState(({ newState }) => {
      if (this.#client === client) {
        this.#follow(newState);
      }
    });
    this.#client = client;
    await client.start();
    await this.#trace();
  }

  /** A server that dies is started again by the client, some times; until then nothing it said holds. */
  #follow(state: State): void {
    if (state === State.Running) {
      void this.#ask();
      return;
    }
    this.statuses.clear();
    this.#places.clear();
    if (state === State.Starting) {
      this.#enter('starting');
    } else {
      this.#missing = vscode.l10n.t('The server has stopped; the log says more.');
      this.#enter('noServer');
    }
  }

  /** Ask once how things stand: until then nobody knows whether there is a repository at all. */
  async #ask(): Promise<void> {
    const client = this.#client;
    // The server refuses where no folder lies in a repository, and then there is no status.
    const found = await this.command<Status[]>('status').catch(() => []);
    if (this.#client === client) {
      for (const status of found) {
        this.statuses.set(status.uri, this.statuses.get(status.uri) ?? status);
      }
      this.#enter('ready');
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.statuses.clear();
    this.#places.clear();
    await client?.dispose().catch((error: unknown) => {
      this.log.warn(String(error));
    });
  }

  #options(): LanguageClientOptions {
    const model = vscode.workspace.getConfiguration('roundzero').get('model.provider') === 'client';
    return {
      documentSelector: [{ scheme: 'file' }],
      initializationOptions: {
        settings: settings(undefined),
        trusted: vscode.workspace.isTrusted,
        modelProvider: model && vscode.workspace.isTrusted,
        locale: vscode.env.language,
      },
      outputChannel: this.log,
      traceOutputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      diagnosticCollectionName: 'roundzero',
      middleware: {
        handleDiagnostics: (uri, diagnostics, next) => {
          const places = diagnostics.map((each) => ({
            uri: uri.toString(),
            line: each.range.start.line,
            character: each.range.start.character,
            id: (each as { data?: { id?: string } }).data?.id ?? '',
          }));
          if (places.length > 0) {
            this.#places.set(uri.toString(), places);
          } else {
            this.#places.delete(uri.toString());
          }
          next(uri, diagnostics);
          this.#changed.fire();
        },
        workspace: {
          configuration: (params: ConfigurationParams) =>
            params.items.map((item) =>
              settings(item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri)),
            ),
          didChangeWorkspaceFolders: async (event, next) => {
            await next(event);
            // Several folders may lie in one repository: only the server knows which of them are left.
            this.statuses.clear();
            await this.#ask();
          },
        },
      },
    };
  }

  async #trace(): Promise<void> {
    const wanted = vscode.workspace.getConfiguration('roundzero').get('trace', 'off');
    await this.#client?.setTrace(Trace.fromString(wanted));
  }

  #enter(stage: Stage): void {
    this.#stage = stage;
    if (stage !== 'noServer') {
      this.#missing = '';
    }
    this.#changed.fire();
  }

  #fail(error: unknown): void {
    this.#client = undefined;
    this.#missing =
      error instanceof Missing
        ? error.message
        : vscode.l10n.t('The server did not start: {0}', error instanceof Error ? error.message : String(error));
    this.log.error(this.#missing);
    this.#enter('noServer');
  }
}

/** What somebody set, by the server's names. */
function settings(scope: vscode.Uri | undefined): Record<string, unknown> {
  const found = vscode.workspace.getConfiguration('roundzero', scope ?? null);
  return told(
    declared(),
    (name) => found.inspect(name),
    (name) => found.get(name),
  );
}

function declared(): string[] {
  interface Package {
    contributes: { configuration: { properties: Record<string, unknown> } };
  }
  const manifest = vscode.extensions.getExtension('roundzero.roundzero')?.packageJSON as Package | undefined;
  return Object.keys(manifest?.contributes.configuration.properties ?? {}).map((name) =>
    name.replace(/^roundzero\./, ''),
  );
}

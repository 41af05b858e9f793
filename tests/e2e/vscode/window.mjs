// Drives a real VS Code in Chromium the way a person does: keys, menus, what can be read on the screen.
// Usage: window.mjs INSTALLED VSIX CARRYING-VSIX ROUNDZERO [PICTURES]; the second .vsix is one that carries the server,
// and "" leaves out what needs it.
// With PICTURES screenshots for the README are written there.
import assert from 'node:assert';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Editor, remove, repository } from './editor.mjs';

/** Limits end what hangs; a machine that is merely slow does not reach them. */
const WAIT = { timeout: 90_000 };
/** Longer with each attempt: one whose list was closed is known by nothing else. */
const COMMAND_MS = [5_000, 15_000, 45_000];
/** Installing what the extension carries. */
const INSTALL = { timeout: 180_000 };
const SQUIGGLE = '.monaco-editor .squiggly-error, .monaco-editor .squiggly-warning, .monaco-editor .squiggly-info';
const NOWHERE = [650, 655];
const STATUS = '.statusbar-item[id*="roundzero.status"]';
/** Two runs may be under way. */
const KEY = `sk-made-up-for-run-${process.pid}`;

const OLD = `"""Prices in cents."""


def total(prices, extras=[]):
    """The sum of everything in the basket."""
    return sum(prices) + sum(extras)
`;
const NEW = `${OLD}

def discount(prices, seen=[]):
    """Every price once, ten percent off."""
    for price in prices:
        if price not in seen:
            seen.append(price)
    return [price * 0.9 for price in seen]
`;
const NEW_LINE = 9;
const README = '# Shop\n\nA very small shop.\n';
const CONFLICT = `# Shop

<<<<<<< HEAD
A very small shop.
=======
A small shop with discounts.
>>>>>>> discounts
`;
const PAYMENT = `"""Talks to the bank."""

import subprocess


def charge(card, cents):
    """Take the money; True when the bank agreed."""
    return subprocess.run(f"bank-client charge {card} {cents}", shell=True).returncode == 0
`;

const [installed, vsix, carrying, program, pictures] = process.argv.slice(2);
const began = Date.now();
const say = (text) => console.log(`${((Date.now() - began) / 1000).toFixed(1)} s  ${text}`);

/** A person at a window with one file open. */
class Person {
  constructor(editor, page) {
    this.editor = editor;
    this.page = page;
  }

  async open(folder, file) {
    const payload = file === undefined ? [] : [['openFile', this.editor.remote(path.join(folder, file))]];
    await this.editor.open(folder, payload);
    await this.page.waitForSelector('.monaco-workbench', WAIT);
    if (file !== undefined) {
      await this.page.waitForSelector('.monaco-editor .view-line', WAIT);
    }
  }

  /** What takes the focus closes the list of commands; then it is opened again. */
  async command(title, category = 'Round Zero') {
    for (const timeout of COMMAND_MS) {
      try {
        await this.#commandOnce(`${category}: ${title}`, { timeout });
        return;
      } catch (error) {
        if (timeout === COMMAND_MS.at(-1)) {
          throw error;
        }
      }
    }
  }

  async #commandOnce(name, patience) {
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden', ...WAIT });
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget input').fill(`>${name}`, patience);
    // Chosen by name: Enter would take whatever is first, and before what was typed has its effect that is another one.
    await this.click(this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${name}"]`).first(), patience);
  }

  async choose(text) {
    await this.click(this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first(), WAIT);
  }

  /** Click on a row of a list that may have come up below the mouse: a tooltip for that place would lie over it. */
  async click(row, patience) {
    await row.waitFor(patience);
    await this.page.mouse.move(...NOWHERE);
    await row.click(patience);
  }

  /** Drag the border of the side bar. */
  async widen(by) {
    const { x, width, y, height } = await this.page.locator('.part.sidebar').boundingBox();
    await this.page.mouse.move(x + width, y + height / 2);
    await this.page.mouse.down();
    await this.page.mouse.move(x + width + by, y + height / 2, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Keys are for the text from now on. */
  async inText() {
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden', ...WAIT });
    await this.page.waitForFunction(
      () => document.activeElement?.closest('.monaco-editor') !== null && document.hasFocus(),
      undefined,
      WAIT,
    );
  }

  /** They close one after the other, and what is opened meanwhile would close with them. */
  async closeAll() {
    await this.command('Close All Editors', 'View');
    await this.page.waitForFunction(() => document.querySelector('.tabs-container .tab') === null, undefined, WAIT);
  }

  async goTo(line, column) {
    await this.page.locator('.monaco-editor .view-line').first().click();
    await this.inText();
    await this.page.keyboard.press('Control+G');
    await this.page.locator('.quick-input-widget input').fill(`:${line}:${column}`, WAIT);
    await this.page.keyboard.press('Enter');
    await this.inText();
    await this.page.locator('.statusbar-item', { hasText: `Ln ${line}, Col ${column}` }).waitFor(WAIT);
  }

  /** Numbers of the lines that have a squiggle. */
  async squiggled() {
    return await this.page.evaluate((selector) => {
      const tops = [...document.querySelectorAll(selector)].map((each) =>
        Math.round(each.getBoundingClientRect().bottom),
      );
      const lines = [...document.querySelectorAll('.monaco-editor .margin-view-overlays .line-numbers')].map((each) => {
        const { top, bottom } = each.getBoundingClientRect();
        return { number: Number(each.textContent), top, bottom };
      });
      return [...new Set(tops.map((at) => lines.find(({ top, bottom }) => at > top && at <= bottom + 1)?.number))];
    }, SQUIGGLE);
  }

  /** Wait until these lines have one, and no others. */
  async squiggles(...expected) {
    await waitUntil(async () => isDeepStrictEqual((await this.squiggled()).sort(), expected));
  }

  async gone() {
    await this.page.waitForFunction((selector) => document.querySelector(selector) === null, SQUIGGLE, WAIT);
  }

  async text() {
    const lines = await this.page.locator('.monaco-editor .view-line').evaluateAll((all) =>
      all
        .map((line) => [parseFloat(line.style.top), line.textContent.replace(/\u00a0/g, ' ')])
        .sort((one, other) => one[0] - other[0])
        .map(([, text]) => text),
    );
    return lines.join('\n');
  }

  async status(pattern) {
    await this.page.waitForFunction(
      ([selector, source]) => new RegExp(source).test(document.querySelector(selector)?.textContent ?? ''),
      [STATUS, pattern.source],
      WAIT,
    );
    return await this.page.locator(STATUS).innerText();
  }

  /** `mouse`: where it rests, so that no tooltip of it is in the picture. */
  async picture(name, mouse) {
    if (pictures !== undefined) {
      if (mouse !== undefined) {
        await this.page.mouse.move(...mouse);
      }
      // Menus take a moment to appear.
      await this.page.waitForTimeout(400);
      await this.page.screenshot({ path: path.join(pictures, `${name}.png`), caret: 'hide' });
    }
  }
}

async function story(person, folder, git) {
  const { page } = person;
  say(`the status bar says: ${await person.status(/RZ BLOCKED P0:1 P2:2 .*main/)}`);
  await person.squiggles(NEW_LINE);
  say('a squiggle on the added line, and none on the old one that reads the same');

  await page.keyboard.press('Control+Shift+M');
  await page.locator('.markers-panel .monaco-list-row', { hasText: 'mutable' }).first().waitFor(WAIT);
  assert.strictEqual(await page.locator('.markers-panel .monaco-list-row', { hasText: 'mutable' }).count(), 1);
  await person.picture('vscode-problems');
  say('Problems lists it, once');
  await page.keyboard.press('Control+J');
  await page.locator('.markers-panel').waitFor({ state: 'hidden', ...WAIT });

  await person.goTo(NEW_LINE, 27);
  await page.keyboard.press('Control+K');
  await page.keyboard.press('Control+I');
  await page.locator('.monaco-hover:not(.hidden)', { hasText: 'mutable-default' }).first().waitFor(WAIT);
  await person.picture('vscode-hover');
  say('hover explains it');
  await page.keyboard.press('Escape');
  await page.locator('.monaco-hover:not(.hidden)').waitFor({ state: 'detached', ...WAIT });
  await person.inText();

  const before = await person.text();
  await page.keyboard.press('Control+.');
  await page.locator('.action-widget .monaco-list-row.action.focused', { hasText: 'None' }).waitFor(WAIT);
  await page.waitForFunction(() => document.activeElement?.closest('.action-widget') !== null, undefined, WAIT);
  await person.picture('vscode-quick-fix');
  await page.keyboard.press('Enter');
  await waitUntil(async () => /seen=None/.test(await person.text()));
  await person.gone();
  await person.inText();
  await page.keyboard.press('Control+Z');
  await waitUntil(async () => (await person.text()) === before);
  await person.squiggles(NEW_LINE);
  say('a quick fix by keyboard; one undo brings the text back, and the squiggle');

  await person.goTo(1, 1);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await person.squiggles(NEW_LINE + 1);
  await page.keyboard.press('Control+Z');
  await person.squiggles(NEW_LINE);
  say('an edit above moves it');

  await page.locator('.activitybar [aria-label^="Round Zero"]').first().click();
  await page.locator('.pane-body .monaco-list-row', { hasText: 'prices.py:9' }).waitFor(WAIT);
  await person.widen(90);
  await person.goTo(NEW_LINE, 27);
  await person.picture('vscode-findings', NOWHERE);
  say('the view lists it, and the activity bar has a badge');

  await page.locator(STATUS).click();
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Review the change now' }).waitFor(WAIT);
  await person.picture('vscode-menu');
  await person.choose('Compare with another base');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Choose automatically' }).waitFor(WAIT);
  await person.picture('vscode-base');
  await person.choose('work');
  await person.gone();
  await person.command('Choose the Base');
  await person.choose('Choose automatically');
  await page.waitForSelector(SQUIGGLE, WAIT);
  say('the menu, and another base: compared with itself the branch has nothing new');

  await person.command('Compare with the Base Version');
  await page.locator('.tab', { hasText: 'base ↔ now' }).waitFor(WAIT);
  await page.locator('.monaco-diff-editor .view-line', { hasText: 'def discount' }).first().waitFor(WAIT);
  await person.picture('vscode-diff', NOWHERE);
  say('the base version beside the file');

  await person.command('Review the Change');
  await person.command('Show the Report');
  await page.locator('.tab', { hasText: 'Preview' }).first().waitFor(WAIT);
  await waitUntil(async () => {
    const frames = page.frames().map((frame) =>
      frame
        .locator('body')
        .innerText({ timeout: 1000 })
        .catch(() => ''),
    );
    return (await Promise.all(frames)).some((text) => text.includes('Blocking issues'));
  });
  await person.picture('vscode-report', NOWHERE);
  await person.closeAll();
  say('the report as a page');

  await page.locator('.pane-body .monaco-list-row', { hasText: 'prices.py:9' }).click();
  await page.waitForSelector(SQUIGGLE, WAIT);
  await page.locator('.statusbar-item', { hasText: `Ln ${NEW_LINE}, Col 27` }).waitFor(WAIT);
  say('a row of the view opens its place');

  await person.closeAll();
  await person.command('Explain a Finding');
  await page.locator('.tab', { hasText: 'Preview Finding' }).waitFor(WAIT);
  say('with no text in front, the selected row is explained');

  await person.command('Open Walkthrough', 'Welcome');
  await page.locator('.quick-input-widget input').fill('Round Zero');
  await person.choose('Get Started with Round Zero');
  const step = page.locator('.getting-started-step', { hasText: 'Open a repository' });
  await step.locator('.codicon-getting-started-step-checked:visible').waitFor(WAIT);
  say('a step of the walkthrough was done by doing it, before the walkthrough was opened');
  await person.closeAll();
  await page.locator('.pane-body .monaco-list-row', { hasText: 'prices.py:9' }).click();
  await page.waitForSelector(SQUIGGLE, WAIT);

  await person.command("Set the Model's Key");
  const secret = page.locator('.quick-input-widget input[type="password"]');
  await secret.fill(KEY, WAIT);
  await secret.press('Enter');
  await waitUntil(() => servers(program).some((environ) => environ.includes(`ROUNDZERO_API_KEY=${KEY}`)));
  for (const name of ['User/settings.json', 'Machine/settings.json']) {
    assert.ok(!fs.readFileSync(path.join(person.editor.data, name), 'utf8').includes(KEY), name);
  }
  say('a key reaches the server and is in no settings');
  await page.waitForSelector(SQUIGGLE, WAIT);

  // What the server that has gone had underlined may still be there to see, and there is nothing to dismiss then.
  const why = page.locator('.quick-input-list .monaco-list-row', { hasText: 'Intended' });
  await waitUntil(async () => {
    await person.goTo(NEW_LINE, 27);
    await person.command('Dismiss a Finding');
    return await why.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
  });
  await person.click(why, WAIT);
  await person.gone();
  await person.status(/RZ BLOCKED P0:1 P2:1 .*main/);
  await page.reload();
  await page.waitForSelector('.monaco-editor .view-line', WAIT);
  await person.status(/RZ BLOCKED P0:1 P2:1 .*main/);
  assert.deepStrictEqual(await person.squiggled(), []);
  say('dismissed, and still after a reload');

  await person.command('Reopen a Finding');
  await person.choose('default');
  await page.waitForSelector(SQUIGGLE, WAIT);
  git('checkout', '-q', 'main');
  await person.gone();
  say('reopened; another branch clears it');
}

/** A model's host on this machine that counts how often it is asked, and fails every time. */
async function countingModel() {
  const model = { asked: 0 };
  const host = http.createServer((_, answer) => {
    model.asked += 1;
    answer.writeHead(500).end();
  });
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
  model.url = `http://127.0.0.1:${host.address().port}`;
  model.close = () => host.close();
  return model;
}

/**
 * In restricted mode, with a model and a linter of their own set up: neither is asked, and settings of the workspace do
 * not count. Then the workspace is trusted, and all of it does. The server is the one the .vsix carries.
 */
async function untrusted(home, folder) {
  const model = await countingModel();
  const ran = path.join(home, 'ran');
  const linter = path.join(home, 'ruff');
  fs.mkdirSync(path.join(folder, '.vscode'), { recursive: true });
  fs.writeFileSync(
    path.join(folder, '.vscode/settings.json'),
    JSON.stringify({ 'roundzero.showOrigins': ['introduced', 'exposed', 'pre-existing'] }),
  );
  const settings = {
    'roundzero.model.provider': 'ollama',
    'roundzero.model.name': 'any',
    'roundzero.model.baseUrl': model.url,
    'roundzero.linters': { ruff: { path: linter } },
  };
  const editor = new Editor(installed, home, settings, { trust: true });
  fs.writeFileSync(linter, `#!/bin/sh\n: >'${ran}'\nexec '${path.join(path.dirname(program), 'ruff')}' "$@"\n`);
  fs.chmodSync(linter, 0o755);
  try {
    editor.install(carrying);
    const person = new Person(editor, await editor.start());
    await person.open(folder, 'shop/prices.py');
    const restricted = person.page.locator('.statusbar-item', { hasText: 'Restricted Mode' });
    await restricted.waitFor(WAIT);
    await person.page.waitForSelector(SQUIGGLE, INSTALL);
    // The verdict is the last round's, before there were settings of the workspace; hence the star.
    await person.status(/RZ BLOCKED\*? P0:1/);
    await person.command('Review with the Model');
    // Longer than the pause after which a model is asked.
    await person.page.waitForTimeout(2500);
    assert.strictEqual(model.asked, 0);
    await person.squiggles(NEW_LINE);
    assert.ok(!fs.existsSync(ran));
    say('a workspace that is not trusted: the carried server is installed, checks run, and the model is not asked');

    await person.command('Manage Workspace Trust', 'Workspaces');
    await person.page
      .locator('.workspace-trust-editor .monaco-button:visible', { hasText: /^Trust$/ })
      .first()
      .click(WAIT);
    await restricted.waitFor({ state: 'detached', ...WAIT });
    await waitUntil(() => model.asked > 0 && fs.existsSync(ran));
    await person.closeAll();
    await person.page.keyboard.press('Control+Shift+E');
    await person.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'prices.py' }).dblclick(WAIT);
    await waitUntil(async () => (await person.squiggled()).length === 2);
    say('trusted later: the model is asked, the linter that was set runs, and settings of the workspace count');
  } catch (error) {
    await editor.page?.screenshot({ path: path.join(home, 'failed.png') });
    throw error;
  } finally {
    await editor.stop();
    model.close();
  }
}

/** Where there is no repository, the view says so. */
async function nowhere(person, folder) {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'a.py'), OLD);
  await person.open(folder, 'a.py');
  assert.strictEqual(await person.page.locator(STATUS).count(), 0);
  await person.page.locator('.activitybar [aria-label^="Round Zero"]').first().click();
  await person.page
    .locator('.welcome-view-content', { hasText: 'No folder here lies in a git repository' })
    .waitFor(WAIT);
  say('without a repository nothing starts by itself, and the view says why');
}

/** The environments of the servers that run. */
function servers(of) {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => read(`/proc/${name}/cmdline`).includes(`${of}\0lsp`))
    .map((name) => read(`/proc/${name}/environ`));
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function waitUntil(look) {
  const end = Date.now() + WAIT.timeout;
  while (!(await look())) {
    if (Date.now() > end) {
      throw new Error(`waited in vain: ${look}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rz-window-'));
const folder = path.join(home, 'shop-project');
const git = repository(
  folder,
  { 'shop/prices.py': OLD, 'README.md': README },
  { 'shop/prices.py': NEW, 'README.md': CONFLICT, 'shop/payment.py': PAYMENT },
);
const scale = pictures === undefined ? 1 : 2;
const editor = new Editor(installed, path.join(home, 'editor'), { 'roundzero.path': program }, { scale });
let failed = false;
try {
  editor.install(vsix);
  const person = new Person(editor, await editor.start());
  await person.open(folder, 'shop/prices.py');
  say('a window is open');
  await story(person, folder, git)
    .then(() => nowhere(person, path.join(home, 'no-repository')))
    .catch(async (error) => {
      await editor.page.screenshot({ path: path.join(home, 'failed.png') });
      throw error;
    });
  await editor.stop();
  git('checkout', '-q', 'work');
  if (carrying !== '') {
    await untrusted(path.join(home, 'untrusted'), folder);
  }
} catch (error) {
  failed = true;
  console.error(error);
  console.error(`see ${home}`);
} finally {
  await editor.stop();
}
if (!failed) {
  remove(home);
}
process.exit(failed ? 1 : 0);

/** What package.json promises, against the code and the texts. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { menu } from '../src/pure/menu';
import { OURS } from '../src/pure/settings';
import { plain } from '../src/pure/words';
import { status } from './samples';

const text = (file: string): string => readFileSync(file, 'utf8');
const json = (file: string): unknown => JSON.parse(text(file));

interface Manifest {
  version: string;
  activationEvents: string[];
  extensionKind: string[];
  capabilities: Record<string, { supported: unknown; description: string }>;
  contributes: {
    commands: { command: string }[];
    menus: Record<string, { command: string; when: string; group: string }[]>;
    configuration: { properties: Record<string, { scope: string; type?: unknown; enum?: unknown[] }> };
  };
}
const manifest = json('package.json') as Manifest;
const commands = manifest.contributes.commands.map((each) => each.command);
const sources = ['src', 'src/pure'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);
const TEXTS = ['package.nls.json', 'package.nls.zh-cn.json'] as const;
const CHINESE = /\p{Script=Han}/u;
/** What is called the same in Chinese. */
const NAMES = new Set(['Ollama', 'OpenAI', 'Anthropic', 'Round Zero']);

/** Names of what is filled in. */
const gaps = (words: string): string[] => (words.match(/\{\d\}|\(command:[^)]+\)|%[\w.]+%/g) ?? []).sort();

void test('it never becomes active everywhere', () => {
  assert.ok(manifest.activationEvents.every((event) => event !== '*' && event !== 'onStartupFinished'));
});

void test('every entry of the menu is a command that exists', () => {
  const entries = ['noServer', 'noRepository', 'starting', 'ready'].flatMap((stage) =>
    [true, false].flatMap((on) => menu(stage as 'ready', status({ running: on, paused: on }), on, plain)),
  );
  assert.deepEqual(
    [...new Set(entries.map((each) => each.command))].filter((each) => !commands.includes(each)),
    ['roundzero.findings.focus'],
  );
});

void test('without a server the menu offers what brings one, and no review', () => {
  const names = menu('noServer', undefined, false, plain).map((each) => each.command);
  assert.deepEqual(names, ['roundzero.restart', 'roundzero.settings', 'roundzero.log']);
});

void test('every command of package.json is registered', () => {
  const source = text('src/commands.ts');
  const missing = commands.filter(
    (each) => !new RegExp(`\\b${each.replace('roundzero.', '')}: (async )?\\(`).test(source),
  );
  assert.deepEqual(missing, []);
});

void test('it runs where the files are, also in restricted mode, and says why not without files', () => {
  assert.deepEqual(manifest.extensionKind, ['workspace']);
  assert.equal(manifest.capabilities['untrustedWorkspaces']?.supported, 'limited');
  assert.equal(manifest.capabilities['virtualWorkspaces']?.supported, false);
  assert.ok(Object.values(manifest.capabilities).every(({ description }) => description !== ''));
});

void test('every text is there in both languages, and none is left over', () => {
  const used = new Set([...text('package.json').matchAll(/%([\w.]+)%/g)].map(([, key]) => key));
  for (const file of TEXTS) {
    assert.deepEqual(new Set(Object.keys(json(file) as object)), used, file);
  }
});

void test('Chinese texts are Chinese and have the same gaps and links as the English ones', () => {
  const [english, chinese] = TEXTS.map((file) => json(file) as Record<string, string>);
  const pairs = [
    ...Object.entries(english ?? {}).map(([key, words]) => [words, chinese?.[key] ?? '']),
    ...Object.entries(json('l10n/bundle.l10n.zh-cn.json') as Record<string, string>),
  ] as [string, string][];
  for (const [one, other] of pairs) {
    assert.deepEqual(gaps(other), gaps(one), one);
    assert.ok(CHINESE.test(other) || NAMES.has(other), `${one}: ${other}`);
  }
});

void test('every page of the walkthrough has its Chinese, by the name under which the editor looks for it', () => {
  const pages = [...text('package.json').matchAll(/"markdown": "([^"]+)\.md"/g)].map(([, page]) => page ?? '');
  assert.equal(pages.length, 4);
  for (const page of pages) {
    assert.notEqual(text(`${page}.md`), '');
    assert.match(text(`${page}.nls.zh-cn.md`), CHINESE, page);
  }
});

void test('every sentence of the code has its Chinese, and none is left over', () => {
  const known = Object.keys(json('l10n/bundle.l10n.zh-cn.json') as object);
  const said = sources.flatMap((file) =>
    [...text(file).matchAll(/(?<![\w.])(?:vscode\.l10n\.t|l10n\.t|say)\(\s*'((?:[^'\\]|\\.)+)'/g)].map(
      ([, words]) => words?.replace(/\\'/g, "'") ?? '',
    ),
  );
  assert.deepEqual(
    [...new Set(said)].filter((each) => !known.includes(each)),
    [],
  );
  // What is looked up by a name that the server gives is a single word.
  const all = sources.map((file) => text(file)).join('');
  assert.deepEqual(
    known.filter((each) => !all.includes(each.replace(/'/g, "\\'")) && !all.includes(each) && each.includes(' ')),
    [],
  );
});

void test('nothing is polled: no interval, and the one timer is set when something has changed', () => {
  const timers = sources.flatMap((file) =>
    [...text(file).matchAll(/\b(setInterval|setTimeout|setImmediate)\(/g)].map(([, name]) => `${file}: ${name ?? ''}`),
  );
  assert.deepEqual(timers, ['src/findingsView.ts: setTimeout']);
});

void test('programs, keys and everything of the model are settings of the machine', () => {
  for (const [name, { scope }] of Object.entries(manifest.contributes.configuration.properties)) {
    const bare = name.replace('roundzero.', '');
    if (OURS.has(bare) || bare.startsWith('model.') || bare === 'linters') {
      assert.equal(scope, 'machine', name);
    }
  }
});

void test('what a row offers to the mouse is in its menu, too', () => {
  const offered = manifest.contributes.menus['view/item/context'] ?? [];
  const named = (inline: boolean): Set<string> =>
    new Set(
      offered
        .filter(({ group }) => group.startsWith('inline') === inline)
        .map(({ command, when }) => `${command} ${when}`),
    );
  assert.ok([...named(true)].every((each) => named(false).has(each)));
});

void test('a setting that is a text has a field on the page of settings', () => {
  for (const [name, { type, enum: words }] of Object.entries(manifest.contributes.configuration.properties)) {
    const nullable = Array.isArray(type) && type.includes('string') && words === undefined;
    assert.ok(!nullable, name);
  }
});

void test('the version is the same in all its places', () => {
  const places = {
    'package-lock.json': /^ {2}"version": "([^"]+)"/m,
    '../pyproject.toml': /^version = "([^"]+)"/m,
    '../server/roundzero/__init__.py': /^__version__(?:: [^=]+)? = "([^"]+)"/m,
  };
  for (const [file, place] of Object.entries(places)) {
    assert.equal(place.exec(text(file))?.[1], manifest.version, file);
  }
  assert.match(text('../CHANGELOG.md'), new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')}\\b`, 'm'));
});

void test('the lock file names no place to download from', () => {
  assert.doesNotMatch(text('package-lock.json'), /"resolved"/);
});

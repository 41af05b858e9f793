/** What package.json promises, against the code and the texts. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { menu } from '../src/pure/menu';
import { OURS } from '../src/pure/settings';
import { plain } from '../src/pure/words';
import { status } from './samples';

const text = (file: string): string => readFileSync(file, 'utf8');
const json = (file: string): unknown => JSON.parse(text(file));

interface Manifest {
  activationEvents: string[];
  contributes: { commands: { command: string }[]; configuration: { properties: Record<string, { scope: string }> } };
}
const manifest = json('package.json') as Manifest;
const commands = manifest.contributes.commands.map((each) => each.command);

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

void test('every command of package.json is registered', () => {
  const source = text('src/commands.ts');
  const missing = commands.filter(
    (each) => !new RegExp(`\\b${each.replace('roundzero.', '')}: (async )?\\(`).test(source),
  );
  assert.deepEqual(missing, []);
});

void test('every text is there in both languages, and none is left over', () => {
  const used = new Set([...text('package.json').matchAll(/%([\w.]+)%/g)].map(([, key]) => key));
  for (const file of ['package.nls.json', 'package.nls.zh-cn.json']) {
    assert.deepEqual(new Set(Object.keys(json(file) as object)), used, file);
  }
});

void test('every sentence of the code has its Chinese', () => {
  const known = new Set(Object.keys(json('l10n/bundle.l10n.zh-cn.json') as object));
  const sources = [
    'base',
    'client',
    'commands',
    'documents',
    'finding',
    'findingsView',
    'languageModel',
    'model',
    'server',
    'pure/menu',
    'pure/statusText',
    'pure/treeModel',
  ];
  const said = sources.flatMap((name) =>
    [...text(`src/${name}.ts`).matchAll(/\b(?:l10n\.t|say)\(\s*'((?:[^'\\]|\\.)+)'/g)].map(
      ([, words]) => words?.replace(/\\'/g, "'") ?? '',
    ),
  );
  assert.deepEqual(
    [...new Set(said)].filter((each) => !known.has(each)),
    [],
  );
});

void test('programs, keys and everything of the model are settings of the machine', () => {
  for (const [name, { scope }] of Object.entries(manifest.contributes.configuration.properties)) {
    const bare = name.replace('roundzero.', '');
    if (OURS.has(bare) || bare.startsWith('model.') || bare === 'linters') {
      assert.equal(scope, 'machine', name);
    }
  }
});

void test('the lock file names no place to download from', () => {
  assert.doesNotMatch(text('package-lock.json'), /"resolved"/);
});

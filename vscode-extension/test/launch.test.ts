import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names, pythonCommand, searched, ways, type Wishes } from '../src/pure/launch';

const WISHES: Wishes = {
  path: '',
  interpreter: '',
  strategy: 'useBundled',
  bundled: true,
  selected: '',
  trusted: true,
};

void test('a program that is named is the only way', () => {
  assert.deepEqual(ways({ ...WISHES, path: '/opt/roundzero', selected: '/venv/bin/python' }), [
    { kind: 'program', program: '/opt/roundzero', asked: true },
  ]);
});

void test('carried wheels are used when there are some and nobody asked for the environment', () => {
  assert.deepEqual(ways(WISHES), [{ kind: 'bundled' }]);
  assert.deepEqual(ways({ ...WISHES, bundled: false }), [{ kind: 'onPath' }]);
  assert.deepEqual(ways({ ...WISHES, strategy: 'fromEnvironment' }), [{ kind: 'onPath' }]);
});

void test('the selected Python comes before PATH, and only in a trusted workspace', () => {
  const wishes: Wishes = { ...WISHES, strategy: 'fromEnvironment', selected: '/code/.venv/bin/python' };
  assert.deepEqual(
    ways(wishes).map((way) => way.kind),
    ['interpreter', 'onPath'],
  );
  assert.deepEqual(ways({ ...wishes, trusted: false }), [{ kind: 'onPath' }]);
});

void test('an interpreter never looks for the server in the current folder', () => {
  assert.ok(pythonCommand('/usr/bin/python3').includes('-P'));
});

void test('folders of PATH that depend on the current folder are not searched', () => {
  const absolute = (folder: string): boolean => folder.startsWith('/');
  assert.deepEqual(searched('/usr/bin:.:node_modules/.bin::/bin', ':', absolute), ['/usr/bin', '/bin']);
});

void test('programs have an ending on Windows', () => {
  assert.deepEqual(names('roundzero', false), ['roundzero']);
  assert.ok(names('roundzero', true).includes('roundzero.exe'));
});

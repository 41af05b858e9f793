import assert from 'node:assert/strict';
import { test } from 'node:test';
import { context, EVERYTHING, groups, GROUPINGS, passes, place, where, type Found } from '../src/pure/treeModel';
import { plain } from '../src/pure/words';
import type { Finding } from '../src/wire';
import { finding } from './samples';

const at = (change: Partial<Finding>, root = 'file:///code'): Found => ({ root, finding: finding(change) });
const line = (number: number): Finding['range'] => ({
  start: { line: number, column: 1 },
  end: { line: number, column: 2 },
});

const SOME = [
  at({ id: 'a', severity: 'P3', path: 'b.py', family: 'defaults' }),
  at({ id: 'b', severity: 'P0', path: 'b.py', range: line(9) }),
  at({ id: 'c', severity: 'P0', path: 'b.py', range: line(2), family: 'defaults' }),
  at({ id: 'd', state: 'dismissed' }),
  at({ id: 'e', path: null, range: null }),
];

void test('groups by severity come gravest first, and inside by place', () => {
  const found = groups(SOME, 'severity', EVERYTHING, plain);
  assert.deepEqual(
    found.map((group) => [group.label, group.found.map((each) => each.finding.id)]),
    [
      ['P0', ['c', 'b']],
      ['P1', ['e']],
      ['P3', ['a']],
    ],
  );
});

void test('every finding that passes is in exactly one group, however they are grouped', () => {
  for (const grouping of GROUPINGS) {
    const ids = groups(SOME, grouping, { ...EVERYTHING, dismissed: true }, plain).flatMap((group) =>
      group.found.map((each) => each.finding.id),
    );
    assert.deepEqual(ids.sort(), ['a', 'b', 'c', 'd', 'e']);
  }
});

void test('files of the same name in two repositories are two groups', () => {
  const two = [at({}), at({}, 'file:///other')];
  assert.equal(groups(two, 'file', EVERYTHING, plain).length, 2);
});

void test('what is dismissed shows on request only', () => {
  assert.equal(passes(finding({ state: 'dismissed' }), EVERYTHING), false);
  assert.equal(passes(finding({ state: 'dismissed' }), { ...EVERYTHING, dismissed: true }), true);
});

void test('the filter takes severity and any part of title, item or path', () => {
  assert.equal(passes(finding({ severity: 'P2' }), { ...EVERYTHING, severity: 'P1' }), false);
  assert.equal(passes(finding({}), { ...EVERYTHING, text: 'SHOP/' }), true);
  assert.equal(passes(finding({}), { ...EVERYTHING, text: 'mutable' }), true);
  assert.equal(passes(finding({ path: null }), { ...EVERYTHING, text: 'elsewhere' }), false);
});

void test('a finding on the base side is placed where it hangs on at the head', () => {
  assert.equal(place(finding({})), 'app.py:5');
  assert.equal(place(finding({ side: 'base', anchor: { path: 'shop/app.py', line: 2 } })), 'app.py:2');
  assert.equal(place(finding({ path: null, range: null })), '');
});

void test('menus learn what can be done with a finding', () => {
  assert.equal(context(finding({})), 'finding open placed');
  assert.equal(context(finding({ state: 'dismissed', path: null })), 'finding dismissed');
  assert.match(context(finding({ open_questions: [{ text: 'Is it?', decides: 'all' }] })), /asking/);
});

void test('a severity says what it means', () => {
  const all = (['P0', 'P1', 'P2', 'P3'] as const).map((severity) => at({ id: severity, severity }));
  const found = groups(all, 'severity', EVERYTHING, plain).map((group) => group.meaning);
  assert.equal(new Set(found).size, 4);
  assert.ok(groups(all, 'file', EVERYTHING, plain).every((group) => group.meaning === ''));
});

void test('the tooltip has the whole path', () => {
  assert.equal(where(finding({})), 'shop/app.py:5');
  assert.equal(where(finding({ path: 'app.py' })), 'app.py:5');
  assert.equal(where(finding({ path: null, range: null })), '');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bar, baseName, details, numbers, total } from '../src/pure/statusText';
import { plain } from '../src/pure/words';
import { status } from './samples';

void test('the line names verdict, numbers and base, gravest first', () => {
  const { text, tone } = bar('ready', status({ counts: { P0: 0, P1: 2, P2: 0, P3: 1 } }), plain);
  assert.equal(text, '$(error) RZ BLOCKED P1:2 P3:1 ↔ main');
  assert.equal(tone, 'normal');
});

void test('a verdict on texts as they were has a star', () => {
  const old = status({ verdict: { status: 'LGTM', stale: true, depth: 'off', blocking: 0, reasons: [] } });
  assert.match(bar('ready', old, plain).text, /LGTM\*/);
});

void test('a model at work shows, and one that is off or idle does not', () => {
  const lane = status({}).model;
  assert.match(bar('ready', status({ model: { ...lane, state: 'running' } }), plain).text, /\$\(sparkle\) running/);
  assert.doesNotMatch(bar('ready', status({ model: { ...lane, state: 'idle' } }), plain).text, /sparkle/);
});

void test('pausing wins over a verdict, and a running review over its old sign', () => {
  assert.match(bar('ready', status({ paused: true }), plain).text, /^\$\(debug-pause\) RZ paused/);
  assert.match(bar('ready', status({ running: true }), plain).text, /^\$\(sync~spin\) RZ BLOCKED/);
});

void test('problems and doubts about the base colour the item', () => {
  assert.equal(bar('ready', status({ problems: ['exclude is odd'] }), plain).tone, 'warning');
  const base = { ref: 'main', merge_base: 'a'.repeat(40), how: 'upstream', doubts: ['it is old'] };
  assert.equal(bar('ready', status({ base }), plain).tone, 'warning');
});

void test('every stage without a review says something', () => {
  for (const stage of ['noServer', 'noRepository', 'starting', 'ready'] as const) {
    const { text, tooltip } = bar(stage, undefined, plain);
    assert.match(text, /Round Zero/);
    assert.notEqual(tooltip, '');
  }
});

void test('a base without a name goes by its commit', () => {
  const base = { ref: null, merge_base: '0123456789abcdef', how: 'head', doubts: [] };
  assert.equal(baseName(status({ base })), '01234567');
  const named = { ...base, ref: 'refs/remotes/origin/main' };
  assert.equal(baseName(status({ base: named })), 'origin/main');
});

void test('the tooltip names what was not checked and what went wrong', () => {
  const skipped = [
    { path: 'a.bin', kind: 'by-rule' as const, reason: 'binary' },
    { path: 'b.py', kind: 'not-checked' as const, reason: 'too large' },
  ];
  const coverage = { files: 3, reviewed: 1, added_lines: 5, skipped };
  const text = details(status({ coverage, problems: ['no such pack'] }), plain).join('\n');
  assert.match(text, /1 of 3 changed files/);
  assert.match(text, /b\.py: too large/);
  assert.doesNotMatch(text, /a\.bin/);
  assert.match(text, /no such pack/);
});

void test('the tooltip says what a model is asked for', () => {
  const model = { state: 'running' as const, stage: 'fact-check', until: null, tokens: 70, cost: 0 };
  assert.match(details(status({ model }), plain).join('\n'), /Model: running, fact-check, 70 tokens/);
});

void test('numbers leave out zeros', () => {
  const one = status({ counts: { P0: 1, P1: 0, P2: 0, P3: 4 } });
  assert.equal(numbers(one), 'P0:1 P3:4');
  assert.equal(total(one), 5);
});

void test('the tooltip says in words how the base was chosen', () => {
  const text = details(status({}), plain).join('\n');
  assert.match(text, /Base: main at a{10}, the latest merge base with a main branch/);
  for (const how of ['explicit', 'pull-request', 'upstream', 'head', 'empty-tree']) {
    const base = { ref: null, merge_base: null, how, doubts: [] };
    assert.ok(!details(status({ base }), plain).join('\n').includes(`, ${how}`), how);
  }
});

void test('what takes long before the server starts is said', () => {
  assert.equal(bar('starting', undefined, plain, 'installing the server').text.includes('installing the server'), true);
});

void test('nothing in the tooltip becomes a picture or a link, whatever a file or a branch is called', () => {
  const odd = '![x](http://far.example/y.png)<img src=z>';
  const skipped = [{ path: odd, kind: 'not-checked' as const, reason: odd }];
  const said = status({
    verdict: { status: 'INCOMPLETE', stale: false, depth: 'off', blocking: 0, reasons: [odd] },
    base: { ref: odd, merge_base: null, how: 'explicit', doubts: [odd] },
    coverage: { files: 1, reviewed: 0, added_lines: 1, skipped },
    model: { state: 'offline', until: null, tokens: 0, cost: 0, reasons: [odd], name: odd },
    problems: [odd],
  });
  const text = details(said, plain).join('\n');
  assert.match(text, /far\.example/);
  assert.doesNotMatch(text, /(?<!\\)[![\]<>]/);
});

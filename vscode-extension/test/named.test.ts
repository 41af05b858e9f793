import assert from 'node:assert/strict';
import { test } from 'node:test';
import { own } from '../src/pure/named';

void test('the server is told how deep to look and what was answered', () => {
  assert.deepEqual(own({ id: 'rz-1', depth: 'deep' }), { id: 'rz-1', depth: 'deep' });
  const said = { id: 'rz-1', uri: 'file:///code', question: 'Is it?', text: 'yes' };
  assert.deepEqual(own(said), said);
});

void test('showing and asking is ours: the server is not told to', () => {
  assert.deepEqual(own({ id: 'rz-1', show: true, ask: true }), { id: 'rz-1' });
});

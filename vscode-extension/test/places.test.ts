import assert from 'node:assert/strict';
import { test } from 'node:test';
import { character, neighbour, statusOf, type Place } from '../src/pure/places';
import { status } from './samples';

const PLACES: Place[] = [
  { uri: 'b', line: 3, character: 0, id: '3' },
  { uri: 'a', line: 9, character: 4, id: '2' },
  { uri: 'a', line: 1, character: 0, id: '1' },
];

void test('next and previous go through all places in order and round again', () => {
  const ids = (direction: 1 | -1): string[] => {
    const found: string[] = [];
    let from: Omit<Place, 'id'> = { uri: 'a', line: 0, character: 0 };
    for (let turn = 0; turn < 4; turn++) {
      const next = neighbour(PLACES, from, direction);
      assert.ok(next);
      found.push(next.id);
      from = next;
    }
    return found;
  };
  assert.deepEqual(ids(1), ['1', '2', '3', '1']);
  assert.deepEqual(ids(-1), ['3', '2', '1', '3']);
});

void test('without findings there is no next one', () => {
  assert.equal(neighbour([], { uri: 'a', line: 0, character: 0 }, 1), undefined);
});

void test('a document belongs to the deepest repository that holds it', () => {
  const outer = status({ uri: 'file:///code' });
  const inner = status({ uri: 'file:///code/vendored' });
  assert.equal(statusOf([outer, inner], 'file:///code/vendored/a.py'), inner);
  assert.equal(statusOf([outer, inner], 'file:///code/vendored2/a.py'), outer);
  assert.equal(statusOf([outer], 'file:///elsewhere/a.py'), undefined);
});

void test('columns count code points, and the editor counts UTF-16', () => {
  assert.equal(character('a😀b', 3), 3);
  assert.equal(character('ab', 9), 2);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { told, type Inspected } from '../src/pure/settings';

const SET: Record<string, Inspected> = {
  run: { globalValue: 'onSave' },
  minSeverity: {},
  base: { globalValue: null },
  exclude: { workspaceValue: ['a'] },
  path: { globalValue: '/opt/roundzero' },
  'model.name': { globalValue: '' },
};

void test('the server is told what somebody set, and neither a default nor a text that was emptied', () => {
  const found = told(
    Object.keys(SET),
    (name) => SET[name],
    (name) => (name === 'model.name' ? '' : `value of ${name}`),
  );
  assert.deepEqual(found, { run: 'value of run', exclude: 'value of exclude' });
});

// Tests the states of claims.

import assert from 'node:assert/strict';
import test from 'node:test';
import { isAllocated, stateWords } from '../../main/resources/page/model.js';

test('a claim with an allocation is allocated, reserved or not, deleted or not', () => {
  const states = ['pending', 'deleted', 'allocated', 'allocated,reserved', 'deleted,allocated', 'deleted,allocated,reserved'];
  assert.deepEqual(
    states.filter((state) => isAllocated({ state })),
    states.slice(2),
  );
});

test('the filter of the state has a choice per word', () => {
  assert.deepEqual(stateWords({ state: 'deleted,allocated' }), ['deleted', 'allocated']);
});

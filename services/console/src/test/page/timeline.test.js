// Tests which allocations of the history the timeline of a claim has.

import assert from 'node:assert/strict';
import test from 'node:test';
import { isOf } from '../../main/resources/page/timeline.js';

const CLAIM = { created: '2026-01-31T12:00:00Z' };

test('an allocation that ended before the claim was created is of an earlier claim with the name', () => {
  assert.equal(isOf(CLAIM, { FROM: '2026-01-31T10:00:00Z', TO: '2026-01-31T11:00:00Z' }), false);
  assert.equal(isOf(CLAIM, { FROM: '2026-01-31T12:00:00.2Z', TO: '2026-01-31T12:00:00.9Z' }), true);
});

test('an allocation without an end, and one of a claim without a time, count', () => {
  assert.equal(isOf(CLAIM, { FROM: '2026-01-31T12:00:00.2Z', TO: '' }), true);
  assert.equal(isOf({}, { FROM: '2026-01-31T10:00:00Z', TO: '2026-01-31T11:00:00Z' }), true);
});

// Tests what Overview says with and without an allocator in the process of the console.

import assert from 'node:assert/strict';
import test from 'node:test';
import { timeTextWithUtc } from '../../main/resources/page/format.js';
import { NONE, allocatorFigures } from '../../main/resources/page/metrics.js';
import { latencyNote, noAlarmNote } from '../../main/resources/page/overview.js';

const LOADED = { ...NONE, isLoaded: true };

/** Metrics of a process with an allocator, before its first decision. */
const IDLE_ALLOCATOR = `
claimstream_active_alarms{kind="conflict"} 0.0
claimstream_active_alarms{kind="device-lost"} 0.0
claimstream_decision_seconds_bucket{result="allocated",le="0.01"} 0
claimstream_decision_seconds_bucket{result="allocated",le="+Inf"} 0
`;

test('a console without an allocator says who measures latency, and that the allocator has alerts', () => {
  const figures = { ...LOADED, ...allocatorFigures('jvm_threads_live_threads 20.0\nclaimstream_queue_findings{kind="never-allocated"} 0.0\n') };
  assert.equal(latencyNote(figures), 'measured by the allocator: see the dashboards');
  assert.match(noAlarmNote(figures), /the allocator has alerts of its own/);
});

test('an allocator without a decision is no other process', () => {
  const figures = { ...LOADED, ...allocatorFigures(IDLE_ALLOCATOR) };
  assert.equal(latencyNote(figures), 'no decision since the start');
  assert.equal(noAlarmNote(figures), 'none');
});

test('a user who may not read metrics is told so', () => {
  assert.equal(latencyNote({ ...LOADED, isForbidden: true }), 'your user may not read /metrics');
  assert.equal(latencyNote(NONE), 'loading');
});

test('times on hover have UTC', () => {
  assert.match(timeTextWithUtc(Date.parse('2026-01-31T23:55:00Z')), / – 2026-01-31T23:55:00Z \(UTC\)$/);
});

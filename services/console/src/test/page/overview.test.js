// Tests what Overview says with and without an allocator in the process of the console.

import assert from 'node:assert/strict';
import test from 'node:test';
import { timeTextWithUtc } from '../../main/resources/page/format.js';
import { NONE, allocatorFigures } from '../../main/resources/page/metrics.js';
import { Model } from '../../main/resources/page/model.js';
import { alarmsOf, latencyNote, noAlarmNote } from '../../main/resources/page/overview.js';

const LOADED = { ...NONE, isLoaded: true };

/** Metrics of a process with an allocator, before its first decision. */
const IDLE_ALLOCATOR = `
claimstream_active_alarms{kind="conflict"} 0.0
claimstream_active_alarms{kind="device-lost"} 0.0
claimstream_decision_seconds_bucket{result="allocated",le="0.01"} 0
claimstream_decision_seconds_bucket{result="allocated",le="+Inf"} 0
`;

function modelOf(...devices) {
  const model = new Model();
  model.replace({ claims: [], devices, nodes: [], pools: [] });
  return model;
}

function device(name, fields) {
  return { key: `gpu.example.com/node-1/${name}`, driver: 'gpu.example.com', pool: 'node-1', device: name, state: 'allocated', ...fields };
}

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

test('without an allocator, conflicts and missing devices are read from the rows', () => {
  const model = modelOf(
    device('gpu-0', { claims: ['a/one', 'b/two'] }),
    device('gpu-1', { claims: ['a/one', 'b/two'], shared: true }),
    device('gpu-2', { claims: ['a/one'], missing: true }),
    device('gpu-3', { claims: ['a/one'] }),
  );
  assert.deepEqual(
    alarmsOf({ model, figures: LOADED }).map(({ level, text, href }) => [level, text, href]),
    [
      ['error', '1 device with more than one claim: gpu.example.com/node-1/gpu-0 (a/one, b/two)', '#/device/gpu.example.com/node-1/gpu-0'],
      ['error', '1 device allocated and in no ResourceSlice: gpu.example.com/node-1/gpu-2 (a/one)', '#/device/gpu.example.com/node-1/gpu-2'],
    ],
  );
});

test('the alarms of an allocator in the process count once', () => {
  const model = modelOf(device('gpu-0', { claims: ['a/one', 'b/two'] }));
  const figures = { ...LOADED, ...allocatorFigures(IDLE_ALLOCATOR.replace('conflict"} 0.0', 'conflict"} 1.0')) };
  assert.deepEqual(
    alarmsOf({ model, figures }).map(({ text }) => text),
    ['1 device with alarm conflict'],
  );
});

test('findings of the queue are alarms with their history, and lead to the queue', () => {
  const findings = [
    { kind: 'repeatedly-rejected', subject: 'claim a/one', since: new Date(Date.now() - 125 * 60_000).toISOString(), history: ['allocated 3 times, rejected 3 times', 'last rejection: quota exceeded', 'pending since …'] },
  ];
  assert.deepEqual(alarmsOf({ model: modelOf(), figures: { ...LOADED, findings } }), [
    { level: 'warning', text: 'claim a/one, for 2 h: allocated 3 times, rejected 3 times; last rejection: quota exceeded', href: '#/queue' },
  ]);
});

test('times on hover have UTC', () => {
  assert.match(timeTextWithUtc(Date.parse('2026-01-31T23:55:00Z')), / – 2026-01-31T23:55:00Z \(UTC\)$/);
});

// Tests which faults are alarms of Overview, and from what time on.

import assert from 'node:assert/strict';
import test from 'node:test';
import { FaultTimes, GRACE_MS, alarmsOf } from '../../main/resources/page/alarms.js';
import { NONE, allocatorFigures } from '../../main/resources/page/metrics.js';
import { Model } from '../../main/resources/page/model.js';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const LOADED = { ...NONE, isLoaded: true };
const WITH_ALLOCATOR = { ...LOADED, ...allocatorFigures('claimstream_active_alarms{kind="conflict"} 0.0\n') };

function contextOf({ claims = [], devices = [], nodes = [], pools = [] }, figures = WITH_ALLOCATOR) {
  const model = new Model();
  model.replace({ claims, devices, nodes, pools });
  return { model, figures, faults: new FaultTimes() };
}

function device(name, fields) {
  return { key: `gpu.example.com/node-1/${name}`, driver: 'gpu.example.com', pool: 'node-1', device: name, state: 'allocated', ...fields };
}

function claim(name, fields) {
  return { key: `a/${name}`, namespace: 'a', name, state: 'allocated', decision: 7, ...fields };
}

const texts = (alarms) => alarms.map(({ text }) => text);

const FAULTY = [
  device('gpu-0', { claims: ['a/one', 'b/two'] }),
  device('gpu-1', { claims: ['a/one', 'b/two'], shared: true }),
  device('gpu-2', { claims: ['a/one'], missing: true }),
  device('gpu-3', { claims: ['a/one'] }),
];

test('without an allocator, lasting conflicts and missing devices are read from the rows', () => {
  const context = contextOf({ devices: FAULTY }, LOADED);
  assert.deepEqual(alarmsOf(context, NOW), []);
  assert.deepEqual(
    alarmsOf(context, NOW + GRACE_MS).map(({ level, text, href }) => [level, text, href]),
    [
      ['error', '1 device with more than one claim: gpu.example.com/node-1/gpu-0 (a/one, b/two)', '#/device/gpu.example.com/node-1/gpu-0'],
      ['error', '1 device allocated and in no ResourceSlice: gpu.example.com/node-1/gpu-2 (a/one)', '#/device/gpu.example.com/node-1/gpu-2'],
    ],
  );
});

test('a conflict that ends and begins again lasts from its new begin', () => {
  const context = contextOf({ devices: FAULTY.slice(0, 1) }, LOADED);
  assert.deepEqual(alarmsOf(context, NOW), []);
  context.model.replace({ claims: [], devices: [device('gpu-0', { claims: ['a/one'] })], nodes: [], pools: [] });
  assert.deepEqual(alarmsOf(context, NOW + 1), []);
  context.model.replace({ claims: [], devices: FAULTY.slice(0, 1), nodes: [], pools: [] });
  assert.deepEqual(alarmsOf(context, NOW + GRACE_MS), []);
  assert.equal(alarmsOf(context, NOW + 2 * GRACE_MS).length, 1);
});

test('a conflict with another claim is another conflict', () => {
  const context = contextOf({ devices: [device('gpu-0', { claims: ['a/one', 'b/two'] })] }, LOADED);
  assert.deepEqual(alarmsOf(context, NOW), []);
  context.model.replace({ claims: [], devices: [device('gpu-0', { claims: ['b/two', 'c/three'] })], nodes: [], pools: [] });
  assert.deepEqual(alarmsOf(context, NOW + GRACE_MS), []);
});

test('a conflict whose last decision is old is an alarm at once', () => {
  const decided = (ms) => [claim('one', { decidedAt: '2026-01-31T11:00:00Z' }), claim('two', { decidedAt: new Date(NOW - ms).toISOString() })];
  const devices = [device('gpu-0', { claims: ['a/one', 'a/two'] })];
  assert.equal(alarmsOf(contextOf({ claims: decided(60_000), devices }, LOADED), NOW).length, 1);
  assert.deepEqual(alarmsOf(contextOf({ claims: decided(1_000), devices }, LOADED), NOW), []);
});

test('the alarms of an allocator in the process count once, and name their devices', () => {
  const figures = { ...LOADED, ...allocatorFigures('claimstream_active_alarms{kind="conflict"} 1.0\nclaimstream_active_alarms{kind="overdrawn"} 2.0\n') };
  assert.deepEqual(texts(alarmsOf(contextOf({ devices: FAULTY }, figures), NOW)), ['1 device with alarm conflict: gpu.example.com/node-1/gpu-0 (a/one, b/two)', '2 devices with alarm overdrawn']);
});

test('findings of the queue are alarms with their history, and lead to the queue', () => {
  const findings = [
    { kind: 'repeatedly-rejected', subject: 'claim a/one', since: new Date(NOW - 125 * 60_000).toISOString(), history: ['allocated 3 times, rejected 3 times', 'last rejection: quota exceeded', 'pending since …'] },
  ];
  assert.deepEqual(alarmsOf(contextOf({}, { ...LOADED, findings }), NOW), [
    { level: 'warning', text: 'claim a/one, for 2 h: allocated 3 times, rejected 3 times; last rejection: quota exceeded', href: '#/queue' },
  ]);
});

test('nodes with the same fault are one alarm; a cordoned node is none', () => {
  const node = (name, status) => ({ key: name, name, status });
  assert.deepEqual(alarmsOf(contextOf({ nodes: [node('a', 'NotReady'), node('b', 'Ready,SchedulingDisabled'), node('c', 'Ready,Silent')] }), NOW), [
    { level: 'error', text: 'node a is NotReady', href: '#/node/a' },
    { level: 'error', text: 'node c is Ready,Silent', href: '#/node/c' },
  ]);
  const many = ['a', 'b', 'c', 'd'].map((name) => node(name, 'NotReady'));
  assert.deepEqual(alarmsOf(contextOf({ nodes: many }), NOW), [{ level: 'error', text: '4 nodes are NotReady: a, b, c …', href: '#/cluster?state=unusable' }]);
});

test('incomplete pools of a driver are one alarm', () => {
  const pool = (name, state) => ({ key: `d/${name}`, driver: 'd', pool: name, state, slices: 1, expectedSlices: 2 });
  assert.deepEqual(texts(alarmsOf(contextOf({ pools: [pool('a', 'incomplete'), pool('b', 'complete'), pool('c', 'invalid')] }), NOW)), ['pool d/a is incomplete: 1 of 2 slices', 'pool d/c is invalid: 1 of 2 slices']);
  assert.deepEqual(texts(alarmsOf(contextOf({ pools: [pool('a', 'incomplete'), pool('b', 'incomplete')] }), NOW)), ['2 pools of d are incomplete: a, b']);
});

test('a failed commit is an alarm if no other decision follows', () => {
  const failed = (decision) => claim('one', { outcome: 'conflict', outcomeAt: new Date(NOW).toISOString(), outcomeMessage: 'the claim has changed', decision });
  const context = contextOf({ claims: [failed(7)] });
  assert.deepEqual(alarmsOf(context, NOW), []);
  context.model.replace({ claims: [failed(8)], devices: [], nodes: [], pools: [] });
  assert.deepEqual(alarmsOf(context, NOW + GRACE_MS), []);
  assert.deepEqual(texts(alarmsOf(context, NOW + 2 * GRACE_MS)), ['claim a/one: the last commit is conflict: the claim has changed']);
});

test('each taint of a device counts', () => {
  const devices = [device('gpu-0', { taints: ['a:NoSchedule', 'b:NoExecute'] }), device('gpu-1', { taints: ['a:NoSchedule'] })];
  assert.deepEqual(texts(alarmsOf(contextOf({ devices }), NOW)), ['2 devices with taint a:NoSchedule', '1 device with taint b:NoExecute']);
});

test('errors come first', () => {
  const devices = [device('gpu-0', { taints: ['a:NoSchedule'] })];
  const figures = { ...WITH_ALLOCATOR, parts: [{ name: 'broker', status: 'degraded', sentence: 'slow' }, { name: 'reader', status: 'down', sentence: 'no response' }, { name: 'page', status: 'up', sentence: 'fine' }] };
  assert.deepEqual(alarmsOf(contextOf({ devices }, figures), NOW).map(({ level, text }) => `${level} ${text}`), ['error reader: no response', 'warning broker: slow', 'warning 1 device with taint a:NoSchedule']);
});

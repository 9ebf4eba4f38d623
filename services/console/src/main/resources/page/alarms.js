// Alarms for an operator: faults of the process, of devices, nodes, pools and commits, and findings of the queue.

import { counted, duration } from './format.js';
import { gathered, grouped } from './model.js';
import { to } from './route.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {import('./model.js').Device} Device */
/** @typedef {{level: 'error' | 'warning', text: string, href: string}} Alarm */

/** Lines of a finding that an alarm has: its counts, and the last rejection or the first reason. */
const FINDING_LINES = 2;

/** Names of objects in one alarm. */
const NAMED = 3;

/** Time for which the page must see a fault before it is an alarm: releases, new slices and repeated commits end such faults. */
export const GRACE_MS = 10_000;

/** Age at which a fault with a time is an alarm at once. It is long, because the clocks of browser and cluster may differ. */
const OLD_MS = 60_000;

/** Outcomes of the last commit of a claim that are faults. */
const FAILURES = ['rejected', 'conflict'];

/** Remembers since when the page sees each fault. */
export class FaultTimes {
  constructor() {
    /** @type {Map<string, number>} */
    this.since = new Map();
    /** @type {Set<string>} */
    this.seen = new Set();
  }

  /**
   * Whether a fault has lasted for the grace time.
   * @param {string} fault the fault, with all that distinguishes it from other faults
   * @param {number} now
   * @param {number} [began] ms; NaN if unknown
   */
  hasLasted(fault, now, began = NaN) {
    this.seen.add(fault);
    const since = this.since.get(fault) ?? now;
    this.since.set(fault, since);
    return now - since >= GRACE_MS || now - began >= OLD_MS;
  }

  /** Forgets the faults that were not asked for since the last call: they have ended. */
  endPass() {
    for (const fault of this.since.keys()) {
      if (!this.seen.has(fault)) {
        this.since.delete(fault);
      }
    }
    this.seen.clear();
  }
}

/**
 * All alarms, errors first.
 * @param {Context} context
 * @param {number} [now]
 * @returns {Alarm[]}
 */
export function alarmsOf(context, now = Date.now()) {
  const found = [...ofProcess(context), ...ofAllocator(context, now), ...ofFindings(context, now), ...ofNodes(context), ...ofPools(context), ...ofCommits(context, now), ...ofTaints(context)];
  context.faults.endPass();
  return found.sort((one, other) => Number(other.level === 'error') - Number(one.level === 'error'));
}

/**
 * @param {Context} context
 * @returns {Alarm[]}
 */
function ofProcess({ figures: { parts } }) {
  return parts.filter(({ status }) => status !== 'up').map(({ name, status, sentence }) => ({ level: status === 'down' ? 'error' : 'warning', text: `${name}: ${sentence}`, href: '#/' }));
}

/**
 * The alarms of an allocator in the process, or else what the rows of the stream show of them.
 * @param {Context} context
 * @param {number} now
 * @returns {Alarm[]}
 */
function ofAllocator({ model, figures: { hasAllocator, alarms }, faults }, now) {
  const devices = [...model.devices.values()];
  const shared = devices.filter(({ shared: isShared, claims = [] }) => !isShared && claims.length > 1);
  const missing = devices.filter(({ missing: isMissing }) => isMissing);
  if (hasAllocator) {
    /** @type {Record<string, Device[]>} */
    const named = { conflict: shared, 'device-lost': missing };
    return Object.entries(alarms).map(([kind, count]) => {
      const own = named[kind] ?? [];
      return own.length === count ? deviceAlarm(own, `with alarm ${kind}`) : { level: 'error', text: `${counted(count, 'device')} with alarm ${kind}`, href: to('cluster', [], { state: 'allocated' }) };
    });
  }
  const decidedAt = (/** @type {Device} */ { claims = [] }) => Math.max(...claims.map((key) => Date.parse(model.claims.get(key)?.decidedAt ?? '')));
  const lasting = (/** @type {string} */ fault, /** @type {Device[]} */ all, /** @type {(device: Device) => number} */ began) =>
    all.filter((device) => faults.hasLasted(`${fault} ${device.key} ${device.claims?.join()}`, now, began(device)));
  return [
    { devices: lasting('conflict', shared, decidedAt), fault: 'with more than one claim' },
    { devices: lasting('missing', missing, () => NaN), fault: 'allocated and in no ResourceSlice' },
  ].flatMap(({ devices: own, fault }) => (own.length ? [deviceAlarm(own, fault)] : []));
}

/**
 * One alarm for all devices with the same fault.
 * @param {Device[]} devices at least one
 * @param {string} fault
 * @returns {Alarm}
 */
function deviceAlarm(devices, fault) {
  const [first] = devices;
  const href = first && devices.length === 1 ? to('device', [first.driver, first.pool, first.device]) : to('cluster', [], { state: 'allocated' });
  return { level: 'error', text: `${counted(devices.length, 'device')} ${fault}: ${names(devices.map(({ key, claims = [] }) => `${key} (${claims.join(', ')})`))}`, href };
}

/** @param {string[]} all */
function names(all) {
  return `${all.slice(0, NAMED).join(', ')}${all.length > NAMED ? ' …' : ''}`;
}

/**
 * @param {Context} context
 * @param {number} now
 * @returns {Alarm[]}
 */
function ofFindings({ figures: { findings } }, now) {
  return findings.map(({ subject, since, history }) => ({ level: 'warning', text: `${subject}, for ${duration(now - Date.parse(since))}: ${history.slice(0, FINDING_LINES).join('; ')}`, href: to('queue') }));
}

/**
 * One alarm for all nodes with the same status: an outage is one fault.
 * @param {Context} context
 * @returns {Alarm[]}
 */
function ofNodes({ model }) {
  const failed = [...model.nodes.values()].filter(({ status }) => !/^Ready(,|$)/.test(status) || status.includes('Silent'));
  return grouped(failed, ({ status }) => status).map(([status, nodes]) =>
    nodes.length === 1 && nodes[0]
      ? { level: 'error', text: `node ${nodes[0].name} is ${status}`, href: to('node', [nodes[0].name]) }
      : { level: 'error', text: `${counted(nodes.length, 'node')} are ${status}: ${names(nodes.map(({ name }) => name))}`, href: to('cluster', [], { state: status.includes('Silent') ? 'silent' : 'unusable' }) },
  );
}

/**
 * @param {Context} context
 * @returns {Alarm[]}
 */
function ofPools({ model }) {
  const faulty = [...model.pools.values()].filter(({ state }) => state !== 'complete');
  return [...gathered(faulty, ({ driver, state }) => `${driver} ${state}`).values()].flatMap((pools) => {
    const [first] = pools;
    if (!first) {
      return [];
    }
    return pools.length === 1
      ? [{ level: 'warning', text: `pool ${first.key} is ${first.state}: ${first.slices} of ${counted(first.expectedSlices, 'slice')}`, href: to('cluster', [], { driver: first.driver, q: first.pool }) }]
      : [{ level: 'warning', text: `${counted(pools.length, 'pool')} of ${first.driver} are ${first.state}: ${names(pools.map(({ pool }) => pool))}`, href: to('cluster', [], { driver: first.driver }) }];
  });
}

/**
 * Claims whose last commit failed, and which were not decided again since.
 * @param {Context} context
 * @param {number} now
 * @returns {Alarm[]}
 */
function ofCommits({ model, faults }, now) {
  const failed = [...model.claims.values()].filter(({ key, outcome = '', outcomeAt = '', decision }) => FAILURES.includes(outcome) && faults.hasLasted(`${outcome} ${key} ${decision}`, now, Date.parse(outcomeAt)));
  return grouped(failed, ({ outcome }) => outcome).map(([outcome, claims]) =>
    claims.length === 1 && claims[0]
      ? { level: 'error', text: `claim ${claims[0].key}: the last commit is ${outcome}${claims[0].outcomeMessage ? `: ${claims[0].outcomeMessage}` : ''}`, href: to('claim', [claims[0].namespace, claims[0].name]) }
      : { level: 'error', text: `the last commit of ${counted(claims.length, 'claim')} is ${outcome}: ${names(claims.map(({ key }) => key))}`, href: to('claims') },
  );
}

/**
 * @param {Context} context
 * @returns {Alarm[]}
 */
function ofTaints({ model }) {
  const tainted = [...model.devices.values()].flatMap((device) => [...new Set(device.taints)].map((taint) => ({ device, taint })));
  return grouped(tainted, ({ taint }) => taint).map(([taint, own]) => {
    const [first] = own;
    const href = first && own.length === 1 ? to('device', [first.device.driver, first.device.pool, first.device.device]) : to('cluster', [], { taint: 'yes' });
    return { level: 'warning', text: `${counted(own.length, 'device')} with taint ${taint}`, href };
  });
}

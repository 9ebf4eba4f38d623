// The rows of the stream, and what follows from them.

import { quantity } from './format.js';

/**
 * @typedef {{driver: string, pool: string, device: string, request?: string, adminAccess?: boolean, consumedCapacity?: Record<string, string>}} DeviceRef
 *
 * @typedef {object} Claim
 * @property {string} key
 * @property {string} namespace
 * @property {string} name
 * @property {string} state
 * @property {string} [created]
 * @property {string} [decidedAt]
 * @property {number} [decision]
 * @property {boolean} [deleting]
 * @property {boolean} [committed]
 * @property {boolean} [unmanaged]
 * @property {boolean} [foreign]
 * @property {DeviceRef[]} [devices]
 * @property {string[]} [pods]
 * @property {string[]} [reservedFor]
 * @property {string[]} [classes]
 * @property {string} [node]
 * @property {string} [reason]
 * @property {string} [retryTrigger]
 * @property {string} [message]
 * @property {string} [rationale]
 * @property {string} [item]
 * @property {string} [outcome]
 * @property {string} [outcomeAt]
 * @property {string} [outcomeMessage]
 * @property {{pod: string, node: string, at?: string}[]} [bindings] bound pods among the consumers
 * @property {string} [releasedAt] time of the last decision, if it released the devices
 *
 * @typedef {{utilizationPercent?: number, memoryUsedBytes?: number, memoryTotalBytes?: number, powerWatts?: number, temperatureCelsius?: number}} Sample
 *
 * @typedef {object} Device
 * @property {string} key
 * @property {string} driver
 * @property {string} pool
 * @property {string} device
 * @property {string} [node]
 * @property {string} state
 * @property {string} [reason]
 * @property {string} [product]
 * @property {string[]} [claims]
 * @property {string[]} [taints]
 * @property {string[]} [classes] device classes that contain it
 * @property {string[]} [counterSets]
 * @property {boolean} [shared]
 * @property {boolean} [missing] no ResourceSlice contains it any more
 * @property {Record<string, string>} [capacity]
 * @property {Record<string, string>} [remaining]
 * @property {Record<string, string>} [remainingCounters]
 * @property {Sample} [sample]
 *
 * @typedef {object} ClusterNode
 * @property {string} key
 * @property {string} name
 * @property {string} status
 * @property {string} [created]
 * @property {Record<string, string>} [labels]
 * @property {string[]} [taints]
 *
 * @typedef {object} Pool
 * @property {string} key
 * @property {string} driver
 * @property {string} pool
 * @property {string} state
 * @property {number} slices
 * @property {number} expectedSlices
 */

/** The states of a device on the page, with their texts, in the order of legends. */
export const DEVICE_STATES = /** @type {const} */ ({
  free: 'free',
  allocated: 'allocated',
  partly: 'partly shared',
  releasing: 'releasing',
  tainted: 'tainted',
  unusable: 'unusable',
  silent: 'node silent',
});

/** @typedef {keyof typeof DEVICE_STATES} DeviceState */

/** An allocated device below this utilisation counts as idle. */
export const IDLE_PERCENT = 5;

/** The tables of the stream. */
export class Model {
  constructor() {
    /** @type {Map<string, Claim>} */
    this.claims = new Map();
    /** @type {Map<string, Device>} */
    this.devices = new Map();
    /** @type {Map<string, ClusterNode>} */
    this.nodes = new Map();
    /** @type {Map<string, Pool>} */
    this.pools = new Map();
    this.isLoaded = false;
    /** Services that answer through the console: history, simulator. @type {Set<string>} */
    this.services = new Set();
    /** Whether the console has named them: it does so right after the snapshot. */
    this.areServicesKnown = false;
    /** Number of events so far. */
    this.changes = 0;
    this.indexedAt = -1;
    /** Keys of devices in the order of their places; empty if a device has come or gone since. @type {string[]} */
    this.places = [];
    /** Pending claims by their item. @type {Map<string, Claim[]>} */
    this.byItem = new Map();
  }

  /** @returns {Record<string, Map<string, any>>} */
  get tables() {
    return { claims: this.claims, devices: this.devices, nodes: this.nodes, pools: this.pools };
  }

  /** @param {import('./live.js').Snapshot} snapshot */
  replace(snapshot) {
    for (const [name, table] of Object.entries(this.tables)) {
      table.clear();
      /** @type {any} */ (snapshot)[name].forEach((/** @type {{key: string}} */ row) => table.set(row.key, row));
    }
    this.isLoaded = true;
    this.places = [];
    this.changes++;
  }

  /** @param {import('./live.js').Change} change */
  apply(change) {
    this.changes++;
    if (change.removed['devices'] || change.changed['devices']?.some(({ key, counterSets }) => String(this.devices.get(key)?.counterSets) !== String(counterSets))) {
      this.places = [];
    }
    for (const [name, table] of Object.entries(this.tables)) {
      change.removed[name]?.forEach((key) => table.delete(key));
      change.changed[name]?.forEach((row) => table.set(row.key, row));
    }
  }

  /**
   * All devices by driver, pool, parent and name.
   * @returns {Device[]}
   */
  devicesInOrder() {
    if (this.places.length !== this.devices.size) {
      this.places = sortByPlace([...this.devices.values()]).map(({ key }) => key);
    }
    return this.places.flatMap((key) => this.devices.get(key) ?? []);
  }

  /**
   * The state of a device on the page.
   * @param {Device} device
   * @returns {DeviceState}
   */
  stateOf(device) {
    if (device.node && this.nodes.get(device.node)?.status.includes('Silent')) {
      return 'silent';
    }
    if (device.state === 'allocated') {
      if (device.claims?.some((key) => this.isLeaving(key))) {
        return 'releasing';
      }
      return device.shared && remainingShare(device) > 0 ? 'partly' : 'allocated';
    }
    return device.state in DEVICE_STATES ? /** @type {DeviceState} */ (device.state) : 'unusable';
  }

  /**
   * Whether a claim gives its devices up: it is deleted or being deleted.
   * @param {string} key
   */
  isLeaving(key) {
    const claim = this.claims.get(key);
    return !claim || claim.deleting === true;
  }

  /** Claims without an allocation, the oldest first. */
  pending() {
    return [...this.claims.values()].filter((claim) => !isAllocated(claim)).sort((one, other) => (one.created === other.created ? 0 : (one.created ?? '') < (other.created ?? '') ? -1 : 1));
  }

  /**
   * The claims of a pending item, for example pod team/train-0.
   * @param {string} item
   */
  pendingOf(item) {
    if (this.indexedAt !== this.changes) {
      this.indexedAt = this.changes;
      this.byItem = new Map(
        grouped(
          [...this.claims.values()].filter((claim) => !isAllocated(claim)),
          ({ item }) => item,
        ),
      );
    }
    return this.byItem.get(item);
  }

  /**
   * Whether a device is allocated and idle, by its last sample.
   * @param {Device} device
   */
  isIdle({ state, sample }) {
    return state === 'allocated' && sample?.utilizationPercent !== undefined && sample.utilizationPercent < IDLE_PERCENT;
  }

  /**
   * The devices of a node, those of its own first.
   * @param {string} node
   */
  devicesOf(node) {
    return [...this.devices.values()].filter((device) => device.node === node);
  }
}

/**
 * The share of a device that several claims share which is left, 0 to 1, by its scarcest capacity.
 * @param {Device} device
 * @returns {number}
 */
export function remainingShare(device) {
  const shares = Object.entries(device.remaining ?? {})
    .filter(([name]) => quantity(device.capacity?.[name]) > 0)
    .map(([name, left]) => quantity(left) / quantity(device.capacity?.[name]));
  return shares.length ? Math.max(0, Math.min(...shares)) : 0;
}

/**
 * The parent of a partition; empty for a whole device.
 * @param {Device} device
 */
export function parentOf(device) {
  return device.counterSets?.length ? `${device.driver}/${device.pool}/${device.counterSets.join('+')}` : '';
}

/**
 * Sorts devices by driver, pool, parent and name. Each name is compared once, because numbers in names make that slow.
 * @param {Device[]} devices
 * @returns {Device[]}
 */
export function sortByPlace(devices) {
  const columns = [ranks(devices, ({ driver }) => driver), ranks(devices, ({ pool }) => pool), ranks(devices, parentOf), ranks(devices, ({ device }) => device)];
  return devices
    .map((device, index) => ({ device, index }))
    .sort((one, other) => {
      for (const column of columns) {
        const difference = (column[one.index] ?? 0) - (column[other.index] ?? 0);
        if (difference !== 0) {
          return difference;
        }
      }
      return 0;
    })
    .map(({ device }) => device);
}

/**
 * The place of each device's name among the different names.
 * @param {Device[]} devices
 * @param {(device: Device) => string} name
 * @returns {number[]}
 */
function ranks(devices, name) {
  const names = devices.map(name);
  const order = new Map([...new Set(names)].sort(compare).map((each, place) => [each, place]));
  return names.map((each) => order.get(each) ?? 0);
}

/**
 * @param {string | number | undefined} one
 * @param {string | number | undefined} other
 * @returns {number}
 */
export function compare(one, other) {
  if (one === other) {
    return 0;
  }
  if (typeof one === 'number' && typeof other === 'number') {
    return one - other;
  }
  return COLLATOR.compare(String(one ?? ''), String(other ?? ''));
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/**
 * The rows by key.
 * @template T
 * @param {Iterable<T>} rows
 * @param {(row: T) => string | undefined} key
 * @returns {Map<string, T[]>}
 */
export function gathered(rows, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const row of rows) {
    const name = key(row) ?? '';
    const group = groups.get(name);
    if (group) {
      group.push(row);
    } else {
      groups.set(name, [row]);
    }
  }
  return groups;
}

/**
 * The rows by key, the group with the most first.
 * @template T
 * @param {Iterable<T>} rows
 * @param {(row: T) => string | undefined} key
 * @returns {[string, T[]][]}
 */
export function grouped(rows, key) {
  return [...gathered(rows, key)].sort(([oneName, one], [otherName, other]) => other.length - one.length || compare(oneName, otherName));
}

/**
 * The words of the state of a claim, which kubectl also prints: pending, or of deleted, allocated and reserved those that apply.
 * @param {Pick<Claim, 'state'>} claim
 */
export function stateWords({ state }) {
  return state.split(',');
}

/** @param {Pick<Claim, 'state'>} claim */
export function isAllocated(claim) {
  return stateWords(claim).includes('allocated');
}

/**
 * The reason of a claim without an allocation.
 * @param {Claim} claim
 * @returns {string}
 */
export function reasonOf(claim) {
  return claim.reason ?? claim.state;
}

/**
 * The rack of a node, by the usual labels.
 * @param {ClusterNode | undefined} node
 * @returns {string}
 */
export function rackOf(node) {
  const labels = node?.labels ?? {};
  const name = Object.keys(labels).find((label) => /(^|[/.-])rack$/.test(label)) ?? 'topology.kubernetes.io/zone';
  return labels[name] ?? '';
}

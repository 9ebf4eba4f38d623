// One device, and the search over all names.

import { Cells } from './cells.js';
import { command } from './claim.js';
import { badge, claimByKey, claimLink } from './claims.js';
import { a, h, show, withStyle } from './dom.js';
import { Events } from './events.js';
import { counted, number, size, time } from './format.js';
import { getJson } from './live.js';
import { DEVICE_STATES, compare, reasonOf, sortByPlace } from './model.js';
import { panel } from './overview.js';
import { askHistory, holdersPanel } from './past.js';
import { line } from './plot.js';
import { to } from './route.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {import('./model.js').Device} Device */
/** @typedef {Device & {attributes?: Record<string, unknown>, sample?: {at?: string}}} FullDevice */

/** @typedef {{at: string, utilizationPercent?: number, memoryPercent?: number, powerWatts?: number}} Point */

const FOUND = 50;
const REFRESH_MS = 60_000;
const POINTS_MIN = 3;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function device(root, context) {
  let loaded = '';
  /** @type {FullDevice | null} */
  let full = null;
  /** @type {import('./past.js').Answer | Error | null} */
  let holders = null;
  /** @type {Point[]} */
  let points = [];
  let loadedAt = 0;
  /** @type {Events | null} */
  let events = null;
  let isClosed = false;
  const neighbours = new Cells(context.model);

  /**
   * @param {Device} row
   * @param {import('./route.js').Route} route
   */
  async function load({ driver, pool, device: name }, route) {
    loadedAt = Date.now();
    const [device, past, trend] = await Promise.allSettled([
      getJson(`api/v1/devices?${new URLSearchParams({ driver, pool, name })}`),
      askHistory(context.model, `api/v1/past/holders?${new URLSearchParams({ device: `${driver}/${pool}/${name}` })}`),
      getJson(`api/v1/trends/telemetry?${new URLSearchParams({ driver, pool, device: name })}`),
    ]);
    // If the console does not answer, the banner of the stream says why; a later change loads everything again.
    full = device.status === 'fulfilled' ? (device.value.items.find((/** @type {Device} */ each) => each.device === name) ?? null) : null;
    holders = past.status === 'fulfilled' ? past.value : past.reason;
    points = trend.status === 'fulfilled' ? trend.value.items : [];
    if (!isClosed) {
      draw(route);
    }
  }

  /** @param {import('./route.js').Route} route */
  function draw({ parts }) {
    const { model } = context;
    const row = model.devices.get(parts.join('/'));
    if (!row) {
      show(root, h('h1', {}, parts.join('/')), h('p', { class: 'empty' }, 'No driver publishes such a device, and no claim has it. ', a(to('cluster'), 'All devices')));
      return;
    }
    const state = model.stateOf(row);
    const onlyNode = row.node && model.nodes.has(row.node) ? row.node : '';
    const others = sortByPlace([...model.devices.values()].filter((each) => each.driver === row.driver && each.pool === row.pool));
    neighbours.current = row.key;
    neighbours.update(() => [{ key: row.pool, title: `Pool ${row.pool}`, note: counted(others.length, 'device'), devices: others }], 'state');
    const attributes = Object.entries(full?.key === undefined && full ? (full.attributes ?? {}) : {});
    const header = [
      h('p', { class: 'path' }, a(to('cluster'), 'Cluster'), ' / ', onlyNode ? a(to('node', [onlyNode]), onlyNode) : row.node === '*' ? 'all nodes' : 'several nodes'),
      h('h1', {}, row.device, ' ', h('span', { class: `badge ${state}` }, DEVICE_STATES[state]), h('span', { class: 'note' }, row.product ?? '')),
      h('p', { class: 'lead' }, row.claims?.length ? `Allocated to ${row.claims.join(', ')}` : row.reason || 'Not allocated'),
    ];
    const body = h('div', { class: 'columns' });
    const left = h(
      'div',
      {},
      panel('Holders', row.claims?.length ? h('ul', { class: 'plain' }, ...row.claims.map((key) => h('li', {}, claimByKey(key), h('span', { class: 'quiet' }, podsOf(context, key))))) : h('p', { class: 'empty' }, 'None.')),
      panel('Capacity', capacity(row)),
      row.taints?.length || row.reason ? panel('Taints and faults', h('ul', { class: 'plain' }, ...(row.taints ?? []).map((taint) => h('li', {}, taint)), row.reason ? h('li', {}, row.reason) : null)) : null,
      holdersPanel(holders),
      events?.panel() ?? null,
      row.sample ? panel('Telemetry', telemetry(row, full?.sample?.at, points)) : null,
      panel('In a terminal', command(`./claimstream get devices ${row.device} --driver ${row.driver}${onlyNode ? ` --node ${onlyNode}` : ''}`)),
    );
    const right = h(
      'div',
      {},
      panel('Device classes', row.classes?.length ? h('ul', { class: 'plain inline' }, ...row.classes.map((name) => h('li', {}, a(to('cluster', [], { class: name }), name)))) : h('p', { class: 'empty' }, 'No class contains it: no claim can get it.')),
      panel('Attributes', attributes.length ? pairs(attributes.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)])) : h('p', { class: 'empty' }, full ? 'None.' : 'Loading…')),
      panel('Neighbours', h('div', { 'data-key': 'neighbours', class: 'slot' })),
    );
    body.append(left, right);
    show(root, ...header, body);
    root.querySelector('.slot')?.replaceChildren(neighbours.element);
  }

  return {
    title: 'Device',
    /** @param {import('./route.js').Route} route */
    update(route) {
      const row = context.model.devices.get(route.parts.join('/'));
      const signature = JSON.stringify(row ?? null);
      if (row && (signature !== loaded || Date.now() - loadedAt > REFRESH_MS)) {
        loaded = signature;
        void load(row, route);
      }
      if (row) {
        events ??= new Events({ driver: row.driver, pool: row.pool, device: row.device }, false);
        events.follow([row.state, row.reason, ...(row.taints ?? []), ...(row.claims ?? [])].join(), () => draw(route));
      }
      draw(route);
    },
    close: () => {
      isClosed = true;
      events?.close();
    },
  };
}

/**
 * @param {Context} context
 * @param {string} key
 */
export function podsOf({ model }, key) {
  const pods = model.claims.get(key)?.pods;
  return pods?.length ? ` used by ${pods.join(', ')}` : '';
}

/** @param {Device} row */
function capacity({ capacity: all = {}, remaining = {}, remainingCounters = {} }) {
  const rows = [
    ...Object.entries(all).map(([name, value]) => /** @type {[string, string]} */ ([name, remaining[name] ? `${value}, ${remaining[name]} left for other claims` : value])),
    ...Object.entries(remainingCounters).map(([name, value]) => /** @type {[string, string]} */ ([name, `${value} left of the shared counter`])),
  ];
  return rows.length ? pairs(rows) : h('p', { class: 'empty' }, 'None published.');
}

/**
 * A plot of each value that has points enough.
 * @param {Point[]} points
 * @param {string} [of] the object of the values
 */
export function plots(points, of = '') {
  /** @type {[string, keyof Omit<Point, 'at'>, number, string][]} */
  const kinds = [
    [`Utilisation${of}`, 'utilizationPercent', 100, '%'],
    [`Memory${of}`, 'memoryPercent', 100, '%'],
    [`Power${of}`, 'powerWatts', 0, 'W'],
  ];
  return kinds.flatMap(([name, field, top, unit]) => {
    const values = points.flatMap((point) => (point[field] === undefined ? [] : [{ at: Date.parse(point.at), value: point[field] }]));
    return values.length < POINTS_MIN ? [] : [line(name, values, top, (value) => `${Number(value.toPrecision(3))} ${unit}`)];
  });
}

/**
 * @param {Device} row
 * @param {string | undefined} at
 * @param {Point[]} points
 */
function telemetry({ sample = {} }, at, points) {
  /** @type {[string, string][]} */
  const rows = [];
  if (sample.utilizationPercent !== undefined) {
    rows.push(['Utilisation', `${Math.round(sample.utilizationPercent)} %`]);
  }
  if (sample.memoryUsedBytes !== undefined) {
    rows.push(['Memory', `${size(sample.memoryUsedBytes)}${sample.memoryTotalBytes ? ` of ${size(sample.memoryTotalBytes)}` : ''}`]);
  }
  if (sample.powerWatts !== undefined) {
    rows.push(['Power', `${Math.round(sample.powerWatts)} W`]);
  }
  if (sample.temperatureCelsius !== undefined) {
    rows.push(['Temperature', `${Math.round(sample.temperatureCelsius)} °C`]);
  }
  const part = (sample.utilizationPercent ?? 0) / 100;
  return h('div', {}, sample.utilizationPercent === undefined ? null : h('div', { class: 'meter', 'aria-hidden': 'true' }, withStyle(h('i', {}), '--part', part)), pairs(rows), at ? h('p', { class: 'note' }, 'Measured ', time(at)) : null, ...plots(points));
}

/** @param {[string, string][]} rows */
export function pairs(rows) {
  return h('dl', {}, ...rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function search(root, context) {
  return {
    title: 'Search',
    /** @param {import('./route.js').Route} route */
    update({ query }) {
      const { model } = context;
      const text = (query.get('q') ?? '').toLowerCase();
      /** @template {{key: string}} T @param {Iterable<T>} rows @param {(row: T) => string} [more] @returns {T[]} */
      const find = (rows, more = () => '') => [...rows].filter((row) => text !== '' && `${row.key} ${more(row)}`.toLowerCase().includes(text)).sort((one, other) => compare(one.key, other.key));
      const nodes = find(model.nodes.values());
      const devices = find(model.devices.values());
      const claims = find(model.claims.values(), ({ node = '' }) => node);
      show(
        root,
        h('h1', {}, !text ? 'Find a claim, device or node' : nodes.length + devices.length + claims.length ? `Found for “${text}”` : `Nothing found for “${text}”`),
        nodes.length + devices.length + claims.length === 0 && text ? h('p', { class: 'empty' }, 'No claim, device or node has this text in its name, and no claim is on such a node. ', a(to('claims'), 'All claims')) : null,
        list('Nodes', nodes, ({ name, status }) => [a(to('node', [name]), name), h('span', { class: 'quiet' }, ` ${status}, ${freeOf(model.devicesOf(name))}`)]),
        list('Claims', claims, (claim) => [claimLink(claim), ' ', badge(claim), h('span', { class: 'quiet' }, claim.node ? ` ${counted(claim.devices?.length ?? 0, 'device')} on ${claim.node}` : ` ${reasonOf(claim)}`)]),
        list('Devices', devices, (each) => [a(to('device', [each.driver, each.pool, each.device]), `${each.pool}/${each.device}`), h('span', { class: 'quiet' }, ` ${each.driver} ${each.claims?.length ? `allocated to ${each.claims.join(', ')}` : DEVICE_STATES[model.stateOf(each)]}`)]),
      );
    },
  };
}

/** @param {Device[]} devices */
function freeOf(devices) {
  return `${devices.filter(({ state }) => state === 'free').length} of ${counted(devices.length, 'device')} free`;
}

/**
 * @template {{key: string}} T
 * @param {string} title
 * @param {T[]} rows
 * @param {(row: T) => import('./dom.js').Child[]} item
 */
function list(title, rows, item) {
  return rows.length === 0
    ? null
    : panel(
        `${title} (${number(rows.length)})`,
        h('ul', { class: 'plain' }, ...rows.slice(0, FOUND).map((row) => h('li', { 'data-key': row.key }, ...item(row))), rows.length > FOUND ? h('li', { class: 'note' }, `and ${rows.length - FOUND} more`) : null),
      );
}

// All devices as cells, in groups.

import { Cells, legend } from './cells.js';
import { a, h, show } from './dom.js';
import { counted, number } from './format.js';
import { compare, gathered, rackOf } from './model.js';
import { current, setFilters, to } from './route.js';
import { FilterBar } from './table.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {import('./model.js').Device} Device */

const GROUPS = /** @type {const} */ ({ node: 'node', rack: 'rack or zone', driver: 'driver', product: 'product', class: 'device class', requested: 'class of the claim', namespace: 'namespace of the claim' });

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function cluster(root, context) {
  const { model } = context;
  const devices = () => model.devices.values();
  const filters = new FilterBar([
    { name: 'q', label: 'Contains' },
    { name: 'group', label: 'Group by', options: () => Object.entries(GROUPS).map(([value, text]) => [value === 'node' ? '' : value, text]) },
    { name: 'driver', label: 'Driver', options: () => choices(devices(), ({ driver }) => [driver]) },
    { name: 'product', label: 'Product', options: () => choices(devices(), ({ product, driver }) => [product ?? driver]) },
    { name: 'class', label: 'Device class', options: () => choices(devices(), ({ classes }) => classes ?? []) },
    { name: 'namespace', label: 'Allocated to', options: () => choices(devices(), ({ claims }) => claims?.map((key) => key.split('/')[0] ?? '') ?? []) },
    { name: 'rack', label: 'Rack or zone', options: () => choices(model.nodes.values(), (node) => [rackOf(node)]) },
    { name: 'taint', label: 'Taints', options: () => [['', 'all'], ['yes', 'with a taint']] },
    { name: 'idle', label: 'Use', options: () => [['', 'all'], ['yes', 'allocated and idle']] },
    { name: 'colour', label: 'Colour', options: () => [['', 'state'], ['used', 'utilisation']] },
  ]);
  const cells = new Cells(model);
  const states = h('div', {});
  const empty = h('p', { class: 'empty' });
  root.replaceChildren(h('h1', { class: 'hidden' }, 'Cluster'), filters.element, states, empty, cells.element);
  return {
    title: 'Cluster',
    /** @param {import('./route.js').Route} route */
    update({ query }) {
      const matches = filter(query, context);
      const all = model.devicesInOrder();
      const unstated = matches ? all.filter(matches) : all;
      const state = query.get('state') ?? '';
      const shown = state ? unstated.filter((device) => model.stateOf(device) === state) : unstated;
      filters.update(query, counted(shown.length, 'device'));
      const isUsed = query.get('colour') === 'used';
      show(states, isUsed ? scale(shown) : legend(model, unstated, state, (each) => to('cluster', [], { ...Object.fromEntries(current().query), state: each })));
      filters.element.hidden = model.devices.size === 0;
      states.hidden = model.devices.size === 0;
      empty.hidden = shown.length > 0;
      show(empty, model.devices.size ? 'No device has these properties. ' : 'No driver has published a device: no ResourceSlice exists, or you may not list them.', model.devices.size ? h('button', { type: 'button', onclick: () => setFilters(Object.fromEntries([...query.keys()].map((name) => [name, '']))) }, 'Clear the filters') : null);
      cells.update(() => groups(shown, query.get('group') ?? 'node', shown.length < all.length, context), isUsed ? 'used' : 'state');
    },
  };
}

/** @param {Device[]} shown */
function scale(shown) {
  const measured = shown.filter(({ sample }) => sample?.utilizationPercent !== undefined).length;
  return h('p', { class: 'note' }, measured ? `A cell is filled by its utilisation; ${counted(shown.length - measured, 'device')} without telemetry ${shown.length - measured === 1 ? 'is' : 'are'} dotted.` : 'No device has telemetry: an agent on each node measures it.');
}

/**
 * @template T
 * @param {Iterable<T>} rows
 * @param {(row: T) => string[]} values
 * @returns {[string, string][]}
 */
export function choices(rows, values) {
  const all = new Set();
  for (const row of rows) {
    values(row).forEach((value) => all.add(value));
  }
  all.delete('');
  return [['', 'all'], .../** @type {[string, string][]} */ ([...all].sort(compare).map((value) => [value, value]))];
}

/**
 * The test of the filters in the address; null if it has none.
 * @param {URLSearchParams} query
 * @param {Context} context
 * @returns {((device: Device) => boolean) | null}
 */
function filter(query, { model }) {
  const wanted = Object.fromEntries(query);
  const text = wanted['q']?.toLowerCase() ?? '';
  /** @type {Record<string, (device: Device) => boolean | undefined>} */
  const tests = {
    driver: ({ driver }) => driver === wanted['driver'],
    product: ({ product, driver }) => (product ?? driver) === wanted['product'],
    class: ({ classes }) => classes?.includes(wanted['class'] ?? ''),
    rack: ({ node }) => rackOf(model.nodes.get(node ?? '')) === wanted['rack'],
    namespace: ({ claims }) => claims?.some((key) => key.startsWith(`${wanted['namespace']}/`)),
    idle: (device) => model.isIdle(device),
    taint: ({ taints }) => Boolean(taints?.length),
    q: ({ key, node, product, claims }) => `${key} ${node ?? ''} ${product ?? ''} ${claims?.join(' ') ?? ''}`.toLowerCase().includes(text),
  };
  const used = Object.keys(tests).flatMap((name) => (wanted[name] && tests[name] ? [tests[name]] : []));
  return used.length ? (device) => used.every((test) => test(device)) : null;
}

/**
 * @param {Device[]} devices
 * @param {string} by
 * @param {boolean} isFiltered whether other devices are not shown
 * @param {Context} context
 * @returns {import('./cells.js').Group[]}
 */
function groups(devices, by, isFiltered, { model }) {
  const holders = (/** @type {Device} */ device) => device.claims?.map((key) => model.claims.get(key)).find((claim) => claim);
  /** @type {Record<string, (device: Device) => string | undefined>} */
  const keys = {
    node: ({ node }) => node,
    rack: ({ node }) => rackOf(model.nodes.get(node ?? '')),
    driver: ({ driver }) => driver,
    product: ({ product, driver }) => product ?? driver,
    requested: (device) => holders(device)?.classes?.join(', ') ?? 'not allocated',
    namespace: (device) => device.claims?.[0]?.split('/')[0] ?? 'not allocated',
  };
  const groupsOf = by === 'class' ? byClass(devices) : gathered(devices, keys[by] ?? keys['node'] ?? (() => ''));
  return inOrder([...groupsOf.keys()])
    .map((key) => /** @type {[string, Device[]]} */ ([key, groupsOf.get(key) ?? []]))
    .map(([key, members]) => {
      const free = members.filter(({ state }) => state === 'free').length;
      const node = by === 'node' || !(by in keys) ? model.nodes.get(key) : undefined;
      const name = key === '*' ? 'all nodes' : key === '(selector)' ? 'several nodes' : key || '(none)';
      const status = node && node.status !== 'Ready' ? `${node.status} · ` : '';
      return { key, title: node ? a(to('node', [key]), name) : name, note: `${status}${number(free)} of ${number(members.length)} ${isFiltered ? 'shown ' : ''}free`, devices: members };
    });
}

/**
 * The devices of each class. A device of several classes is in the group of each.
 * @param {Device[]} devices
 * @returns {Map<string, Device[]>}
 */
function byClass(devices) {
  /** @type {Map<string, Device[]>} */
  const members = new Map();
  for (const device of devices) {
    for (const name of device.classes ?? ['no class']) {
      const group = members.get(name);
      if (group) {
        group.push(device);
      } else {
        members.set(name, [device]);
      }
    }
  }
  return members;
}

/** Names in order, of the last time. */
let sorted = /** @type {string[]} */ ([]);

/**
 * Sorts names. Those of the last time are sorted already.
 * @param {string[]} names
 */
function inOrder(names) {
  const now = new Set(names);
  const known = sorted.filter((name) => now.has(name));
  if (known.length < names.length) {
    const old = new Set(known);
    sorted = [...known, ...names.filter((name) => !old.has(name))].sort(compare);
  } else {
    sorted = known;
  }
  return sorted;
}

// One node: its devices and claims, telemetry, events, neighbours, taints, labels and allocatable resources.

import { Cells, legend } from './cells.js';
import { command } from './claim.js';
import { claimByKey } from './claims.js';
import { pairs, plots, podsOf } from './device.js';
import { a, h, show } from './dom.js';
import { Events } from './events.js';
import { counted } from './format.js';
import { getJson } from './live.js';
import { compare, rackOf, sortByPlace } from './model.js';
import { panel } from './overview.js';
import { to } from './route.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {import('./model.js').ClusterNode} ClusterNode */
/** @typedef {import('./model.js').Device} Device */

const REFRESH_MS = 60_000;

/** The console samples more often in its first minute. */
const REFRESH_FIRST_MS = 10_000;
const POINTS_FIRST = 12;
const NEIGHBOURS = 8;
const NAMED = 8;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function node(root, context) {
  const cells = new Cells(context.model);
  const neighbours = new Cells(context.model);
  /** @type {Events | null} */
  let events = null;
  /** @type {import('./device.js').Point[] | null} */
  let points = null;
  /** @type {Record<string, string>} */
  let allocatable = {};
  let loadedAt = 0;
  let isClosed = false;

  /**
   * @param {string} name
   * @param {import('./route.js').Route} route
   */
  async function load(name, route) {
    loadedAt = Date.now();
    // If the console does not answer, the banner of the stream says why; the next call retries.
    const [rows, trend] = await Promise.allSettled([getJson(`api/v1/nodes?${new URLSearchParams({ name })}`), getJson(`api/v1/trends/nodes?${new URLSearchParams({ node: name })}`)]);
    allocatable = rows.status === 'fulfilled' ? (rows.value.items[0]?.allocatable ?? {}) : allocatable;
    points = trend.status === 'fulfilled' ? trend.value.items : points;
    if (!isClosed) {
      draw(route);
    }
  }

  /** @param {import('./route.js').Route} route */
  function draw(route) {
    const { model } = context;
    const name = route.parts[0] ?? '';
    const row = model.nodes.get(name);
    if (!row) {
      show(root, h('h1', {}, name), h('p', { class: 'empty' }, 'There is no such node. ', a(to('cluster'), 'All devices')));
      return;
    }
    const devices = sortByPlace(model.devicesOf(name));
    const keys = [...new Set(devices.flatMap(({ claims }) => claims ?? []))].sort(compare);
    const free = devices.filter(({ state }) => state === 'free').length;
    events ??= new Events({ node: name }, true);
    events.follow([row.status, ...(row.taints ?? []), ...devices.map(({ state, reason, taints, claims }) => `${state} ${reason} ${taints?.join()} ${claims?.join()}`)].join('\n'), () => draw(route));
    cells.update(() => byDriver(devices), 'state');
    const others = neighboursOf(row, context);
    neighbours.update(() => others.slice(0, NEIGHBOURS).map((each) => neighbourGroup(each, context)), 'state');
    show(
      root,
      h('p', { class: 'path' }, a(to('cluster'), 'Cluster'), rackOf(row) ? ' / ' : '', rackOf(row) ? a(to('cluster', [], { rack: rackOf(row) }), rackOf(row)) : ''),
      h('h1', {}, name, ' ', h('span', { class: `badge ${row.status === 'Ready' ? 'free' : 'unusable'}` }, row.status)),
      h('p', { class: 'lead' }, `${free} of ${counted(devices.length, 'device')} free; ${keys.length ? `${counted(keys.length, 'claim')} on the node` : 'no claim has a device'}`),
      h(
        'div',
        { class: 'columns' },
        h(
          'div',
          {},
          panel('Devices', devices.length ? h('div', {}, legend(model, devices, '', (state) => to('cluster', [], { state, q: name })), h('div', { class: 'slot', 'data-key': 'cells' })) : h('p', { class: 'empty' }, 'No driver publishes a device of this node.')),
          panel('Claims on it', keys.length ? holders(context, devices, keys) : h('p', { class: 'empty' }, 'None.')),
          telemetryPanel(devices, points ?? []),
        ),
        h(
          'div',
          {},
          row.taints?.length ? panel('Taints', h('ul', { class: 'plain' }, ...row.taints.map((taint) => h('li', {}, taint)))) : null,
          events.panel(),
          Object.keys(allocatable).length ? panel('Allocatable', pairs(Object.entries(allocatable))) : null,
          neighboursPanel(row, others),
          Object.keys(row.labels ?? {}).length ? panel('Labels', pairs(Object.entries(row.labels ?? {}))) : null,
          panel('In a terminal', command(`./claimstream get devices --node ${name}`)),
        ),
      ),
    );
    root.querySelector('[data-key="cells"]')?.replaceChildren(cells.element);
    root.querySelector('[data-key="neighbours"]')?.replaceChildren(neighbours.element);
  }

  return {
    title: 'Node',
    /** @param {import('./route.js').Route} route */
    update(route) {
      const name = route.parts[0] ?? '';
      const refresh = points && points.length >= POINTS_FIRST ? REFRESH_MS : REFRESH_FIRST_MS;
      if (context.model.nodes.has(name) && Date.now() - loadedAt > refresh) {
        void load(name, route);
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
 * @param {Device[]} devices
 * @returns {import('./cells.js').Group[]}
 */
function byDriver(devices) {
  return [...new Set(devices.map(({ driver }) => driver))].sort(compare).map((driver) => {
    const own = devices.filter((each) => each.driver === driver);
    return { key: driver, title: driver, note: counted(own.length, 'device'), devices: own };
  });
}

/**
 * @param {Context} context
 * @param {Device[]} devices
 * @param {string[]} keys
 */
function holders(context, devices, keys) {
  return h(
    'ul',
    { class: 'plain' },
    ...keys.map((key) => {
      const names = devices.filter(({ claims }) => claims?.includes(key)).map((each) => each.device);
      return h('li', {}, claimByKey(key), h('span', { class: 'quiet' }, ` ${counted(names.length, 'device')}: ${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ' …' : ''}`), h('span', { class: 'quiet' }, podsOf(context, key)));
    }),
  );
}

/**
 * The mean of the devices with telemetry, now and in the last hour.
 * @param {Device[]} devices
 * @param {import('./device.js').Point[]} points
 */
function telemetryPanel(devices, points) {
  const measured = devices.flatMap(({ sample }) => (sample?.utilizationPercent === undefined ? [] : [sample.utilizationPercent]));
  if (measured.length === 0) {
    return null;
  }
  const mean = measured.reduce((sum, value) => sum + value, 0) / measured.length;
  const drawn = plots(points, ', mean');
  return panel(
    'Telemetry',
    h('div', {}, pairs([['Utilisation', `${Math.round(mean)} %, the mean of ${counted(measured.length, 'device')}`]]), ...(drawn.length ? drawn : [h('p', { class: 'note' }, 'Plots begin with the third sample of the console.')])),
  );
}

/**
 * The other nodes of the same rack or zone, by name. Without such a label a node has no neighbours.
 * @param {ClusterNode} row
 * @param {Context} context
 */
function neighboursOf(row, { model }) {
  const rack = rackOf(row);
  return rack === '' ? [] : [...model.nodes.values()].filter((each) => each !== row && rackOf(each) === rack).sort((one, other) => compare(one.name, other.name));
}

/**
 * @param {ClusterNode} neighbour
 * @param {Context} context
 * @returns {import('./cells.js').Group}
 */
function neighbourGroup({ name, status }, { model }) {
  const devices = sortByPlace(model.devicesOf(name));
  const free = devices.filter(({ state }) => state === 'free').length;
  return { key: name, title: a(to('node', [name]), name), note: `${status === 'Ready' ? '' : `${status} · `}${free} of ${devices.length} free`, devices };
}

/**
 * @param {ClusterNode} row
 * @param {ClusterNode[]} others
 */
function neighboursPanel(row, others) {
  const rack = rackOf(row);
  return panel(
    'Neighbours',
    others.length
      ? h('div', {}, h('div', { class: 'slot', 'data-key': 'neighbours' }), others.length > NEIGHBOURS ? h('p', { class: 'note' }, a(to('cluster', [], { rack }), `all ${counted(others.length + 1, 'node')} of ${rack}`)) : null)
      : h('p', { class: 'empty' }, rack ? `No other node is in ${rack}.` : 'The node has no label of a rack or zone.'),
  );
}

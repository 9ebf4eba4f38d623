// Usage over time, and the past holders of a device, from the history service.

import { claimByKey } from './claims.js';
import { a, h, show } from './dom.js';
import { counted, duration, number, time } from './format.js';
import { ResponseError, getJson } from './live.js';
import { panel } from './overview.js';
import { colour, key, span, stacked } from './plot.js';
import { to } from './route.js';
import { FilterBar } from './table.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {{columns: string[], rows: (null | string | number | boolean | {time: string})[][], notes: string[]}} Answer */
/** @typedef {{from: string, to: string, group: string, held: number, measured: number, used: number, cost: number, idle: number}} Part */
/** @typedef {{group: string, held: number, measured: number, used: number, cost: number, free: number, byStep: Map<string, number>, usedByStep: Map<string, number>, freeByStep: Map<string, number>}} Total */

const NOT_IMPLEMENTED = 501;
const STEPS = 48;
const REFRESH_MS = 60_000;
const HOUR_MS = 3_600_000;
const SHOWN = 50;
const GROUPS = /** @type {const} */ ({ namespace: 'namespace', class: 'device class', product: 'product' });
const WINDOWS = /** @type {Record<string, string>} */ ({ '': 'last 24 hours', '1': 'last hour', '168': 'last 7 days', '720': 'last 30 days', all: 'everything' });

/**
 * Asks the history, if there is one.
 * @param {import('./model.js').Model} model
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function askHistory(model, path) {
  if (!model.services.has('history')) {
    throw new ResponseError(NOT_IMPLEMENTED, 'the history service is off');
  }
  return getJson(path);
}

/**
 * The content of a part of the page if the history does not answer.
 * @param {unknown} error
 */
export function withoutHistory(error) {
  if (error instanceof ResponseError && error.status === NOT_IMPLEMENTED) {
    return h(
      'div',
      { class: 'empty' },
      h('p', {}, 'The past comes from the history service, which is off.'),
      h('p', {}, 'Start ', h('code', {}, './claimstream up --with history'), ', or set ', h('code', {}, 'claimstream.console.history-url'), ' of this console.'),
    );
  }
  return h('p', { class: 'error' }, error instanceof Error ? error.message : String(error));
}

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function usage(root, context) {
  const filters = new FilterBar([
    { name: 'by', label: 'By', options: () => Object.entries(GROUPS).map(([value, text]) => [value === 'namespace' ? '' : value, text]) },
    { name: 'hours', label: 'Time', options: () => Object.entries(WINDOWS) },
  ]);
  const body = h('div', {}, h('p', { class: 'empty' }, 'Loading…'));
  root.replaceChildren(h('h1', { class: 'hidden' }, 'Usage'), filters.element, body);
  let asked = '';
  let askedAt = 0;

  /**
   * @param {string} by
   * @param {string} hours
   */
  async function load(by, hours) {
    const mine = asked;
    const until = new Date();
    const query = new URLSearchParams({ by, steps: String(STEPS), until: until.toISOString() });
    if (hours !== 'all') {
      query.set('since', new Date(until.getTime() - Number(hours || '24') * HOUR_MS).toISOString());
    }
    let shown;
    try {
      shown = answered(partsOf(await askHistory(context.model, `api/v1/past/usage?${query}`)), by, context);
    } catch (error) {
      shown = [withoutHistory(error)];
    }
    if (mine === asked) {
      show(body, ...shown);
    }
  }

  return {
    title: 'Usage',
    /** @param {import('./route.js').Route} route */
    update({ query }) {
      const by = query.get('by') || 'namespace';
      const hours = query.get('hours') ?? '';
      filters.update(query, '');
      const wanted = `${by} ${hours}`;
      if (wanted !== asked || Date.now() - askedAt > REFRESH_MS) {
        asked = wanted;
        askedAt = Date.now();
        void load(by, hours);
      }
    },
  };
}

/**
 * @param {Answer} answer
 * @returns {Part[]}
 */
export function partsOf({ columns, rows }) {
  const at = (/** @type {string} */ name) => columns.indexOf(name);
  const [from, until, held, measured, used, cost, idle] = ['FROM', 'TO', 'WEIGHTED HOURS', 'MEASURED HOURS', 'USED HOURS', 'COST', 'IDLE DEVICE HOURS'].map(at);
  const number = (/** @type {unknown} */ value) => (typeof value === 'number' ? value : 0);
  const moment = (/** @type {any} */ value) => String(value?.time ?? '');
  return rows.map((row) => ({
    from: moment(row[from ?? 0]),
    to: moment(row[until ?? 0]),
    group: String(row[2] ?? ''),
    held: number(row[held ?? 0]),
    measured: number(row[measured ?? 0]),
    used: number(row[used ?? 0]),
    cost: number(row[cost ?? 0]),
    idle: number(row[idle ?? 0]),
  }));
}

/**
 * @param {Part[]} parts
 * @returns {Total[]} those with the most device hours first
 */
export function totals(parts) {
  /** @type {Map<string, Total>} */
  const groups = new Map();
  for (const { from, group, held, measured, used, cost, idle } of parts) {
    const total = groups.get(group) ?? { group, held: 0, measured: 0, used: 0, cost: 0, free: 0, byStep: new Map(), usedByStep: new Map(), freeByStep: new Map() };
    groups.set(group, total);
    total.held += held;
    total.measured += measured;
    total.used += used;
    total.cost += cost;
    total.free += idle;
    total.byStep.set(from, (total.byStep.get(from) ?? 0) + held);
    total.usedByStep.set(from, (total.usedByStep.get(from) ?? 0) + used);
    total.freeByStep.set(from, (total.freeByStep.get(from) ?? 0) + idle);
  }
  return [...groups.values()].sort((one, other) => other.held - one.held || other.free - one.free || one.group.localeCompare(other.group));
}

/**
 * @param {Part[]} parts
 * @param {string} by
 * @param {Context} context
 * @returns {HTMLElement[]}
 */
function answered(parts, by, { model }) {
  if (parts.length === 0) {
    return [h('p', { class: 'empty' }, 'No device was published in this time.')];
  }
  const groups = totals(parts);
  const holders = groups.filter(({ held }) => held > 0);
  const starts = [...new Map(parts.map(({ from, to: until }) => [from, until]))].sort(([one], [other]) => one.localeCompare(other));
  const steps = starts.map(([from, until]) => ({ from: Date.parse(from), to: Date.parse(until) }));
  const hours = steps.map(({ from, to: until }) => Math.max((until - from) / HOUR_MS, 1e-9));
  const values = (/** @type {Map<string, number>} */ byStep) => starts.map(([from], step) => (byStep.get(from) ?? 0) / (hours[step] ?? 1));
  const series = holders.slice(0, 8).map((each, index) => ({ name: each.group, style: colour(index), values: values(each.byStep) }));
  const others = holders.slice(8);
  if (others.length) {
    series.push({ name: `${others.length} others`, style: 'other', values: starts.map((_, step) => others.reduce((sum, each) => sum + (values(each.byStep)[step] ?? 0), 0)) });
  }
  series.push({ name: 'not allocated', style: 'free', values: starts.map((_, step) => groups.reduce((sum, each) => sum + (values(each.freeByStep)[step] ?? 0), 0)) });
  const isMeasured = groups.some(({ measured }) => measured > 0);
  const used = { name: 'used', style: 'used', values: starts.map((_, step) => groups.reduce((sum, each) => sum + (values(each.usedByStep)[step] ?? 0), 0)) };
  const amount = (/** @type {number} */ value) => number(Number(value.toPrecision(3)));
  return [
    panel(
      'Devices over time',
      h('div', {}, stacked('Average number of devices', steps, series, amount, isMeasured ? used : undefined), key([...series, ...(isMeasured ? [used] : [])].map(({ name, style }) => ({ name, style, href: by === 'namespace' && /^c[0-9]$/.test(style) ? to('claims', [], { namespace: name }) : undefined })))),
    ),
    panel('Device hours', table(groups, by, amount, model)),
  ];
}

/**
 * @param {Total[]} groups
 * @param {string} by
 * @param {(value: number) => string} amount
 * @param {import('./model.js').Model} model
 */
function table(groups, by, amount, model) {
  const places = /** @type {Record<string, (name: string) => string>} */ ({
    namespace: (name) => to('claims', [], { namespace: name }),
    class: (name) => to('claims', [], { class: name }),
    product: (name) => to('cluster', [], { product: name }),
  });
  const named = groups.filter(({ held, group }) => held > 0 || by === 'product' || group !== '(idle devices)');
  const free = groups.reduce((sum, each) => sum + each.free, 0);
  const isMeasured = groups.some(({ measured }) => measured > 0);
  const columns = ['Allocated', ...(isMeasured ? ['Used', 'Idle'] : []), ...(by === 'product' ? ['Not allocated'] : []), 'Cost'];
  const cells = (/** @type {Total} */ { held, measured, used, cost, free: own }) => [
    amount(held),
    ...(isMeasured ? [measured > 0 ? amount(used) : '–', measured > 0 ? amount(measured - used) : '–'] : []),
    ...(by === 'product' ? [amount(own)] : []),
    amount(cost),
  ];
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Device hours' },
      h(
        'table',
        { class: 'plain' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, by === 'class' ? 'Device class' : by === 'product' ? 'Product' : 'Namespace'), ...columns.map((title) => h('th', { scope: 'col', class: 'number' }, title)))),
        h(
          'tbody',
          {},
          ...named.slice(0, SHOWN).map((each) => h('tr', { 'data-key': each.group }, h('th', { scope: 'row' }, places[by] && each.group ? a(places[by](each.group), each.group) : each.group || '(none)'), ...cells(each).map((text) => h('td', { class: 'number' }, text)))),
          named.length > SHOWN ? h('tr', {}, h('td', { colspan: columns.length + 1, class: 'note' }, `and ${named.length - SHOWN} more`)) : null,
        ),
      ),
    ),
    h('p', { class: 'note' }, `${amount(free)} device hours without a claim. ${isMeasured ? 'Used and idle: allocated hours with telemetry' : 'Used and idle hours need telemetry'}${model.devices.size && ![...model.devices.values()].some(({ sample }) => sample) ? ', which no agent sends now' : '; the present hour counts once it has ended'}. Cost is hours times the weight of the class (claimstream.history.cost-weights, 1 without one); a share of a device counts by its part.`),
  );
}

/**
 * The holders of a device as a timeline, or why there is none.
 * @param {Answer | Error | null} answer
 */
export function holdersPanel(answer) {
  return panel('Past holders', answer === null ? h('p', { class: 'empty' }, 'Loading…') : answer instanceof Error ? withoutHistory(answer) : periods(answer));
}

/**
 * Periods of a claim or device, the last one first.
 * @param {Answer} answer
 * @param {(row: Record<string, string>) => import('./dom.js').Child} [title]
 */
export function periods({ columns, rows }, title = ({ CLAIM = '' }) => claimByKey(CLAIM)) {
  if (rows.length === 0) {
    return h('p', { class: 'empty' }, 'The history has no allocation of the device.');
  }
  const named = namedRows({ columns, rows });
  const now = Date.now();
  const ends = named.map((row) => (row['TO'] ? Date.parse(row['TO']) : now));
  const begin = Math.min(...named.map((row) => Date.parse(row['FROM'] ?? '')));
  const end = Math.max(...ends);
  const shown = named.map((row, index) => ({ row, until: ends[index] ?? now })).reverse();
  return h(
    'div',
    {},
    h('p', { class: 'note range' }, time(new Date(begin).toISOString()), time(new Date(end).toISOString())),
    h(
      'ol',
      { class: 'periods' },
      ...shown.slice(0, SHOWN).map(({ row, until }) => {
        const from = Date.parse(row['FROM'] ?? '');
        return h(
          'li',
          {},
          h('div', {}, title(row), row['PODS'] ? h('span', { class: 'quiet' }, ` pod ${row['PODS']}`) : ''),
          span(from, until, begin, end, row['STATE'] === 'pending' ? 'waiting' : row['TO'] ? 'ended' : 'present'),
          h('div', { class: 'note' }, time(row['FROM']), row['TO'] ? ` for ${duration(until - from)}` : ` until now, ${duration(until - from)}`, row['END'] && row['STATE'] !== 'pending' ? `, ${row['END']}` : ''),
        );
      }),
    ),
    shown.length > SHOWN ? h('p', { class: 'note' }, `and ${counted(shown.length - SHOWN, 'earlier period')}`) : null,
  );
}

/**
 * The rows of an answer as texts by column.
 * @param {Pick<Answer, 'columns' | 'rows'>} answer
 * @returns {Record<string, string>[]}
 */
export function namedRows({ columns, rows }) {
  return rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, textOf(row[index])])));
}

/** @param {Answer['rows'][number][number] | undefined} cell */
function textOf(cell) {
  return cell && typeof cell === 'object' ? cell.time : String(cell ?? '');
}

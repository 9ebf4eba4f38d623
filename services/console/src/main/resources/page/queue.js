// Pending items in the order of their attempts: the item ahead, the message of the reason, the age.

import { choices } from './cluster.js';
import { a, h, show } from './dom.js';
import { age, counted, number } from './format.js';
import { getJson } from './live.js';
import { grouped, reasonOf } from './model.js';
import { panel } from './overview.js';
import { colour, key, stacked } from './plot.js';
import { to } from './route.js';
import { FilterBar, Table } from './table.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {{key: string, position: number, kind: string, namespace: string, name: string, priority: number, reason: string, message: string, nearest?: string, created?: string, since?: string, retries: number, rejections: number, ahead?: string}} Item */
/** @typedef {{kind: string, subject: string, since: string, history: string[]}} Finding */
/** @typedef {{at: string, counts: Record<string, number>}} Sample */

/** What leads to the next attempt, by trigger. @type {Record<string, string>} */
const TRIGGERS = {
  sources: 'the missing lists of the sources',
  classes: 'a change of its device class',
  claims: 'a change of the claim, its pod or its template',
  consumers: 'a pod that uses the claim, or the removal of the other scheduling gate',
  namespaces: 'a change of the namespace',
  capacity: 'free devices: a release, a new slice, a removed taint or a new node',
  node_resources: 'free CPU, memory or pods of a node',
  pods: 'a change of other pods',
  any: 'any change in the cluster',
  work: 'its next slice of search work',
};

const TRENDS_MS = 60_000;
const PAUSE_MS = 2_000;
const PAUSE_LARGE_MS = 10_000;
const LARGE = 2_000;

/**
 * The columns of the queue.
 * @param {import('./model.js').Model} model
 * @returns {import('./table.js').Column<Item>[]}
 */
const columns = (model) => [
  { name: 'position', title: 'Place', cell: ({ position }) => number(position), order: ({ position }) => position, style: 'place number' },
  { name: 'item', title: 'Item', cell: (item) => itemLink(item, model), order: ({ key: name }) => name, style: 'name' },
  { name: 'reason', title: 'Reason', cell: ({ reason }) => reason, order: ({ reason }) => reason, style: 'wide reason' },
  { name: 'why', title: 'Message', cell: (item) => h('span', { title: messageOf(item) }, messageOf(item)), style: 'wide why' },
  { name: 'behind', title: 'Directly behind', cell: ({ ahead }) => (ahead ? h('span', { title: ahead }, ahead) : '–'), style: 'wide node' },
  { name: 'priority', title: 'Priority', cell: ({ priority }) => number(priority), order: ({ priority }) => -priority, style: 'wide fixed number' },
  { name: 'retries', title: 'Retries', cell: ({ retries, rejections }) => (rejections ? `${retries}, ${rejections} rejected` : retries), order: ({ retries }) => -retries, style: 'wide fixed number' },
  { name: 'since', title: 'Since', cell: ({ since, created }) => age(since ?? created), order: ({ since, created }) => Date.parse(since ?? created ?? ''), style: 'fixed number' },
];

/**
 * A link to the claim of an item, or to its claims if it has several.
 * @param {Item} item
 * @param {import('./model.js').Model} model
 */
function itemLink({ kind, namespace, name }, model) {
  const own = kind === 'Pod' ? (model.pendingOf(`pod ${namespace}/${name}`) ?? []) : [];
  const place = kind !== 'Pod' ? to('claim', [namespace, name]) : own.length === 1 && own[0] ? to('claim', [own[0].namespace, own[0].name]) : to('claims', [], { q: name, namespace });
  return h('a', { class: 'object', href: place, title: `${namespace}/${name}` }, h('span', { class: 'quiet' }, `${kind === 'Pod' ? 'pod ' : ''}${namespace}/`), h('span', {}, name));
}

/** @param {Item} item */
function messageOf({ message, nearest }) {
  return nearest && !message.includes(nearest) ? `${message}; nearest: ${nearest}` : message;
}

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function queue(root, context) {
  const { model } = context;
  /** @type {Item[]} */
  let items = [];
  /** @type {Finding[]} */
  let findings = [];
  /** @type {Sample[]} */
  let samples = [];
  let trouble = '';
  let isLoaded = false;
  let isAsking = false;
  let isClosed = false;
  let askedAt = 0;
  let trendsAt = 0;
  let answeredFor = -1;
  /** @type {URLSearchParams} */
  let last = new URLSearchParams();

  const filters = new FilterBar([
    { name: 'q', label: 'Contains' },
    { name: 'namespace', label: 'Namespace', options: () => choices(items, ({ namespace }) => [namespace]) },
    { name: 'reason', label: 'Reason', options: () => choices(items, ({ reason }) => [reason]) },
  ]);
  const table = new Table('Queue', columns(model), 'position', 'No pending item has these properties.');
  const top = h('div', {});
  root.replaceChildren(h('h1', { class: 'hidden' }, 'Queue'), top, filters.element, table.element);

  async function ask() {
    isAsking = true;
    askedAt = Date.now();
    answeredFor = model.changes;
    try {
      const areTrendsOld = Date.now() - trendsAt > TRENDS_MS;
      const [queued, found, trends] = await Promise.all([getJson('api/v1/queue'), getJson('api/v1/queue/findings'), areTrendsOld ? getJson('api/v1/trends/reasons') : null]);
      items = queued.items.map((/** @type {Item} */ item) => ({ ...item, key: `${item.kind === 'Pod' ? 'pod ' : ''}${item.namespace}/${item.name}` }));
      findings = found.items;
      if (trends) {
        samples = trends.items;
        trendsAt = Date.now();
      }
      isLoaded = true;
      trouble = '';
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
    }
    isAsking = false;
    if (!isClosed) {
      draw();
    }
  }

  function draw() {
    const text = last.get('q')?.toLowerCase() ?? '';
    const is = (/** @type {string} */ name, /** @type {string} */ value) => !last.get(name) || last.get(name) === value;
    const shown = items.filter((item) => is('namespace', item.namespace) && is('reason', item.reason) && (text === '' || `${item.key} ${item.message}`.toLowerCase().includes(text)));
    filters.element.hidden = items.length === 0;
    table.element.hidden = items.length === 0;
    filters.update(last, counted(shown.length, 'item'));
    show(
      top,
      trouble ? h('p', { class: 'error' }, trouble) : null,
      items.length || trouble ? null : h('p', { class: 'empty' }, isLoaded ? (model.claims.size ? 'Every claim is allocated.' : 'There is no claim.') : 'Loading…'),
      h('div', { class: 'columns', hidden: items.length === 0 && samples.length === 0 }, panel('Retry triggers', triggers()), panel('Reasons in the last hour', trend())),
      findings.length ? panel('Findings', h('ul', { class: 'plain' }, ...findings.map(({ kind, subject, since, history }) => h('li', {}, h('span', { class: 'badge warning' }, kind.replace('-', ' ')), ' ', h('b', {}, subject), ' for ', age(since), h('span', { class: 'quiet' }, `: ${history.join('; ')}`))))) : null,
    );
    table.update(shown, last);
  }

  function triggers() {
    /** @type {Record<string, string>} */
    const triggerOf = {};
    for (const claim of model.pending()) {
      triggerOf[reasonOf(claim)] ??= claim.retryTrigger ?? '';
    }
    const groups = grouped(items, ({ reason }) => reason);
    return groups.length === 0
      ? h('p', { class: 'empty' }, 'No item is pending.')
      : h(
          'dl',
          { class: 'triggers' },
          ...groups.flatMap(([reason, members]) => [
            h('dt', {}, a(to('queue', [], { reason }), reason), h('span', { class: 'note' }, number(members.length))),
            h('dd', {}, TRIGGERS[triggerOf[reason] ?? ''] ?? 'its next attempt'),
          ]),
        );
  }

  function trend() {
    if (samples.length < 2) {
      return h('p', { class: 'empty' }, 'The console has one sample or none: it samples every 5 s in its first minute, and then once per minute.');
    }
    const names = [...new Set(samples.flatMap(({ counts }) => Object.keys(counts)))].sort();
    const series = names.map((name, index) => ({ name, style: colour(index), values: samples.map(({ counts }) => counts[name] ?? 0) }));
    const steps = samples.map(({ at }, index) => ({ from: Date.parse(at), to: Date.parse(samples[index + 1]?.at ?? '') || Math.max(Date.parse(at) + 1, Math.min(Date.now(), Date.parse(at) + TRENDS_MS)) }));
    return h(
      'div',
      {},
      stacked('Pending claims by reason', steps, series, (value) => number(value)),
      key(series.map(({ name, style }) => ({ name, style, href: to('queue', [], { reason: name }) }))),
    );
  }

  return {
    title: 'Queue',
    /** @param {import('./route.js').Route} route */
    update({ query }) {
      last = query;
      const pause = items.length > LARGE ? PAUSE_LARGE_MS : PAUSE_MS;
      const isDue = !isLoaded || answeredFor !== model.changes || Date.now() - trendsAt > TRENDS_MS;
      if (isDue && !isAsking && Date.now() - askedAt >= pause) {
        void ask();
      } else if (isDue && !isAsking) {
        setTimeout(() => !isClosed && !isAsking && Date.now() - askedAt >= pause && void ask(), pause);
      }
      draw();
    },
    close() {
      isClosed = true;
      table.close();
    },
  };
}

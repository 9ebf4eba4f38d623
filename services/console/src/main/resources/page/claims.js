// All claims, sorted and filtered.

import { choices } from './cluster.js';
import { a, h } from './dom.js';
import { age, counted } from './format.js';
import { isAllocated, reasonOf, stateWords } from './model.js';
import { to } from './route.js';
import { FilterBar, Table } from './table.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {import('./model.js').Claim} Claim */

/**
 * A link to a claim; of a claim of another namespace, which the user may not see, the text alone.
 * @param {string} key
 */
export function claimByKey(key) {
  const [namespace = '', name = ''] = key.split('/');
  return name === '' ? h('span', {}, key) : a(to('claim', [namespace, name]), key);
}

/** @param {Claim} claim */
export function claimLink({ namespace, name }) {
  return h('a', { class: 'object', href: to('claim', [namespace, name]), title: `${namespace}/${name}` }, h('span', { class: 'quiet' }, `${namespace}/`), h('span', {}, name));
}

/** @param {Claim} claim */
export function badge(claim) {
  return h('span', { class: `badge ${isAllocated(claim) ? 'allocated' : 'pending'}` }, claim.state);
}

/** @param {Claim} claim */
export function why(claim) {
  return isAllocated(claim) ? (claim.rationale ?? claim.message ?? (claim.unmanaged ? 'another client allocated it' : 'allocated before')) : (claim.message ?? reasonOf(claim));
}

/** @type {import('./table.js').Column<Claim>[]} */
const COLUMNS = [
  { name: 'claim', title: 'Claim', cell: claimLink, order: ({ key }) => key, style: 'name' },
  { name: 'state', title: 'State', cell: badge, order: ({ state }) => state, style: 'fixed state' },
  { name: 'reason', title: 'Reason', cell: (claim) => (isAllocated(claim) ? '' : reasonOf(claim)), order: (claim) => (isAllocated(claim) ? '' : reasonOf(claim)), style: 'wide reason' },
  { name: 'node', title: 'Node', cell: ({ node }) => (node ? a(to('node', [node]), node) : ''), order: ({ node }) => node, style: 'wide node' },
  { name: 'devices', title: 'Devices', cell: ({ devices }) => devices?.length ?? '', order: ({ devices }) => devices?.length ?? 0, style: 'wide number' },
  { name: 'why', title: 'Because', cell: (claim) => h('span', { title: why(claim) }, why(claim)), style: 'wide why' },
  { name: 'age', title: 'Age', cell: ({ created }) => age(created), order: ({ created }) => -Date.parse(created ?? '0'), style: 'fixed number age' },
];

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function claims(root, context) {
  const { model } = context;
  const all = () => model.claims.values();
  const filters = new FilterBar([
    { name: 'q', label: 'Contains' },
    { name: 'state', label: 'State', options: () => choices(all(), stateWords) },
    { name: 'namespace', label: 'Namespace', options: () => choices(all(), ({ namespace }) => [namespace]) },
    { name: 'reason', label: 'Reason', options: () => choices(model.pending(), (claim) => [reasonOf(claim)]) },
    { name: 'class', label: 'Class', options: () => choices(all(), ({ classes }) => classes ?? []) },
    { name: 'driver', label: 'Driver', options: () => choices(all(), ({ devices }) => devices?.map(({ driver }) => driver) ?? []) },
  ]);
  const table = new Table('Claims', COLUMNS, 'claim', '');
  root.replaceChildren(h('h1', { class: 'hidden' }, 'Claims'), filters.element, table.element);
  return {
    title: 'Claims',
    /** @param {import('./route.js').Route} route */
    update({ query }) {
      const shown = [...all()].filter((claim) => matches(claim, query));
      filters.element.hidden = model.claims.size === 0;
      filters.update(query, counted(shown.length, 'claim'));
      table.empty = model.claims.size ? 'No claim has these properties.' : 'There is no claim. ./claimstream apply -f FILE creates the claims and pods of a file.';
      table.update(shown, query);
    },
    close: () => table.close(),
  };
}

/**
 * @param {Claim} claim
 * @param {URLSearchParams} query
 */
function matches(claim, query) {
  const text = query.get('q')?.toLowerCase() ?? '';
  const is = (/** @type {string} */ name, /** @type {string[]} */ ...values) => !query.get(name) || values.includes(query.get(name) ?? '');
  return (
    is('state', ...stateWords(claim)) &&
    is('namespace', claim.namespace) &&
    is('reason', isAllocated(claim) ? '' : reasonOf(claim)) &&
    is('class', ...(claim.classes ?? [])) &&
    is('driver', ...(claim.devices?.map(({ driver }) => driver) ?? [])) &&
    (text === '' || `${claim.key} ${claim.node ?? ''} ${claim.pods?.join(' ') ?? ''} ${why(claim)}`.toLowerCase().includes(text))
  );
}

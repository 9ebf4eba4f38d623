// Access of the user of the page. On loopback the user sees everything.

import { a, h } from './dom.js';
import { getJson } from './live.js';
import { to } from './route.js';

/** @typedef {{user: string, allNamespaces: boolean, namespaces: string[], devices: boolean, nodes: boolean, metrics: boolean}} Access */

/** @type {Access | null} */
let access = null;

/**
 * Reads what the user sees. A stream that begins anew calls it again: permissions may have changed.
 * @param {() => void} changed
 */
export async function readAccess(changed) {
  try {
    access = await getJson('api/v1/access');
    changed();
  } catch {
    access = null; // the stream says why the console does not answer
  }
}

/** Whether the user may read /metrics; null before the answer. */
export function mayReadMetrics() {
  return access ? access.metrics : null;
}

/**
 * Returns what to show instead of a claim in a namespace that the user may not see; null if the user may.
 * @param {import('./route.js').Route} route
 * @returns {HTMLElement[] | null}
 */
export function forbidden({ view, parts: [namespace = ''] }) {
  if (view !== 'claim' || !access || access.allNamespaces || access.namespaces.includes(namespace)) {
    return null;
  }
  const own = access.namespaces.length ? `It may list those of ${access.namespaces.join(', ')}.` : 'It may list those of no namespace.';
  return [
    h('h1', {}, '403: another namespace'),
    h('p', { class: 'error' }, `User ${access.user} may not list the claims of namespace ${namespace}. ${own}`),
    h('p', { class: 'note' }, 'Ask for a RoleBinding of the ClusterRole view in that namespace. ', a(to('claims'), 'Your claims')),
  ];
}

// Access of the user of the page. On loopback the user sees everything.

import { a, h } from './dom.js';
import { getJson } from './live.js';
import { to } from './route.js';

/** @typedef {{user: string, allNamespaces: boolean, namespaces: string[], devices: boolean, nodes: boolean, metrics: boolean, listsClaims?: boolean}} Access */

/** @type {Access | null} */
let access = null;

/** Whether the user may list the claims of namespaces that the console does not name; null until the answer. @type {Map<string, boolean | null>} */
const asked = new Map();

/**
 * Reads what the user sees. A stream that begins anew calls it again: permissions may have changed.
 * @param {() => void} changed
 */
export async function readAccess(changed) {
  try {
    access = await getJson('api/v1/access');
    asked.clear();
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
 * Asks once whether the user may list the claims of a namespace.
 * @param {string} namespace
 * @param {() => void} changed
 */
async function ask(namespace, changed) {
  asked.set(namespace, null);
  try {
    asked.set(namespace, (await getJson(`api/v1/access?${new URLSearchParams({ namespace })}`)).listsClaims === true);
    changed();
  } catch {
    asked.delete(namespace); // the stream says why the console does not answer
  }
}

/**
 * Returns what to show instead of a claim in a namespace that the user may not see; null if the user may.
 * @param {import('./route.js').Route} route
 * @param {() => void} changed is called if the answer was not known yet
 * @returns {HTMLElement[] | null}
 */
export function forbidden({ view, parts: [namespace = ''] }, changed) {
  if (view !== 'claim' || !access || access.allNamespaces || access.namespaces.includes(namespace)) {
    return null;
  }
  if (!asked.has(namespace)) {
    void ask(namespace, changed);
  }
  if (asked.get(namespace) !== false) {
    return asked.get(namespace) ? null : [h('p', { class: 'empty' }, 'Loading…')];
  }
  const own = access.namespaces.length ? `It may list those of ${access.namespaces.join(', ')}.` : 'It may list those of no namespace.';
  return [
    h('h1', {}, '403: another namespace'),
    h('p', { class: 'error' }, `User ${access.user} may not list the claims of namespace ${namespace}. ${own}`),
    h('p', { class: 'note' }, 'Ask for a RoleBinding of the ClusterRole view in that namespace. ', a(to('claims'), 'Your claims')),
  ];
}

// Claims without an allocation, by reason: what each waits for.

import { claimLink } from './claims.js';
import { h, show } from './dom.js';
import { age, counted } from './format.js';
import { grouped, reasonOf } from './model.js';

/** @typedef {import('./main.js').Context} Context */

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

const SHOWN = 100;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function queue(root, context) {
  return {
    title: 'Queue',
    update() {
      const pending = context.model.pending();
      const groups = grouped(pending, reasonOf);
      show(
        root,
        h('h1', {}, groups.length ? `${counted(pending.length, 'claim')} without an allocation` : 'No claim is pending'),
        groups.length
          ? h('p', { class: 'note' }, 'By reason, and within a reason the oldest claim first. This is not the order of attempts: priorities and gangs also count.')
          : h('p', { class: 'empty' }, context.model.claims.size ? 'Every claim is allocated.' : 'There is no claim.'),
        ...groups.map(([reason, claims]) => {
          const trigger = TRIGGERS[claims[0]?.waitsFor ?? ''];
          return h(
            'section',
            { class: 'panel', 'data-key': reason },
            h('h2', {}, reason, h('span', { class: 'note' }, `${counted(claims.length, 'claim')}${trigger ? ` · waits for ${trigger}` : ''}`)),
            h(
              'ol',
              { class: 'items' },
              ...claims.slice(0, SHOWN).map((claim) =>
                h(
                  'li',
                  { 'data-key': claim.key },
                  h('div', {}, claimLink(claim), claim.pods?.length ? h('span', { class: 'quiet' }, ` pod ${claim.pods.join(', ')}`) : ''),
                  h('div', { class: 'message' }, claim.message ?? ''),
                  h('div', { class: 'number' }, age(claim.created)),
                ),
              ),
            ),
            claims.length > SHOWN ? h('p', { class: 'note' }, `and ${(claims.length - SHOWN).toLocaleString()} more: see the claims with this reason`) : null,
          );
        }),
      );
    },
  };
}

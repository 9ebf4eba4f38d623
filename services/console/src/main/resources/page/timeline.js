// The life of a claim: created, decided, committed, bound, released. A time that no record has is not shown.

import { h } from './dom.js';
import { time } from './format.js';
import { isAllocated } from './model.js';

/** @typedef {import('./model.js').Claim} Claim */
/** @typedef {import('./dom.js').Child} Child */
/** @typedef {Record<string, string>} Period an allocation in the history, with FROM, TO, PODS, NODE, END */
/** @typedef {[name: string, text: Child | Child[], isDone: boolean]} Entry */

/**
 * @param {Claim | null} row null for a claim that is deleted
 * @param {Period[]} allocations of the claim in the history, the first one first; empty without a history
 */
export function timeline(row, allocations) {
  const entries = row ? ofClaim(row, allocations.filter((each) => isOf(row, each))) : ofDeleted(allocations);
  return h('ol', { class: 'timeline' }, ...entries.map(([name, text, isDone]) => h('li', { class: isDone ? 'done' : null }, h('b', {}, name), h('span', {}, text))));
}

/**
 * Whether an allocation is of a claim. The history finds it by the name: one that ended before is of an earlier claim with the name.
 * @param {Claim} row
 * @param {Period} allocation
 */
export function isOf({ created = '' }, allocation) {
  return !(Date.parse(allocation['TO'] ?? '') < Date.parse(created));
}

/**
 * @param {Claim} row
 * @param {Period[]} allocations
 * @returns {Entry[]}
 */
function ofClaim(row, allocations) {
  const last = allocations.at(-1);
  const allocated = isAllocated(row);
  const released = allocated ? undefined : (row.releasedAt ?? last?.['TO']);
  return [
    ['Created', time(row.created), true],
    decided(row, allocated, last),
    ['Committed', row.committed ? committed(row) : row.outcome ? `${row.outcome} ${row.outcomeMessage ?? ''}` : 'not yet', Boolean(row.committed)],
    bound(row, allocated),
    released && !allocated
      ? ['Released', [time(released), last?.['TO'] && last['END'] ? `, ${last['END']}` : ''], true]
      : ['Released', row.deleting ? 'the claim is being deleted; its devices are free when no pod uses them' : 'not yet', false],
  ];
}

/**
 * @param {Claim} row
 * @param {boolean} allocated
 * @param {Period | undefined} last
 * @returns {Entry}
 */
function decided({ decidedAt, releasedAt }, allocated, last) {
  const from = last?.['FROM'];
  if (allocated) {
    // A repeated decision, which adds a pod, is later than the first one, which the history has.
    return ['Allocated', from ? time(from) : decidedAt ? time(decidedAt) : 'before Claimstream read it', true];
  }
  return releasedAt ? ['Allocated', from ? time(from) : 'earlier', true] : ['Decided', decidedAt ? time(decidedAt) : 'not yet', Boolean(decidedAt)];
}

/** @param {Claim} row */
function committed({ outcome, outcomeAt }) {
  return outcome === 'committed' && outcomeAt ? time(outcomeAt) : 'the status of the claim has the devices';
}

/**
 * @param {Claim} row
 * @param {boolean} allocated
 * @returns {Entry}
 */
function bound({ pods = [], reservedFor = [], bindings = [] }, allocated) {
  if (allocated && bindings.length) {
    return ['Bound', bindings.flatMap(({ pod, node, at }, index) => [index ? '; ' : '', at ? time(at) : '', `${at ? ', ' : ''}pod ${pod} on ${node}`]), true];
  }
  if (allocated && reservedFor.length) {
    const consumers = reservedFor.map((each) => each.replace(/^pods\//, 'pod ')).join(', ');
    return ['Bound', `${reservedFor.every((each) => each.startsWith('pods/')) ? 'not yet: ' : ''}reserved for ${consumers}`, false];
  }
  return ['Bound', pods.length ? `pod ${pods.join(', ')} is pending` : 'no pod uses it', false];
}

/**
 * @param {Period[]} allocations at least one
 * @returns {Entry[]}
 */
function ofDeleted(allocations) {
  const last = allocations.at(-1); // earlier ones may be of other claims with this name
  return [
    ['Allocated', time(last?.['FROM']), true],
    ['Reserved', [last?.['PODS'] ? `for pod ${last['PODS']}` : 'for no pod', last?.['NODE'] ? ` on ${last['NODE']}` : ''], Boolean(last?.['PODS'])],
    ['Released', last?.['TO'] ? [time(last['TO']), last['END'] ? `, ${last['END']}` : ''] : 'not yet', Boolean(last?.['TO'])],
  ];
}

// What happened to a device or node, as far as this console has seen it.

import { claimByKey } from './claims.js';
import { a, h } from './dom.js';
import { time } from './format.js';
import { getJson } from './live.js';
import { compare } from './model.js';
import { panel } from './overview.js';
import { to } from './route.js';

/** @typedef {{at: string, driver?: string, pool?: string, device?: string, claim?: string, message: string}} InventoryEvent */

const SHOWN = 20;

/** The console compares two readings of its state every two seconds or more: an event comes after the change that it names. */
const AGAIN_MS = 4_000;

/** The events of one object, which are read again after each of its changes. */
export class Events {
  /**
   * @param {Record<string, string>} query
   * @param {boolean} areOfNode whether the panel names devices
   */
  constructor(query, areOfNode) {
    this.query = query;
    this.areOfNode = areOfNode;
    /** @type {InventoryEvent[] | null} */
    this.items = null;
    this.signature = '';
    this.timer = 0;
    this.isClosed = false;
  }

  /**
   * Reads the events if the object has changed, and once more when its last change is an event.
   * @param {string} signature of the object
   * @param {() => void} draw
   */
  follow(signature, draw) {
    if (signature !== this.signature) {
      const isFirst = this.signature === '';
      this.signature = signature;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.load(draw), AGAIN_MS);
      if (isFirst) {
        void this.load(draw);
      }
    }
  }

  /** @param {() => void} draw */
  async load(draw) {
    try {
      this.items = (await getJson(`api/v1/events?${new URLSearchParams(this.query)}`)).items;
    } catch {
      return; // The banner of the stream says why the console does not answer; the next change asks again.
    }
    if (!this.isClosed) {
      draw();
    }
  }

  /** Draws nothing any more: another view has the root. */
  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** @returns {HTMLElement} */
  panel() {
    const items = together(this.items ?? []);
    return panel(
      'Events',
      items.length
        ? h(
            'div',
            {},
            h('ol', { class: 'events' }, ...items.slice(0, SHOWN).map((events) => this.row(events))),
            items.length > SHOWN ? h('p', { class: 'note' }, `and ${items.length - SHOWN} earlier ones`) : null,
          )
        : h('p', { class: 'empty' }, this.items ? 'Nothing has changed since the start of the console.' : 'Loading…'),
    );
  }

  /** @param {InventoryEvent[]} events of one time, message and claim */
  row(events) {
    const { at, claim, message } = /** @type {InventoryEvent} */ (events[0]);
    const devices = this.areOfNode ? events.filter(({ device }) => device).sort((one, other) => compare(one.device, other.device)) : [];
    return h(
      'li',
      {},
      time(at),
      h('span', {}, message, claim ? ' ' : null, claim ? claimByKey(claim) : null, devices.length ? ': ' : null, ...devices.flatMap(({ driver = '', pool = '', device = '' }) => [a(to('device', [driver, pool, device]), device), ' '])),
    );
  }
}

/**
 * Joins events that differ in their device only.
 * @param {InventoryEvent[]} events
 * @returns {InventoryEvent[][]}
 */
function together(events) {
  /** @type {InventoryEvent[][]} */
  const groups = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last?.[0] && last[0].at === event.at && last[0].message === event.message && last[0].claim === event.claim) {
      last.push(event);
    } else {
      groups.push([event]);
    }
  }
  return groups;
}

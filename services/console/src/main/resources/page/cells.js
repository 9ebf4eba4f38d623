// Devices as cells, in groups. The browser lays out only the groups in sight.

import { h, withStyle } from './dom.js';
import { DEVICE_STATES, compare, remainingShare } from './model.js';
import { to } from './route.js';

/** @typedef {import('./model.js').Device} Device */
/** @typedef {import('./model.js').Model} Model */

/** @typedef {{key: string, title: import('./dom.js').Child, note: string, devices: Device[]}} Group */

const CELL_PX = 20;
const GROUP_PX = 44;
const SLICE_MS = 20;

/** Cells of a slice even if the time is up: other programs may have used it. */
const SLICE_CELLS_MIN = 128;

/** Draws groups of devices, and changes only the cells that differ. */
export class Cells {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.element = h('div', { class: 'groups', onkeydown: (event) => this.onKey(event) });
    /** @type {Map<string, {element: HTMLElement, signature: string}>} */
    this.groups = new Map();
    /** The groups that are being drawn, and the number of those that are done. */
    this.pass = { groups: /** @type {Group[]} */ ([]), colour: /** @type {'state' | 'used'} */ ('state'), done: 0 };
    /** What to draw after the present pass. @type {{groups: Group[], colour: 'state' | 'used'} | null} */
    this.next = null;
    /** @type {Element | null} */
    this.before = null;
    this.isDrawing = false;
  }

  /**
   * Draws groups, in slices of time, so that keys and scrolling are answered in between. Groups that come while others are drawn wait for
   * the end of these, so that a fast stream of changes reaches the last group too.
   * @param {Group[]} groups
   * @param {'state' | 'used'} colour
   */
  update(groups, colour) {
    this.next = { groups, colour };
    if (!this.isDrawing) {
      this.drawSlice();
    }
  }

  /** Draws groups until the time is up. */
  drawSlice() {
    const end = performance.now() + SLICE_MS;
    let drawn = 0;
    do {
      if (this.pass.done === this.pass.groups.length && !this.begin()) {
        break;
      }
      const group = this.pass.groups[this.pass.done++];
      if (group) {
        this.place(this.groupElement(group, this.pass.colour));
        drawn += group.devices.length;
      }
    } while (performance.now() < end || drawn < SLICE_CELLS_MIN);
    this.isDrawing = this.pass.done < this.pass.groups.length || this.next !== null;
    if (this.isDrawing) {
      setTimeout(() => this.drawSlice());
    }
    if (!this.element.querySelector('a[tabindex="0"]')) {
      this.element.querySelector('.cell')?.setAttribute('tabindex', '0');
    }
  }

  /**
   * Begins to draw the next groups, if there are some.
   * @returns {boolean} whether it has begun
   */
  begin() {
    if (!this.next) {
      return false;
    }
    this.pass = { ...this.next, done: 0 };
    this.next = null;
    this.before = null;
    const kept = new Set(this.pass.groups.map(({ key }) => key));
    for (const [key, { element }] of this.groups) {
      if (!kept.has(key)) {
        element.remove();
        this.groups.delete(key);
      }
    }
    return true;
  }

  /**
   * Puts the element of a group after that of the group before.
   * @param {HTMLElement} element
   */
  place(element) {
    const next = this.before ? this.before.nextElementSibling : this.element.firstElementChild;
    if (element !== next) {
      this.element.insertBefore(element, next);
    }
    this.before = element;
  }

  /**
   * Returns the element of a group, which is that of last time if nothing differs.
   * @param {Group} group
   * @param {'state' | 'used'} colour
   */
  groupElement(group, colour) {
    const cells = group.devices.sort(byPlace).map((device) => ({ device, ...this.look(device, colour) }));
    const signature = `${group.note}\n${cells.map(({ device, style, fill, label }) => `${device.key} ${style} ${fill} ${label}`).join('\n')}`;
    const present = this.groups.get(group.key);
    if (present?.signature === signature) {
      return present.element;
    }
    const focused = present?.element.contains(document.activeElement) ? document.activeElement?.getAttribute('href') : null;
    const element = h(
      'section',
      { class: 'group', 'aria-label': `${group.key} ${group.note}` },
      h('h2', {}, group.title, h('span', { class: 'note' }, group.note)),
      h('div', { class: 'cells' }, ...this.parts(cells)),
    );
    withStyle(element, '--height', `${GROUP_PX + CELL_PX * Math.ceil(group.devices.length / 8)}px`);
    present?.element.replaceWith(element);
    this.groups.set(group.key, { element, signature });
    if (focused) {
      const cell = [...element.querySelectorAll('a')].find((each) => each.getAttribute('href') === focused);
      cell?.setAttribute('tabindex', '0');
      cell?.focus();
    }
    return element;
  }

  /**
   * Puts partitions of one device, which consume the same counters, in a frame.
   * @param {{device: Device, style: string, fill: number, label: string}[]} cells
   * @returns {HTMLElement[]}
   */
  parts(cells) {
    /** @type {HTMLElement[]} */
    const elements = [];
    let frame = '';
    for (const cell of cells) {
      const parent = parentOf(cell.device);
      const element = this.cell(cell);
      if (parent === '') {
        elements.push(element);
      } else if (parent === frame) {
        elements.at(-1)?.append(element);
      } else {
        elements.push(h('span', { class: 'parent', title: `partitions of ${cell.device.counterSets?.join(', ')}` }, element));
      }
      frame = parent;
    }
    return elements;
  }

  /** @param {{device: Device, style: string, fill: number, label: string}} cell */
  cell({ device, style, fill, label }) {
    const element = h('a', { class: `cell ${style}`, href: to('device', [device.driver, device.pool, device.device]), tabindex: '-1', title: label, 'aria-label': label });
    return fill >= 0 ? withStyle(element, '--fill', `${Math.round(fill * 100)}%`) : element;
  }

  /**
   * @param {Device} device
   * @param {'state' | 'used'} colour
   * @returns {{style: string, fill: number, label: string}}
   */
  look(device, colour) {
    const state = this.model.stateOf(device);
    const used = device.sample?.utilizationPercent;
    const words = [`${device.pool}/${device.device}`, device.product, DEVICE_STATES[state], device.claims?.length ? `held by ${device.claims.join(', ')}` : device.reason];
    if (used !== undefined) {
      words.push(`${Math.round(used)} % used`);
    }
    const label = words.filter(Boolean).join(' · ');
    if (colour === 'used') {
      return { style: used === undefined ? 'unknown' : 'used', fill: used === undefined ? -1 : Math.min(1, used / 100), label };
    }
    return { style: state, fill: state === 'partly' ? 1 - remainingShare(device) : -1, label };
  }

  /**
   * Arrow keys move from cell to cell, so that Tab leaves the cells.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    const here = event.target;
    if (!(here instanceof HTMLElement) || !here.classList.contains('cell') || !event.key.startsWith('Arrow')) {
      return;
    }
    const all = /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll('.cell')]);
    const target = event.key === 'ArrowLeft' || event.key === 'ArrowRight' ? all[all.indexOf(here) + (event.key === 'ArrowRight' ? 1 : -1)] : below(all, here, event.key === 'ArrowDown');
    event.preventDefault();
    if (target) {
      here.setAttribute('tabindex', '-1');
      target.setAttribute('tabindex', '0');
      target.focus();
    }
  }
}

/**
 * The next cell below or above, the nearest in its row.
 * @param {HTMLElement[]} all
 * @param {HTMLElement} here
 * @param {boolean} isDown
 */
function below(all, here, isDown) {
  const from = here.getBoundingClientRect();
  const start = all.indexOf(here);
  const others = isDown ? all.slice(start + 1, start + 500) : all.slice(Math.max(0, start - 500), start).reverse();
  let row = NaN;
  let best = /** @type {HTMLElement | undefined} */ (undefined);
  let distance = Infinity;
  for (const other of others) {
    const box = other.getBoundingClientRect();
    if (Math.abs(box.top - from.top) < CELL_PX / 2) {
      continue;
    }
    row = Number.isNaN(row) ? box.top : row;
    if (Math.abs(box.top - row) > CELL_PX / 2) {
      break;
    }
    if (Math.abs(box.left - from.left) < distance) {
      distance = Math.abs(box.left - from.left);
      best = other;
    }
  }
  return best;
}

/**
 * The parent of a partition; empty for a whole device.
 * @param {Device} device
 */
function parentOf(device) {
  return device.counterSets?.length ? `${device.driver}/${device.pool}/${device.counterSets.join('+')}` : '';
}

/**
 * Orders devices by driver, pool, parent and name.
 * @param {Device} one
 * @param {Device} other
 */
export function byPlace(one, other) {
  return compare(one.driver, other.driver) || compare(one.pool, other.pool) || compare(parentOf(one), parentOf(other)) || compare(one.device, other.device);
}

/**
 * The legend of states, with counts; each state is a filter.
 * @param {Model} model
 * @param {Iterable<Device>} devices
 * @param {string} [chosen]
 * @param {(state: string) => string} [href]
 */
export function legend(model, devices, chosen = '', href = (state) => to('cluster', [], { state })) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const device of devices) {
    const state = model.stateOf(device);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return h(
    'ul',
    { class: 'legend', 'aria-label': 'Devices by state' },
    ...Object.entries(DEVICE_STATES)
      .filter(([state]) => counts[state] || state === chosen)
      .map(([state, text]) =>
        h(
          'li',
          {},
          h(
            'a',
            { href: href(state === chosen ? '' : state), 'aria-current': state === chosen ? 'true' : null },
            h('span', { class: `cell ${state}`, 'aria-hidden': 'true' }),
            text,
            h('b', {}, (counts[state] ?? 0).toLocaleString()),
          ),
        ),
      ),
  );
}

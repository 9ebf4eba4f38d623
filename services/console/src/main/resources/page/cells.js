// Devices as cells, in groups. The browser lays out only the groups in sight.

import { h, show, withStyle } from './dom.js';
import { number } from './format.js';
import { DEVICE_STATES, parentOf, remainingShare } from './model.js';
import { to } from './route.js';

/** @typedef {import('./model.js').Device} Device */
/** @typedef {import('./model.js').Model} Model */

/**
 * A group. Its devices are in the order of their places.
 * @typedef {{key: string, title: import('./dom.js').Child, note: string, devices: Device[]}} Group
 */

/** @typedef {'state' | 'used'} Colour */

/** What decides how a cell looks. @typedef {{device: Device, state: import('./model.js').DeviceState, colour: Colour, element: HTMLElement}} DrawnCell */

/** Whole rows of cells of a group. @typedef {{element: HTMLElement, cells: DrawnCell[]}} Chunk */

/** @typedef {{element: HTMLElement, title: HTMLElement, note: string, chunks: Chunk[]}} DrawnGroup */

/** Part of a group that is drawn at once. @typedef {{group: Group, first: number}} Step */

const CELL_PX = 20;
const GROUP_PX = 44;

/** Padding and border of a group on both sides. */
const GROUP_SIDES_PX = 26;
const SLICE_MS = 12;
const CHUNK_ROWS = 8;

/** A group with more devices is as wide as the window. */
const WIDE_DEVICES = 64;

/** Cells of a slice even if the time is up: other programs may have used it. */
const SLICE_CELLS_MIN = 128;

/** Draws groups of devices, and changes only the cells that differ. */
export class Cells {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.element = h('div', { class: 'groups', onkeydown: (event) => this.onKey(event) });
    /** @type {Map<string, DrawnGroup>} */
    this.groups = new Map();
    /** The steps of the present pass, and the number of those that are done. */
    this.pass = { steps: /** @type {Step[]} */ ([]), colour: /** @type {Colour} */ ('state'), done: 0 };
    /** What to draw after the present pass. @type {{groups: () => Group[], colour: Colour} | null} */
    this.next = null;
    /** @type {Element | null} */
    this.before = null;
    this.isDrawing = false;
    this.columns = 0;
    /** Key of the device that the page is about; empty if it is about several. */
    this.current = '';
  }

  /**
   * Draws groups, in slices of time, so that keys and scrolling are answered in between. Groups that come while others are drawn wait for
   * the end of these, so that a fast stream of changes reaches the last group too.
   * @param {() => Group[]} groups makes the groups when their turn comes
   * @param {Colour} colour
   */
  update(groups, colour) {
    this.next = { groups, colour };
    if (!this.isDrawing) {
      this.isDrawing = true;
      setTimeout(() => this.drawSlice());
    }
  }

  /** Draws groups until the time is up. */
  drawSlice() {
    const end = performance.now() + SLICE_MS;
    let drawn = 0;
    if (this.pass.done === this.pass.steps.length) {
      this.begin();
    }
    while (this.pass.done < this.pass.steps.length && (performance.now() < end || drawn < SLICE_CELLS_MIN)) {
      const step = this.pass.steps[this.pass.done++];
      if (step) {
        drawn += this.drawStep(step);
      }
    }
    this.isDrawing = this.pass.done < this.pass.steps.length || this.next !== null;
    if (this.isDrawing) {
      setTimeout(() => this.drawSlice());
    }
    if (!this.element.querySelector('a[tabindex="0"]')) {
      this.element.querySelector('.cell')?.setAttribute('tabindex', '0');
    }
  }

  /** Begins to draw the next groups, if there are some. */
  begin() {
    if (!this.next) {
      return;
    }
    const groups = this.next.groups();
    const columns = this.columnsInSight();
    const kept = new Set(groups.map(({ key }) => key));
    for (const [key, { element }] of this.groups) {
      if (!kept.has(key) || columns !== this.columns) {
        element.remove();
        this.groups.delete(key);
      }
    }
    this.columns = columns;
    withStyle(this.element, '--wide', `${columns * CELL_PX}px`);
    const size = this.chunkSize();
    /** @type {Step[]} */
    const steps = [];
    for (const group of groups) {
      for (let first = 0; first < group.devices.length; first += size) {
        steps.push({ group, first });
      }
    }
    this.pass = { steps, colour: this.next.colour, done: 0 };
    this.next = null;
    this.before = null;
  }

  /** The cells in a row of a wide group. A scroll bar that comes and goes changes them once only. */
  columnsInSight() {
    const fitting = Math.max(8, Math.floor((this.element.clientWidth - GROUP_SIDES_PX) / CELL_PX));
    return fitting < this.columns || fitting > this.columns + 2 ? fitting : this.columns;
  }

  /** Cells of a chunk, which fill rows of a wide group. */
  chunkSize() {
    return this.columns * CHUNK_ROWS;
  }

  /**
   * @param {Step} step
   * @returns {number} devices of the step
   */
  drawStep({ group, first }) {
    const size = this.chunkSize();
    const devices = group.devices.length > size ? group.devices.slice(first, first + size) : group.devices;
    const drawn = first === 0 ? this.place(group) : this.groups.get(group.key);
    if (drawn) {
      this.drawChunk(drawn, first / size, devices);
    }
    return devices.length;
  }

  /**
   * Puts the element of a group after that of the group before.
   * @param {Group} group
   * @returns {DrawnGroup}
   */
  place({ key, title, note, devices }) {
    const size = this.chunkSize();
    let drawn = this.groups.get(key);
    if (!drawn) {
      const heading = h('h2', {});
      drawn = { element: h('section', {}, heading), title: heading, note: '', chunks: [] };
      this.groups.set(key, drawn);
    }
    if (drawn.note !== note) {
      drawn.note = note;
      drawn.element.className = devices.length > WIDE_DEVICES ? 'group wide' : 'group';
      drawn.element.setAttribute('aria-label', `${key} ${note}`);
      withStyle(drawn.element, '--height', `${GROUP_PX + CELL_PX * Math.ceil(devices.length / 8)}px`);
      show(drawn.title, title, h('span', { class: 'note' }, note));
    }
    for (const { element } of drawn.chunks.splice(Math.ceil(devices.length / size))) {
      element.remove();
    }
    const next = this.before ? this.before.nextElementSibling : this.element.firstElementChild;
    if (drawn.element !== next) {
      this.element.insertBefore(drawn.element, next);
    }
    this.before = drawn.element;
    return drawn;
  }

  /**
   * Draws whole rows of a group. Cells of the same devices stay, so that they keep the focus.
   * @param {DrawnGroup} group
   * @param {number} index
   * @param {Device[]} devices
   */
  drawChunk(group, index, devices) {
    const colour = this.pass.colour;
    const present = group.chunks[index];
    if (present && present.cells.length === devices.length && present.cells.every(({ device }, place) => isSamePlace(device, devices[place]))) {
      present.cells.forEach((cell, place) => {
        const device = devices[place] ?? cell.device;
        const state = this.model.stateOf(device);
        if (device !== cell.device || state !== cell.state || colour !== cell.colour) {
          Object.assign(cell, { device, state, colour });
          this.paint(cell);
        }
      });
      return;
    }
    const focused = present?.element.contains(document.activeElement) ? document.activeElement?.getAttribute('href') : null;
    const cells = devices.map((device) => this.cell(device, colour));
    const element = h('div', { class: 'cells' }, ...framed(cells));
    withStyle(element, '--height', `${CELL_PX * Math.ceil(devices.length / this.columns)}px`);
    if (present) {
      present.element.replaceWith(element);
    } else {
      group.element.append(element);
    }
    group.chunks[index] = { element, cells };
    if (focused) {
      const cell = cells.find((each) => each.element.getAttribute('href') === focused)?.element;
      cell?.setAttribute('tabindex', '0');
      cell?.focus();
    }
  }

  /**
   * @param {Device} device
   * @param {Colour} colour
   * @returns {DrawnCell}
   */
  cell(device, colour) {
    const element = document.createElement('a');
    element.setAttribute('href', to('device', [device.driver, device.pool, device.device]));
    element.setAttribute('tabindex', '-1');
    const cell = { device, state: this.model.stateOf(device), colour, element };
    this.paint(cell);
    return cell;
  }

  /** @param {DrawnCell} cell */
  paint({ device, state, colour, element }) {
    const { style, fill, label } = this.look(device, state, colour);
    element.className = `cell ${style}`;
    element.setAttribute('title', label);
    element.setAttribute('aria-label', label);
    if (device.key === this.current) {
      element.setAttribute('aria-current', 'page');
    }
    if (fill >= 0) {
      withStyle(element, '--fill', `${Math.round(fill * 100)}%`);
    }
  }

  /**
   * @param {Device} device
   * @param {import('./model.js').DeviceState} state
   * @param {Colour} colour
   * @returns {{style: string, fill: number, label: string}}
   */
  look(device, state, colour) {
    const used = device.sample?.utilizationPercent;
    const words = [`${device.pool}/${device.device}`, device.product, DEVICE_STATES[state], device.claims?.length ? `allocated to ${device.claims.join(', ')}` : device.reason];
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
 * Whether two rows are those of one device with the same parent.
 * @param {Device} one
 * @param {Device | undefined} other
 */
function isSamePlace(one, other) {
  return one === other || (one.key === other?.key && parentOf(one) === parentOf(other));
}

/**
 * Puts partitions of one device, which consume the same counters, in a frame.
 * @param {DrawnCell[]} cells
 * @returns {HTMLElement[]}
 */
function framed(cells) {
  /** @type {HTMLElement[]} */
  const elements = [];
  let frame = '';
  for (const { device, element } of cells) {
    const parent = parentOf(device);
    if (parent === '') {
      elements.push(element);
    } else if (parent === frame) {
      elements.at(-1)?.append(element);
    } else {
      elements.push(h('span', { class: 'parent', title: `partitions of ${device.counterSets?.join(', ')}` }, element));
    }
    frame = parent;
  }
  return elements;
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
            h('b', {}, number(counts[state] ?? 0)),
          ),
        ),
      ),
  );
}

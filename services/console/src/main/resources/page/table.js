// A table that can be sorted, with the rows in the DOM that are in sight. It is fluid with ten thousand rows.

import { h, show } from './dom.js';
import { compare } from './model.js';
import { setFilters } from './route.js';

const ROW_PX = 33;
const EXTRA_ROWS = 12;

/** Age at which the options of filters are read again. */
const OPTIONS_MS = 3_000;

/**
 * @template T
 * @typedef {object} Column
 * @property {string} name
 * @property {string} title
 * @property {(row: T) => import('./dom.js').Child | import('./dom.js').Child[]} cell
 * @property {(row: T) => string | number | undefined} [order] value to sort by
 * @property {string} [style] classes of the cells
 */

/** @template {{key: string}} T */
export class Table {
  /**
   * @param {string} label
   * @param {Column<T>[]} columns
   * @param {string} firstOrder name of the column, with a minus before it for the reverse
   * @param {string} empty text without rows
   */
  constructor(label, columns, firstOrder, empty) {
    this.columns = columns;
    this.firstOrder = firstOrder;
    this.empty = empty;
    /** @type {T[]} */
    this.rows = [];
    this.order = firstOrder;
    this.head = h('thead');
    this.body = h('tbody');
    this.table = h('table', { 'aria-label': label }, this.head, this.body);
    this.note = h('p', { class: 'empty' });
    this.element = h('div', { class: 'table' }, this.table, this.note);
    this.draw = this.draw.bind(this);
    addEventListener('scroll', this.draw, { passive: true });
    addEventListener('resize', this.draw, { passive: true });
  }

  close() {
    removeEventListener('scroll', this.draw);
    removeEventListener('resize', this.draw);
  }

  /**
   * @param {T[]} rows
   * @param {URLSearchParams} query its parameter sort names the column
   */
  update(rows, query) {
    this.order = query.get('sort') || this.firstOrder;
    const isReverse = this.order.startsWith('-');
    const name = this.order.replace(/^-/, '');
    const by = this.columns.find((column) => column.name === name)?.order ?? ((row) => row.key);
    const places = new Map(this.rows.map(({ key }, index) => [key, index]));
    const keyed = rows.map((row) => ({ row, value: by(row), place: places.get(row.key) ?? places.size }));
    keyed.sort((one, other) => one.place - other.place); // rows that are sorted already are compared once only
    keyed.sort((one, other) => (isReverse ? -1 : 1) * compare(one.value, other.value) || compare(one.row.key, other.row.key));
    this.rows = keyed.map(({ row }) => row);
    show(this.head, h('tr', {}, ...this.columns.map((column) => this.headCell(column, name, isReverse))));
    this.table.setAttribute('aria-rowcount', String(rows.length + 1));
    this.table.hidden = rows.length === 0;
    this.note.hidden = rows.length > 0;
    show(this.note, this.empty);
    this.draw();
  }

  /**
   * @param {Column<T>} column
   * @param {string} name
   * @param {boolean} isReverse
   */
  headCell(column, name, isReverse) {
    const isSorted = column.name === name;
    const next = isSorted && !isReverse ? `-${column.name}` : column.name;
    const arrow = h('span', { 'aria-hidden': 'true', class: 'arrow' }, isSorted ? (isReverse ? '↓' : '↑') : '');
    return h(
      'th',
      { scope: 'col', class: column.style, 'aria-sort': isSorted ? (isReverse ? 'descending' : 'ascending') : null },
      column.order ? h('button', { type: 'button', onclick: () => setFilters({ sort: next === this.firstOrder ? '' : next }) }, column.title, arrow) : column.title,
    );
  }

  draw() {
    if (!this.table.isConnected || this.rows.length === 0) {
      return;
    }
    const top = -this.body.getBoundingClientRect().top;
    const first = Math.max(0, Math.min(this.rows.length - 1, Math.floor(top / ROW_PX) - EXTRA_ROWS));
    const last = Math.min(this.rows.length, first + Math.ceil(innerHeight / ROW_PX) + 2 * EXTRA_ROWS);
    show(
      this.body,
      this.space('before', first),
      ...this.rows.slice(first, last).map((row, index) =>
        h('tr', { 'aria-rowindex': first + index + 2, 'data-key': row.key }, ...this.columns.map((column) => h('td', { class: column.style }, column.cell(row)))),
      ),
      this.space('after', this.rows.length - last),
    );
  }

  /**
   * @param {string} key
   * @param {number} rows
   */
  space(key, rows) {
    const cell = h('td', {}); // without colspan, which would count the columns that a narrow window hides
    cell.style.height = `${rows * ROW_PX}px`;
    return h('tr', { 'aria-hidden': 'true', class: 'space', 'data-key': key, hidden: rows === 0 }, cell);
  }
}

/**
 * A field of a filter bar; the name is that of the parameter in the URL.
 * @typedef {{name: string, label: string, options?: () => [value: string, text: string][]}} Field
 */

/** Fields whose values are in the URL. */
export class FilterBar {
  /** @param {Field[]} fields a field without options is a text field */
  constructor(fields) {
    this.fields = fields;
    /** @type {Record<string, [string, string][]>} */
    this.options = {};
    this.optionsAt = 0;
    this.address = '';
    this.element = /** @type {HTMLFormElement} */ (h('form', { class: 'filters', onsubmit: (event) => event.preventDefault() }));
  }

  /**
   * @param {URLSearchParams} query
   * @param {string} count text on the number of rows
   */
  update(query, count) {
    const isFiltered = this.fields.some(({ name }) => query.has(name));
    if (Date.now() - this.optionsAt > OPTIONS_MS || query.toString() !== this.address) {
      this.optionsAt = Date.now();
      this.address = query.toString();
      this.options = Object.fromEntries(this.fields.flatMap(({ name, options }) => (options ? [[name, options()]] : [])));
    }
    const clear = h('button', { type: 'button', hidden: !isFiltered, onclick: () => setFilters(Object.fromEntries(this.fields.map(({ name }) => [name, '']))) }, 'Clear');
    show(this.element, ...this.fields.map((field) => this.field(field, query.get(field.name) ?? '')), clear, h('output', {}, count));
    for (const { name } of this.fields) {
      const input = this.element.elements.namedItem(name);
      if ((input instanceof HTMLInputElement && input !== document.activeElement) || input instanceof HTMLSelectElement) {
        input.value = query.get(name) ?? '';
      }
    }
  }

  /**
   * @param {Field} field
   * @param {string} value
   */
  field({ name, label, options }, value) {
    const id = `filter-${name}`;
    const change = (/** @type {Event} */ event) => setFilters({ [name]: /** @type {HTMLInputElement} */ (event.target).value });
    if (!options) {
      return h('label', { for: id }, label, h('input', { id, name, type: 'search', autocomplete: 'off', spellcheck: 'false', oninput: change }));
    }
    const known = this.options[name] ?? [];
    const all = value && !known.some(([each]) => each === value) ? [...known, /** @type {[string, string]} */ ([value, value])] : known;
    return h('label', { for: id }, label, h('select', { id, name, onchange: change }, ...all.map(([each, text]) => h('option', { value: each }, text))));
  }
}

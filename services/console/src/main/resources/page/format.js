// Texts of times, numbers and names.

import { h } from './dom.js';

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
/** Created once, because `toLocaleString` is slow: it creates a formatter at each call. */
const NUMBER = new Intl.NumberFormat();
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A number as the viewer's language writes it.
 * @param {number} value
 */
export function number(value) {
  return NUMBER.format(value);
}

/**
 * The text of a time in the viewer's zone.
 * @param {number | string | Date} at
 */
export function timeText(at) {
  return TIME.format(new Date(at));
}

/**
 * The text of a time in the viewer's zone and in UTC, for texts on hover.
 * @param {number | string | Date} at
 */
export function timeTextWithUtc(at) {
  return `${timeText(at)} – ${new Date(at).toISOString().replace('.000Z', 'Z')} (UTC)`;
}

/**
 * A time in the viewer's zone, with UTC on hover.
 * @param {string | undefined} at
 */
export function time(at) {
  return at ? h('time', { datetime: at, title: `${at} (UTC)` }, timeText(at)) : '–';
}

/**
 * The age of an object, as kubectl writes it, with the time on hover.
 * @param {string | undefined} at
 * @param {number} [now]
 */
export function age(at, now = Date.now()) {
  return at ? h('time', { datetime: at, title: `${timeText(at)} – ${at} (UTC)` }, duration(now - Date.parse(at))) : '–';
}

/**
 * @param {number} ms
 * @returns {string}
 */
export function duration(ms) {
  if (ms < 2 * MINUTE) {
    return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  }
  if (ms < 2 * HOUR) {
    return `${Math.floor(ms / MINUTE)} min`;
  }
  return ms < 2 * DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`;
}

/**
 * A short time, from microseconds to minutes.
 * @param {number} seconds
 * @returns {string}
 */
export function latency(seconds) {
  if (seconds < 1) {
    return `${Number((seconds * SECOND).toPrecision(2))} ms`;
  }
  return seconds < 60 ? `${Number(seconds.toPrecision(2))} s` : `${Math.round(seconds / 60)} min`;
}

/**
 * @param {number} part
 * @param {number} whole
 * @returns {string}
 */
export function percent(part, whole) {
  if (whole === 0) {
    return '–';
  }
  const value = (100 * part) / whole;
  return value > 0 && value < 1 ? '< 1 %' : `${Math.floor(value)} %`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 * @returns {string}
 */
export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/**
 * @param {number} bytes
 * @returns {string}
 */
export function size(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number(value.toPrecision(3))} ${units[unit]}`;
}

/**
 * A quantity of Kubernetes as a number, for ratios.
 * @param {string | undefined} text
 * @returns {number}
 */
export function quantity(text) {
  const match = /^([+-]?[0-9.]+)([a-zA-Z]*)(?:e([0-9]+))?$/.exec(text ?? '');
  if (!match) {
    return 0;
  }
  /** @type {Record<string, number>} */
  const factors = { m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50 };
  return Number(match[1]) * (factors[match[2] ?? ''] ?? 1);
}

const PLAIN = /^[A-Za-z_./-][A-Za-z0-9_./ -]*$/;
const WORDS = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', '~', '-']);

/**
 * @param {unknown} value
 * @returns {string}
 */
function scalar(value) {
  const isPlain = typeof value === 'string' && PLAIN.test(value) && !WORDS.has(value.toLowerCase()) && value === value.trim();
  return isPlain ? value : JSON.stringify(value);
}

/**
 * YAML of a JSON value.
 * @param {unknown} value
 * @param {string} [indent]
 * @returns {string}
 */
export function yaml(value, indent = '') {
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]\n' : value.map((item) => `${indent}- ${yaml(item, `${indent}  `).trimStart()}`).join('');
  }
  if (value && typeof value === 'object') {
    const fields = Object.entries(value);
    return fields.length === 0 ? '{}\n' : fields.map(([name, item]) => `${indent}${scalar(name)}:${nested(item, indent)}`).join('');
  }
  return `${scalar(value)}\n`;
}

/**
 * @param {unknown} value
 * @param {string} indent
 */
function nested(value, indent) {
  const isList = Array.isArray(value) && value.length > 0;
  const isObject = !isList && value !== null && typeof value === 'object' && Object.keys(value).length > 0;
  return isList || isObject ? `\n${yaml(value, isList ? indent : `${indent}  `)}` : ` ${yaml(value)}`;
}

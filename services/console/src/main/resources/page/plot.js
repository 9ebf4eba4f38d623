// Plots over time, as SVG that fills its box. Texts are outside of the drawing, so that they keep their size.

import { h, withStyle } from './dom.js';
import { time, timeTextWithUtc } from './format.js';

const WIDTH = 1000;
const HEIGHT = 200;
const COLOURS = 8;

/** Between the bars of two steps, at most. */
const GAP = 3;

/** @typedef {{name: string, style: string, values: number[]}} Series */

/**
 * The class of the colour of a series; those after the last colour share one.
 * @param {number} index
 */
export function colour(index) {
  return index < COLOURS ? `c${index}` : 'other';
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/**
 * Steps of time as stacked bars.
 * @param {string} label what the plot shows, for readers of the screen
 * @param {{from: number, to: number}[]} steps
 * @param {Series[]} series with a value per step, from the bottom up
 * @param {(value: number) => string} text
 * @param {Series} [overlay] a line over the bars
 */
export function stacked(label, steps, series, text, overlay) {
  const top = niceTop(Math.max(0, ...steps.map((_, step) => series.reduce((sum, { values }) => sum + (values[step] ?? 0), 0))));
  const begin = steps[0]?.from ?? 0;
  const end = steps.at(-1)?.to ?? 1;
  const drawing = drawingOf();
  steps.forEach(({ from, to }, step) => {
    const x = (WIDTH * (from - begin)) / (end - begin);
    const width = (WIDTH * (to - from)) / (end - begin);
    const bar = svg('g', {});
    let y = HEIGHT;
    for (const { style, values } of series) {
      const height = (HEIGHT * (values[step] ?? 0)) / top;
      y -= height;
      if (height > 0) {
        bar.append(svg('rect', { class: style, x: x.toFixed(2), y: y.toFixed(2), width: (width - Math.min(GAP, width * 0.08)).toFixed(2), height: height.toFixed(2) }));
      }
    }
    const lines = series.flatMap(({ name, values }) => (values[step] ? [`${name}: ${text(values[step] ?? 0)}`] : []));
    if (overlay) {
      lines.unshift(`${overlay.name}: ${text(overlay.values[step] ?? 0)}`);
    }
    bar.append(svg('rect', { class: 'hit', x: x.toFixed(2), y: 0, width: width.toFixed(2), height: HEIGHT }, titled([timeTextWithUtc(from), ...lines.reverse()].join('\n'))));
    drawing.append(bar);
  });
  if (overlay) {
    const places = steps.map(({ from, to }, step) => `${((WIDTH * ((from + to) / 2 - begin)) / (end - begin)).toFixed(1)},${(HEIGHT - (HEIGHT * (overlay.values[step] ?? 0)) / top).toFixed(1)}`);
    drawing.append(svg('polyline', { class: 'line halo', points: places.join(' ') }), svg('polyline', { class: `line ${overlay.style}`, points: places.join(' ') }));
  }
  return framed(label, drawing, text(top), begin, end);
}

/**
 * One value over time, as a line.
 * @param {string} label
 * @param {{at: number, value: number}[]} points
 * @param {number} top the highest value of the axis; 0 for that of the points
 * @param {(value: number) => string} text
 */
export function line(label, points, top, text) {
  const highest = top || niceTop(Math.max(0, ...points.map(({ value }) => value)));
  const begin = points[0]?.at ?? 0;
  const end = Math.max(begin + 1, points.at(-1)?.at ?? 1);
  const places = points.map(({ at, value }) => [(WIDTH * (at - begin)) / (end - begin), HEIGHT - (HEIGHT * value) / highest].map((each) => each.toFixed(1)).join(','));
  const drawing = drawingOf();
  drawing.append(svg('polygon', { class: 'area', points: `0,${HEIGHT} ${places.join(' ')} ${WIDTH},${HEIGHT}` }), svg('polyline', { class: 'line', points: places.join(' ') }));
  points.forEach(({ at, value }, index) => {
    const x = (WIDTH * (at - begin)) / (end - begin);
    const width = WIDTH / points.length;
    drawing.append(svg('rect', { class: 'hit', x: (x - width / 2).toFixed(1), y: 0, width: width.toFixed(1), height: HEIGHT, 'data-index': index }, titled(`${timeTextWithUtc(at)}\n${text(value)}`)));
  });
  return framed(label, drawing, text(highest), begin, end);
}

function drawingOf() {
  return svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' });
}

/** @param {string} text */
function titled(text) {
  const title = svg('title', {});
  title.textContent = text;
  return title;
}

/**
 * @param {string} label
 * @param {Element} drawing
 * @param {string} top
 * @param {number} begin
 * @param {number} end
 */
function framed(label, drawing, top, begin, end) {
  return h(
    'figure',
    { class: 'plot' },
    h('figcaption', {}, label),
    h('div', { class: 'axis' }, h('span', {}, top), h('span', {}, '0')),
    h('div', { class: 'drawing' }, drawing),
    h('div', { class: 'range' }, time(new Date(begin).toISOString()), time(new Date(end).toISOString())),
  );
}

/**
 * The next value at which an axis ends well: 1, 2, 5, 10, 20 and so on.
 * @param {number} value
 */
export function niceTop(value) {
  if (value <= 0) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= value * 0.999) ?? 10 * power;
}

/**
 * The names of series with their colours.
 * @param {{name: string, style: string, href?: string}[]} series
 */
export function key(series) {
  return h('ul', { class: 'key' }, ...series.map(({ name, style, href }) => h('li', { 'data-key': name }, h('i', { class: style, 'aria-hidden': 'true' }), href ? h('a', { href }, name) : name)));
}

/**
 * A bar on an axis of time.
 * @param {number} from ms
 * @param {number} to ms
 * @param {number} begin of the axis
 * @param {number} end of the axis
 * @param {string} style
 */
export function span(from, to, begin, end, style) {
  const whole = Math.max(1, end - begin);
  const bar = withStyle(h('i', { class: style }), '--from', Math.max(0, (from - begin) / whole));
  return h('span', { class: 'span', 'aria-hidden': 'true' }, withStyle(bar, '--part', Math.min(1, Math.max(0.004, (to - Math.max(from, begin)) / whole))));
}

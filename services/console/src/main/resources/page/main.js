// The frame of the page: views, stream, search, colours.

import { forbidden, mayReadMetrics, readAccess } from './access.js';
import { FaultTimes } from './alarms.js';
import { claim } from './claim.js';
import { claims } from './claims.js';
import { cluster } from './cluster.js';
import { device, search } from './device.js';
import { byId, h, show } from './dom.js';
import { duration, time } from './format.js';
import { Stream } from './live.js';
import { NONE, follow } from './metrics.js';
import { Model } from './model.js';
import { node } from './node.js';
import { overview } from './overview.js';
import { usage } from './past.js';
import { queue } from './queue.js';
import { current, to } from './route.js';
import { whatif } from './whatif.js';

/** @typedef {{model: Model, figures: import('./metrics.js').Figures, faults: FaultTimes}} Context */
/** @typedef {{title: string, update: (route: import('./route.js').Route) => void, close?: () => void}} View */

/** @type {Record<string, (root: HTMLElement, context: Context) => View>} */
const VIEWS = { overview, cluster, claims, queue, usage, 'what-if': whatif, claim, device, node, search };
const TABS = /** @type {const} */ ({ overview: 'Overview', cluster: 'Cluster', claims: 'Claims', queue: 'Queue', usage: 'Usage', 'what-if': 'What if' });
/** @type {Record<string, string>} */
const TAB_OF = { device: 'cluster', node: 'cluster', claim: 'claims' };
const SCHEMES = /** @type {const} */ ({ auto: 'Auto', light: 'Light', dark: 'Dark' });
const AGE_MS = 10_000;
const LATEST_MS = 250;
const PAUSES_PER_DRAWING = 9;

/** @type {Context} */
const context = { model: new Model(), figures: NONE, faults: new FaultTimes() };
const main = byId('main');
/** @type {View | null} */
let view = null;
let mounted = '';
let isDue = false;
let isChangeDue = false;
/** Time before which changes of the cluster are not drawn, in ms since the page was opened. */
let nextChange = 0;
/** @type {import('./live.js').Connection} */
let connection = { isLive: false, since: 0, reason: 'connecting' };

/** Draws at most once per frame. A browser that is busy, or does not show the window, makes no frames: a timer then draws. */
function draw() {
  if (!isDue) {
    isDue = true;
    requestAnimationFrame(drawDue);
    setTimeout(drawDue, LATEST_MS);
  }
}

function drawDue() {
  if (isDue) {
    isDue = false;
    const began = performance.now();
    drawNow();
    nextChange = performance.now() + PAUSES_PER_DRAWING * (performance.now() - began);
  }
}

/** Draws a change of the cluster. Large clusters change without end: drawing leaves most of the time to keys and scrolling. */
function drawChange() {
  if (!isChangeDue) {
    isChangeDue = true;
    setTimeout(() => {
      isChangeDue = false;
      draw();
    }, Math.max(0, nextChange - performance.now()));
  }
}

function drawNow() {
  const route = current();
  const path = [route.view, ...route.parts].join('/');
  if (!context.model.isLoaded || !context.model.areServicesKnown) {
    show(main, h('p', { class: 'empty' }, context.model.isLoaded || connection.reason === 'connecting' ? 'Loading…' : `No data yet: ${connection.reason}`));
    return;
  }
  const refusal = forbidden(route, draw);
  if (refusal) {
    view?.close?.();
    view = null;
    mounted = '';
    show(main, ...refusal);
    drawTabs(route.view);
    return;
  }
  if (path !== mounted) {
    view?.close?.();
    main.replaceChildren();
    main.className = route.view in VIEWS ? route.view : 'unknown';
    const create = VIEWS[route.view];
    view = create ? create(main, context) : null;
    if (mounted !== '') {
      scrollTo(0, 0);
      main.focus({ preventScroll: true });
    }
    mounted = path;
  }
  if (view) {
    view.update(route);
  } else {
    show(main, h('h1', {}, 'There is no such view'), h('p', { class: 'empty' }, 'Choose a view above.'));
  }
  document.title = [route.parts.at(-1) ?? view?.title ?? '', 'Claimstream'].filter(Boolean).join(' · ');
  drawTabs(route.view);
}

/** @param {string} shown */
function drawTabs(shown) {
  const tab = TAB_OF[shown] ?? shown;
  show(byId('nav'), ...Object.entries(TABS).map(([name, text]) => h('a', { href: to(name), 'aria-current': name === tab ? 'page' : null }, text)));
}

function drawConnection() {
  const { isLive, since, reason } = connection;
  document.body.classList.toggle('is-stale', !isLive && since > 0);
  show(byId('live'), h('span', { class: isLive ? 'dot good' : 'dot error', 'aria-hidden': 'true' }), isLive ? 'Live' : since ? 'Stale' : 'Connecting');
  const banner = byId('stale');
  banner.hidden = isLive || since === 0;
  show(banner, ...(banner.hidden ? [] : [h('b', {}, 'Stale since '), time(new Date(since).toISOString()), ` (${duration(Date.now() - since)}): ${reason}. The page connects again by itself.`]));
}

function drawScheme() {
  const scheme = /** @type {keyof typeof SCHEMES} */ (localStorage.getItem('scheme') ?? 'auto');
  document.documentElement.dataset['scheme'] = scheme in SCHEMES ? scheme : 'auto';
  byId('scheme').textContent = `Colours: ${(SCHEMES[scheme] ?? SCHEMES.auto).toLowerCase()}`;
  byId('scheme').setAttribute('aria-label', `Colours: ${(SCHEMES[scheme] ?? SCHEMES.auto).toLowerCase()}, change`);
}

byId('scheme').addEventListener('click', () => {
  const names = Object.keys(SCHEMES);
  const next = names[(names.indexOf(document.documentElement.dataset['scheme'] ?? 'auto') + 1) % names.length];
  localStorage.setItem('scheme', next ?? 'auto');
  drawScheme();
});

const input = /** @type {HTMLInputElement} */ (byId('q'));
byId('search').addEventListener('submit', (event) => event.preventDefault());
input.addEventListener('input', () => {
  const address = to('search', [], { q: input.value.trim() });
  if (current().view === 'search') {
    history.replaceState(null, '', address);
    draw();
  } else {
    location.hash = address;
  }
});

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select, textarea');
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    input.focus();
    input.select();
  } else if (event.key === 'Escape' && event.target === input) {
    input.blur();
  } else if (!isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && /^[1-6]$/.test(event.key)) {
    location.hash = to(Object.keys(TABS)[Number(event.key) - 1] ?? 'overview');
  }
});

addEventListener('hashchange', () => {
  if (location.hash === '#alarms') {
    history.replaceState(null, '', to('overview'));
    draw();
    document.getElementById('alarms')?.scrollIntoView();
  } else {
    draw();
  }
});

drawScheme();
drawConnection();
drawTabs(current().view);
const readFigures = follow((figures) => {
  context.figures = figures;
  draw();
}, mayReadMetrics);
new Stream({
  snapshot: (snapshot) => {
    void readAccess(() => {
      readFigures();
      draw();
    });
    context.model.replace(snapshot);
    connection = { isLive: true, since: Date.now(), reason: '' };
    drawConnection();
    draw();
  },
  change: (change) => {
    context.model.apply(change);
    drawChange();
  },
  services: (names) => {
    context.model.services = new Set(names);
    context.model.areServicesKnown = true;
  },
  connection: (state) => {
    connection = state;
    drawConnection();
    draw();
  },
});
setInterval(draw, AGE_MS);
setInterval(drawConnection, 1000);

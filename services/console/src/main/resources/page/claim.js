// One claim: why it is in its state.

import { badge, claimByKey, why } from './claims.js';
import { a, h, show, withStyle } from './dom.js';
import { number, time, yaml } from './format.js';
import { getJson } from './live.js';
import { grouped, isAllocated, reasonOf } from './model.js';
import { panel } from './overview.js';
import { askHistory, namedRows, periods } from './past.js';
import { timeline } from './timeline.js';
import { to } from './route.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {import('./model.js').Claim} Claim */
/** @typedef {{step: string, detail?: string, remaining: number}} Step */
/** @typedef {{claim: string, request: string, deviceClass: string, requestedCount: number | string, steps?: Step[]}} Funnel */
/** @typedef {{node: string, message: string, blockingDevices?: {driver: string, pool: string, device: string, holders?: string[], holderStates?: string[]}[]}} Nearest */
/** @typedef {{kind: string, text: string, devices: number}} Change */
/** @typedef {{requests?: Funnel[], nearestNode?: Nearest, asOf?: string, current?: boolean, choice?: {feasibleNodes: number, policy: string, secondNode?: string, secondRationale?: string}, notEvaluated?: string[]}} Explanation */

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function claim(root, context) {
  let loaded = '';
  /** @type {Explanation | null} */
  let explanation = null;
  /** @type {Change[] | null} */
  let changes = null;
  let document_ = '';
  /** @type {import('./past.js').Answer | Error | null} */
  let past = null;
  let asked = '';
  let trouble = '';
  let isClosed = false;

  /**
   * @param {Claim} row
   * @param {import('./route.js').Route} route
   */
  async function load(row, route) {
    const path = `api/v1/namespaces/${encodeURIComponent(row.namespace)}/claims/${encodeURIComponent(row.name)}`;
    const wanted = loaded;
    try {
      const [full, explained] = await Promise.all([getJson(path), getJson(`${path}/explanation`)]);
      if (wanted === loaded) {
        explanation = explained;
        document_ = yaml(full.object);
        trouble = '';
      }
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
    }
    if (!isClosed) {
      draw(route);
    }
  }

  /**
   * Reads the changes that would help, which takes the console longer than the explanation.
   * @param {Claim} row
   * @param {import('./route.js').Route} route
   */
  async function loadChanges({ namespace, name }, route) {
    const wanted = loaded;
    let found;
    try {
      found = (await getJson(`api/v1/namespaces/${encodeURIComponent(namespace)}/claims/${encodeURIComponent(name)}/nearest-changes`)).changes;
    } catch {
      found = []; // the panel has the nearest node
    }
    if (wanted === loaded && !isClosed) {
      changes = found;
      draw(route);
    }
  }

  /**
   * Reads the periods of the claim, which outlive it.
   * @param {string} key
   * @param {import('./route.js').Route} route
   */
  async function loadPast(key, route) {
    const wanted = asked;
    try {
      past = await askHistory(context.model, `api/v1/past/claims?${new URLSearchParams({ claim: key })}`);
    } catch (error) {
      past = error instanceof Error ? error : null;
    }
    if (wanted === asked && !isClosed) {
      draw(route);
    }
  }

  /** The allocations that the history has of the claim, the first one first. */
  function allocations() {
    return past && !(past instanceof Error) ? namedRows(past).filter(({ STATE }) => STATE === 'allocated') : [];
  }

  /** The periods of the claim; null without a history. */
  function pastPanel() {
    return past && !(past instanceof Error) && past.rows.length ? panel('Past', periods(together(past), periodTitle)) : null;
  }

  /** @param {import('./route.js').Route} route */
  function draw({ parts: [namespace = '', name = ''] }) {
    const row = context.model.claims.get(`${namespace}/${name}`);
    if (!row) {
      show(root, h('h1', {}, `${namespace}/${name}`), h('p', { class: 'empty' }, 'There is no such claim. It may have been deleted. ', a(to('claims'), 'All claims')), allocations().length ? panel('Timeline', timeline(null, allocations())) : null, pastPanel());
      return;
    }
    show(
      root,
      h('p', { class: 'path' }, a(to('claims'), 'Claims'), ' / ', a(to('claims', [], { namespace }), namespace)),
      h('h1', {}, row.name, ' ', badge(row), isAllocated(row) ? null : h('span', { class: 'note' }, reasonOf(row))),
      h('p', { class: 'lead' }, why(row)),
      trouble ? h('p', { class: 'error' }, trouble) : null,
      h(
        'div',
        { class: 'columns' },
        h('div', {}, isAllocated(row) ? held(row, explanation) : pendingPanels(explanation, changes), panel('Timeline', timeline(row, allocations())), pastPanel()),
        h('div', {}, commands(row), panel('Object', h('pre', { tabindex: '0' }, document_ || 'Loading…'))),
      ),
    );
  }

  return {
    title: 'Claim',
    /** @param {import('./route.js').Route} route */
    update(route) {
      const row = context.model.claims.get(route.parts.slice(0, 2).join('/'));
      const signature = JSON.stringify(row ?? null);
      if (row && signature !== loaded) {
        loaded = signature;
        void load(row, route);
        if (isAllocated(row)) {
          changes = null;
        } else {
          void loadChanges(row, route);
        }
      }
      const wanted = `${route.parts.join('/')} ${signature}`;
      if (wanted !== asked) {
        asked = wanted;
        void loadPast(route.parts.slice(0, 2).join('/'), route);
      }
      draw(route);
    },
    close: () => {
      isClosed = true;
    },
  };
}

/**
 * @param {Explanation | null} explanation
 * @param {Change[] | null} changes null before the answer
 */
function pendingPanels(explanation, changes) {
  if (!explanation) {
    return panel('Where the search loses the candidates', h('p', { class: 'empty' }, 'Loading…'));
  }
  const funnels = explanation.requests ?? [];
  return h(
    'div',
    {},
    panel(
      'Where the search loses the candidates',
      funnels.length ? h('div', {}, ...funnels.map(funnel), freshness(explanation)) : h('p', { class: 'empty' }, 'No device was searched: the reason is an object that the claim needs.'),
    ),
    explanation.nearestNode || changes?.length ? panel('Nearest miss', h('div', {}, explanation.nearestNode ? nearest(explanation.nearestNode) : null, changes?.length ? help(changes) : null)) : null,
    explanation.notEvaluated?.length ? h('p', { class: 'note' }, `Not part of the decision: ${explanation.notEvaluated.join(', ')} of the pod.`) : null,
  );
}

/** @param {Explanation} explanation */
function freshness({ asOf, current }) {
  return asOf ? h('p', { class: 'note' }, current ? 'Up to date; as of ' : 'The cluster has changed since ', time(asOf)) : null;
}

/**
 * The candidates of one request that remain after each step, as bars.
 * @param {Funnel} request
 */
function funnel({ claim: of, request, deviceClass, requestedCount, steps = [] }) {
  const most = Math.max(1, ...steps.map(({ remaining }) => remaining));
  const lost = steps.findIndex(({ remaining }) => typeof requestedCount === 'number' && remaining < requestedCount);
  return h(
    'figure',
    { class: 'funnel' },
    h('figcaption', {}, 'Request ', h('b', {}, request), ` of ${of}: `, h('b', {}, String(requestedCount)), ` of class ${deviceClass}`),
    h(
      'ol',
      {},
      ...steps.map(({ step, detail, remaining }, index) =>
        h(
          'li',
          { class: index === lost ? 'lost' : null },
          h('span', { class: 'step' }, words(step), detail ? h('code', {}, detail) : ''),
          h('span', { class: 'bar', 'aria-hidden': 'true' }, withStyle(h('i', {}), '--part', Math.sqrt(remaining / most))),
          h('b', {}, number(remaining)),
        ),
      ),
    ),
    lost >= 0 ? h('p', { class: 'note' }, `Fewer than the ${requestedCount} requested devices remain after “${words(steps[lost]?.step ?? '')}”.`) : null,
  );
}

/**
 * Writes the name of a step as words: CLASS_SELECTORS, ClassSelectors.
 * @param {string} step
 */
function words(step) {
  const spaced = step.replace(/_/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/**
 * The changes that would help, each evaluated on all devices.
 * @param {Change[]} changes
 */
function help(changes) {
  return h('div', { class: 'help', 'data-key': 'help' }, h('h3', {}, 'What would help'), h('ul', { class: 'plain' }, ...changes.map(({ kind, text }) => h('li', { class: kind === 'FIELD_COUNT' ? 'quiet' : null }, text))));
}

/** @param {Nearest} near */
function nearest({ node, message, blockingDevices = [] }) {
  return h(
    'div',
    {},
    h('p', {}, a(to('node', [node]), node), message.startsWith(`${node} `) ? message.slice(node.length) : `: ${message}`),
    blockingDevices.length
      ? h(
          'ul',
          { class: 'plain' },
          ...blockingDevices.map(({ driver, pool, device, holders = [], holderStates = [] }) =>
            h('li', {}, a(to('device', [driver, pool, device]), `${pool}/${device}`), ' allocated to ', ...holders.flatMap((holder, index) => [claimByKey(holder), holderStates[index] ? ` (${holderStates[index]}) ` : ' '])),
          ),
        )
      : null,
  );
}

/**
 * @param {Claim} row
 * @param {Explanation | null} explanation
 */
function held(row, explanation) {
  const choice = explanation?.choice;
  return panel(
    'Devices',
    h(
      'div',
      {},
      ...grouped(row.devices ?? [], share).map(([title, devices]) =>
        h(
          'div',
          { class: 'devices' },
          h('h3', {}, title),
          ...devices.map(({ driver, pool, device }) => a(to('device', [driver, pool, device]), `${pool}/${device}`)),
        ),
      ),
      row.node ? h('p', {}, 'Node ', a(to('node', [row.node]), row.node)) : null,
      choice && choice.feasibleNodes > 1 ? h('p', { class: 'note' }, `Best of ${choice.feasibleNodes} nodes by ${choice.policy}${choice.secondNode ? `; second was ${choice.secondNode}${choice.secondRationale ? `, which ${choice.secondRationale}` : ''}` : ''}.`) : null,
    ),
  );
}

/**
 * What a claim has of a device, apart from its name.
 * @param {import('./model.js').DeviceRef} device
 */
function share({ driver, request, adminAccess, consumedCapacity = {} }) {
  const amounts = Object.entries(consumedCapacity).map(([name, amount]) => `${name} ${amount}`);
  return [driver, `request ${request ?? ''}`, adminAccess ? 'admin access' : '', ...amounts].filter(Boolean).join(', ');
}

/** @param {Record<string, string>} row */
function periodTitle({ STATE, DEVICE = '', CLASS = '', END = '' }) {
  if (STATE !== 'allocated') {
    return `pending${CLASS ? ` for ${CLASS}` : ''}${END ? `: ${END}` : ''}`;
  }
  return h(
    'span',
    { class: 'devices' },
    ...DEVICE.split(',').map((each) => {
      const [driver = '', pool = '', device = ''] = each.split('/');
      return a(to('device', [driver, pool, device]), `${pool}/${device}`);
    }),
  );
}

/**
 * Joins the rows of devices that a claim had at the same time.
 * @param {import('./past.js').Answer} answer
 * @returns {import('./past.js').Answer}
 */
function together({ columns, rows, notes }) {
  const device = columns.indexOf('DEVICE');
  /** @type {Map<string, import('./past.js').Answer['rows'][number]>} */
  const merged = new Map();
  for (const row of rows) {
    const key = JSON.stringify(row.filter((_, index) => index !== device));
    const known = merged.get(key);
    merged.set(key, known ? known.map((cell, index) => (index === device ? `${String(cell)},${String(row[device])}` : cell)) : row);
  }
  return { columns, rows: [...merged.values()], notes };
}

/** @param {Claim} row */
function commands({ namespace, name }) {
  return panel(
    'In a terminal',
    h('div', {}, command(`./claimstream explain claim ${namespace}/${name}`), command(`kubectl claimstream explain claim ${namespace}/${name}`)),
  );
}

/** @param {string} text */
export function command(text) {
  const copy = (/** @type {Event} */ event) => {
    const button = /** @type {HTMLElement} */ (event.target);
    navigator.clipboard.writeText(text).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Not allowed'),
    );
  };
  return h('div', { class: 'command', 'data-key': text }, h('code', {}, text), h('button', { type: 'button', 'aria-label': `Copy ${text}`, onclick: copy }, 'Copy'));
}


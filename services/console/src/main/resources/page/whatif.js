// Whether objects that do not exist would fit: where, and why not.

import { command } from './claim.js';
import { a, h, show } from './dom.js';
import { counted, number, time } from './format.js';
import { postJson } from './live.js';
import { panel } from './overview.js';
import { to } from './route.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {{item: string, state: string, reason?: string, message?: string, node?: string, devices?: {request: string, driver: string, pool: string, device: string}[]}} Outcome */
/** @typedef {{nodes: number, devices: number, used: number, usedPercent: number, largestFreeOnOneNode: number, pending: number}} Fleet */
/** @typedef {{fits: boolean, complete: boolean, asOf: string, policy: string, requested?: Outcome[], evicted?: Outcome[], others?: Outcome[], withoutClaims?: string[], shapes?: {shape: string, node: string, fits: string[]}[], before: Fleet, after: Fleet}} Simulated */

const SHOWN = 50;

/** The last text, while the window is open. */
let draft = '';

/**
 * A claim that asks for one device of a class.
 * @param {string} deviceClass
 */
function example(deviceClass) {
  return `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: what-if, namespace: default}
spec:
  devices:
    requests:
    - name: devices
      exactly: {deviceClassName: ${deviceClass}, count: 2}
`;
}

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function whatif(root, context) {
  const classes = [...context.model.claims.values()].flatMap((claim) => claim.classes ?? []);
  const text = /** @type {HTMLTextAreaElement} */ (h('textarea', { id: 'objects', rows: '16', spellcheck: 'false', autocomplete: 'off', 'aria-describedby': 'objects-note' }));
  text.value = draft || example(classes[0] ?? 'gpu.nvidia.com');
  text.addEventListener('input', () => (draft = text.value));
  const shapes = /** @type {HTMLInputElement} */ (h('input', { id: 'shapes', type: 'checkbox' }));
  const button = h('button', { type: 'submit', class: 'primary' }, 'Does it fit?');
  const off = h('p', { class: 'note', hidden: true }, 'The simulator is off.');
  const answer = h('div', { 'aria-live': 'polite' }, null);

  let isAsking = false;

  async function ask() {
    isAsking = true;
    button.setAttribute('disabled', '');
    show(answer, h('p', { class: 'empty' }, 'Loading…'));
    try {
      show(answer, ...result(await postJson(`api/v1/simulate?shapes=${shapes.checked}`, text.value)));
    } catch (error) {
      show(answer, panel('No answer', h('p', { class: 'error' }, error instanceof Error ? error.message : String(error))));
    }
    isAsking = false;
    follow(false);
  }

  root.replaceChildren(
    h('h1', {}, 'What if'),
    h(
      'div',
      { class: 'columns' },
      h(
        'form',
        {
          class: 'panel',
          onsubmit: (event) => {
            event.preventDefault();
            void ask();
          },
        },
        h('h2', {}, h('label', { for: 'objects' }, 'Claim or pod, as YAML')),
        text,
        h('p', { class: 'note', id: 'objects-note' }, 'Several objects are separated by a line ---. A pod may name claims that exist.'),
        h('div', { class: 'actions' }, button, h('label', { class: 'check', for: 'shapes' }, shapes, 'Also try one more node of each shape')),
        off,
        h('p', { class: 'note' }, 'In a terminal'),
        command('./claimstream simulate -f FILE'),
      ),
      answer,
    ),
  );
  let isOn = context.model.services.has('simulator');
  /** @param {boolean} isFirst */
  function follow(isFirst) {
    const wasOn = isOn;
    isOn = context.model.services.has('simulator');
    off.hidden = isOn;
    button.toggleAttribute('disabled', !isOn || isAsking);
    if (isFirst || wasOn !== isOn) {
      show(answer, isOn ? h('p', { class: 'empty' }, 'The answer appears here. Nothing is created.') : withoutSimulator());
    }
  }
  follow(true);
  return { title: 'What if', update: () => follow(false) };
}

function withoutSimulator() {
  return panel(
    'The simulator is off',
    h(
      'div',
      {},
      h('p', {}, 'The simulator service answers what-if questions. End ', h('code', {}, 'up'), ' and start it with ', h('code', {}, '--with simulator'), ', or set ', h('code', {}, 'claimstream.console.simulator-url'), ' of this console.'),
      h('p', {}, 'Without it, a terminal answers from the log:'),
      command('./claimstream simulate -f FILE'),
    ),
  );
}

/**
 * @param {Simulated} simulated
 * @returns {HTMLElement[]}
 */
function result({ fits, complete, asOf, policy, requested = [], evicted = [], others = [], withoutClaims = [], shapes = [], before, after }) {
  const fields = /** @type {[string, keyof Fleet][]} */ ([['Devices in use', 'used'], ['Largest free number on one node', 'largestFreeOnOneNode'], ['Pending items', 'pending']]);
  return [
    panel(
      'Answer',
      h(
        'div',
        {},
        h('p', { class: 'lead' }, h('span', { class: `badge ${fits ? 'good' : 'warning'}` }, fits ? 'fits' : 'does not fit'), requested.length ? '' : ' The text has no claim that Claimstream allocates.'),
        outcomes(requested),
        withoutClaims.length ? h('p', { class: 'note' }, `Without a claim: ${withoutClaims.join(', ')}.`) : null,
        complete ? null : h('p', { class: 'error' }, 'The work limit was reached: items may be missing.'),
        h('p', { class: 'note' }, `By ${policy}, as of `, time(asOf)),
      ),
    ),
    ...(evicted.length ? [panel('Would be evicted', outcomes(evicted))] : []),
    ...(others.length ? [panel('Other items that would change', outcomes(others))] : []),
    ...(shapes.length
      ? [panel('With one more node like', h('ul', { class: 'plain' }, ...shapes.map(({ node, fits: items }) => h('li', {}, a(to('node', [node]), node), items.length ? ` ${counted(items.length, 'pending item')} would fit: ${items.slice(0, 5).join(', ')}${items.length > 5 ? ' …' : ''}` : ' no pending item would fit'))))]
      : []),
    panel(
      'Fleet',
      h(
        'table',
        { class: 'plain' },
        h('thead', {}, h('tr', {}, h('td', {}), ...['Now', 'Then'].map((title) => h('th', { scope: 'col', class: 'number' }, title)))),
        h('tbody', {}, ...fields.map(([name, field]) => h('tr', {}, h('th', { scope: 'row' }, name), ...[before, after].map((fleet) => h('td', { class: 'number' }, number(fleet[field])))))),
      ),
    ),
  ];
}

/** @param {Outcome[]} items */
function outcomes(items) {
  return h(
    'ul',
    { class: 'plain outcomes' },
    ...items.slice(0, SHOWN).map(({ item, state, reason, message, node, devices = [] }) =>
      h(
        'li',
        {},
        h('p', {}, h('b', {}, item), ' ', h('span', { class: `badge ${state}` }, state), node ? ' on ' : '', node ? a(to('node', [node]), node) : '', reason ? h('span', { class: 'note' }, ` ${reason}`) : ''),
        message ? h('p', {}, message) : null,
        devices.length ? h('p', { class: 'devices' }, ...devices.map(({ driver, pool, device }) => a(to('device', [driver, pool, device]), `${pool}/${device}`))) : null,
      ),
    ),
    items.length > SHOWN ? h('li', { class: 'note' }, `and ${items.length - SHOWN} more`) : null,
  );
}

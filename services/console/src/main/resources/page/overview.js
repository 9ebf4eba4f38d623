// The figures that matter, each a link into the views.

import { alarmsOf } from './alarms.js';
import { legend } from './cells.js';
import { a, h, show, withStyle } from './dom.js';
import { counted, duration, latency, number, percent } from './format.js';
import { IDLE_PERCENT, grouped, isAllocated, reasonOf, stateWords } from './model.js';
import { to } from './route.js';

/** @typedef {import('./main.js').Context} Context */
/** @typedef {import('./alarms.js').Alarm} Alarm */

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export function overview(root, context) {
  return {
    title: 'Overview',
    update() {
      const { model } = context;
      const alarms = alarmsOf(context);
      show(
        root,
        h('h1', { class: 'hidden' }, 'Overview'),
        h('div', { class: 'figures' }, ...figures(context, alarms)),
        h(
          'div',
          { class: 'columns' },
          h(
            'div',
            {},
            panel('Pending claims by reason', reasons(context)),
            panel(hasTelemetry(context) ? 'Namespaces, most idle devices first' : 'Namespaces, most devices first', namespaces(context)),
            panel('Alarms and notices', alarmList(alarms)),
          ),
          h('div', {}, ...(model.devices.size ? [panel('Devices by state', legend(model, model.devices.values())), panel('Devices by product', products(context))] : [panel('Devices', h('p', { class: 'empty' }, 'No driver has published a device.'))])),
        ),
      );
    },
  };
}

/**
 * @param {string} title
 * @param {import('./dom.js').Child} content
 */
export function panel(title, content) {
  return h('section', { class: 'panel' }, h('h2', {}, title), content);
}

/**
 * @param {string} href
 * @param {string} name
 * @param {string} value
 * @param {string} note
 * @param {string} [style]
 */
function figure(href, name, value, note, style = '') {
  return h('a', { class: `figure ${style}`, href }, h('span', { class: 'name' }, name), h('strong', {}, value), h('span', { class: 'note' }, note));
}

/**
 * @param {Context} context
 * @param {Alarm[]} alarms
 */
function figures({ model, figures: measured }, alarms) {
  const devices = [...model.devices.values()];
  const allocated = devices.filter(({ state }) => state === 'allocated').length;
  const sampled = devices.flatMap(({ sample }) => (sample?.utilizationPercent === undefined ? [] : [sample.utilizationPercent]));
  const used = sampled.reduce((sum, value) => sum + value, 0);
  const pending = model.pending();
  const oldest = pending.map(({ created }) => Date.parse(created ?? '')).filter((at) => !Number.isNaN(at));
  const worst = alarms.some(({ level }) => level === 'error') ? 'error' : alarms.length ? 'warning' : 'good';
  return [
    figure(to('cluster'), 'Allocated', percent(allocated, devices.length), `${number(allocated)} of ${counted(devices.length, 'device')}`),
    figure(
      to('cluster', [], { colour: 'used' }),
      'Used',
      percent(used / 100, sampled.length),
      sampled.length ? `of the ${counted(sampled.length, 'device')} with telemetry` : 'no telemetry: no agent measures',
    ),
    figure(to('queue'), 'Pending claims', number(pending.length), oldest.length ? `oldest: ${duration(Date.now() - Math.min(...oldest))}` : `of ${number(model.claims.size)}`, pending.length ? 'warning' : ''),
    figure(
      to('queue'),
      'Decision latency, p99',
      measured.decisionP99 === null ? '–' : measured.decisionP99 === Infinity ? '> 1 min' : `≤ ${latency(measured.decisionP99)}`,
      latencyNote(measured),
    ),
    figure('#alarms', 'Alarms', number(alarms.length), alarms[0]?.text ?? noAlarmNote(measured), worst),
  ];
}

/**
 * What the decision latency is of, or who has it.
 * @param {import('./metrics.js').Figures} figures
 */
export function latencyNote({ isLoaded, isForbidden, hasAllocator, decisionP99, decisions }) {
  if (!isLoaded) {
    return 'loading';
  }
  if (isForbidden) {
    return 'your user may not read /metrics';
  }
  if (!hasAllocator) {
    return 'measured by the allocator: see the dashboards';
  }
  return decisionP99 === null ? 'no decision since the start' : `of ${counted(decisions, 'decision')} since the start`;
}

/**
 * Returns the note for no alarms: whether the allocator has alerts of its own.
 * @param {import('./metrics.js').Figures} figures
 */
export function noAlarmNote({ isLoaded, hasAllocator }) {
  return !isLoaded || hasAllocator ? 'none' : 'none found here; the allocator has alerts of its own';
}

/** @param {Context} context */
function reasons({ model }) {
  const groups = grouped(model.pending(), reasonOf);
  if (groups.length === 0) {
    return h('p', { class: 'empty' }, model.claims.size ? 'No claim is pending.' : 'There is no claim.');
  }
  const most = groups[0]?.[1].length ?? 1;
  return h(
    'ul',
    { class: 'bars' },
    ...groups.map(([reason, claims]) =>
      h(
        'li',
        { 'data-key': reason },
        h('a', { href: to('claims', [], { reason }) }, h('span', {}, reason), h('b', {}, number(claims.length)), withStyle(h('i', { 'aria-hidden': 'true' }), '--part', claims.length / most)),
        h(
          'p',
          { class: 'note' },
          ...claims.slice(0, 2).flatMap((claim) => [a(to('claim', [claim.namespace, claim.name]), claim.key), claim.message ? `: ${claim.message}. ` : ' ']),
          claims.length > 2 ? `and ${number(claims.length - 2)} more` : '',
        ),
      ),
    ),
  );
}

/** @param {Context} context */
function products({ model }) {
  const groups = grouped(model.devices.values(), ({ product, driver }) => product ?? driver);
  return h(
    'ul',
    { class: 'bars' },
    ...groups.slice(0, 12).map(([name, devices]) => {
      const allocated = devices.filter(({ state }) => state === 'allocated').length;
      return h(
        'li',
        { 'data-key': name },
        h(
          'a',
          { href: to('cluster', [], { product: name }) },
          h('span', {}, name),
          h('b', {}, `${number(allocated)} of ${number(devices.length)}`),
          withStyle(h('i', { 'aria-hidden': 'true', class: 'whole' }), '--part', allocated / devices.length),
        ),
      );
    }),
    groups.length > 12 ? h('li', {}, a(to('cluster', [], { group: 'product' }), `all ${groups.length} products`)) : null,
  );
}

/** @param {Context} context */
function namespaces({ model }) {
  const groups = grouped(model.claims.values(), ({ namespace }) => namespace).map(([name, claims]) => {
    const held = new Set(claims.flatMap((claim) => (claim.devices ?? []).filter(({ adminAccess }) => !adminAccess).map(({ driver, pool, device }) => `${driver}/${pool}/${device}`)));
    const devices = [...held].flatMap((key) => model.devices.get(key) ?? []);
    return {
      name,
      devices: held.size,
      isMeasured: devices.some(({ sample }) => sample?.utilizationPercent !== undefined),
      idle: devices.filter((device) => model.isIdle(device)).length,
      allocated: claims.filter(isAllocated).length,
      pending: claims.filter((claim) => stateWords(claim).includes('pending')).length,
    };
  });
  if (groups.length === 0) {
    return h('p', { class: 'empty' }, 'No namespace has a claim.');
  }
  groups.sort((one, other) => other.idle - one.idle || other.devices - one.devices || other.pending - one.pending);
  const table = h(
    'table',
    { class: 'plain', 'aria-label': 'Namespaces' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Namespace'), ...['Devices', 'Idle', 'Claims', 'Pending'].map((title) => h('th', { scope: 'col', class: 'number' }, title)))),
    h(
      'tbody',
      {},
      ...groups.slice(0, 20).map(({ name, devices, idle, isMeasured, allocated, pending }) =>
        h(
          'tr',
          { 'data-key': name },
          h('th', { scope: 'row' }, a(to('claims', [], { namespace: name }), name)),
          h('td', { class: 'number' }, number(devices)),
          h('td', { class: 'number' }, !isMeasured ? '–' : idle ? a(to('cluster', [], { namespace: name, idle: 'yes' }), number(idle)) : '0'),
          h('td', { class: 'number' }, number(allocated)),
          h('td', { class: 'number' }, pending ? a(to('claims', [], { namespace: name, state: 'pending' }), number(pending)) : '0'),
        ),
      ),
    ),
  );
  return h(
    'div',
    {},
    table,
    groups.length > 20 ? h('p', { class: 'note' }, `and ${groups.length - 20} more namespaces`) : null,
    h('p', { class: 'note' }, hasTelemetry({ model }) ? `Idle: allocated devices that were less than ${IDLE_PERCENT} % used in their last sample; –: none of them has telemetry.` : 'Idle devices are known with telemetry, of agents or of up --telemetry FILE.'),
  );
}

/** @param {Pick<Context, 'model'>} context */
function hasTelemetry({ model }) {
  for (const { sample } of model.devices.values()) {
    if (sample?.utilizationPercent !== undefined) {
      return true;
    }
  }
  return false;
}

/** @param {Alarm[]} alarms */
function alarmList(alarms) {
  if (alarms.length === 0) {
    return h('p', { class: 'empty', id: 'alarms' }, 'No alarm.');
  }
  return h(
    'ul',
    { class: 'alarms', id: 'alarms' },
    ...alarms.slice(0, 50).map(({ level, text, href }) => h('li', { class: level }, h('span', { class: `badge ${level}` }, level), a(href, text))),
    alarms.length > 50 ? h('li', {}, `and ${alarms.length - 50} more`) : null,
  );
}

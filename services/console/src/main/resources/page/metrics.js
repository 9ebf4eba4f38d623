// Decision latency and alarms of the allocator in the process, its health, and findings of the queue: figures that are not in the stream.

import { getJson } from './live.js';

const INTERVAL_MS = 10_000;
const FINDINGS_MS = 60_000;

/**
 * @typedef {object} Figures
 * @property {boolean} isLoaded
 * @property {boolean} isForbidden whether the user may not read the metrics
 * @property {boolean} hasAllocator whether the process that answers has an allocator, and the user may read its metrics
 * @property {number | null} decisionP99 seconds, upper bound of the bucket; null without a decision of the process
 * @property {number} decisions
 * @property {Record<string, number>} alarms active ones of the allocator by kind
 * @property {{name: string, status: string, sentence: string}[]} parts of the health
 * @property {import('./queue.js').Finding[]} findings of the queue, at most a minute old
 */

/** @type {Figures} */
export const NONE = { isLoaded: false, isForbidden: false, hasAllocator: false, decisionP99: null, decisions: 0, alarms: {}, parts: [], findings: [] };

/**
 * Reads the figures now and every ten seconds while the page is visible, and the findings of the queue every minute.
 * @param {(figures: Figures) => void} receive
 * @param {() => boolean | null} mayReadMetrics whether the user may read /metrics; null if this is not known yet
 * @returns {() => void} reads them now
 */
export function follow(receive, mayReadMetrics) {
  /** @type {import('./queue.js').Finding[]} */
  let findings = [];
  let findingsAt = 0;
  let allocator = allocatorFigures('');
  let isReading = false;
  let isDueAgain = false;

  async function readFindings() {
    if (Date.now() - findingsAt >= FINDINGS_MS) {
      findings = (await getJson('api/v1/queue/findings')).items;
      findingsAt = Date.now();
    }
  }

  async function readMetrics() {
    const response = await fetch('metrics');
    if (response.ok) {
      allocator = allocatorFigures(await response.text());
    }
  }

  async function read() {
    if (document.hidden || isReading) {
      isDueAgain = isReading;
      return;
    }
    isReading = true;
    isDueAgain = false;
    const hasMetrics = mayReadMetrics();
    // The API answers 503 while the console reads the topics; the health says so. Figures that cannot be read stay as they are.
    const [health] = await Promise.allSettled([fetch('health').then((response) => response.json()), readFindings(), hasMetrics ? readMetrics() : null]);
    isReading = false;
    if (health.status === 'fulfilled') {
      const parts = Object.entries(health.value.parts ?? {}).map(([name, part]) => ({ name, .../** @type {any} */ (part) }));
      receive({ isLoaded: hasMetrics !== null, isForbidden: hasMetrics === false, ...(hasMetrics ? allocator : allocatorFigures('')), parts, findings });
    }
    if (isDueAgain) {
      void read();
    }
  }

  void read();
  setInterval(() => void read(), INTERVAL_MS);
  return () => void read();
}

/**
 * Reads what an allocator in the same process has measured. In a cluster the allocator is another process.
 * @param {string} metrics Prometheus text format
 * @returns {Pick<Figures, 'hasAllocator' | 'decisionP99' | 'decisions' | 'alarms'>}
 */
export function allocatorFigures(metrics) {
  const buckets = samples(metrics, 'claimstream_decision_seconds_bucket').filter(({ labels }) => ['allocated', 'pending'].includes(labels['result'] ?? ''));
  const alarms = samples(metrics, 'claimstream_active_alarms');
  return {
    hasAllocator: alarms.length > 0,
    ...quantile(buckets, 0.99),
    alarms: Object.fromEntries(alarms.filter(({ value }) => value > 0).map(({ labels, value }) => [labels['kind'] ?? '', value])),
  };
}

/**
 * @param {string} text Prometheus text format
 * @param {string} name
 * @returns {{labels: Record<string, string>, value: number}[]}
 */
export function samples(text, name) {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => ({
      labels: Object.fromEntries([...line.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value])),
      value: Number(line.slice(line.lastIndexOf(' ') + 1)),
    }));
}

/**
 * @param {{labels: Record<string, string>, value: number}[]} buckets cumulative
 * @param {number} rank
 * @returns {{decisionP99: number | null, decisions: number}}
 */
export function quantile(buckets, rank) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const { labels, value } of buckets) {
    const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  const all = counts.get(Infinity) ?? 0;
  const bounds = [...counts.keys()].sort((one, other) => one - other);
  const found = bounds.find((bound) => (counts.get(bound) ?? 0) >= rank * all);
  return { decisionP99: all > 0 && found !== undefined ? found : null, decisions: all };
}

// Decision latency, alarms and health of the process: figures that are not in the stream.

const INTERVAL_MS = 10_000;

/**
 * @typedef {object} Figures
 * @property {boolean} isLoaded
 * @property {boolean} isForbidden whether the user may not read the metrics
 * @property {number | null} decisionP99 seconds, upper bound of the bucket; null if another process decides
 * @property {number} decisions
 * @property {Record<string, number>} alarms active ones by kind
 * @property {{name: string, status: string, sentence: string}[]} parts of the health
 */

/** @type {Figures} */
export const NONE = { isLoaded: false, isForbidden: false, decisionP99: null, decisions: 0, alarms: {}, parts: [] };

/**
 * Reads the figures now and every ten seconds while the page is visible.
 * @param {(figures: Figures) => void} receive
 * @param {() => boolean | null} mayReadMetrics whether the user may read /metrics; null if this is not known yet
 * @returns {() => void} reads them now
 */
export function follow(receive, mayReadMetrics) {
  const read = async () => {
    if (document.hidden) {
      return;
    }
    try {
      receive(await figures(mayReadMetrics()));
    } catch {
      // The banner of the stream reports a console that does not answer.
    }
  };
  void read();
  setInterval(() => void read(), INTERVAL_MS);
  return () => void read();
}

/**
 * @param {boolean | null} hasMetrics
 * @returns {Promise<Figures>}
 */
async function figures(hasMetrics) {
  const [metrics, health] = await Promise.all([hasMetrics ? fetch('metrics').then((response) => response.text()) : '', fetch('health').then((response) => response.json())]);
  const buckets = samples(metrics, 'claimstream_decision_seconds_bucket').filter(({ labels }) => ['allocated', 'pending'].includes(labels['result'] ?? ''));
  const alarms = samples(metrics, 'claimstream_active_alarms');
  return {
    isLoaded: hasMetrics !== null,
    isForbidden: hasMetrics === false,
    ...quantile(buckets, 0.99),
    alarms: Object.fromEntries(alarms.filter(({ value }) => value > 0).map(({ labels, value }) => [labels['kind'] ?? '', value])),
    parts: Object.entries(health.parts ?? {}).map(([name, part]) => ({ name, .../** @type {any} */ (part) })),
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

// Addresses within the page: #/VIEW/PART/PART?FILTER=VALUE. A reload and a link of somebody else show the same.

/** @typedef {{view: string, parts: string[], query: URLSearchParams}} Route */

/**
 * @param {string} [hash]
 * @returns {Route}
 */
export function current(hash = location.hash) {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', ...parts] = path.split('/').map(decode);
  return { view: view || 'overview', parts, query: new URLSearchParams(query) };
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param {string} view
 * @param {string[]} [parts]
 * @param {Record<string, string>} [query]
 * @returns {string}
 */
export function to(view, parts = [], query = {}) {
  const used = Object.entries(query).filter(([, value]) => value !== '');
  const path = [view, ...parts].map(encodeURIComponent).join('/');
  return `#/${path === 'overview' ? '' : path}${used.length ? `?${new URLSearchParams(used)}` : ''}`;
}

/**
 * Sets filters of the present view, and leaves the others.
 * @param {Record<string, string>} filters an empty value removes the filter
 */
export function setFilters(filters) {
  const { view, parts, query } = current();
  history.replaceState(null, '', to(view, parts, { ...Object.fromEntries(query), ...filters }));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

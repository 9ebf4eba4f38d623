// The stream of the console: one snapshot, then changes. It connects again by itself.

const SILENT_MS = 10_000;
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 5_000;

/**
 * @typedef {{at: string, number: number} & Record<'claims' | 'devices' | 'nodes' | 'pools', any[]>} Snapshot
 * @typedef {{at: string, number: number, changed: Record<string, any[]>, removed: Record<string, string[]>}} Change
 * @typedef {{at: string, reading: boolean, services: string[], trouble?: string}} ReaderStatus
 */

/**
 * @typedef {object} Receiver
 * @property {(snapshot: Snapshot) => void} snapshot
 * @property {(change: Change) => void} change
 * @property {(names: string[]) => void} services receives the services that answer through the console
 * @property {(connection: Connection) => void} connection
 */

/**
 * The state of the connection.
 * @typedef {object} Connection
 * @property {boolean} isLive
 * @property {number} since time of the last event, in ms; 0 before the first
 * @property {string} reason why it is not live
 */

/** Reads the stream while the page is visible: a browser has few connections per host. */
export class Stream {
  /** @param {Receiver} receiver */
  constructor(receiver) {
    this.receiver = receiver;
    this.since = 0;
    this.retryMs = RETRY_MIN_MS;
    /** @type {AbortController | null} */
    this.request = null;
    document.addEventListener('visibilitychange', () => this.followVisibility());
    this.followVisibility();
  }

  followVisibility() {
    if (document.hidden) {
      this.request?.abort();
      this.request = null;
    } else if (!this.request) {
      void this.run();
    }
  }

  /** Reads streams, one after the other, until the page is hidden. */
  async run() {
    const request = new AbortController();
    this.request = request;
    while (!request.signal.aborted) {
      let reason = 'the console closed the stream';
      try {
        await this.read(request);
      } catch (error) {
        reason = error instanceof TypeError || !(error instanceof Error) ? 'the console does not answer' : error.message;
      }
      if (!request.signal.aborted) {
        this.receiver.connection({ isLive: false, since: this.since, reason });
        await new Promise((resolve) => setTimeout(resolve, this.retryMs));
        this.retryMs = Math.min(2 * this.retryMs, RETRY_MAX_MS);
      }
    }
  }

  /** @param {AbortController} request */
  async read(request) {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    request.signal.addEventListener('abort', stop);
    let isSilent = false;
    const endIfSilent = () => {
      isSilent = true;
      attempt.abort();
    };
    let timer = setTimeout(endIfSilent, SILENT_MS);
    try {
      const response = await fetch('api/v1/live', { signal: attempt.signal, headers: { Accept: 'text/event-stream' }, cache: 'no-store' });
      if (!response.ok || !response.body) {
        throw new Error(await errorText(response));
      }
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      /** The parts of an event whose end has not come: a snapshot has hundreds. @type {string[]} */
      let parts = [];
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        clearTimeout(timer);
        timer = setTimeout(endIfSilent, SILENT_MS);
        const isEnd = part.value.startsWith('\n') && parts.at(-1)?.endsWith('\n');
        parts.push(part.value);
        if (isEnd || part.value.includes('\n\n')) {
          const events = parts.join('').split('\n\n');
          parts = [events.pop() ?? ''];
          events.forEach((event) => this.accept(event));
        }
      }
    } catch (error) {
      if (isSilent) {
        throw new Error('the console sent nothing for 10 s', { cause: error });
      }
      throw error;
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', stop);
      attempt.abort();
    }
  }

  /** @param {string} event */
  accept(event) {
    let name = '';
    let data = '';
    for (const line of event.split('\n')) {
      if (line.startsWith('event:')) {
        name = line.slice('event:'.length).trim();
      } else if (line.startsWith('data:')) {
        data += line.slice('data:'.length);
      }
    }
    if (name === '') {
      return;
    }
    const value = JSON.parse(data);
    this.since = Date.now();
    this.retryMs = RETRY_MIN_MS;
    if (name === 'snapshot') {
      this.receiver.snapshot(value);
    } else if (name === 'change') {
      this.receiver.change(value);
    } else if (name === 'status') {
      const status = /** @type {ReaderStatus} */ (value);
      const isLive = status.reading && !status.trouble;
      this.receiver.services(status.services);
      this.receiver.connection({ isLive, since: this.since, reason: status.trouble ?? 'the console has stopped to read the records' });
    }
  }
}

/**
 * @param {Response} response
 * @returns {Promise<string>}
 */
export async function errorText(response) {
  const text = await response.text();
  try {
    const { error, remedy } = JSON.parse(text);
    return remedy ? `${error}: ${remedy}` : String(error);
  } catch {
    return `the console answers ${response.status}`;
  }
}

/** An answer of the console that is an error; its text has the remedy. */
export class ResponseError extends Error {
  /**
   * @param {number} status
   * @param {string} text
   */
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function getJson(path) {
  return answer(await fetch(path, { headers: { Accept: 'application/json' } }));
}

/**
 * @param {string} path
 * @param {string} body
 * @returns {Promise<any>}
 */
export async function postJson(path, body) {
  return answer(await fetch(path, { method: 'POST', body, headers: { Accept: 'application/json', 'Content-Type': 'application/yaml' } }));
}

/** @param {Response} response */
async function answer(response) {
  if (!response.ok) {
    throw new ResponseError(response.status, await errorText(response));
  }
  return response.json();
}

// Repeated requests to the server, which pause while the page is hidden.

/** Time between two requests for the server's status, in milliseconds. */
export const STATUS_MS = 500;

/** Time between two requests for a list, in milliseconds. */
export const LIST_MS = 1000;

/** Time between two requests for the history, in milliseconds. The server takes a sample at least every 2 s. */
export const HISTORY_MS = 2000;

/**
 * Ratio of the pause after a request to the duration of the request, so that slow requests are repeated less often. The
 * server itself limits the cost of its readings.
 */
const REST = 9;

/**
 * Maximum pause between two requests, in milliseconds. It bounds the time until the page detects that the server
 * responds again.
 */
const MAX_REST_MS = 5000;

const all = new Set();
let stopped = false;

/** A task that is repeated until stopAll() is called, even if it fails. */
export class Poll {
  /**
   * @param task returns a promise
   * @param everyMs minimum time between two calls, in milliseconds
   */
  constructor(task, everyMs) {
    this.task = task;
    this.everyMs = everyMs;
    this.timer = null;
    this.busy = false;
    this.wanted = false;
    all.add(this);
  }

  /** Calls the task immediately or, if a call is in progress, as soon as that call has ended. */
  async now() {
    if (this.busy) {
      this.wanted = true;
      return;
    }
    clearTimeout(this.timer);
    if (stopped || document.hidden) {
      return;
    }
    this.busy = true;
    this.wanted = false;
    const begin = performance.now();
    try {
      await this.task();
    } finally {
      this.busy = false;
      const rest = this.wanted ? 0 : Math.min(MAX_REST_MS, Math.max(this.everyMs, REST * (performance.now() - begin)));
      this.timer = setTimeout(() => this.now(), rest);
    }
  }
}

/** Stops all tasks. Called when the server refuses the user. */
export function stopAll() {
  stopped = true;
}

/** Returns true after stopAll(). */
export function isStopped() {
  return stopped;
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) {
    all.forEach((poll) => poll.now());
  }
});

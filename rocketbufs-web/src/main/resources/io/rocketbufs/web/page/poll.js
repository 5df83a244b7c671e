// Repeated requests. Nothing is requested while the page is hidden.

/** Time between two requests of the server's status, in milliseconds. */
export const STATUS_MS = 500;

/** Time between two requests of a list, in milliseconds. */
export const LIST_MS = 1000;

/** Time between two requests of the history; the server takes a sample every 2 s or more often. */
export const HISTORY_MS = 2000;

/** A request that takes long is repeated less often. The server itself limits the cost of its readings. */
const REST = 9;

/** The longest time between two requests, in milliseconds, so that the page soon notices that the server is back. */
const MAX_REST_MS = 5000;

const all = new Set();
let stopped = false;

/** A task that is repeated until all of them are stopped. A failure of the task does not end the repetition. */
export class Poll {
  /**
   * @param task returns a promise
   * @param everyMs time between two calls
   */
  constructor(task, everyMs) {
    this.task = task;
    this.everyMs = everyMs;
    this.timer = null;
    this.busy = false;
    this.wanted = false;
    all.add(this);
  }

  /** Calls the task at once, or again as soon as the current call has ended. */
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

/** Stops all repetitions, because the server refuses the user. */
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

// The server's state at the top of a page, the requests for it, and the reaction to a server that does not respond.

import { get, Refusal } from './api.js';
import { byId, element, setText } from './dom.js';
import { timeOfDay } from './format.js';
import { HISTORY_MS, isStopped, Poll, STATUS_MS, stopAll } from './poll.js';

function setState(text, level) {
  const state = byId('state');
  setText(state, text);
  state.className = level;
  byId('main').classList.toggle('stale', level === 'bad');
}

/** Number of the request whose refusal is shown. */
let refused = Infinity;

/**
 * Reacts to a failed request: if the server refuses the user, stops all requests and shows the reason for the first
 * refusal. After this refusal, the browser drops the token, so later requests are refused because they have no token.
 * Their answers may be read before the answer to the first refused request.
 */
export function onFailure(failure) {
  if (failure instanceof Refusal && failure.isDenied && failure.number < refused) {
    refused = failure.number;
    stopAll();
    setState(`${failure.message} `, 'bad');
    const again = element('a', '', 'Sign in');
    again.href = location.pathname;
    byId('state').append(again);
  }
}

/** Requests the server's status repeatedly, and passes the answers to the page. */
export class Status {
  /**
   * @param path path of the status
   * @param options product: returns the beginning of the page's title; show: receives an answer; state: returns the
   *     text and the level for a server that responds; isAlarming: returns true if the title must contain a warning
   */
  constructor(path, options) {
    this.path = path;
    this.options = options;
    /** When the server stopped responding; null while it responds. */
    this.lostAt = null;
    new Poll(() => this.load(), STATUS_MS).now();
  }

  async load() {
    let status;
    try {
      status = await get(this.path);
    } catch (failure) {
      this.onFailure(failure);
      return;
    }
    if (isStopped()) {
      // Another request has been refused in the meantime. This older answer would permanently hide the reason.
      return;
    }
    // Not inside the try block, so that a bug in the page does not look like a server that does not respond.
    this.lostAt = null;
    const { product, show, state, isAlarming } = this.options;
    setState(...state(status));
    show(status);
    document.title = `${isAlarming(status) ? '⚠ ' : ''}${product()} ${location.host}`;
  }

  onFailure(failure) {
    if (failure instanceof Refusal && failure.isDenied) {
      onFailure(failure);
      return;
    }
    if (isStopped()) {
      return;
    }
    this.lostAt = this.lostAt || new Date();
    const since = timeOfDay(this.lostAt);
    setState(failure instanceof Refusal ? `${failure.message} (since ${since})` : `not reachable since ${since}`, 'bad');
    document.title = `✕ ${this.options.product()} ${location.host}`;
  }
}

/** Requests a history repeatedly and shows it in charts. */
export function pollHistory(path, charts) {
  new Poll(async () => {
    let history;
    try {
      history = await get(path);
    } catch (failure) {
      onFailure(failure);
      return;
    }
    charts.show(history);
  }, HISTORY_MS).now();
}

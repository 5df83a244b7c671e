// The admin page of a broker: asks for its state, and passes the answers to the parts of the page.

import { get, Refusal } from './api.js';
import { Charts } from './charts.js';
import { clientList } from './clients.js';
import { byId, element, setText } from './dom.js';
import { showStatus, SlowLines } from './figures.js';
import { timeOfDay } from './format.js';
import { HISTORY_MS, Poll, STATUS_MS, stopAll } from './poll.js';
import { topicList } from './topics.js';

/** When the broker stopped responding; null while it responds. */
let lostAt = null;

function setState(text, level) {
  const state = byId('state');
  setText(state, text);
  state.className = level;
  byId('main').classList.toggle('stale', level === 'bad');
}

function onFailure(failure) {
  if (failure instanceof Refusal && failure.isDenied) {
    stopAll();
    setState(`${failure.message} `, 'bad');
    const again = element('a', '', 'Sign in');
    again.href = location.pathname;
    byId('state').append(again);
  }
}

async function loadStatus() {
  let status;
  try {
    status = await get('api/status');
  } catch (failure) {
    if (failure instanceof Refusal && failure.isDenied) {
      onFailure(failure);
      return;
    }
    lostAt = lostAt || new Date();
    const what = failure instanceof Refusal ? `${failure.message} (since` : 'not reachable since';
    setState(`${what} ${timeOfDay(lostAt)}${failure instanceof Refusal ? ')' : ''}`, 'bad');
    document.title = `✕ RBMQ ${location.host}`;
    return;
  }
  // Outside of the block above, so that a mistake of the page does not look like a broker that does not respond.
  lostAt = null;
  setState(status.ready ? 'ready' : 'closing', status.ready ? 'ready' : '');
  showStatus(status);
  lines.show(status);
  document.title = `${status.slowSubscribers > 0 ? '⚠ ' : ''}RBMQ ${location.host}`;
}

async function loadHistory() {
  try {
    charts.show(await get('api/history'));
  } catch (failure) {
    onFailure(failure);
  }
}

const topics = topicList(onFailure);
const clients = clientList(onFailure);
const lines = new SlowLines(
  (slow) => clients.reveal(slow.address),
  (slow) => topics.reveal(slow.topic),
);
const charts = new Charts();

new Poll(loadStatus, STATUS_MS).now();
new Poll(loadHistory, HISTORY_MS).now();
topics.poll.now();
clients.poll.now();

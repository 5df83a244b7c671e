// The page of a relay or an edge. Requests the server's state, and passes the answers to the parts of the page.

import { Charts } from './charts.js';
import { showStatus, slowLines } from './figures.js';
import { bytes, duration, rate } from './format.js';
import { peerList } from './peers.js';
import { onFailure, pollHistory, Status } from './status.js';
import { streamList } from './streams.js';

/** The lists; null until the server's role is known, because their columns differ between a relay and an edge. */
let streams = null;
let peers = null;

const lines = slowLines((slow) => peers.reveal(slow.address), (slow) => streams.reveal(slow.stream));

function showLists(role) {
  if (streams === null) {
    streams = streamList(role, onFailure);
    peers = peerList(role, onFailure);
    streams.poll.now();
    peers.poll.now();
  }
}

new Status('api/status', {
  product: () => 'livestream',
  state: (status) => (status.obstacle === null ? ['ready', 'ready'] : [status.obstacle, 'warn']),
  show: (status) => {
    showStatus(status);
    showLists(status.role);
    lines.show(status.slow, status.slowCount);
  },
  isAlarming: (status) => status.slowCount > 0 || status.obstacle !== null,
});
pollHistory('api/history', new Charts(
  ['traffic', [
    { name: 'in', text: 'traffic-in', colour: '--in', values: 'inBytesPerSecond' },
    { name: 'out', text: 'traffic-out', colour: '--out', dash: [6, 3], values: 'outBytesPerSecond' },
  ], { label: 'Throughput', least: 1000, most: Infinity, tick: (number) => (number === 0 ? '0' : `${bytes(number)}/s`), value: rate }],
  ['late', [
    { name: 'behind', text: 'late-behind', colour: '--warn', fill: true, values: 'behindSeconds' },
  ], { label: 'Behind the source', least: 2, most: Infinity, tick: (number) => `${number} s`, value: (s) => duration(s * 1000) }],
));

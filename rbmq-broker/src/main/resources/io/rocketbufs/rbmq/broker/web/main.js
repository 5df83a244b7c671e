// The admin page of a broker. Requests the broker's state, and passes the answers to the parts of the page.

import { Charts } from './charts.js';
import { clientList } from './clients.js';
import { showStatus, slowLines } from './figures.js';
import { bytes, percent, rate } from './format.js';
import { onFailure, pollHistory, Status } from './status.js';
import { topicList } from './topics.js';

const topics = topicList(onFailure);
const clients = clientList(onFailure);
const lines = slowLines(
  (slow) => clients.reveal(slow.address),
  (slow) => topics.reveal(slow.topic),
);

new Status('api/status', {
  product: () => 'RBMQ',
  state: (status) => (status.ready ? ['ready', 'ready'] : ['closing', '']),
  show: (status) => {
    showStatus(status);
    lines.show(status.slowClients, status.slowSubscribers);
  },
  isAlarming: (status) => status.slowSubscribers > 0,
});
pollHistory('api/history', new Charts(
  ['traffic', [
    { name: 'in', text: 'traffic-in', colour: '--in', values: 'inBytesPerSecond' },
    { name: 'out', text: 'traffic-out', colour: '--out', dash: [6, 3], values: 'outBytesPerSecond' },
  ], { label: 'Throughput', least: 1000, most: Infinity, tick: (number) => (number === 0 ? '0' : `${bytes(number)}/s`), value: rate }],
  ['waits', [
    { name: 'held back', text: 'waits-held', colour: '--warn', fill: true, values: 'heldBackPercent' },
  ], { label: 'Publishers held back', least: 5, most: 100, tick: (number) => `${number} %`, value: percent }],
));
topics.poll.now();
clients.poll.now();

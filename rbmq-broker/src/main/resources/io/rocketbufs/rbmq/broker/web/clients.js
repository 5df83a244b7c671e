// The list of clients.

import { byId, element, name, terms } from './dom.js';
import { bytes, count, duration, moment, rate } from './format.js';
import { List } from './list.js';

/** Returns how long a subscriber has delayed publishers, as text. */
function delay(client) {
  if (client.role === 'publisher') {
    return '–';
  }
  return client.delayMs === 0 ? '0' : duration(client.delayMs);
}

const COLUMNS = [
  { label: 'Client', title: 'Name that the client has stated', sort: 'name', up: true, classes: '', text: (c) => c.name },
  { label: 'User', title: 'User in rbmq.users', classes: 'user wide', isName: true, text: (c) => c.user || '–' },
  { label: 'Role', title: 'Publisher or subscriber', classes: 'role middle', text: (c) => c.role },
  { label: 'Topics', title: 'Topics to which the client publishes or subscribes', sort: 'topics', classes: 'number topics inner',
    text: (c) => count(c.topics) },
  { label: 'Rate', title: 'Data rate from a publisher or to a subscriber', sort: 'rate', classes: 'number',
    text: (c) => rate(c.role === 'publisher' ? c.inBytesPerSecond : c.outBytesPerSecond) },
  { label: 'Lag', title: 'Bytes waiting for the client', sort: 'lag', classes: 'number lag',
    text: (c) => (c.role === 'publisher' ? '–' : `${c.slowForMs > 0 ? '⚠ ' : ''}${bytes(c.lagBytes)}`) },
  { label: 'Delay', title: 'How long a subscriber has delayed publishers', sort: 'delay',
    classes: 'number wide', text: delay },
  { label: 'Lost', title: 'Bytes skipped for the client', sort: 'lost', classes: 'number wide', text: (c) => bytes(c.lostBytes) },
];

async function details(client) {
  const isPublisher = client.role === 'publisher';
  return [terms([
    ['name', name(client.name)],
    ['role', client.role],
    ['user', client.user ? name(client.user) : 'anonymous, or one of rbmq.credentials'],
    ['address', client.address],
    ['transport', client.transport],
    ['no better transport', client.transportObstacle ? name(client.transportObstacle) : ''],
    ['connected', `${moment(new Date(client.connectedAt))}`],
    ['topics', count(client.topics)],
    isPublisher
      ? ['received', `${bytes(client.receivedBytes)}, ${rate(client.inBytesPerSecond)}`]
      : ['sent', `${bytes(client.sentBytes)}, ${rate(client.outBytesPerSecond)}; ${bytes(client.lostBytes)} lost`],
    ['waiting', isPublisher ? '' : bytes(client.lagBytes)],
    ['delaying publishers', client.slowForMs > 0 ? `for ${duration(client.slowForMs)}` : ''],
    ['total delay', client.delayMs > 0
      ? `${duration(client.delayMs)}, with at most ${bytes(client.worstLagBytes)} waiting` : ''],
    ['waited', isPublisher && client.waitedMs > 0 ? `${duration(client.waitedMs)} for subscribers` : ''],
    ['supports', client.features.join(', ')],
  ])];
}

function empty() {
  return ['No client is connected. Subscribe with ', element('code', '', 'rbmq sub prices'), ', and publish with ',
    element('code', '', 'rbmq pub prices 12.50'), '.'];
}

/** Returns the list of clients. */
export function clientList(onFailure) {
  return new List(byId('clients'), 'clients', COLUMNS, {
    sort: 'lag',
    key: (client) => client.address,
    isSlow: (client) => client.slowForMs > 0,
    query: (text) => ({ filter: text }),
    details,
    empty,
    onFailure,
  });
}

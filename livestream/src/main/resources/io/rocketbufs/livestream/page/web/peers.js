// The list of edges or viewers.

import { byId, name, setText, terms } from './dom.js';
import { bytes, duration, rate } from './format.js';
import { List } from './list.js';

function columns(isRelay) {
  return [
    { label: isRelay ? 'Edge' : 'Viewer', title: 'Address', sort: 'address', up: true, classes: '', text: (p) => p.address },
    ...(isRelay ? [] : [{ label: 'Stream', title: 'The stream that the viewer has requested last', classes: 'user middle',
      isName: true, text: (p) => p.stream }]),
    { label: 'Out', title: 'Data rate to this client', sort: 'out', classes: 'number', text: (p) => rate(p.outBytesPerSecond) },
    { label: 'Waiting', title: 'Bytes waiting for this client', sort: 'waiting', classes: 'number inner', text: (p) => bytes(p.waitingBytes) },
    { label: 'Stalled', title: 'How long this client has received nothing although data is waiting', sort: 'stalled', classes: 'number lag',
      text: (p) => (p.isSlow ? `⚠ ${duration(p.stalledMs)}` : '0 s') },
    ...(isRelay ? [{ label: 'Lost', title: 'Bytes skipped for this edge', sort: 'lost', classes: 'number wide',
      text: (p) => bytes(p.lostBytes) }] : []),
    { label: 'Since', title: 'How long this client has been connected', sort: 'oldest', classes: 'number wide',
      text: (p) => duration(p.connectedMs) },
  ];
}

async function details(peer) {
  return [terms([
    ['address', peer.address],
    ['stream', peer.stream === null ? '' : name(peer.stream)],
    ['connected', `for ${duration(peer.connectedMs)}`],
    ['sent', `${bytes(peer.sentBytes)}, ${rate(peer.outBytesPerSecond)}`],
    ['waiting', bytes(peer.waitingBytes)],
    ['stalled', peer.stalledMs > 0 ? `has received nothing for ${duration(peer.stalledMs)}` : ''],
    ['lost', peer.lostBytes > 0 ? `${bytes(peer.lostBytes)}, ${bytes(peer.lostInWindowBytes)} of them recently` : ''],
  ])];
}

/** Returns the list of the edges of a relay, or of the viewers of an edge. */
export function peerList(role, onFailure) {
  const isRelay = role === 'relay';
  setText(byId('peers-title'), isRelay ? 'Edges' : 'Viewers');
  return new List(byId('peers'), isRelay ? 'edges' : 'viewers', columns(isRelay), {
    sort: 'stalled',
    key: (peer) => peer.address,
    isSlow: (peer) => peer.isSlow,
    query: (text) => ({ filter: text }),
    details,
    empty: () => [isRelay ? 'No edge is connected.' : 'No viewer has requested a stream.'],
    onFailure,
  });
}

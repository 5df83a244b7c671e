// The list of streams.

import { byId, element, name, terms } from './dom.js';
import { bytes, count, counted, duration, rate } from './format.js';
import { List } from './list.js';

const LATE_MS = 1000;

const isLate = (stream) => stream.behindMs >= LATE_MS;

function columns(role) {
  const isRelay = role === 'relay';
  return [
    { label: 'Stream', title: 'Name', sort: 'name', up: true, classes: '', text: (s) => s.name },
    { label: 'State', title: 'Live, waiting for its first chunk, ended, or refused', classes: 'role', text: (s) => s.state },
    { label: 'In', title: 'Data rate from the source', sort: 'in', classes: 'number', text: (s) => rate(s.inBytesPerSecond) },
    { label: isRelay ? 'Edges' : 'Viewers', title: isRelay ? 'Edges that receive the stream' : 'Viewers that watch the stream', sort: 'peers',
      classes: 'number inner', text: (s) => count(s.peers) },
    { label: 'Behind', title: 'How late the next chunk is', sort: 'behind', classes: 'number lag',
      text: (s) => (isLate(s) ? `⚠ ${duration(s.behindMs)}` : '0 s') },
    { label: 'Chunks', title: 'Chunks since the stream began', sort: 'chunks', classes: 'number wide', text: (s) => count(s.chunks) },
    ...(isRelay ? [{ label: 'Refused', title: 'Data from the source that was refused in the last ten minutes', sort: 'refusals',
      classes: 'number wide', text: (s) => count(s.refusals) }] : []),
  ];
}

async function details(stream) {
  return [terms([
    ['name', name(stream.name)],
    ['state', stream.state],
    ['codecs', stream.codecs ? name(stream.codecs) : ''],
    ['received', `${bytes(stream.receivedBytes)} in ${counted(stream.chunks, 'chunk')}, ${rate(stream.inBytesPerSecond)}`],
    ['newest chunk', stream.chunkAgeMs === null ? 'none yet' : `${duration(stream.chunkAgeMs)} ago`],
    ['behind', isLate(stream) ? `the next chunk is ${duration(stream.behindMs)} late` : ''],
    ['refused', stream.refusal === null ? '' : element('span', '', `${count(stream.refusals)}, most recently because `,
      name(stream.refusal))],
  ])];
}

function empty() {
  return ['There are no streams. Push one to the relay, for example with ', element('code', '', 'ffmpeg'), '.'];
}

/** Returns the list of streams of a relay or an edge. */
export function streamList(role, onFailure) {
  return new List(byId('streams'), 'streams', columns(role), {
    sort: 'behind',
    key: (stream) => stream.name,
    isSlow: isLate,
    query: (text) => ({ filter: text }),
    details,
    empty,
    onFailure,
  });
}

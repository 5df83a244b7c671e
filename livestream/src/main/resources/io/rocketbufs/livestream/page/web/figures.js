// The identity of the server, its six figures, and the lines about slow edges or viewers.

import { byId, setText } from './dom.js';
import { bytes, count, counted, duration, moment, rate } from './format.js';
import { figure, Lines, link } from './lines.js';

/**
 * How late a stream must be to be emphasized, in milliseconds. Chunks vary in length, and therefore in the time until
 * they arrive.
 */
const LATE_MS = 1000;

function showAbout(status) {
  const since = `up ${duration(status.uptimeMs)}, since ${moment(new Date(status.startedAt))}`;
  setText(byId('version'), `${status.role} ${status.version}`);
  setText(byId('about'), [location.host, since, ...status.listeners].join(' · '));
}

function showLost(status) {
  if (status.role === 'relay') {
    figure('lost', bytes(status.lostBytes), status.lostBytes === 0 ? 'since the start' : 'skipped for slow edges',
      status.lostBytes > 0 ? 'bad' : '');
    return;
  }
  const isLost = status.lostBytes > 0 || status.overwritten > 0;
  figure('lost', bytes(status.lostBytes), isLost
    ? `${counted(status.gaps, 'gap')}, ${counted(status.overwritten, 'viewer')} cut off`
    : 'since the start', isLost ? 'bad' : '');
}

/** Shows the whole status except for the lines about slow edges or viewers. */
export function showStatus(status) {
  const average = `Average of ${duration(status.windowMs)}`;
  const isRelay = status.role === 'relay';
  showAbout(status);
  figure('streams-count', count(status.streams), status.refusals === 0 ? 'none refused' : `${count(status.refusals)} refusals`);
  setText(byId('peers-label'), isRelay ? 'Edges' : 'Viewers');
  figure('peers-count', count(isRelay ? status.edges : status.viewers),
    isRelay ? 'connected' : `of ${counted(status.connections, 'connection')}`);
  figure('in', rate(status.inBytesPerSecond), `${bytes(status.receivedBytes)} in total`,
    '', average);
  figure('out', rate(status.outBytesPerSecond), `${bytes(status.sentBytes)} in total`,
    '', average);
  const isLate = status.behindMs >= LATE_MS;
  figure('behind', isLate ? duration(status.behindMs) : '0 s', isLate ? `⚠ ${status.behindStream}` : 'every chunk is on time',
    isLate ? 'warn' : '');
  showLost(status);
}

function state(slow) {
  const lost = slow.lostInWindowBytes > 0 ? `has recently lost ${bytes(slow.lostInWindowBytes)}` : '';
  const stalled = slow.stalledMs > 0 ? `has received nothing for ${duration(slow.stalledMs)}` : '';
  const waiting = slow.waitingBytes > 0 ? `${bytes(slow.waitingBytes)} waiting` : '';
  return ` ${[stalled, lost, waiting].filter((text) => text !== '').join(', ')}`;
}

/**
 * Creates the lines about slow edges or viewers.
 *
 * @param onPeer receives the edge or viewer whose address the user selects
 * @param onStream receives the viewer whose stream the user selects
 */
export function slowLines(onPeer, onStream) {
  return new Lines({
    key: (slow) => `${slow.address} ${slow.stream}`,
    name: (slow) => slow.address,
    begin: (slow) => (slow.stream === null
      ? ['Edge ', link(slow.address, () => onPeer(slow))]
      : ['Viewer ', link(slow.address, () => onPeer(slow)), ' of ', link(slow.stream, () => onStream(slow))]),
    end: state,
    none: 'No connection is slow.',
    others: (number) => `${counted(number, 'other connection')} ${number === 1 ? 'is' : 'are'} slow.`,
    news: (names) => (names ? `Slow connections: ${names}` : 'No slow connections'),
  });
}

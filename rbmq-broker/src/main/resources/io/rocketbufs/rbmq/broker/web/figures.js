// The identity of the broker, its five figures, and the lines about subscribers that delay publishers.

import { byId, name, setText } from './dom.js';
import { bytes, count, counted, duration, moment, percent, rate } from './format.js';
import { figure, Lines, link } from './lines.js';

function showAbout(status) {
  const since = `up ${duration(status.uptimeMs)}, since ${moment(new Date(status.startedAt))}`;
  setText(byId('version'), status.version);
  setText(byId('about'), [location.host, since, ...status.listeners].join(' · '));
}

function showFigures(status) {
  const average = `Average of ${duration(status.windowMs)}`;
  figure('in', rate(status.inBytesPerSecond),
    `${count(status.inTransfersPerSecond)} transfers/s, ${counted(status.publishers, 'publisher')}`, '', average);
  figure('out', rate(status.outBytesPerSecond),
    `${count(status.outTransfersPerSecond)} transfers/s, ${counted(status.subscribers, 'subscriber')}`, '', average);
  const slow = status.slowSubscribers;
  figure('held', percent(status.heldBackPercent),
    slow === 0 ? 'of their time' : `⚠ by ${counted(slow, 'slow subscriber')}`,
    slow > 0 || status.heldBackPercent >= 1 ? 'warn' : '', average);
  const isFull = status.memoryBytes >= 0.9 * status.memoryLimitBytes;
  figure('memory', bytes(status.memoryBytes), `${isFull ? '⚠ ' : ''}of ${bytes(status.memoryLimitBytes)} allowed`,
    isFull ? 'bad' : '');
  const lost = status.lostBytes.skipped + status.lostBytes.disconnected;
  figure('lost', bytes(lost), lost === 0
    ? 'since the start'
    : `${bytes(status.lostBytes.skipped)} skipped, ${bytes(status.lostBytes.disconnected)} cut off`,
  lost > 0 ? 'bad' : '');
}

/**
 * Creates the lines about subscribers that delay publishers.
 *
 * @param onClient receives the slow client whose name the user selects
 * @param onTopic receives the slow client whose topic the user selects
 */
export function slowLines(onClient, onTopic) {
  return new Lines({
    key: (slow) => `${slow.address} ${slow.topic} ${slow.subscriptions}`,
    name: (slow) => slow.name,
    begin: (slow) => [
      link(slow.name, () => onClient(slow)), ` (${slow.address}`, ...(slow.user === null ? [] : [', user ', name(slow.user)]),
      ') has been delaying publishers of ', slow.topic === null ? 'an inbox' : link(slow.topic, () => onTopic(slow)),
      slow.subscriptions > 1 ? ` and ${count(slow.subscriptions - 1)} more` : '',
    ],
    end: (slow) => ` for ${duration(slow.slowForMs)}: ${bytes(slow.lagBytes)} waiting, policy ${slow.policy}`,
    none: 'No subscriber is delaying a publisher.',
    others: (number) => `${counted(number, 'other subscriber')} ${number === 1 ? 'is' : 'are'} delaying publishers.`,
    news: (names) => (names ? `Slow subscribers: ${names}` : 'No slow subscribers'),
  });
}

/** Shows the whole status except for the lines about slow subscribers. */
export function showStatus(status) {
  showAbout(status);
  showFigures(status);
}

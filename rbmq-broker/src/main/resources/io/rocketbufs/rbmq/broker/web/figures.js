// What the broker is, its five figures, and the subscribers that delay publishers.

import { byId, element, name, setText } from './dom.js';
import { bytes, count, counted, duration, moment, percent, rate } from './format.js';

function figure(id, text, more, level = '') {
  const target = byId(id);
  setText(target, text);
  target.className = `figure ${level}`;
  setText(byId(`${id}-more`), more);
}

function showAbout(status) {
  const since = `up ${duration(status.uptimeMs)}, since ${moment(new Date(status.startedAt))}`;
  setText(byId('version'), status.version);
  setText(byId('about'), [location.host, since, ...status.listeners].join(' · '));
}

function showFigures(status) {
  figure('in', rate(status.inBytesPerSecond),
    `${count(status.inTransfersPerSecond)} transfers/s, ${counted(status.publishers, 'publisher')}`);
  figure('out', rate(status.outBytesPerSecond),
    `${count(status.outTransfersPerSecond)} transfers/s, ${counted(status.subscribers, 'subscriber')}`);
  const slow = status.slowSubscribers;
  figure('held', percent(status.heldBackPercent),
    slow === 0 ? 'of their time' : `⚠ by ${counted(slow, 'slow subscriber')}`,
    slow > 0 || status.heldBackPercent >= 1 ? 'warn' : '');
  const isFull = status.memoryBytes >= 0.9 * status.memoryLimitBytes;
  figure('memory', bytes(status.memoryBytes), `${isFull ? '⚠ ' : ''}of ${bytes(status.memoryLimitBytes)} allowed`,
    isFull ? 'bad' : '');
  const lost = status.lostBytes.skipped + status.lostBytes.disconnected;
  figure('lost', bytes(lost), lost === 0
    ? 'since the start'
    : `${bytes(status.lostBytes.skipped)} skipped, ${bytes(status.lostBytes.disconnected)} cut off`,
  lost > 0 ? 'bad' : '');
}

/** A link to a row of a list, with a client's text. */
function link(text, onClick) {
  const button = element('button', 'open', name(text));
  button.type = 'button';
  button.addEventListener('click', onClick);
  return button;
}

/** The lines of subscribers that delay publishers, which keep their elements while they change. */
export class SlowLines {
  /**
   * @param onClient receives the client of a line that the user selects
   * @param onTopic receives its topic
   */
  constructor(onClient, onTopic) {
    this.onClient = onClient;
    this.onTopic = onTopic;
    this.list = byId('slow');
    this.lines = new Map();
  }

  show(status) {
    const former = this.lines;
    this.lines = new Map();
    for (const slow of status.slowClients) {
      const key = `${slow.address} ${slow.topic} ${slow.subscriptions}`;
      const line = former.get(key) || this.create(slow);
      setText(line.numbers, ` for ${duration(slow.slowForMs)}: ${bytes(slow.lagBytes)} wait, policy ${slow.policy}`);
      this.lines.set(key, line);
    }
    const items = [...this.lines.values()].map((line) => line.item);
    const others = status.slowSubscribers - items.length;
    if (items.length === 0) {
      items.push(element('li', 'none', '✓ No subscriber delays a publisher.'));
    } else if (others > 0) {
      items.push(element('li', '', `⚠ ${counted(others, 'other subscriber')} ${others === 1 ? 'delays' : 'delay'} publishers.`));
    }
    const isSame = items.length === this.list.children.length
      && items.every((item, i) => item === this.list.children[i] || item.textContent === this.list.children[i].textContent);
    if (!isSame) {
      this.list.replaceChildren(...items);
    }
    const names = status.slowClients.map((slow) => slow.name).join(', ');
    setText(byId('slow-news'), names ? `Slow subscribers: ${names}` : 'No slow subscribers');
  }

  create(slow) {
    const numbers = element('span');
    const sign = element('span', 'sign', '⚠ ');
    const user = slow.user === null ? [] : [', user ', name(slow.user)];
    const item = element('li', '', sign, link(slow.name, () => this.onClient(slow)), ` (${slow.address}`, ...user,
      ') delays publishers of ');
    if (slow.topic === null) {
      item.append('an inbox');
    } else {
      item.append(link(slow.topic, () => this.onTopic(slow)));
    }
    if (slow.subscriptions > 1) {
      item.append(` and ${count(slow.subscriptions - 1)} more`);
    }
    item.append(numbers);
    return { item, numbers };
  }
}

/** Shows everything but the lines of slow subscribers. */
export function showStatus(status) {
  showAbout(status);
  showFigures(status);
}

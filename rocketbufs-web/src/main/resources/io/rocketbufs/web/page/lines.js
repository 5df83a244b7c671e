// Figures, and lines about slow clients.

import { byId, element, name, setText } from './dom.js';

/**
 * Shows a figure with a smaller text below it.
 *
 * @param title tooltip, for example the averaging window of a rate
 */
export function figure(id, text, more, level = '', title = '') {
  const target = byId(id);
  setText(target, text);
  target.className = `figure ${level}`;
  target.title = title;
  setText(byId(`${id}-more`), more);
}

/** Returns a link to a row of a list; its text comes from a client. */
export function link(text, onClick) {
  const button = element('button', 'open', name(text));
  button.type = 'button';
  button.addEventListener('click', onClick);
  return button;
}

/** The lines about slow clients. A line keeps its elements while its text changes. */
export class Lines {
  /**
   * @param options key: returns the key of a line; begin: returns the nodes that do not change; end: returns the text
   *     that follows them; name: returns the name of the client; none: the text if no client is slow; others: returns
   *     the text about a number of clients that are not listed; news: returns the text for screen readers, given the
   *     names of the slow clients
   */
  constructor(options) {
    this.options = options;
    this.list = byId('slow');
    this.lines = new Map();
  }

  /** Shows a line for each of the given slow clients and, if there are more in total, the number of the others. */
  show(slow, total) {
    const { key, end, none, others, news } = this.options;
    const former = this.lines;
    this.lines = new Map();
    for (const each of slow) {
      const line = former.get(key(each)) || this.create(each);
      setText(line.numbers, end(each));
      this.lines.set(key(each), line);
    }
    const items = [...this.lines.values()].map((line) => line.item);
    const hidden = total - items.length;
    if (items.length === 0) {
      items.push(element('li', 'none', `✓ ${none}`));
    } else if (hidden > 0) {
      items.push(element('li', '', `⚠ ${others(hidden)}`));
    }
    const isSame = items.length === this.list.children.length
      && items.every((item, i) => item === this.list.children[i] || item.textContent === this.list.children[i].textContent);
    if (!isSame) {
      this.list.replaceChildren(...items);
    }
    setText(byId('slow-news'), news(slow.map(this.options.name).join(', ')));
  }

  create(slow) {
    const numbers = element('span');
    const item = element('li', '', element('span', 'sign', '⚠ '), ...this.options.begin(slow), numbers);
    return { item, numbers };
  }
}

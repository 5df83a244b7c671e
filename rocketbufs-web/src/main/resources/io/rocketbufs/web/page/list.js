// A section with a list from the server: a filter, a table, the number of rows, and a text if there are no rows.

import { get, Refusal } from './api.js';
import { element, setText } from './dom.js';
import { count } from './format.js';
import { LIST_MS, Poll } from './poll.js';
import { Table } from './table.js';

const FIRST_LIMIT = 20;
const MORE = 5;
const MOST = 1000;
const TYPING_MS = 150;

export class List {
  /**
   * @param section element with the parts of a list
   * @param kind the kind of the listed items, such as topics: the name of the resource and of the array in it
   * @param columns columns of the table
   * @param options the options of the table, and also query: returns the parameters for a filter, or for exactly one
   *     row; empty: returns the content of the section if the server has no items; onFailure: receives a failure that
   *     is not caused by the filter
   */
  constructor(section, kind, columns, options) {
    this.kind = kind;
    this.options = options;
    this.sort = options.sort;
    this.limit = FIRST_LIMIT;
    this.find = (selector) => section.querySelector(selector);
    this.input = this.find('input');
    this.isExact = false;
    this.pending = null;
    this.poll = new Poll(() => this.load(), LIST_MS);
    this.table = new Table(this.find('table'), columns, {
      ...options,
      onSort: (sort) => {
        this.sort = sort;
        this.poll.now();
      },
    });
    this.input.addEventListener('input', () => {
      this.isExact = false;
      this.pending = null;
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.poll.now(), TYPING_MS);
    });
    this.find('.more').addEventListener('click', () => {
      this.limit = Math.min(MOST, this.limit * MORE);
      this.poll.now();
    });
  }

  /** Shows only the row with the given key, opens it, and moves the focus to it. */
  reveal(key) {
    this.input.value = key;
    this.isExact = true;
    this.pending = key;
    this.poll.now();
  }

  async load() {
    const filter = this.isExact ? this.input.value : this.input.value.trim();
    try {
      const parameters = { ...this.options.query(filter, this.isExact), sort: this.sort, limit: this.limit };
      const answer = await get(`api/${this.kind}`, parameters);
      this.report('');
      this.show(answer, filter);
    } catch (failure) {
      if (failure instanceof Refusal && !failure.isDenied) {
        this.report(failure.message);
      } else {
        this.options.onFailure(failure);
      }
    }
  }

  show(answer, filter) {
    const rows = answer[this.kind];
    this.table.show(rows);
    const noun = this.kind;
    const of = answer.matching < answer.total ? ` of ${count(answer.total)}` : '';
    const cut = answer.shown < answer.matching ? `, ${count(answer.shown)} shown` : '';
    setText(this.find('.count'), `${count(answer.matching)}${of}${cut}`);
    this.find('.more').hidden = answer.shown === answer.matching || answer.shown >= MOST;
    this.find('table').hidden = rows.length === 0;
    const empty = this.find('.empty');
    empty.hidden = rows.length > 0;
    const reason = rows.length > 0 ? '' : answer.total > 0 ? `filter ${filter}` : 'none';
    if (empty.dataset.reason !== reason) {
      empty.dataset.reason = reason;
      empty.replaceChildren(...(answer.total > 0
        ? [`None of the ${count(answer.total)} ${noun} matches `, element('code', '', element('bdi', '', filter)), '.']
        : this.options.empty()));
    }
    if (this.pending !== null && this.table.reveal(this.pending)) {
      this.pending = null;
    }
  }

  report(text) {
    const message = this.find('.message');
    setText(message, text);
    message.hidden = text === '';
  }
}

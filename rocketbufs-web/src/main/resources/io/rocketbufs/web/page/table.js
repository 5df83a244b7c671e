// A table whose rows are updated in place, whose columns sort, and whose rows open to show details.

import { element, name, setText } from './dom.js';

/** How long rows keep their places after the pointer has moved over them, in milliseconds. */
const HOLD_MS = 5000;

let tables = 0;

/**
 * A column:
 *   label    heading
 *   title    what the numbers are, as a tooltip of the heading
 *   sort     the order that the heading selects; undefined if there is none
 *   up       true if that order begins with the lowest value
 *   classes  classes of the heading and of the cells
 *   text     returns the text of a cell, from the row's data
 *   isName   true if the text is a client's
 */
export class Table {
  /**
   * @param table element with an empty head and body
   * @param columns the first one identifies a row for the user
   * @param options sort: the first order; onSort: receives an order that the user selects; key: returns what identifies
   *     a row; isSlow: returns true for a row to emphasize; details: returns the content of an open row, as a promise
   */
  constructor(table, columns, options) {
    this.columns = columns;
    this.options = options;
    this.head = table.tHead;
    this.body = table.tBodies[0];
    this.rows = new Map();
    this.id = `table-${++tables}`;
    this.addHead();
    this.setSort(options.sort);
    /** When the pointer moved over the rows; 0 if it is not there. */
    this.pointedMs = 0;
    this.body.addEventListener('pointermove', (event) => {
      this.pointedMs = event.pointerType === 'mouse' ? performance.now() : 0;
    });
    this.body.addEventListener('pointerleave', () => { this.pointedMs = 0; });
    new ResizeObserver(() => this.fitDetails()).observe(table);
  }

  addHead() {
    const row = this.head.insertRow();
    for (const column of this.columns) {
      const heading = element('th', column.classes);
      heading.scope = 'col';
      if (column.sort) {
        const button = element('button', '', column.label);
        button.type = 'button';
        button.title = `${column.title}. Sort by this column`;
        button.addEventListener('click', () => {
          this.setSort(column.sort);
          this.options.onSort(column.sort);
        });
        heading.append(button);
      } else {
        heading.append(column.label);
        heading.title = column.title;
      }
      row.append(heading);
    }
  }

  setSort(sort) {
    this.columns.forEach((column, i) => {
      const heading = this.head.rows[0].cells[i];
      if (column.sort && column.sort === sort) {
        heading.setAttribute('aria-sort', column.up ? 'ascending' : 'descending');
      } else {
        heading.removeAttribute('aria-sort');
      }
    });
  }

  /** Returns true while a user may be about to select a row, which must not move away from the pointer. */
  get isPointedAt() {
    return this.pointedMs > 0 && performance.now() - this.pointedMs < HOLD_MS;
  }

  /** Returns a list with the rows that are shown already in their present order, and the others after them. */
  inPresentOrder(list) {
    const rest = new Map(list.map((data) => [this.options.key(data), data]));
    const present = [...this.rows.keys()].filter((key) => rest.has(key)).map((key) => {
      const data = rest.get(key);
      rest.delete(key);
      return data;
    });
    return [...present, ...rest.values()];
  }

  /**
   * Shows rows in the given order, or in their present one while the pointer moves over them. Rows that were shown
   * before keep their elements, and stay open.
   */
  show(given) {
    const list = this.isPointedAt ? this.inPresentOrder(given) : given;
    const focused = document.activeElement;
    const former = this.rows;
    this.rows = new Map();
    for (const data of list) {
      const key = this.options.key(data);
      const row = former.get(key) || this.create(data);
      former.delete(key);
      this.rows.set(key, row);
      this.update(row, data);
    }
    former.forEach((row) => row.elements.forEach((each) => each.remove()));
    let place = this.body.firstElementChild;
    for (const row of this.rows.values()) {
      for (const each of row.elements) {
        if (each === place) {
          place = place.nextElementSibling;
        } else {
          this.body.insertBefore(each, place);
        }
      }
    }
    if (focused !== document.activeElement && this.body.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
  }

  create(data) {
    const main = element('tr');
    const row = { elements: [main], cells: [], open: null };
    this.columns.forEach((column, i) => {
      const cell = element(i === 0 ? 'th' : 'td', column.classes);
      if (i === 0) {
        cell.scope = 'row';
        const button = element('button', 'open', name(column.text(data)));
        button.type = 'button';
        button.setAttribute('aria-expanded', 'false');
        button.addEventListener('click', () => this.toggle(row));
        row.button = button;
        cell.append(button);
      }
      row.cells.push(cell);
      main.append(cell);
    });
    return row;
  }

  update(row, data) {
    row.data = data;
    row.elements[0].classList.toggle('slow', this.options.isSlow(data));
    this.columns.slice(1).forEach((column, i) => {
      const cell = row.cells[i + 1];
      const text = column.text(data);
      if (!column.isName) {
        setText(cell, text);
      } else if (cell.dataset.text !== text) {
        cell.dataset.text = text;
        cell.replaceChildren(name(text));
      }
    });
    if (row.open) {
      this.fill(row);
    }
  }

  /** Makes the open rows as wide as the columns that are shown now. */
  fitDetails() {
    const count = this.visibleCount();
    this.rows.forEach((row) => {
      if (row.open) {
        row.open.colSpan = count;
      }
    });
  }

  /** Returns the number of columns that have enough space to be shown. A wider cell would add empty columns. */
  visibleCount() {
    return [...this.head.rows[0].cells].filter((heading) => heading.offsetWidth > 0).length;
  }

  /** Opens the row of a key, and moves the focus to it. Returns false if it is not shown. */
  reveal(key) {
    const row = this.rows.get(key);
    if (!row) {
      return false;
    }
    if (!row.open) {
      this.toggle(row);
    }
    row.button.focus({ preventScroll: true });
    row.elements[0].scrollIntoView({ block: 'nearest' });
    return true;
  }

  toggle(row) {
    if (row.open) {
      row.elements.pop().remove();
      row.open = null;
    } else {
      const cell = element('td', '', element('span', 'quiet', 'loading'));
      cell.colSpan = this.visibleCount();
      row.open = cell;
      const details = element('tr', 'details', cell);
      details.id = `${this.id}-${row.number || (row.number = ++tables)}`;
      row.button.setAttribute('aria-controls', details.id);
      row.elements[0].after(details);
      row.elements.push(details);
      this.fill(row);
    }
    row.button.setAttribute('aria-expanded', String(row.open !== null));
  }

  async fill(row) {
    if (row.filling) {
      return; // one request at a time, so that no older answer replaces a newer one
    }
    row.filling = true;
    const cell = row.open;
    let content;
    try {
      content = await this.options.details(row.data);
    } finally {
      row.filling = false;
    }
    if (row.open && row.open !== cell) {
      this.fill(row); // closed and opened again meanwhile
      return;
    }
    // A selection in the details would be lost if they were replaced.
    if (content && row.open === cell && !(getSelection().containsNode(cell, true) && !getSelection().isCollapsed)) {
      cell.replaceChildren(...content);
    }
  }
}

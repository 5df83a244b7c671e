// A table with rows that are updated in place and open to show details, and with columns that sort the rows.

import { element, name, setText } from './dom.js';

/** Time for which rows keep their places after the pointer has moved over them, in milliseconds. */
const HOLD_MS = 5000;

let tables = 0;

/**
 * A column:
 *   label    heading
 *   title    description of the values, shown as a tooltip of the heading
 *   sort     the order that the heading selects; undefined if the column does not sort
 *   up       true if that order begins with the lowest value
 *   classes  classes of the heading and of the cells
 *   text     returns the text of a cell, from the row's data
 *   isName   true if the text comes from a client
 */
export class Table {
  /**
   * @param table element with an empty head and body
   * @param columns the columns; the first column identifies a row for the user
   * @param options sort: the initial order; onSort: receives the order that the user selects; key: returns the key of
   *     a row; isSlow: returns true for a row that must be emphasized; details: returns a promise of the content of an
   *     open row
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
    /** When the pointer last moved over the rows; 0 if it is elsewhere. */
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

  /** Returns true while the user may be about to select a row, so rows must not move away from the pointer. */
  get isPointedAt() {
    return this.pointedMs > 0 && performance.now() - this.pointedMs < HOLD_MS;
  }

  /** Returns a list in a new order: rows that are already shown keep their order, and new rows follow. */
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
   * Shows rows in the given order or, while the pointer moves over the table, in their present order. Rows that were
   * already shown keep their elements and stay open.
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

  /** Makes the open rows as wide as all currently visible columns. */
  fitDetails() {
    const count = this.visibleCount();
    this.rows.forEach((row) => {
      if (row.open) {
        row.open.colSpan = count;
      }
    });
  }

  /** Returns the number of visible columns. A cell that spans more columns would add empty ones. */
  visibleCount() {
    return [...this.head.rows[0].cells].filter((heading) => heading.offsetWidth > 0).length;
  }

  /** Opens the row with the given key and moves the focus to it. Returns false if the row is not shown. */
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
      return; // one request at a time, so that an older answer cannot replace a newer one
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
      this.fill(row); // closed and opened again in the meantime
      return;
    }
    // Replacing the details would remove the user's selection in them.
    if (content && row.open === cell && !(getSelection().containsNode(cell, true) && !getSelection().isCollapsed)) {
      cell.replaceChildren(...content);
    }
  }
}

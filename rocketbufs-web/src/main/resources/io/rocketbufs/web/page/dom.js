// Elements whose text may come from clients. Such text is inserted into the page only as text, never as HTML.

import { escape } from './format.js';

/** Returns the element with the given id. */
export const byId = (id) => document.getElementById(id);

/** Creates an element with classes and children. A child is a node or a string. */
export function element(tag, classes, ...children) {
  const created = document.createElement(tag);
  if (classes) {
    created.className = classes;
  }
  created.append(...children);
  return created;
}

/** Sets the text of an element, unless it already has this text, so that a selection survives. */
export function setText(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

/**
 * Creates an element for a name that a client has chosen. The direction of the name does not affect the surrounding
 * text, and a tooltip shows the whole name if it is truncated.
 */
export function name(text) {
  const shown = escape(text);
  const created = element('bdi', '', shown);
  created.title = shown;
  return created;
}

/** Creates a list of terms and their values, omitting terms with an empty value. */
export function terms(entries) {
  const list = element('dl');
  for (const [term, value] of entries) {
    if (value !== '' && value !== null && value !== undefined) {
      list.append(element('dt', '', term), element('dd', '', value));
    }
  }
  return list;
}

// Elements whose text may come from clients. Text reaches the page only as text, never as HTML.

import { escape } from './format.js';

/** Returns the element with an id. */
export const byId = (id) => document.getElementById(id);

/** Creates an element with classes and children; a child is a node or a text. */
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
 * Creates a name that a client has chosen. Its direction does not affect the text around it, and where it is cut off, a
 * tooltip shows all of it.
 */
export function name(text) {
  const shown = escape(text);
  const created = element('bdi', '', shown);
  created.title = shown;
  return created;
}

/** Creates a list of terms with their values, without those whose value is empty. */
export function terms(entries) {
  const list = element('dl');
  for (const [term, value] of entries) {
    if (value !== '' && value !== null && value !== undefined) {
      list.append(element('dt', '', term), element('dd', '', value));
    }
  }
  return list;
}

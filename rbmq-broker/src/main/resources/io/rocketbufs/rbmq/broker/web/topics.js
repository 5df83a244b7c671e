// The list of topics. An open row shows the publishers, subscribers and groups of its topic.

import { get } from './api.js';
import { byId, element, name, terms } from './dom.js';
import { bytes, count, counted, duration, rate } from './format.js';
import { List } from './list.js';

const COLUMNS = [
  { label: 'Topic', title: 'Name', sort: 'name', up: true, classes: '', text: (topic) => topic.name },
  { label: 'In', title: 'Data rate from publishers', sort: 'in', classes: 'number', text: (t) => rate(t.inBytesPerSecond) },
  { label: 'Out', title: 'Data rate to subscribers', sort: 'out', classes: 'number', text: (t) => rate(t.outBytesPerSecond) },
  { label: 'Pub', title: 'Publishers', sort: 'publishers', classes: 'number few inner', text: (t) => count(t.publishers) },
  { label: 'Sub', title: 'Subscribers', sort: 'subscribers', classes: 'number few inner', text: (t) => count(t.subscribers) },
  { label: 'Lag', title: 'Bytes waiting for subscribers', sort: 'lag', classes: 'number lag',
    text: (t) => `${t.slowForMs > 0 ? '⚠ ' : ''}${bytes(t.lagBytes)}` },
  { label: 'Delay', title: 'How long subscribers have delayed publishers', sort: 'delay', classes: 'number wide',
    text: (t) => (t.delayMs === 0 ? '0' : duration(t.delayMs)) },
  { label: 'Lost', title: 'Bytes skipped for subscribers', sort: 'lost', classes: 'number wide', text: (t) => bytes(t.lostBytes) },
];

/** Returns the query for a text. A whole name or a text with a wildcard is a filter; other texts are parts of names. */
function query(text, isExact) {
  return isExact || /[#+]/.test(text) ? { filter: text } : { contains: text };
}

function publisher(each) {
  const waited = each.waitedMs > 0 ? `, has waited ${duration(each.waitedMs)} for subscribers` : '';
  return element('li', '', name(each.name), ` (${each.address}): ${bytes(each.receivedBytes)} received, buffer `
    + `${bytes(each.capacityBytes)}${waited}`);
}

function subscriber(each) {
  const slow = each.slowForMs > 0 ? `⚠ has been delaying publishers for ${duration(each.slowForMs)}, ` : '';
  const before = each.delayMs > 0 ? `, has delayed publishers for ${duration(each.delayMs)} in total` : '';
  const lost = each.lostBytes > 0 ? `, ${bytes(each.lostBytes)} lost` : '';
  const item = element('li', '', name(each.name), ` (${each.address}): ${slow}${bytes(each.lagBytes)} waiting, policy `
    + `${each.policy}${before}${lost}`);
  if (each.group !== null) {
    item.append(', group ', name(each.group));
  }
  return item;
}

function group(each) {
  return element('li', '', name(each.name), ' of ', name(each.filter), `: ${counted(each.members, 'member')}, `
    + `${bytes(each.waitingBytes)} waiting`);
}

function people(title, number, list, item) {
  if (number === 0) {
    return [];
  }
  const cut = list.length < number ? `, the first ${list.length} of ${count(number)}` : '';
  return [element('h3', '', title + cut), element('ul', '', ...list.map(item))];
}

async function details(row) {
  let topic;
  try {
    topic = (await get('api/topics', { filter: row.name, limit: 1, details: 'true' })).topics[0];
  } catch (failure) {
    return null; // the list itself shows failures
  }
  if (!topic) {
    return null;
  }
  return [
    terms([
      ['name', name(topic.name)],
      ['rule', topic.rule === null ? '' : name(topic.rule)],
      ['received', `${bytes(topic.receivedBytes)}`],
      ['sent', `${bytes(topic.sentBytes)}, ${bytes(topic.lostBytes)} lost`],
      ['waiting', `${bytes(topic.lagBytes)}, at most ${bytes(topic.worstLagBytes)} during a delay`],
      ['kept', topic.keptBytes > 0 ? bytes(topic.keptBytes) : ''],
    ]),
    ...people('Publishers', topic.publishers, topic.publisherDetails, publisher),
    ...people('Subscribers, slowest first', topic.subscriberDetails.length, topic.subscriberDetails, subscriber),
    ...people('Groups', topic.groupDetails.length, topic.groupDetails, group),
  ];
}

function empty() {
  return ['There are no topics yet. Publish with ', element('code', '', 'rbmq pub prices 12.50'), ', or subscribe with ',
    element('code', '', 'rbmq sub prices'), '.'];
}

/** Returns the list of topics. */
export function topicList(onFailure) {
  return new List(byId('topics'), 'topics', COLUMNS, {
    sort: 'in',
    key: (topic) => topic.name,
    isSlow: (topic) => topic.slowForMs > 0,
    query,
    details,
    empty,
    onFailure,
  });
}

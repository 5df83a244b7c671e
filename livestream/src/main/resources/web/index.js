'use strict';
// Lists the streams of this edge.
const rows = document.getElementById('streams');
const message = document.getElementById('message');

function cell(row, text, link) {
  const place = row.insertCell();
  const node = link ? document.createElement('a') : document.createElement('span');
  node.textContent = text;
  if (link) node.href = link;
  place.append(node);
}

async function refresh() {
  try {
    const streams = await (await fetch('/api/streams')).json();
    rows.replaceChildren();
    for (const stream of streams) {
      const row = rows.insertRow();
      cell(row, stream.name, stream.watch);
      cell(row, stream.ended ? 'ended' : stream.chunks === 0 ? 'no chunk yet' : 'live');
      cell(row, stream.codecs || '');
      cell(row, 'playlist', stream.playlist);
    }
    message.textContent = streams.length === 0 ? 'There are currently no streams.' : '';
  } catch (error) {
    message.textContent = 'This edge is not responding.';
  }
}

refresh();
setInterval(refresh, 2000);

'use strict';
// Plays one stream and shows its playback statistics. `window.player` gives tests and developers access to the details.
const name = decodeURIComponent(location.pathname.split('/')[2]);
const source = `/live/${name}/index.m3u8`;
const video = document.getElementById('video');
const show = (id, text) => { document.getElementById(id).textContent = text; };
const player = { hls: null, stalls: 0, errors: [] };
window.player = player;
show('name', name);
document.title = name;

function play() {
  if (!Hls.isSupported()) {
    video.src = source; // Safari plays HLS natively
    return;
  }
  // Playback starts with the newest chunk, because the next chunk is recorded while the newest one plays.
  const hls = new Hls({ liveSyncDurationCount: 1, liveMaxLatencyDurationCount: 4, lowLatencyMode: false });
  player.hls = hls;
  hls.on(Hls.Events.ERROR, (event, data) => {
    player.errors.push(`${data.type} ${data.details}`);
    if (data.details === 'bufferStalledError') player.stalls++;
    if (!data.fatal) return;
    show('message', `Retrying after an error: ${data.details}`);
    hls.destroy();
    setTimeout(play, 1000);
  });
  hls.on(Hls.Events.FRAG_BUFFERED, () => show('message', ''));
  hls.on(Hls.Events.BUFFER_EOS, () => show('message', 'The stream has ended.'));
  hls.loadSource(source);
  hls.attachMedia(video);
}

setInterval(() => {
  const hls = player.hls;
  const playing = hls && hls.playingDate;
  player.latency = playing ? (Date.now() - playing.getTime()) / 1000 : NaN;
  const ranges = video.buffered;
  player.buffered = ranges.length ? ranges.end(ranges.length - 1) - video.currentTime : 0;
  const quality = video.getVideoPlaybackQuality();
  show('latency', `${player.latency.toFixed(1)} s`);
  show('buffered', `${player.buffered.toFixed(1)} s`);
  show('frames', `${quality.droppedVideoFrames} / ${quality.totalVideoFrames}`);
  show('stalls', player.stalls);
}, 500);

play();

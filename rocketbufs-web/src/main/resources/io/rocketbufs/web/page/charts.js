// Charts of the last ten minutes. Times are measured by the server's clock and do not depend on the browser's clock.

import { byId, setText } from './dom.js';
import { timeOfDay } from './format.js';

const SECONDS = 600;
const MINUTE = 60;
const HEIGHT = 180;
/** Maximum time between two connected samples, in seconds. A longer interval means that the server was suspended. */
const HOLE = 30;
const FONT = '11px system-ui, sans-serif';

const colour = (variable) => getComputedStyle(document.documentElement).getPropertyValue(variable).trim();

/** Returns the positions of the marks on the time axis, with enough space between their labels. */
function marks(chart) {
  const step = chart.width < 480 ? 3 * MINUTE + 20 : 2 * MINUTE;
  const places = [];
  for (let place = 0; place >= -SECONDS; place -= step) {
    places.unshift(place);
  }
  return places;
}

const markText = (place) => (place === 0 ? 'now' : `−${Math.round((place / -MINUTE) * 10) / 10} min`);

/** A chart with a text above it that shows the values at the pointer or, without a pointer, the newest values. */
class Chart {
  /**
   * @param id id of the element, and the prefix of the ids of its texts
   * @param series for each line: name, text (the id of its text), colour (a CSS variable), dash, fill, and values (the
   *     name of an array in the history)
   * @param options label: the description of the chart; least and most: the lowest and the highest upper end of the
   *     scale; tick: returns the text of a number on the scale; value: returns the text of a number above the chart
   */
  constructor(id, series, options) {
    this.id = id;
    this.place = byId(id);
    this.series = series;
    this.options = options;
    this.data = [[], ...series.map(() => [])];
    this.create();
    new ResizeObserver(() => this.resize()).observe(this.place);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.create());
  }

  create() {
    if (this.chart) {
      this.chart.destroy();
    }
    const axis = { stroke: colour('--quiet'), font: FONT, ticks: { show: false }, grid: { stroke: colour('--line'), width: 1 } };
    const { least, most, tick } = this.options;
    this.chart = new uPlot({
      width: this.place.clientWidth,
      height: HEIGHT,
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: [-SECONDS, 0] },
        y: { range: (chart, low, high) => [0, Math.min(most, Math.max(least, (high || 0) * 1.1))] },
      },
      axes: [
        { ...axis, size: 28, splits: marks, values: (chart, places) => places.map(markText) },
        { ...axis, size: 68, values: (chart, places) => places.map(tick) },
      ],
      series: [{}, ...this.series.map((each) => ({
        label: each.name,
        stroke: colour(each.colour),
        width: 1.5,
        dash: each.dash,
        fill: each.fill ? `${colour(each.colour)}22` : undefined,
        points: { show: false },
      }))],
      hooks: { setCursor: [() => this.showValues()] },
    }, this.data, this.place);
  }

  resize() {
    if (this.place.clientWidth !== this.chart.width) {
      this.chart.setSize({ width: this.place.clientWidth, height: HEIGHT });
    }
  }

  /** Shows values with their times, which are negative numbers of seconds relative to now, oldest first. */
  show(times, ...values) {
    this.data = [times, ...values];
    this.chart.setData(this.data);
    this.showValues();
  }

  showValues() {
    const times = this.data[0];
    const pointed = this.chart.cursor.idx;
    const index = pointed === null || pointed === undefined ? times.length - 1 : pointed;
    const texts = this.series.map((each, i) => {
      const value = this.data[i + 1][index];
      const text = value === null || value === undefined ? '–' : this.options.value(value);
      setText(byId(each.text), text);
      return `${each.name} ${text}`;
    });
    setText(byId(`${this.id}-time`), index === times.length - 1 ? '' : timeOfDay(new Date(Date.now() + times[index] * 1000)));
    if (index === times.length - 1) {
      this.place.setAttribute('aria-label', `${this.options.label} of the last ten minutes; now ${texts.join(', ')}`);
    }
  }
}

/** Returns the values with a null in each hole, which the chart shows as a gap in the line. */
export function withHoles(times, values) {
  return values.flatMap((value, i) => (i > 0 && times[i] - times[i - 1] > HOLE ? [null, value] : [value]));
}

function timesWithHoles(times) {
  return times.flatMap((time, i) => (i > 0 && time - times[i - 1] > HOLE ? [(time + times[i - 1]) / 2, time] : [time]));
}

/** The charts of a history. The history contains the ages of the samples (ageMs) and an array for each line. */
export class Charts {
  /** @param charts the id, series and options of each chart */
  constructor(...charts) {
    this.charts = charts.map(([id, series, options]) => new Chart(id, series, options));
  }

  show(history) {
    const times = history.ageMs.map((age) => -age / 1000);
    const shown = timesWithHoles(times);
    for (const chart of this.charts) {
      chart.show(shown, ...chart.series.map((each) => withHoles(times, history[each.values])));
    }
  }
}

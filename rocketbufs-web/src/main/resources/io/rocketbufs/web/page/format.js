// Human-readable numbers with units. Units are decimal: 1 MB is a million bytes.

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNKNOWN = '–';

/** Returns a number as text with up to three significant digits. */
function digits(number) {
  if (number >= 100) {
    return number.toFixed(0);
  }
  return number >= 10 ? number.toFixed(1).replace(/\.0$/, '') : number.toFixed(2).replace(/\.?0+$/, '');
}

/** Returns a number of bytes as text, such as 1.05 MB. */
export function bytes(length) {
  if (length === null || length === undefined) {
    return UNKNOWN;
  }
  let unit = 0;
  let number = length;
  while (number >= 999.5 && unit < UNITS.length - 1) {
    number /= 1000;
    unit++;
  }
  return `${unit === 0 ? Math.round(number) : digits(number)} ${UNITS[unit]}`;
}

/** Returns a number of bytes per second as text, such as 412 MB/s. */
export function rate(bytesPerSecond) {
  return bytesPerSecond === null || bytesPerSecond === undefined ? UNKNOWN : `${bytes(bytesPerSecond)}/s`;
}

/** Returns a number rounded to an integer, with thousands separators. */
export function count(number) {
  return number === null || number === undefined ? UNKNOWN : Math.round(number).toLocaleString('en-US');
}

/** Returns a number with a noun, such as "1 topic" or "2 topics". */
export function counted(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** Returns a percentage as text, such as 0.8 %. A value that is greater than 0 is never shown as 0. */
export function percent(share) {
  if (share === null || share === undefined) {
    return UNKNOWN;
  }
  if (share > 0 && share < 0.1) {
    return '< 0.1 %';
  }
  return `${share < 9.95 ? share.toFixed(1).replace(/\.0$/, '') : Math.round(share)} %`;
}

/** Returns a duration as text, such as 8.2 s, 3 min 12 s, or 3 d 4 h. */
export function duration(ms) {
  if (ms === null || ms === undefined) {
    return UNKNOWN;
  }
  if (ms < SECOND) {
    return `${Math.round(ms)} ms`;
  }
  if (ms < MINUTE) {
    return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  }
  if (ms < HOUR) {
    return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
  }
  if (ms < DAY) {
    return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
  }
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

/** Returns a date and time in the browser's time zone, such as 2026-11-23 20:31:07. */
export function moment(date) {
  const two = (number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${timeOfDay(date)}`;
}

/** Returns a time of day in the browser's time zone, such as 20:31:07. */
export function timeOfDay(date) {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
}

/**
 * Returns a client's text in which control characters, and marks that change the text direction, are replaced with
 * escape sequences such as \u202e. The command line shows such characters in the same way.
 */
export function escape(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) =>
      `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''));
}

// Requests to the server.

const TIMEOUT_MS = 5000;

let sentCount = 0;

/**
 * An answer of the server that does not contain the requested data. The status and the text state the reason. Requests
 * are numbered in the order in which they are sent.
 */
export class Refusal extends Error {
  constructor(status, text, number) {
    super(text);
    this.status = status;
    this.number = number;
  }

  /** Returns true if the user must sign in again. */
  get isDenied() {
    return this.status === 401 || this.status === 403;
  }
}

/**
 * Returns the JSON object of a resource, such as api/status. Throws a Refusal or, if the server does not respond in
 * time, another error.
 */
export async function get(path, parameters = {}) {
  // The URL of the page may contain a user and a token, which the URL of a request must not contain.
  const url = new URL(location.pathname + path, location.origin);
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== '') {
      url.searchParams.set(key, value);
    }
  }
  sentCount += 1;
  const number = sentCount;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), TIMEOUT_MS);
  try {
    // If the client accepts only JSON, a refusal does not cause the browser to prompt the user while the page polls.
    const headers = { Accept: 'application/json' };
    const response = await fetch(url, { signal: limit.signal, credentials: 'same-origin', headers });
    if (!response.ok) {
      throw new Refusal(response.status, (await response.text()).trim(), number);
    }
    return await response.json();
  } finally {
    clearTimeout(timer);
  }
}

// Requests to the server.

const TIMEOUT_MS = 5000;

let sentCount = 0;

/** The server has answered, but not with the data: status and text say why. Requests are numbered as they are sent. */
export class Refusal extends Error {
  constructor(status, text, number) {
    super(text);
    this.status = status;
    this.number = number;
  }

  /** True if the user has to sign in again. */
  get isDenied() {
    return this.status === 401 || this.status === 403;
  }
}

/**
 * Returns the JSON object of a resource, such as api/status. Fails with a Refusal, or with another error if the server
 * does not respond in time.
 */
export async function get(path, parameters = {}) {
  // The address of the page may contain a user and token, which the address of a request must not.
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
    // For a client that accepts only JSON, a refusal does not make the browser ask its user while the page polls.
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

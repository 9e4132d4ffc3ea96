/** A client of the HTTP API: nothing but fetch. */
export class Api {
  /** @param {string} url */
  constructor(url) {
    this.url = url.replace(/\/+$/, "");
  }

  /**
   * @param {string} path
   * @param {object} body
   * @returns {Promise<any>}
   */
  post(path, body) {
    return this.#ask(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  /**
   * @param {string} path
   * @param {Record<string, string>} query
   * @returns {Promise<any>}
   */
  get(path, query) {
    return this.#ask(`${path}?${new URLSearchParams(query).toString()}`, {});
  }

  /**
   * @param {string} path
   * @param {RequestInit} request
   */
  async #ask(path, request) {
    const reply = await fetch(`${this.url}${path}`, request);
    const body = await reply.json();
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${body.code}: ${body.detail}`);
    return body;
  }
}

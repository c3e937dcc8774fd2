/**
 * The key that all pages share. On a service that asks for keys it stands in the document, and everybody can read it there.
 * It is another one after each start of the service: a page that stays open then reads the document again.
 */

const ATTRIBUTE = /<html[^>]*\sdata-key="([^"]*)"/;

class PagesKey {
  #reading: Promise<boolean> | undefined;

  /** undefined: the service asks for none. */
  get secret(): string | undefined {
    return document.documentElement.dataset.key;
  }

  /** Reads it again. Resolves with whether it is another one. */
  renew(): Promise<boolean> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<boolean> {
    const before = this.secret;
    if (before === undefined) return false;
    try {
      const headers = { Accept: 'text/html' };
      const response = await fetch(new URL('.', document.baseURI), { headers, credentials: 'omit' });
      const after = ATTRIBUTE.exec(await response.text())?.[1];
      if (after === undefined || after === before) return false;
      document.documentElement.dataset.key = after;
      return true;
    } catch {
      return false;
    }
  }
}

export const pagesKey = new PagesKey();

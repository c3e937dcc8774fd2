/**
 * Texts that are expensive to make and never change, kept by id in a table of fixed size: an id has one place, and the
 * newest id of a place replaces the one before. Writing an r-address costs two hashes, about 4 us, and rows of the same few thousand
 * tokens and traders are written after every ledger.
 */
export class KeptTexts {
  readonly #ids: Uint32Array;
  readonly #texts: string[];
  readonly #make: (id: number) => string;

  /** @param places a power of two. @param make the text of an id above 0; always the same. */
  constructor(places: number, make: (id: number) => string) {
    this.#ids = new Uint32Array(places);
    this.#texts = new Array<string>(places).fill('');
    this.#make = make;
  }

  of(id: number): string {
    const place = id & (this.#ids.length - 1);
    if (this.#ids[place] === id && id !== 0) return this.#texts[place]!;
    const text = this.#make(id);
    this.#ids[place] = id;
    this.#texts[place] = text;
    return text;
  }
}

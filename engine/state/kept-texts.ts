/**
 * Texts that are expensive to make and never change, kept by id in a table of fixed size: an id has one place, and the
 * newest id of a place replaces the one before. Writing an r-address costs two hashes, about 4 us, the name of a token 2 us, and rows of
 * the same few thousand tokens and traders are written after every ledger.
 */
import type { Table } from './table.ts';

/** Some 1 MB of r-addresses: more accounts, and tokens, than the rows of a busy hour name repeatedly. */
const PLACES = 16_384;
/** No id. */
const NONE = 2 ** 32 - 1;

export class KeptTexts {
  readonly #ids: Uint32Array;
  readonly #texts: string[];
  readonly #make: (id: number) => string;

  /** @param table whose rows the ids are. @param make the text of an id; always the same. @param places a power of two */
  constructor(table: Pick<Table, 'isAttached'>, make: (id: number) => string, places = PLACES) {
    // A thread that reads the rows of another one may see half of one, and would keep it.
    const kept = table.isAttached ? 0 : places;
    this.#ids = new Uint32Array(kept).fill(NONE);
    this.#texts = new Array<string>(kept).fill('');
    this.#make = make;
  }

  of(id: number): string {
    const places = this.#ids.length;
    if (places === 0) return this.#make(id);
    const place = id & (places - 1);
    if (this.#ids[place] === id) return this.#texts[place]!;
    const text = this.#make(id);
    this.#ids[place] = id;
    this.#texts[place] = text;
    return text;
  }
}

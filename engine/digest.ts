/**
 * Digests of what the ledgers determine: equal for the same ledgers whatever the number of workers, the size of
 * batches and the restarts between them, different as soon as one cell of a table or one byte of a record differs.
 *
 *     tables    every column of every table, as bytes       -\
 *     figures   numbers derived from them, as float64        +-> SHA-256
 *     records   keys and values that are only in the store (families.ts)         -/
 *
 * A column in which stores with the same ledgers may differ, because an earlier version wrote one of them, is excluded
 * where it is declared (Table.excludeFromDigest); what follows from it in all versions is included as figures.
 *
 * Tables are hashed as they are in memory, ids included: ids are assigned in the order of the ledgers' nodes, so the same
 * ledgers always give the same ones. Cost: about a second per gigabyte of columns.
 */
import { DIGESTED_FAMILIES, FAMILIES } from './families.ts';
import { storedUris } from './nfts/uris.ts';
import type { Table } from './state/table.ts';
import { type StoreReads, TextKind } from './store.ts';

/** Numbers that are hashed at once. */
const NUMBERS = 4096;

export class Digest {
  readonly #hasher = new Bun.CryptoHasher('sha256');
  readonly #numbers = new Float64Array(NUMBERS);
  readonly #numberBytes = new Uint8Array(this.#numbers.buffer);
  #buffered = 0;

  /** Every column that is not excluded, the row count and the list of free rows. Rows never written count as absent. */
  table(table: Table): void {
    this.#text(`table ${table.id}`);
    for (const number of table.head) this.number(number);
    for (const { name, bytes } of table.contents()) this.bytes(name, bytes);
  }

  number(value: number): void {
    this.#numbers[this.#buffered++] = value;
    if (this.#buffered === NUMBERS) this.#flush();
  }

  bytes(name: string, bytes: Uint8Array): void {
    this.#text(`${name} ${bytes.length}`);
    this.#hasher.update(bytes);
  }

  record(key: Uint8Array, value: Uint8Array): void {
    this.number(key.length);
    this.number(value.length);
    this.#flush();
    this.#hasher.update(key).update(value);
  }

  /** 64 hex digits. Nothing may be added after it. */
  get text(): string {
    this.#flush();
    return this.#hasher.digest('hex');
  }

  #text(text: string): void {
    this.#flush();
    this.#hasher.update(`\n${text}\n`);
  }

  #flush(): void {
    if (this.#buffered > 0) this.#hasher.update(this.#numberBytes.subarray(0, this.#buffered * 8));
    this.#buffered = 0;
  }
}

/** Digest of the durable history; reads all of it. */
export function historyDigest(store: Pick<StoreReads, 'records'>): string {
  const digest = new Digest();
  for (const family of DIGESTED_FAMILIES) {
    digest.number(FAMILIES[family].id);
    store.records(family, [], {}, (_last, value, key) => {
      if (family !== 'texts' || key[0] !== TextKind.nftUri) digest.record(key, value);
      return true;
    });
  }
  for (const [nft, uri] of storedUris(store)) {
    digest.number(nft);
    digest.bytes('URI', Buffer.from(uri, 'latin1'));
  }
  return digest.text;
}

/**
 * The URIs of NFTs, which their minters choose: any bytes, here as Latin-1 characters. The store keeps them, those of
 * NFTS_A_ROW numbers in a row; in memory are those not yet handed over, and a bounded number of the latest, which may not be
 * durable yet.
 *
 *     nftUris   | number / NFTS_A_ROW 4 |      length 4 of each, NONE where there is none, then their bytes
 *     texts     | TextKind.nftUri | number |   each on its own, as stores of schema version 8 have it; it stays there
 *
 * Goal: no row of its own for an NFT, since a row costs the store's writer 3 us. Cost: a read of the store for a URI that
 * is not among the latest, two where the store began with version 8; as many when one of an earlier run is changed.
 */
import { readU32 } from '../codec/bytes.ts';
import { type Batch, type StoreReads, TextKind } from '../store.ts';

/** Few enough for what a row of theirs has to be read for, and for it to stay in a page of the store. */
const NFTS_A_ROW = 16;
/** The length of none. */
const NONE = 0xffffffff;
const LENGTH_BYTES = 4;
const LENGTHS_BYTES = LENGTH_BYTES * NFTS_A_ROW;
/**
 * The latest rows that are kept in memory at least; at most twice as many. All of the batches that are not durable yet must be among
 * them, since a row is written whole: one is kept for as long as two further batches have not been handed over (BATCH_LIMITS.inFlight).
 */
const RECENT_ROWS = 1250;
/** Rows that a walk reads at once. */
const SLICE = 1024;

/** The URIs of a row. */
type UriRow = (string | undefined)[];
type UriStore = Pick<StoreReads, 'records'>;

interface Texts {
  set(kind: number, id: number, value: string): void;
  get(kind: number, id: number): string | undefined;
}

export class NftUris {
  readonly #texts: Texts;
  #store: UriStore | undefined;
  /** The latest rows by their number, and those before them. */
  #young = new Map<number, UriRow>();
  #old: ReadonlyMap<number, UriRow> = new Map();
  /** Numbers of rows that changed since they were handed over. */
  readonly #changed = new Set<number>();
  /** Rows from here on began in this run: no text of theirs is in the store. */
  #firstNew = 0;
  /** After the last row. */
  #end = 0;

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  /** Lets them be read back from the store. */
  attach(store: UriStore): void {
    this.#store = store;
  }

  /** @param count NFTs that there are in the store */
  restored(count: number): void {
    this.#firstNew = Math.ceil(count / NFTS_A_ROW);
    this.#end = Math.max(this.#end, this.#firstNew);
  }

  /** undefined: it has none. */
  get(nft: number): string | undefined {
    const recent = this.#recent(rowOf(nft));
    const inRow = recent ? recent[nft % NFTS_A_ROW] : this.#storedUri(nft);
    const uri = inRow ?? this.#texts.get(TextKind.nftUri, nft);
    return uri === '' ? undefined : uri;
  }

  /** @param uri empty: it has none */
  set(nft: number, uri: string): void {
    const number = rowOf(nft);
    const row = this.#recent(number) ?? this.#stored(number, unpacked);
    const place = nft % NFTS_A_ROW;
    if (row?.[place] === undefined && this.#isText(nft)) {
      this.#texts.set(TextKind.nftUri, nft, uri);
      return;
    }
    const changed = row ?? new Array<undefined>(NFTS_A_ROW).fill(undefined);
    changed[place] = uri;
    this.#young.set(number, changed);
    this.#changed.add(number);
    this.#end = Math.max(this.#end, number + 1);
  }

  drain(batch: Pick<Batch, 'record'>): void {
    for (const number of this.#changed) batch.record('nftUris', [number], packed(this.#young.get(number)!));
    this.#changed.clear();
    if (this.#young.size < RECENT_ROWS) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  #recent(number: number): UriRow | undefined {
    return this.#young.get(number) ?? this.#old.get(number);
  }

  #storedUri(nft: number): string | undefined {
    return this.#stored(rowOf(nft), (bytes) => {
      let from = LENGTHS_BYTES;
      const place = nft % NFTS_A_ROW;
      for (let before = 0; before < place; before++) from += lengthAt(bytes, before) ?? 0;
      return uriAt(bytes, place, from);
    });
  }

  /** What is read of the bytes of a row; undefined: there is no such row. */
  #stored<T>(number: number, read: (bytes: Uint8Array) => T): T | undefined {
    let found: T | undefined;
    if (number < this.#end)
      this.#store?.records('nftUris', [], { from: number, to: number }, (_, bytes) => {
        found = read(bytes);
        return false;
      });
    return found;
  }

  /** Whether the store may have it as a text. */
  #isText(nft: number): boolean {
    return rowOf(nft) < this.#firstNew && this.#texts.get(TextKind.nftUri, nft) !== undefined;
  }
}

const rowOf = (nft: number): number => Math.floor(nft / NFTS_A_ROW);

function packed(row: UriRow): Uint8Array {
  let size = LENGTHS_BYTES;
  for (const uri of row) size += uri?.length ?? 0;
  const bytes = Buffer.allocUnsafe(size);
  let end = LENGTHS_BYTES;
  for (let place = 0; place < NFTS_A_ROW; place++) {
    const uri = row[place];
    bytes.writeUInt32BE(uri?.length ?? NONE, place * LENGTH_BYTES);
    if (uri) end += bytes.write(uri, end, 'latin1');
  }
  return bytes;
}

function unpacked(bytes: Uint8Array): UriRow {
  let from = LENGTHS_BYTES;
  return Array.from({ length: NFTS_A_ROW }, (_, place) => {
    const uri = uriAt(bytes, place, from);
    from += uri?.length ?? 0;
    return uri;
  });
}

/** @param from where it begins, if there is one */
function uriAt(bytes: Uint8Array, place: number, from: number): string | undefined {
  const length = lengthAt(bytes, place);
  if (length === undefined) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', from, from + length);
}

function lengthAt(bytes: Uint8Array, place: number): number | undefined {
  const length = readU32(bytes, place * LENGTH_BYTES);
  return length === NONE ? undefined : length;
}

type NumberedUri = readonly [nft: number, uri: string];

/** The URIs that a store has, by the numbers of the NFTs: the same for rows and texts. */
export function* storedUris(store: UriStore): Generator<NumberedUri> {
  const texts = textUris(store);
  let text = texts.next();
  for (const row of rowUris(store)) {
    for (; !text.done && text.value[0] < row[0]; text = texts.next()) yield text.value;
    yield row;
  }
  for (; !text.done; text = texts.next()) yield text.value;
}

function* rowUris(store: UriStore): Generator<NumberedUri> {
  for (const [number, bytes] of slices(store, 'nftUris', []))
    for (const [place, uri] of unpacked(bytes).entries()) if (uri) yield [number * NFTS_A_ROW + place, uri];
}

function* textUris(store: UriStore): Generator<NumberedUri> {
  for (const [nft, bytes] of slices(store, 'texts', [TextKind.nftUri]))
    if (bytes.length > 0) yield [nft, Buffer.from(bytes).toString()];
}

/** Records of a family by their last number. */
function* slices(
  store: UriStore,
  family: 'nftUris' | 'texts',
  prefix: readonly number[],
): Generator<readonly [number, Uint8Array]> {
  for (let from = 0; ; ) {
    const found: (readonly [number, Uint8Array])[] = [];
    store.records(family, prefix, { from, limit: SLICE }, (number, bytes) => {
      found.push([number, bytes.slice()]);
      return true;
    });
    yield* found;
    if (found.length < SLICE) return;
    from = found.at(-1)![0] + 1;
  }
}

/**
 * What happened to an NFT, as 144 bytes, little-endian: the form in which the store keeps it and streams publish it.
 *
 *     0 u32 ledger index            48 u32 NFT                           80 u32 broker's fee raw hi, u32 lo
 *     4 u32 transaction index       52 u32 collection                    88 u32 royalty raw hi, u32 lo
 *     8 u32 number in the ledger    56 u32 from: party, 0: none          96 u32 source tag
 *    12 u32 close time (Ripple s)   60 u32 to: party, 0: none           100 u8 type (NftEventType), u8 flags
 *    16  32 transaction hash        64 u32 asset of the amounts         102 u16 transaction type
 *                                   68 u32 price raw hi, u32 lo         104 u32 destination of an offer: party
 *                                   76 u32 broker: party, 0: none       108 u32 expiration of an offer
 *
 *     112 5 u32 ledgers, 5 u16 numbers: the event before this one of its NFT, collection, `from`, `to` and broker; ledger 0:
 *               none (event-chains.ts). Events of schema version 6 have not got these: 112 bytes
 *     142 u8 platform whose site the transaction's memos name (marketplaces.ts), 0: none
 *
 * NFT, collection, parties and assets are row numbers of this domain. `from` is the seller, the burner, or the maker of an
 * offer; `to` is the buyer or the first owner. Amounts are exact: price is what the buyer pays, of which broker's fee and
 * royalty are parts.
 */
import { HASH_BYTES } from '../codec/hash.ts';

export const NFT_EVENT_BYTES = 144;

/** Where those are that an event belongs to, and what it names as the event before of each, by its place among the five. */
export const ChainOf = { nft: 0, collection: 1, from: 2, to: 3, broker: 4 } as const;
export type ChainOf = (typeof ChainOf)[keyof typeof ChainOf];
const CHAIN_LEDGERS_AT = 112;
const CHAIN_NUMBERS_AT = 132;
const MEMO_PLATFORM_AT = 142;

/** Names the event before one in a chain. @param base offset of the record */
export function setEventBefore(
  view: DataView,
  base: number,
  chain: ChainOf,
  ledger: number,
  number: number,
): void {
  view.setUint32(base + CHAIN_LEDGERS_AT + chain * 4, ledger, true);
  view.setUint16(base + CHAIN_NUMBERS_AT + chain * 2, number, true);
}

/** Numbers are stored: never change or reuse one. */
export const NftEventType = {
  mint: 1,
  burn: 2,
  /** To another owner for nothing. */
  transfer: 3,
  sale: 4,
  /** An offer to sell was made. */
  list: 5,
  /** An offer to sell ended without a sale. */
  delist: 6,
  /** An offer to buy was made. */
  bid: 7,
  /** An offer to buy ended without a sale. */
  cancel: 8,
  /** The URI was changed. */
  modify: 9,
} as const;
export type NftEventType = (typeof NftEventType)[keyof typeof NftEventType];

const Flag = { sourceTag: 1, price: 2 } as const;

/** A record of several that follow one another; undefined: there is none. */
export function nftEventAt(bytes: Uint8Array, i: number): Uint8Array | undefined {
  const end = (i + 1) * NFT_EVENT_BYTES;
  return end > bytes.length ? undefined : bytes.subarray(end - NFT_EVENT_BYTES, end);
}

/** A raw amount of an asset. */
export interface NftAmount {
  readonly asset: number;
  readonly hi: number;
  readonly lo: number;
}

/** The transaction that events belong to. */
export interface NftEventOrigin {
  readonly ledger: number;
  readonly closeTime: number;
  readonly tx: number;
  /** Where its hash is: 32 bytes as words of the machine, and the first of them. */
  readonly hashes: Uint32Array;
  readonly hashAt: number;
  /** TransactionType code. */
  readonly txType: number;
  readonly sourceTag: number | undefined;
  /** Whose site its memos name; 0: none. */
  readonly memoPlatform: number;
}

export interface NewNftEvent {
  readonly type: NftEventType;
  readonly nft: number;
  readonly collection: number;
  readonly from: number;
  readonly to: number;
  readonly price?: NftAmount | undefined;
  readonly broker?: number | undefined;
  /** In the asset of the price. */
  readonly brokerFee?: NftAmount | undefined;
  readonly royalty?: NftAmount | undefined;
  readonly destination?: number | undefined;
  readonly expiration?: number | undefined;
}

/** Events that a ledger has room for at least, and bytes that are taken at once, for those of some ledgers. */
const ROOM_EVENTS = 64;
const MEMORY_BYTES = 128 * 1024;

/**
 * The events of one ledger. Those of the ledger before stay where they are, for whoever kept a view: they are not durable yet.
 *
 *     memory   | ledger 7 | ledger 8 | ledger 9 ....free.... |
 *                                    ^ bytes
 */
export class NftEventBuffer {
  /** From the first event of the ledger on; longer than all its events. */
  bytes = new Uint8Array(ROOM_EVENTS * NFT_EVENT_BYTES);
  count = 0;
  /** The same, in the byte order of the machine, which is little-endian. */
  #words = new Uint32Array(this.bytes.buffer);

  /** Begins another ledger. */
  begin(): void {
    const { length } = this.bytes;
    const used = this.count * NFT_EVENT_BYTES;
    // A ledger mostly has no more than twice the events of the one before.
    const room = Math.max(used * 2, ROOM_EVENTS * NFT_EVENT_BYTES);
    this.count = 0;
    if (length - used < room) this.#use(new Uint8Array(Math.max(MEMORY_BYTES, room)));
    else if (used > 0) this.#use(this.bytes.subarray(used));
  }

  add(origin: NftEventOrigin, event: NewNftEvent): void {
    const base = this.count * NFT_EVENT_BYTES;
    if (base + NFT_EVENT_BYTES > this.bytes.length) this.#grow();
    const words = this.#words;
    const first = base >> 2;
    const { price, brokerFee, royalty } = event;
    const flags = (origin.sourceTag === undefined ? 0 : Flag.sourceTag) | (price ? Flag.price : 0);
    words[first] = origin.ledger;
    words[first + 1] = origin.tx;
    words[first + 2] = this.count;
    words[first + 3] = origin.closeTime;
    for (let i = 0; i < HASH_BYTES / 4; i++) words[first + 4 + i] = origin.hashes[origin.hashAt + i]!;
    words[first + 12] = event.nft;
    words[first + 13] = event.collection;
    words[first + 14] = event.from;
    words[first + 15] = event.to;
    words[first + 16] = price?.asset ?? 0;
    words[first + 17] = price?.hi ?? 0;
    words[first + 18] = price?.lo ?? 0;
    words[first + 19] = event.broker ?? 0;
    words[first + 20] = brokerFee?.hi ?? 0;
    words[first + 21] = brokerFee?.lo ?? 0;
    words[first + 22] = royalty?.hi ?? 0;
    words[first + 23] = royalty?.lo ?? 0;
    words[first + 24] = origin.sourceTag ?? 0;
    words[first + 25] = event.type | (flags << 8) | (origin.txType << 16);
    words[first + 26] = event.destination ?? 0;
    words[first + 27] = event.expiration ?? 0;
    for (let i = CHAIN_LEDGERS_AT / 4; i < NFT_EVENT_BYTES / 4; i++) words[first + i] = 0;
    this.bytes[base + MEMO_PLATFORM_AT] = origin.memoPlatform;
    this.count++;
  }

  #grow(): void {
    const larger = new Uint8Array(Math.max(MEMORY_BYTES, this.bytes.length * 2));
    larger.set(this.bytes);
    this.#use(larger);
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes;
    this.#words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  }
}

/** Reads records that follow one another in a buffer. */
export class NftEventReader {
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);
  #base = 0;

  /** Reads other bytes from now on, starting at their first record. */
  load(bytes: Uint8Array): this {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#base = 0;
    return this;
  }

  at(i: number): this {
    this.#base = i * NFT_EVENT_BYTES;
    return this;
  }

  /** The record, a view. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(this.#base, this.#base + NFT_EVENT_BYTES);
  }
  get ledger(): number {
    return this.#word(0);
  }
  get tx(): number {
    return this.#word(4);
  }
  get number(): number {
    return this.#word(8);
  }
  /** Ripple epoch seconds. */
  get closeTime(): number {
    return this.#word(12);
  }
  /** Transaction hash, 32 bytes, a view. */
  get hash(): Uint8Array {
    return this.#bytes.subarray(this.#base + 16, this.#base + 48);
  }
  get nft(): number {
    return this.#word(48);
  }
  get collection(): number {
    return this.#word(52);
  }
  get from(): number {
    return this.#word(56);
  }
  get to(): number {
    return this.#word(60);
  }
  get broker(): number {
    return this.#word(76);
  }
  get type(): NftEventType {
    return this.#bytes[this.#base + 100] as NftEventType;
  }
  /** TransactionType code. */
  get txType(): number {
    return this.#view.getUint16(this.#base + 102, true);
  }
  get sourceTag(): number | undefined {
    return this.#has(Flag.sourceTag) ? this.#word(96) : undefined;
  }
  /** What the buyer pays, or an offer names. */
  get price(): NftAmount | undefined {
    return this.#has(Flag.price) ? this.#amount(68) : undefined;
  }
  /** Parts of the price; undefined: none. */
  get brokerFee(): NftAmount | undefined {
    return this.#word(80) === 0 ? undefined : this.#amount(80);
  }
  get royalty(): NftAmount | undefined {
    return this.#word(88) === 0 ? undefined : this.#amount(88);
  }
  /** Platform whose site the memos of its transaction name; 0: none. */
  get memoPlatform(): number {
    return this.#bytes[this.#base + MEMO_PLATFORM_AT]!;
  }
  get destination(): number {
    return this.#word(104);
  }
  /** Ripple epoch seconds; 0: never. */
  get expiration(): number {
    return this.#word(108);
  }

  /** The event before it in a chain; undefined: none, or one of schema version 6. */
  before(chain: ChainOf): { readonly ledger: number; readonly number: number } | undefined {
    const ledger = this.#word(CHAIN_LEDGERS_AT + chain * 4);
    if (ledger === 0) return undefined;
    return { ledger, number: this.#view.getUint16(this.#base + CHAIN_NUMBERS_AT + chain * 2, true) };
  }

  #amount(at: number): NftAmount {
    return { asset: this.#word(64), hi: this.#word(at), lo: this.#word(at + 4) };
  }

  #has(flag: number): boolean {
    return (this.#bytes[this.#base + 101]! & flag) !== 0;
  }

  #word(at: number): number {
    return this.#view.getUint32(this.#base + at, true);
  }
}

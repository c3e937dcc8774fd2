/**
 * What an account did or what was done to it, concerning one token, as 88 bytes, little-endian: the form in which the
 * history of events stores it and streams publish it.
 *
 *     0 u32 ledger index            48 u32 account id: whose event it is     72 u8  side (EventSide), u8 flags
 *     4 u32 transaction index       52 u32 counterparty id (0: none)         74 u16 zero
 *     8 u32 number in the ledger    56 u32 token id (0: XRP)                 76 u32 destination tag
 *    12 u32 close time (Ripple s)   60 u32 amount raw hi                     80 f64 value in drops (0: not known)
 *    16  32 transaction hash        64 u32 amount raw lo
 *                                   68 u16 transaction type, u16 result
 *
 * Amounts are exact and never negative: `side` has the direction, seen from the account. Several fills of one transaction
 * are one event. A result other than 0 (tesSUCCESS) is a rejected attempt: the amount is what it named.
 */

export const EVENT_BYTES = 88;

/** What happened, seen from the account. Numbers are stored: never change or reuse one. */
export const EventSide = {
  none: 0,
  buy: 1,
  sell: 2,
  deposit: 3,
  withdraw: 4,
  ammCreate: 5,
  out: 6,
  in: 7,
  checkCreate: 8,
  /** Somebody wrote a check to the account. */
  checkIncoming: 9,
  /** Its check was cashed. */
  checkSend: 10,
  /** It cashed a check. */
  checkReceive: 11,
  checkCancel: 12,
  /** The issuer took tokens back from it. */
  clawback: 13,
} as const;
export type EventSide = (typeof EventSide)[keyof typeof EventSide];

/** TransactionType codes of what has events of its own kind. */
export const EventType = {
  Payment: 0,
  EscrowCreate: 1,
  EscrowFinish: 2,
  EscrowCancel: 4,
  OfferCreate: 7,
  CheckCreate: 16,
  CheckCash: 17,
  CheckCancel: 18,
  Clawback: 30,
  AMMClawback: 31,
  AMMCreate: 35,
  AMMDeposit: 36,
  AMMWithdraw: 37,
  VaultClawback: 70,
  LoanBrokerCoverClawback: 78,
} as const;

export const EventFlag = { destinationTag: 1 } as const;

const At = {
  ledger: 0,
  tx: 4,
  number: 8,
  closeTime: 12,
  hash: 16,
  account: 48,
  counterparty: 52,
  token: 56,
  hi: 60,
  lo: 64,
  type: 68,
  result: 70,
  side: 72,
  flags: 73,
  tag: 76,
  drops: 80,
} as const;

/** What a new event says beside its place and hash. */
export interface NewEvent {
  readonly account: number;
  readonly counterparty: number;
  readonly token: number;
  readonly hi: number;
  readonly lo: number;
  readonly side: EventSide;
  readonly drops: number;
  readonly tag?: number | undefined;
}

/** The transaction that events belong to. */
export interface EventOrigin {
  readonly ledger: number;
  readonly closeTime: number;
  readonly tx: number;
  readonly hash: Uint8Array;
  readonly type: number;
  readonly result: number;
}

/** Reads records that follow one another in a buffer. */
export class EventReader {
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
    this.#base = i * EVENT_BYTES;
    return this;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(this.#base, this.#base + EVENT_BYTES);
  }
  get ledger(): number {
    return this.#word(At.ledger);
  }
  get tx(): number {
    return this.#word(At.tx);
  }
  get number(): number {
    return this.#word(At.number);
  }
  /** Ripple epoch seconds. */
  get closeTime(): number {
    return this.#word(At.closeTime);
  }
  /** Transaction hash, 32 bytes, a view. */
  get hash(): Uint8Array {
    return this.#bytes.subarray(this.#base + At.hash, this.#base + At.hash + 32);
  }
  get account(): number {
    return this.#word(At.account);
  }
  get counterparty(): number {
    return this.#word(At.counterparty);
  }
  get token(): number {
    return this.#word(At.token);
  }
  get hi(): number {
    return this.#word(At.hi);
  }
  get lo(): number {
    return this.#word(At.lo);
  }
  /** TransactionType code. */
  get type(): number {
    return this.#view.getUint16(this.#base + At.type, true);
  }
  /** TransactionResult code. */
  get result(): number {
    return this.#view.getUint16(this.#base + At.result, true);
  }
  get side(): EventSide {
    return this.#bytes[this.#base + At.side] as EventSide;
  }
  get tag(): number | undefined {
    const has = (this.#bytes[this.#base + At.flags]! & EventFlag.destinationTag) !== 0;
    return has ? this.#word(At.tag) : undefined;
  }
  get valueDrops(): number {
    return this.#view.getFloat64(this.#base + At.drops, true);
  }

  #word(at: number): number {
    return this.#view.getUint32(this.#base + at, true);
  }
}

const FIRST_EVENTS = 64;

/** The events of one ledger: one buffer, reused. */
export class EventBuffer {
  bytes = new Uint8Array(FIRST_EVENTS * EVENT_BYTES);
  count = 0;
  #view = new DataView(this.bytes.buffer);

  /** Adds one. @returns its bytes, a view */
  add(origin: EventOrigin, event: NewEvent): Uint8Array {
    const base = this.count * EVENT_BYTES;
    if (base + EVENT_BYTES > this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    const { bytes } = this;
    const view = this.#view;
    const word = (at: number, value: number): void => view.setUint32(base + at, value, true);
    bytes.fill(0, base, base + EVENT_BYTES);
    word(At.ledger, origin.ledger);
    word(At.tx, origin.tx);
    word(At.number, this.count);
    word(At.closeTime, origin.closeTime);
    bytes.set(origin.hash, base + At.hash);
    word(At.account, event.account);
    word(At.counterparty, event.counterparty);
    word(At.token, event.token);
    word(At.hi, event.hi);
    word(At.lo, event.lo);
    view.setUint16(base + At.type, origin.type, true);
    view.setUint16(base + At.result, origin.result, true);
    bytes[base + At.side] = event.side;
    if (event.tag !== undefined) {
      bytes[base + At.flags] = EventFlag.destinationTag;
      word(At.tag, event.tag);
    }
    view.setFloat64(base + At.drops, event.drops, true);
    this.count++;
    return bytes.subarray(base, base + EVENT_BYTES);
  }
}

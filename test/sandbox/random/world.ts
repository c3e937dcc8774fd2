/** A small ledger for random transactions: seven accounts, two of them issuers, and their entries so far. */
import { decodeTransaction, encodeTransaction, fromJson, toJson } from '../../../sandbox/protocol/encode.ts';
import { FieldError } from '../../../sandbox/protocol/field-table.ts';
import type { Entry, EntryType, TransactionFields } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { isGivenUp } from '../given-up.ts';
import { Rig, type TestAccount } from '../rig.ts';
import { drawsOf } from '../seed.ts';

export type Json = Record<string, unknown>;

const UINT32 = 2 ** 32;

/** Random values that are the same for the same seed. */
export class Draw {
  readonly below: (limit: number) => number;

  constructor(seed: number) {
    this.below = drawsOf(seed);
  }

  /** From 0 up to and without 1. */
  next(): number {
    return this.below(UINT32) / UINT32;
  }

  chance = (share: number): boolean => this.next() < share;
  pick = <T>(values: readonly T[]): T => values[this.below(values.length)] as T;
  /** `fields`, or none. */
  some = (share: number, fields: Json): Json => (this.chance(share) ? fields : {});
  hex = (bytes: number): string =>
    Array.from({ length: bytes }, () => this.below(256).toString(16).padStart(2, '0'))
      .join('')
      .toUpperCase();
  /** Each flag with one chance in four. */
  flags = (...all: number[]): number =>
    all.reduce((flags, one) => (this.chance(0.25) ? flags | one : flags), 0) >>> 0;
  /** A decimal of few or many digits, small ones more often. */
  decimal = (most: number): string =>
    Number((this.next() ** 3 * most + 1e-6).toPrecision(2 + this.below(13))).toString();
}

/** Reserve fees are asked of these. */
const COSTLY: ReadonlySet<string> = new Set(['AMMCreate', 'AccountDelete', 'VaultCreate']);

export class RandomLedger extends Rig {
  readonly holders: TestAccount[];
  readonly issuers: TestAccount[];
  readonly actors: TestAccount[];
  #list: Entry[] = [];

  constructor(readonly draw: Draw) {
    super();
    this.holders = this.fund('ann', 'ben', 'cat', 'dan', 'eve');
    this.issuers = this.fund('bank', 'mint');
    this.actors = [...this.holders, ...this.issuers];
    this.#settle();
    this.refresh();
  }

  #settle(): void {
    const { draw } = this;
    for (const issuer of this.issuers) {
      this.send({ TransactionType: 'AccountSet', Account: issuer.address, SetFlag: 8 });
      this.send({ TransactionType: 'AccountSet', Account: issuer.address, SetFlag: 17 });
    }
    for (const { address } of this.holders)
      for (const asset of this.assets().slice(1)) {
        const Limit = { ...asset, value: '100000' };
        this.send({ TransactionType: 'TrustSet', Account: address, LimitAmount: Limit });
        this.send({
          TransactionType: 'Payment',
          Account: asset.issuer,
          Destination: address,
          Amount: { ...asset, value: draw.decimal(9_000) },
        });
      }
  }

  /** XRP and the issued currencies of this ledger. */
  assets(): Json[] {
    const [bank, mint] = this.issuers.map(({ address }) => address);
    return [
      { currency: 'XRP' },
      { currency: 'USD', issuer: bank },
      { currency: 'EUR', issuer: bank },
      { currency: 'JPY', issuer: mint },
    ];
  }

  /** Reads the entries again; they are listed as of the last call. */
  refresh(): void {
    this.#list = this.entries();
  }

  /** Entries of a type. */
  all(type: EntryType): Entry[] {
    return this.#list.filter((entry) => entry.LedgerEntryType === type);
  }

  any(type: EntryType, fits: (entry: Entry) => boolean = () => true): Entry | undefined {
    const found = this.all(type).filter(fits);
    return found.length === 0 ? undefined : this.draw.pick(found);
  }

  /** Address of an account id; an unused one if there is none. */
  addressOf(id: string | undefined): string {
    return (toJson({ Account: id ?? 'A'.repeat(40) }) as { Account: string }).Account;
  }

  personOf(id: string | undefined): TestAccount | undefined {
    return this.actors.find((person) => person.id === id);
  }

  get now(): number {
    return this.ledger.header.parentCloseTime;
  }

  sequenceOf(address: unknown): number {
    const person = this.actors.find((one) => one.address === address);
    return person ? (this.ledger.read(keylets.account(person.id))?.Sequence ?? 1) : 1;
  }

  /** What a transaction lacks, as a wallet would fill it in. */
  filled(json: Json): Json {
    const Sequence = json.TicketSequence === undefined ? this.sequenceOf(json.Account) : 0;
    const Fee = COSTLY.has(String(json.TransactionType)) ? '200000' : '10000';
    return { Fee, Sequence, SigningPubKey: `ED${'0'.repeat(64)}`, TxnSignature: 'AB', ...json };
  }

  /** Whether a payment that was just refused as an exception is one that the network gives up by rule. */
  gaveUp(json: Json): boolean {
    return isGivenUp(this.ledger, fromJson(this.filled(json) as never) as TransactionFields);
  }

  /**
   * Fills in, encodes and applies; all signatures count as valid, keys and signer lists are checked.
   * @returns the result's code; undefined for what cannot be written as a transaction.
   */
  send(json: Json): string | undefined {
    const full = this.filled(json);
    const signer = this.actors.find(({ address }) => address === (json.Delegate ?? json.Account));
    if (json.SigningPubKey === undefined && signer) full.SigningPubKey = signer.publicKey;
    let blob: Uint8Array;
    try {
      blob = encodeTransaction(fromJson(full as never) as TransactionFields);
    } catch {
      return undefined;
    }
    try {
      decodeTransaction(blob);
    } catch (error) {
      if (error instanceof FieldError) return undefined;
      throw error;
    }
    return this.applyBlob(blob, { verify: () => true }).result;
  }
}

/**
 * One turn of the people: what is known of the ledger so far, and what they sign for the next one.
 *
 * Everything a person decides comes from here: the state of the parent, its close time, and chance that is drawn from
 * seed, ledger and the person's own name. So the same ledger always brings the same next one.
 */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import type { ParsedTransaction } from '../apply/environment.ts';
import { transactionOfFields } from '../apply/transaction.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { ReadView } from '../ledger/view.ts';
import { Amount, amountOfText } from '../protocol/amount.ts';
import { type AccountId, type Asset, type Hex, isIssued, issuerOf, isXrp } from '../protocol/asset.ts';
import type { Entry, EntryType, Fields, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { signingBytes } from '../protocol/keys.ts';
import type { Result } from '../protocol/results.ts';
import type { People, Person } from './people.ts';
import { Chance } from './random.ts';
import type { Economy } from './tokens.ts';

const FEE_DROPS = 12n;
/** Ledgers a transaction has to get in: one that was held must not come after the next turn's. */
const LEDGERS_TO_LIVE = 2;
/** Digits of an amount that a person writes. */
const DIGITS = 7;
const POWERS = Array.from({ length: 193 }, (_, i) => Number(`1e${i - 96}`));
/** A ledger of history is this long, seconds: what happens per time is told for it. */
const USUAL_STEP = 60;

/** What is told of a transaction whose outcome matters. */
export interface Noted {
  /** Id of the scenario or row of the catalogue. */
  readonly id: string;
  readonly step?: string;
  /** The result it is to have. Default: tesSUCCESS. */
  readonly meant?: Result;
}

/** What a transaction is to say; the rest is filled in. */
export type Wish = Omit<Fields, keyof TransactionFields> & {
  TransactionType: string;
} & Partial<TransactionFields>;

export type Sent = ParsedTransaction | undefined;

/** Where what matters is written down. */
export interface TurnTruth {
  note(noted: Noted, transaction: ParsedTransaction, person: Person, ledger: number): void;
  fact(id: string, name: string, value: number | string): void;
}

export interface TurnOptions {
  readonly parent: ClosedLedger;
  readonly closeTime: number;
  readonly people: People;
  readonly economy: Economy;
  readonly seed: string;
  readonly epoch: number;
  readonly networkId: number;
  readonly truth: TurnTruth;
}

/** An amount as a number: XRP, tokens, units of an MPT. */
export function numberOf(amount: Amount): number {
  if (amount.isNative) return Number(amount.mantissa) / DROPS_PER_XRP;
  if (amount.isZero) return 0;
  return Number(amount.mantissa) * POWERS[amount.exponent + 96]!;
}

/** So much of an asset, to seven digits. */
export function amountOf(asset: Asset, value: number): Amount {
  if (isXrp(asset)) return Amount.drops(Math.max(1, Math.round(value * DROPS_PER_XRP)));
  if (isIssued(asset)) return amountOfText(asset, value.toPrecision(DIGITS));
  return Amount.mpt(asset, Math.max(1, Math.round(value)));
}

export class Turn {
  readonly parent: ClosedLedger;
  readonly view: ReadView;
  readonly people: People;
  readonly economy: Economy;
  /** When the ledger to come will have closed, Ripple epoch seconds. */
  readonly closeTime: number;
  /** When the parent closed. */
  readonly now: number;
  readonly epoch: number;
  /** Index of the ledger to come. */
  readonly index: number;
  readonly networkId: number;
  /** Length of the ledger to come against one of history: 1, or less. */
  readonly share: number;
  readonly transactions: ParsedTransaction[] = [];
  readonly #seed: string;
  readonly truth: TurnTruth;
  readonly #sequences = new Map<AccountId, number>();

  constructor(options: TurnOptions) {
    const { parent, closeTime } = options;
    this.parent = parent;
    this.view = parent.view();
    this.people = options.people;
    this.economy = options.economy;
    this.closeTime = closeTime;
    this.now = parent.closeTime;
    this.epoch = options.epoch;
    this.index = parent.index + 1;
    this.networkId = options.networkId;
    this.share = Math.min(1, Math.max(1, closeTime - this.now) / USUAL_STEP);
    this.#seed = options.seed;
    this.truth = options.truth;
  }

  /** Chance for one purpose in this ledger. */
  chance(purpose: string): Chance {
    return new Chance(`${this.#seed}/${this.index}/${purpose}`);
  }

  /** Whether a moment came with the parent: true for exactly one ledger. @param offset seconds since the epoch */
  came(offset: number): boolean {
    const at = this.epoch + offset;
    return at <= this.now && at > this.parent.header.parentCloseTime;
  }

  root(person: { readonly account: AccountId }): Readonly<Entry> | undefined {
    return this.view.read(keylets.account(person.account));
  }

  /** XRP, 0 without an account. */
  xrp(person: { readonly account: AccountId }): number {
    const balance = this.root(person)?.Balance;
    return balance === undefined ? 0 : numberOf(balance);
  }

  line(account: AccountId, asset: Asset): Readonly<Entry> | undefined {
    return this.view.read(keylets.line(account, issuerOf(asset), asset.slice(0, 40)));
  }

  /** What an account has of an asset: XRP, tokens, units. */
  holds(account: AccountId, asset: Asset): number {
    if (isXrp(asset)) return this.xrp({ account });
    if (!isIssued(asset)) return Number(this.view.read(keylets.mptoken(asset, account))?.MPTAmount ?? 0n);
    const balance = this.line(account, asset)?.Balance;
    if (balance === undefined) return 0;
    return account < issuerOf(asset) ? numberOf(balance) : -numberOf(balance);
  }

  /** What an account has in its directory, of one kind. */
  owned(account: AccountId, type: EntryType): Readonly<Entry>[] {
    return this.listed(keylets.ownerDirectory(account), type);
  }

  /** Ids of the NFTs of an account. */
  nfts(account: AccountId): Hex[] {
    const found: Hex[] = [];
    const last = keylets.nftPageMax(account);
    let key: Hex | undefined = this.view.read(last) === undefined ? undefined : last;
    while (key !== undefined) {
      const page: Readonly<Entry> | undefined = this.view.read(key);
      for (const { NFToken } of page?.NFTokens ?? []) found.push(NFToken!.NFTokenID!);
      key = page?.PreviousPageMin;
    }
    return found;
  }

  /** What a directory lists, of one kind or all. */
  listed(root: Hex, type?: EntryType): Readonly<Entry>[] {
    const found: Readonly<Entry>[] = [];
    for (let page = 0n; ; ) {
      const directory = this.view.read(keylets.directoryPage(root, page));
      for (const key of directory?.Indexes ?? []) {
        const entry = this.view.read(key);
        if (entry !== undefined && (type === undefined || entry.LedgerEntryType === type)) found.push(entry);
      }
      page = directory?.IndexNext ?? 0n;
      if (page === 0n) return found;
    }
  }

  /** Next sequence number of an account. */
  sequence(person: Person): number {
    return this.#sequences.get(person.account) ?? this.root(person)?.Sequence ?? 0;
  }

  /** Counts what goes out by other ways than `send`. */
  used(person: Person, sequences = 1): void {
    this.#sequences.set(person.account, this.sequence(person) + sequences);
  }

  /** What every transaction has, and what this one says. */
  filled(person: Person, fields: Wish): TransactionFields {
    return {
      Account: person.account,
      Fee: Amount.drops(FEE_DROPS),
      Flags: 0,
      Sequence: fields.TicketSequence === undefined ? this.sequence(person) : 0,
      LastLedgerSequence: this.index + LEDGERS_TO_LIVE,
      NetworkID: this.networkId,
      SigningPubKey: person.publicKey,
      ...fields,
    };
  }

  /**
   * Signs a transaction and puts it among those of this turn; nothing when the person has no account yet.
   * @param signer whose key signs, when it is another's
   */
  send(person: Person, fields: Wish, noted?: Noted, signer = person): Sent {
    if (this.root(person) === undefined) return undefined;
    const filled = this.filled(person, { SigningPubKey: signer.publicKey, ...fields });
    filled.TxnSignature = signer.sign(signingBytes(filled));
    return this.put(person, filled, noted);
  }

  /** Puts a transaction in that is signed already. */
  put(person: Person, signed: TransactionFields, noted?: Noted): ParsedTransaction {
    const transaction = transactionOfFields(signed);
    if (signed.TicketSequence === undefined) this.used(person);
    this.transactions.push(transaction);
    if (noted !== undefined) this.truth.note(noted, transaction, person, this.index);
    return transaction;
  }

  pay(
    from: Person,
    to: AccountId,
    asset: Asset,
    value: number,
    more: Partial<Wish> = {},
    noted?: Noted,
  ): Sent {
    const Amount = amountOf(asset, value);
    return this.send(from, { TransactionType: 'Payment', Destination: to, Amount, ...more }, noted);
  }

  trust(person: Person, asset: Asset, limit: number, more: Partial<Wish> = {}, noted?: Noted): Sent {
    const LimitAmount = limit === 0 ? Amount.zero(asset) : amountOf(asset, limit);
    return this.send(person, { TransactionType: 'TrustSet', LimitAmount, ...more }, noted);
  }
}

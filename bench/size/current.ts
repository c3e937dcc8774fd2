/**
 * What ledgers changed in the sized network: objects for the entries that a ledger changed, over the numbers of
 * network.ts for all others. Each object describes its entry as fields, from which transactions derive what was before
 * and after. Memory: a few hundred bytes for each entry that changed.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  ACCOUNT_ONE,
  type AccountId,
  type Asset,
  type Hex,
  issued,
} from '../../engine/codec/arithmetic/asset.ts';
import { hash2 } from '../../engine/state/hash.ts';
import type { EntryType, Fields } from '../../sandbox/protocol/fields.ts';
import { type Entries, Flag } from './entries.ts';
import { Side, type SizedNetwork, UNITS } from './network.ts';
import { Random } from './random.ts';

const KEY_BYTES = 32;

/** Thread of entries that no ledger changed yet, as entries.ts writes it. */
const FIRST_THREAD = { PreviousTxnID: 'D4'.repeat(32), PreviousTxnLgrSeq: 90_000_000 } as const;

/** An entry that may change. */
export abstract class CurrentEntry {
  abstract readonly type: EntryType;
  readonly key: Hex;
  /** Transaction that changed it last. */
  thread: { readonly PreviousTxnID: Hex; readonly PreviousTxnLgrSeq: number } = FIRST_THREAD;
  exists = true;

  constructor(key: Hex) {
    this.key = key;
  }

  /** As it is now; without type, key and thread. */
  abstract fields(): Fields;
}

export class Account extends CurrentEntry {
  readonly type = 'AccountRoot';
  readonly id: AccountId;
  drops: number;
  sequence: number;
  owned: number;
  readonly #fixed: Fields;

  constructor(key: Hex, id: AccountId, drops: number, sequence: number, owned: number, fixed: Fields) {
    super(key);
    this.id = id;
    this.drops = drops;
    this.sequence = sequence;
    this.owned = owned;
    this.#fixed = fixed;
  }

  fields(): Fields {
    const { id, drops, sequence, owned } = this;
    return {
      ...this.#fixed,
      Account: id,
      Balance: Amount.drops(drops),
      Sequence: sequence,
      OwnerCount: owned,
    };
  }
}

export class TrustLine extends CurrentEntry {
  readonly type = 'RippleState';
  /** Account number. */
  readonly holder: number;
  /** Millionths that the holder has. */
  units: number;
  /** Tokens that the holder trusts for. */
  limit: number;
  readonly #asset: Asset;
  readonly #low: AccountId;
  readonly #high: AccountId;
  readonly #holderIsLow: boolean;
  readonly #flags: number;

  constructor(
    key: Hex,
    asset: Asset,
    holder: { readonly number: number; readonly id: AccountId },
    amounts: { readonly units: number; readonly limit: number },
    flags: number,
  ) {
    super(key);
    this.#asset = asset;
    this.holder = holder.number;
    this.units = amounts.units;
    this.limit = amounts.limit;
    const issuer = asset.slice(40);
    this.#holderIsLow = holder.id < issuer;
    this.#low = this.#holderIsLow ? holder.id : issuer;
    this.#high = this.#holderIsLow ? issuer : holder.id;
    this.#flags = flags | (this.#holderIsLow ? Flag.lowReserve : Flag.highReserve);
  }

  fields(): Fields {
    const currency = this.#asset.slice(0, 40);
    const limit = unitsOf(this.limit * UNITS);
    const [low, high] = this.#holderIsLow ? [limit, 0n] : [0n, limit];
    const balance = unitsOf(this.#holderIsLow ? this.units : -this.units);
    return {
      Flags: this.#flags,
      LowNode: 0n,
      HighNode: 0n,
      Balance: Amount.issued(issued(currency, ACCOUNT_ONE), balance, -6),
      LowLimit: Amount.issued(issued(currency, this.#low), low, -6),
      HighLimit: Amount.issued(issued(currency, this.#high), high, -6),
    };
  }
}

export class OpenOffer extends CurrentEntry {
  readonly type = 'Offer';
  readonly number: number;
  readonly token: number;
  readonly side: Side;
  /** Account number. */
  readonly owner: number;
  readonly sequence: number;
  units: number;
  drops: number;
  readonly directory: Hex;
  readonly #ownerId: AccountId;
  readonly #asset: Asset;

  constructor(
    key: Hex,
    number: number,
    of: { token: number; side: Side; owner: number; sequence: number; units: number; drops: number },
    ids: { readonly owner: AccountId; readonly asset: Asset; readonly directory: Hex },
  ) {
    super(key);
    this.number = number;
    this.token = of.token;
    this.side = of.side;
    this.owner = of.owner;
    this.sequence = of.sequence;
    this.units = of.units;
    this.drops = of.drops;
    this.directory = ids.directory;
    this.#ownerId = ids.owner;
    this.#asset = ids.asset;
  }

  get isAsk(): boolean {
    return this.side === Side.ask;
  }

  /** What a taker pays, and gets. */
  get amounts(): { TakerPays: Amount; TakerGets: Amount } {
    const tokens = Amount.issued(this.#asset, unitsOf(this.units), -6);
    const xrp = Amount.drops(this.drops);
    return this.isAsk ? { TakerPays: xrp, TakerGets: tokens } : { TakerPays: tokens, TakerGets: xrp };
  }

  fields(): Fields {
    return {
      Flags: this.isAsk ? Flag.sell : 0,
      Sequence: this.sequence,
      Account: this.#ownerId,
      BookDirectory: this.directory,
      BookNode: 0n,
      OwnerNode: 0n,
      ...this.amounts,
    };
  }
}

/** A directory page: it is named as changed, what it lists is not kept. */
export class Directory extends CurrentEntry {
  readonly type = 'DirectoryNode';
  readonly #fields: Fields;

  /** Of a book's directory: how many offers it lists. */
  offers = 1;

  constructor(key: Hex, fields: Fields) {
    super(key);
    this.#fields = { Flags: 0, RootIndex: key, ...fields };
  }

  fields(): Fields {
    return this.#fields;
  }
}

export class CurrentState {
  readonly network: SizedNetwork;
  readonly entries: Entries;
  readonly #accounts = new Map<number, Account>();
  readonly #lines = new Map<string, TrustLine>();
  readonly #assets = new Map<number, Asset>();
  readonly #ownerDirectories = new Map<number, Directory>();
  readonly #bookDirectories = new Map<Hex, Directory>();
  /** Lines set since, by token. */
  readonly #linesAdded = new Map<number, number>();

  constructor(entries: Entries) {
    this.entries = entries;
    this.network = entries.network;
  }

  /** Every entry that a ledger changed or may have changed, apart from offers. */
  *changed(): Generator<Account | TrustLine> {
    yield* this.#accounts.values();
    yield* this.#lines.values();
  }

  id(account: number): AccountId {
    return this.#accounts.get(account)?.id ?? hex(this.network.accountBytes(account));
  }

  asset(token: number): Asset {
    let asset = this.#assets.get(token);
    if (asset === undefined) {
      asset = issued(hex(this.network.currency(token)), this.id(this.network.issuer(token)));
      this.#assets.set(token, asset);
    }
    return asset;
  }

  account(number: number): Account {
    let account = this.#accounts.get(number);
    if (account === undefined) {
      const { network, entries } = this;
      const isPool = network.poolOfAccount(number) !== undefined;
      const fixed = {
        Flags: entries.accountFlags(number),
        ...(isPool ? { AMMID: FIRST_THREAD.PreviousTxnID } : {}),
      };
      account = new Account(
        entries.key(entries.from.accounts + number),
        this.id(number),
        network.drops(number),
        network.sequence(number),
        entries.ownerCount(number),
        fixed,
      );
      this.#accounts.set(number, account);
    }
    return account;
  }

  /** How many lines of holders a token has had, removed ones too. */
  linesOf(token: number): number {
    return this.network.linesOf(token) + (this.#linesAdded.get(token) ?? 0);
  }

  /** Line `k` of a token, k below `linesOf`. */
  line(token: number, k: number): TrustLine {
    const { network, entries } = this;
    return this.#line(`${token}.${k}`, () => {
      const { holder, units, limit } = network.line(token, k);
      const key = entries.key(entries.from.lines + network.linesFrom[token]! + k);
      return new TrustLine(key, this.asset(token), this.#named(holder), { units, limit }, 0);
    });
  }

  /** A new line of a token. */
  addLine(token: number, key: Hex, limit: number): TrustLine {
    const k = this.linesOf(token);
    this.#linesAdded.set(token, k + 1 - this.network.linesOf(token));
    const holder = this.#named(this.network.holder(token, k));
    return this.#line(
      `${token}.${k}`,
      () => new TrustLine(key, this.asset(token), holder, { units: 0, limit }, 0),
    );
  }

  /** The line in which a pool holds its second side. */
  reserve(pool: number): TrustLine {
    const { network, entries } = this;
    return this.#line(`pool ${pool}`, () => {
      const { token, account, second } = network.pool(pool);
      const key = entries.key(entries.reserveEntry(pool, 2));
      return new TrustLine(
        key,
        this.asset(token),
        this.#named(account),
        { units: second, limit: 0 },
        Flag.ammLine,
      );
    });
  }

  /** The directory of what an account owns. */
  ownerDirectory(account: number): Directory {
    let directory = this.#ownerDirectories.get(account);
    if (directory === undefined) {
      const key = new Random(hash2(account, this.network.seed)).hex(KEY_BYTES);
      directory = new Directory(key, { Owner: this.id(account) });
      this.#ownerDirectories.set(account, directory);
    }
    return directory;
  }

  /** The directory of the offers of one quality, which exists as long as it lists one. */
  bookDirectory({ directory: key }: OpenOffer): Directory {
    let directory = this.#bookDirectories.get(key);
    if (!directory?.exists) {
      directory = new Directory(key, { ExchangeRate: BigInt(`0x${key.slice(48)}`) });
      this.#bookDirectories.set(key, directory);
    }
    return directory;
  }

  /** Whether a directory for that offer is there already, because of another one that was placed. */
  hasBookDirectory({ directory }: OpenOffer): boolean {
    return this.#bookDirectories.get(directory)?.exists === true;
  }

  #line(name: string, make: () => TrustLine): TrustLine {
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = make();
      this.#lines.set(name, line);
    }
    return line;
  }

  #named(account: number): { number: number; id: AccountId } {
    return { number: account, id: this.id(account) };
  }
}

function unitsOf(units: number): bigint {
  return BigInt(units);
}

export function hex(bytes: Uint8Array): Hex {
  return bytes.toHex().toUpperCase();
}

/**
 * A market of 5,000 assets and 20,000 edges for the suite `quote`, as ledger entries that the engine's columns and the embedded
 * network's path finder both read.
 *
 *     XRP ── half of all edges           hubs (every 250th token) ── a quarter           others among themselves
 *
 * Each token has a value in XRP; books stand around the ratio of two values, pools at it. Made from a seed: the same entries
 * for the same one.
 */
import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  ACCOUNT_ONE,
  ACCOUNT_ZERO,
  type AccountId,
  type Asset,
  CURRENCY_XRP,
  currencyOf,
  HASH_ZERO,
  type Hex,
  issued,
  issuerOf,
  XRP,
} from '../../engine/codec/arithmetic/asset.ts';
import { getRate } from '../../engine/codec/arithmetic/quality.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import { lpTokenAsset } from '../../sandbox/assets/amm.ts';
import { dirAppend, listOwned } from '../../sandbox/ledger/directory.ts';
import { LedgerState, StateView } from '../../sandbox/ledger/state.ts';
import { EntryTable } from '../../sandbox/ledger/tables.ts';
import type { ReadView, ViewHeader } from '../../sandbox/ledger/view.ts';
import type { BookSource } from '../../sandbox/paths/book-index.ts';
import { type Rules, SANDBOX_RULES } from '../../sandbox/protocol/amendments.ts';
import type { Entry } from '../../sandbox/protocol/fields.ts';
import { Lsf } from '../../sandbox/protocol/flags.ts';
import * as keylets from '../../sandbox/protocol/keylets.ts';
import { Random } from '../size/random.ts';

export const TOKENS = 5_000;
export const EDGES = 20_000;
const ISSUERS = 1_000;
const MAKERS = 200;
const HUB_EVERY = 250;
/** Of the pairs: with a pool, which is an edge each way; the others have a book one way. */
const POOLS_SHARE = 0.15;
const OFFERS_A_BOOK = 3;
export const CLOSE_TIME = 800_000_000;
/** Tokens that the sender and the receiver have. */
const HELD = 40;

const HEADER: ViewHeader = {
  index: 100,
  parentHash: '11'.repeat(32),
  parentCloseTime: CLOSE_TIME,
  closeTime: CLOSE_TIME + 4,
  totalDrops: 10n ** 17n,
};

const accountOf = (name: string): AccountId => hexOf(sha512Half(new TextEncoder().encode(name))).slice(0, 40);

export interface QuoteNetwork {
  readonly entries: readonly Entry[];
  readonly view: ReadView;
  readonly books: BookSource;
  readonly assets: readonly Asset[];
  /** XRP of one unit. */
  readonly values: readonly number[];
  /** Assets that sender and receiver have. */
  readonly held: readonly Asset[];
  readonly sender: AccountId;
  readonly receiver: AccountId;
}

export function quoteNetwork(seed: number, rules: Rules = SANDBOX_RULES): QuoteNetwork {
  return new Maker(seed, rules).run();
}

class Maker {
  readonly #random: () => number;
  readonly #table: EntryTable;
  readonly #rules: Rules;
  readonly #assets: Asset[] = [XRP];
  readonly #values: number[] = [1];
  readonly #outputs = new Map<Asset, Set<Asset>>();
  readonly #lines = new Set<Hex>();
  #sequence = 1;

  constructor(seed: number, rules: Rules) {
    const random = new Random(seed);
    this.#random = () => random.uniform();
    this.#rules = rules;
    this.#table = new EntryTable(new StateView(new LedgerState(), HEADER, rules));
  }

  run(): QuoteNetwork {
    const [sender, receiver] = [accountOf('sender'), accountOf('receiver')];
    for (const id of [sender, receiver]) this.#root(id);
    for (let i = 0; i < MAKERS; i += 1) this.#root(accountOf(`maker ${i}`));
    for (let i = 0; i < ISSUERS; i += 1) this.#root(accountOf(`issuer ${i}`), Lsf.lsfDefaultRipple);
    for (let i = 0; i < TOKENS; i += 1) {
      const letters = i.toString(36).toUpperCase().padStart(3, 'Q');
      const code = hexOf(new TextEncoder().encode(letters));
      this.#assets.push(
        issued(`${'00'.repeat(12)}${code}${'00'.repeat(5)}`, accountOf(`issuer ${i % ISSUERS}`)),
      );
      this.#values.push(10 ** (this.#random() * 4 - 2));
    }
    this.#edges();
    const held = this.#assets.filter((_, i) => i > 0 && i % Math.floor(TOKENS / HELD) === 1);
    for (const asset of held)
      for (const id of [sender, receiver]) this.#line(id, Amount.issued(asset, 1_000_000n, 0));
    const state = new LedgerState();
    const entries = [...this.#table.changes()].map(({ after }) => after);
    for (const entry of entries) state.put(entry);
    const outputs = (pays: Asset): Asset[] => [...(this.#outputs.get(pays) ?? [])];
    return {
      entries,
      view: new StateView(state, HEADER, this.#rules),
      books: { outputs, count: (pays) => this.#outputs.get(pays)?.size ?? 0 },
      assets: this.#assets,
      values: this.#values,
      held,
      sender,
      receiver,
    };
  }

  #edges(): void {
    let edges = 0;
    while (edges < EDGES) {
      const [a, b] = this.#pair();
      if (a === b || this.#outputs.get(this.#assets[a]!)?.has(this.#assets[b]!)) continue;
      const isPool =
        this.#random() < POOLS_SHARE && !this.#outputs.get(this.#assets[b]!)?.has(this.#assets[a]!);
      if (isPool) this.#pool(a, b);
      else for (let i = 0; i < OFFERS_A_BOOK; i += 1) this.#offer(a, b);
      this.#edge(a, b);
      if (isPool) this.#edge(b, a);
      edges += isPool ? 2 : 1;
    }
  }

  #edge(a: number, b: number): void {
    const from = this.#assets[a]!;
    const found = this.#outputs.get(from) ?? new Set();
    this.#outputs.set(from, found.add(this.#assets[b]!));
  }

  /** Half with XRP, a quarter with a hub. */
  #pair(): [number, number] {
    const draw = this.#random();
    const one = 1 + Math.floor(this.#random() * TOKENS);
    const hub = 1 + HUB_EVERY * Math.floor((this.#random() * TOKENS) / HUB_EVERY);
    const other = draw < 0.5 ? 0 : draw < 0.75 ? hub : 1 + Math.floor(this.#random() * TOKENS);
    return this.#random() < 0.5 ? [one, other] : [other, one];
  }

  #amount(index: number, xrp: number): Amount {
    const asset = this.#assets[index]!;
    if (asset === XRP) return Amount.drops(BigInt(Math.round(xrp * 1e6)));
    return Amount.issued(asset, BigInt(Math.round((xrp / this.#values[index]!) * 1e9)), -9);
  }

  #root(Account: AccountId, Flags = 0, more: Partial<Entry> = {}, drops = 10_000_000_000_000n): void {
    this.#table.insert({
      LedgerEntryType: 'AccountRoot',
      index: keylets.account(Account),
      Account,
      Balance: Amount.drops(drops),
      Sequence: 1,
      OwnerCount: 0,
      Flags,
      PreviousTxnID: HASH_ZERO,
      PreviousTxnLgrSeq: 0,
      ...more,
    });
  }

  #line(holder: AccountId, amount: Amount, flags = 0): void {
    const { asset } = amount;
    const [issuer, currency] = [issuerOf(asset), currencyOf(asset) as Hex];
    const index = keylets.line(holder, issuer, currency);
    if (this.#lines.has(index)) return;
    this.#lines.add(index);
    const isLow = holder < issuer;
    const limit = Amount.issued(issued(currency, holder), 1_000_000_000_000n, 0);
    const none = Amount.zero(issued(currency, issuer));
    this.#table.insert({
      LedgerEntryType: 'RippleState',
      index,
      Flags: flags | (isLow ? Lsf.lsfLowReserve : Lsf.lsfHighReserve),
      Balance: (isLow ? amount : amount.negate()).withAsset(issued(currency, ACCOUNT_ONE)),
      LowLimit: isLow ? limit : none,
      HighLimit: isLow ? none : limit,
      // Path finders begin at the lines that an account's directory lists.
      LowNode: listOwned(this.#table, isLow ? holder : issuer, index)!,
      HighNode: listOwned(this.#table, isLow ? issuer : holder, index)!,
      PreviousTxnID: HASH_ZERO,
      PreviousTxnLgrSeq: 0,
    });
  }

  #offer(a: number, b: number): void {
    const owner = accountOf(`maker ${Math.floor(this.#random() * MAKERS)}`);
    const xrp = 10 + this.#random() * 990;
    const pays = this.#amount(a, xrp * (1.001 + this.#random() * 0.03));
    const gets = this.#amount(b, xrp);
    if (b > 0) this.#line(owner, Amount.issued(this.#assets[b]!, 1_000_000_000n, 0));
    const rate = getRate(gets, pays);
    const base = keylets.bookBase({ takerPays: pays.asset, takerGets: gets.asset, domain: undefined });
    const directory = keylets.bookDirectory(base, rate);
    const sequence = this.#sequence++;
    const index = keylets.offer(owner, sequence);
    const BookNode = dirAppend(this.#table, directory, index, (page) => {
      page.TakerPaysCurrency = currencyOf(pays.asset) ?? CURRENCY_XRP;
      page.TakerPaysIssuer = pays.isNative ? ACCOUNT_ZERO : issuerOf(pays.asset);
      page.TakerGetsCurrency = currencyOf(gets.asset) ?? CURRENCY_XRP;
      page.TakerGetsIssuer = gets.isNative ? ACCOUNT_ZERO : issuerOf(gets.asset);
      page.ExchangeRate = rate;
    })!;
    this.#table.insert({
      LedgerEntryType: 'Offer',
      index,
      Flags: 0,
      Account: owner,
      Sequence: sequence,
      TakerPays: pays,
      TakerGets: gets,
      BookDirectory: directory,
      BookNode,
      OwnerNode: 0n,
      PreviousTxnID: HASH_ZERO,
      PreviousTxnLgrSeq: 0,
    });
  }

  #pool(a: number, b: number): void {
    const [one, two] = [this.#assets[Math.min(a, b)]!, this.#assets[Math.max(a, b)]!];
    const xrp = 1_000 + this.#random() * 100_000;
    const account = accountOf(`pool of ${one} and ${two}`);
    const index = keylets.amm(one, two);
    this.#root(
      account,
      Lsf.lsfDefaultRipple,
      { AMMID: index },
      one === XRP ? BigInt(Math.round(xrp * 1e6)) : 0n,
    );
    for (const number of [a, b])
      if (number > 0) this.#line(account, this.#amount(number, xrp), Lsf.lsfAMMNode);
    const shares = Amount.issued(lpTokenAsset(one, two, account), 1_000_000n, 0);
    this.#table.insert({
      LedgerEntryType: 'AMM',
      index,
      Flags: 0,
      Account: account,
      Asset: one,
      Asset2: two,
      TradingFee: Math.floor(this.#random() * 1000),
      LPTokenBalance: shares,
      OwnerNode: 0n,
      PreviousTxnID: HASH_ZERO,
      PreviousTxnLgrSeq: 0,
    });
  }
}

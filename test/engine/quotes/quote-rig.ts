/** A market of the embedded network's engine and the same ledger as state columns: what is quoted from these, that engine pays. */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { currencyOf, issuerOf, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { Changes } from '../../../engine/codec/changes.ts';
import { extractEntries } from '../../../engine/codec/extract.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import { assetOf } from '../../../engine/quotes/amounts.ts';
import { FirstOffers } from '../../../engine/quotes/first-offers.ts';
import { type Quote, type QuoteRequest, quoteOver } from '../../../engine/quotes/quote.ts';
import { type LedgerRules, ledgerRules, MAIN_RULES } from '../../../engine/quotes/rules.ts';
import { namedSteps } from '../../../engine/quotes/strands-of.ts';
import { BookPlaces } from '../../../engine/state/book-places.ts';
import { State } from '../../../engine/state/state.ts';
import { XRP as XRP_TOKEN } from '../../../engine/state/tokens.ts';
import type { FlowResult } from '../../../sandbox/flow/flow.ts';
import { PaymentView } from '../../../sandbox/flow/payment-view.ts';
import { rippleCalculate } from '../../../sandbox/flow/ripple-calculate.ts';
import { encodeEntry } from '../../../sandbox/protocol/encode.ts';
import type { Entry, PathStep } from '../../../sandbox/protocol/fields.ts';
import { statePage } from '../../../support/state-page.ts';
import type { MarketRig } from '../../sandbox/flow/market-rig.ts';

export const SMALL_LIMITS = {
  accounts: 1000,
  currencies: 1000,
  tokens: 1000,
  lines: 10_000,
  domains: 100,
  offers: 10_000,
  pools: 1000,
  oracles: 10,
  lineQualities: 1000,
  depositPreauths: 100,
} as never;

/** Entries as a page of a snapshot. */
export const pageOf = (entries: readonly Entry[]): Uint8Array =>
  statePage(entries.map((entry) => [bytesOf(entry.index), encodeEntry(entry)]));

/** Entries that the state has columns for, as far as payments read them. */
export const STATE_TYPES: ReadonlySet<string> = new Set([
  'AccountRoot',
  'RippleState',
  'Offer',
  'AMM',
  'DepositPreauth',
]);

/** The rules of the embedded network, and of the main network. */
const SANDBOX = ledgerRules({ vaults: true, cleanup: true });

/** By rules, over all markets of a test: what was made for one may never be taken for another. */
const FIRST_OFFERS: ReadonlyMap<LedgerRules, FirstOffers> = new Map(
  [SANDBOX, MAIN_RULES].map((rules) => [rules, new FirstOffers()]),
);

export class QuoteRig {
  readonly state = new State(SMALL_LIMITS);
  readonly rules: LedgerRules;
  readonly #market: MarketRig;

  constructor(market: MarketRig) {
    this.#market = market;
    this.rules = market.rig.ledger.rules.enabled('SingleAssetVault') ? SANDBOX : MAIN_RULES;
    const { ledger } = market.rig;
    const entries = market.rig
      .entries()
      .filter(({ LedgerEntryType: type }) => STATE_TYPES.has(type!) || type === 'DirectoryNode');
    const page = pageOf(entries);
    const changes = new Changes(extractEntries(page));
    const places = new BookPlaces(this.state);
    this.state.applyEntries(page, changes);
    places.applyEntries(page, changes);
    runToEnd(this.state.rebuilding());
    runToEnd(places.snapshotTaken());
    const header = new Uint8Array(118);
    new DataView(header.buffer).setUint32(112, ledger.header.parentCloseTime);
    this.state.fees.applyHeader(header);
  }

  /** Token id of `XRP` or `USD/gate`. */
  token(text: string): number {
    if (text === XRP) return XRP_TOKEN;
    const asset = this.#market.asset(text);
    const { accounts, currencies, tokens } = this.state;
    const issuer = accounts.find(bytesOf(issuerOf(asset)), 0);
    const code = currencies.find(bytesOf(currencyOf(asset)!), 0);
    return issuer === undefined ? 0 : tokens.findPair(issuer, code);
  }

  account(name: string): number {
    return this.state.accounts.find(bytesOf(this.#market.id(name)), 0)!;
  }

  /** A request in short texts: `12.5`, `100/USD/gate`. */
  request(ask: QuoteAsk): QuoteRequest {
    const value = this.#market.value(ask.amount);
    const [source, destination] = [this.token(ask.source), this.token(ask.destination)];
    const token = ask.side === 'in' ? source : destination;
    return {
      source,
      destination,
      sender: this.account(ask.from),
      receiver: this.account(ask.to),
      side: ask.side,
      amount: value.withAsset(assetOf(token)),
    };
  }

  quote(ask: QuoteAsk): Quote | undefined {
    const paths = (ask.paths ?? []).map((path) => path.map((token) => this.token(token)));
    return quoteOver(this.state, this.request(ask), paths, this.rules, FIRST_OFFERS.get(this.rules));
  }

  /** What the network's engine pays for the same on its ledger, which stays as it is. */
  paid(ask: QuoteAsk): FlowResult {
    const market = this.#market;
    const value = market.value(ask.amount);
    const [send, deliver] = [market.asset(ask.source), market.asset(ask.destination)];
    // Before any path is looked at (rippled Payment.cpp).
    if (ask.from === ask.to && currencyOf(send) === currencyOf(deliver) && !ask.paths?.length) {
      const none = { in: Amount.zero(send), out: Amount.zero(deliver) };
      return { result: 'temREDUNDANT', ...none, removals: new Set() };
    }
    return rippleCalculate(new PaymentView(market.rig.ledger), {
      source: market.id(ask.from),
      destination: market.id(ask.to),
      deliver: ask.side === 'out' ? value : mostOf(deliver),
      maximum: ask.side === 'in' ? value : mostOf(send),
      paths: (ask.paths ?? []).map((path) => this.#path(ask, path)),
      defaultPath: true,
      partial: true,
      limitQuality: false,
      domain: undefined,
    });
  }

  #path(ask: QuoteAsk, path: readonly string[]): PathStep[] {
    const names = new Map([...path, ask.destination].map((token) => [this.token(token), token]));
    const tokens = path.map((token) => this.token(token));
    return namedSteps(this.state, this.request(ask), tokens).map((token) => this.#step(names.get(token)!));
  }

  #step(token: string): PathStep {
    const asset = this.#market.asset(token);
    const currency = currencyOf(asset)!;
    return token === XRP ? { currency } : { currency, issuer: issuerOf(asset) };
  }
}

/** Sends away so much XRP that this is left above the account's reserve. */
export function leaveDrops(market: MarketRig, name: string, drops: bigint): void {
  const { Balance, OwnerCount } = market.rig.root(market.rig.account(name));
  const { reserveBaseDrops, reserveIncrementDrops } = new QuoteRig(market).state.fees;
  const reserve = BigInt(reserveBaseDrops) + BigInt(reserveIncrementDrops) * BigInt(OwnerCount!);
  const Fee = 10n;
  const Destination = market.rig.fund('keeper')[0]!.address;
  const Amount = String(Balance!.drops - reserve - drops - Fee);
  market.do({
    TransactionType: 'Payment',
    Account: market.address(name),
    Destination,
    Amount,
    Fee: String(Fee),
  });
}

const mostOf = (asset: string): Amount =>
  asset === XRP ? Amount.drops(10n ** 17n) : Amount.issued(asset, 9_999_999_999_999_999n, 75);

export interface QuoteAsk {
  readonly from: string;
  readonly to: string;
  /** `XRP` or `USD/gate`. */
  readonly source: string;
  readonly destination: string;
  readonly side: 'in' | 'out';
  /** Of source or destination, by the side. */
  readonly amount: string;
  /** Tokens between, of each path beside the default one. */
  readonly paths?: readonly (readonly string[])[];
}

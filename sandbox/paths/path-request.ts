/**
 * A path request: for each asset the sender could spend, the best set of paths and its cost.
 *
 *     request ──► assets to spend ──► candidates (search.ts) ──► best paths (ranking.ts)
 *                                                                      │
 *             alternative: amount to send, paths  ◄── trial payment with all of them together
 *
 * Goal: the answers of rippled's `PathRequest`. Every alternative has been paid on the ledger of the request, by the
 * engine that applies payments; nothing is estimated. A request that stays open (`path_find`) keeps the paths it has
 * found as candidates for the next ledger, and searches wider while it finds nothing.
 *
 * Non-goals: the cheapest path at any cost of time; alternatives that mix assets to spend.
 *
 * Cost: a search for each currency and a trial for each candidate, limited by `SearchBudget`; a `CooperativeTask`.
 */

import { type Amount, largestAmount } from '../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  CURRENCY_BAD,
  CURRENCY_XRP,
  currencyOf,
  type Hex,
  issued,
  issuerOf,
  XRP,
} from '../../engine/codec/arithmetic/asset.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import type { FlowResult } from '../flow/flow.ts';
import { PaymentView } from '../flow/payment-view.ts';
import { rippleCalculate } from '../flow/ripple-calculate.ts';
import type { ReadView } from '../ledger/view.ts';
import { assetOrder } from '../protocol/keylets.ts';
import { AccountLines, receivableCurrencies, sendableCurrencies } from './account-lines.ts';
import type { BookSource } from './book-index.ts';
import { ownAsset, type Path, Ranking, unlimited } from './ranking.ts';
import { COMPLETE_MAX, type Market, PathSearch, type Question } from './search.ts';
import { SearchBudget } from './search-budget.ts';
import { SEARCH_LEVELS } from './shapes.ts';

/** Maximum number of assets to spend in a request, and of those tried when it names none (rippled `Tuning.h`). */
export const SOURCE_ASSETS_MAX = 18;
const SOURCE_ASSETS_FOUND_MAX = 88;

export interface PathQuestion {
  readonly source: AccountId;
  readonly destination: AccountId;
  /** Amount to deliver; -1: as much as possible. */
  readonly deliver: Amount;
  /** Maximum to spend, only with `deliver` -1; -1 itself: no limit. */
  readonly sendMax: Amount | undefined;
  /** The assets that may be spent; empty: any that the sender has. */
  readonly sourceAssets: readonly Asset[];
  readonly domain: Hex | undefined;
}

export interface Alternative {
  /** What the sender would spend. */
  readonly source: Amount;
  /** What would arrive. */
  readonly delivered: Amount;
  readonly paths: readonly Path[];
}

/** -1 of an asset means unlimited. */
export const isUnbounded = (amount: Amount): boolean => amount.equals(unlimited(amount.asset));

export class PathRequest {
  readonly question: PathQuestion;
  /** Whether as much as possible is to be delivered. */
  readonly all: boolean;
  #level = 0;
  #hadSuccess = false;
  /** Paths of the previous answer, by asset to spend. */
  readonly #before = new Map<Asset, readonly Path[]>();

  constructor(question: PathQuestion) {
    this.question = question;
    this.all = isUnbounded(question.deliver);
  }

  /**
   * The alternatives on a ledger.
   * @param fast a first answer, from a smaller search
   * @returns undefined when the sender has too many currencies
   */
  *alternatives(
    view: ReadView,
    books: BookSource,
    fast: boolean,
  ): CooperativeTask<Alternative[] | undefined> {
    this.#adjustLevel(fast);
    const effort = new SearchBudget();
    const market: Market = { view, books, effort, lines: new AccountLines(view, effort) };
    const assets = yield* this.#assetsToSpend(market);
    if (assets === undefined) return undefined;
    const most = Math.ceil(COMPLETE_MAX / Math.max(1, assets.length)) + 50;
    const byCurrency = new Map<Asset, Ranking | undefined>();
    const alternatives: Alternative[] = [];
    for (const asset of assets) {
      const own = ownAsset(asset, this.question.source);
      if (!byCurrency.has(own)) byCurrency.set(own, yield* this.#search(market, own, most));
      const ranking = byCurrency.get(own);
      const alternative = ranking && (yield* this.#alternative(market, asset, ranking));
      if (alternative !== undefined) alternatives.push(alternative);
    }
    this.#hadSuccess = alternatives.length > 0;
    return alternatives;
  }

  /** First a small search if wanted, then the usual one, then wider ones while nothing is found. */
  #adjustLevel(fast: boolean): void {
    const { fast: small, normal, most } = SEARCH_LEVELS;
    if (this.#level === 0) this.#level = fast ? small : normal;
    else if (this.#level === small && !fast) this.#level = normal;
    else if (this.#hadSuccess) this.#level -= this.#level > normal ? 1 : 0;
    else this.#level = Math.min(this.#level + 1, most);
  }

  *#search(market: Market, send: Asset, most: number): CooperativeTask<Ranking | undefined> {
    const { source, destination, deliver, domain } = this.question;
    // An amount larger than any holding asks for all that is available.
    const wanted = this.all ? largestAmount(deliver.asset) : deliver;
    const question: Question = { source, destination, send, deliver: wanted, domain };
    const candidates = yield* new PathSearch(market, question, most).run(this.#level);
    if (candidates === undefined) return undefined;
    const ranking = new Ranking(market, question, this.all);
    yield* ranking.rank(candidates);
    return ranking;
  }

  *#alternative({ view }: Market, asset: Asset, ranking: Ranking): CooperativeTask<Alternative | undefined> {
    const { paths, covering } = yield* ranking.best(asset, this.#before.get(asset) ?? []);
    this.#before.set(asset, paths);
    let used: readonly Path[] = paths;
    let paid = this.#pay(view, asset, used);
    const short = paid.result === 'terNO_LINE' || paid.result === 'tecPATH_PARTIAL';
    if (!this.all && covering !== undefined && short) {
      used = [...paths, covering];
      paid = this.#pay(view, asset, used);
    }
    // Parts that add up to one last digit too much fail the whole payment; fewer parts may not (rippled gives up).
    while (paid.result === 'tefEXCEPTION' && used.length > 1) {
      yield;
      used = used.slice(0, -1);
      paid = this.#pay(view, asset, used);
    }
    yield;
    if (paid.result !== 'tesSUCCESS') return undefined;
    return { source: paid.in.withAsset(asset), delivered: paid.out, paths: used };
  }

  #pay(view: ReadView, asset: Asset, paths: readonly Path[]): FlowResult {
    const { source, destination, deliver, sendMax, domain } = this.question;
    return rippleCalculate(new PaymentView(view), {
      source,
      destination,
      deliver: this.all ? largestAmount(deliver.asset) : deliver,
      maximum: sendMax ?? unlimited(asset),
      paths,
      defaultPath: true,
      partial: this.all,
      limitQuality: false,
      domain,
    });
  }

  *#assetsToSpend({ lines }: Market): CooperativeTask<readonly Asset[] | undefined> {
    const { source, destination, deliver, sendMax, sourceAssets } = this.question;
    if (sourceAssets.length > 0) return [...sourceAssets].sort(assetOrder);
    if (sendMax !== undefined) return [sendMax.asset];
    const currencies = sendableCurrencies(yield* lines.of(source));
    currencies.delete(CURRENCY_BAD);
    currencies.add(CURRENCY_XRP);
    // To oneself the same currency is not a payment.
    if (source === destination) currencies.delete(currencyOf(deliver.asset)!);
    if (currencies.size > SOURCE_ASSETS_FOUND_MAX) return undefined;
    return [...currencies]
      .sort()
      .map((currency) => (currency === CURRENCY_XRP ? XRP : issued(currency, source)));
  }
}

/** The currencies that an account can receive (`destination_currencies`). */
export function* destinationCurrencies(view: ReadView, account: AccountId): CooperativeTask<Hex[]> {
  const currencies = receivableCurrencies(yield* new AccountLines(view, new SearchBudget()).of(account));
  currencies.delete(CURRENCY_BAD);
  return [CURRENCY_XRP, ...[...currencies].sort()];
}

/**
 * Assets to spend when a request names some and `sendMax` as well: those in its currency, with the issuer of the
 * two that is not the sender, and the sender's own (rippled inserts both).
 * @returns undefined when both name an issuer, and not the same one
 */
export function withinSendMax(
  assets: readonly Asset[],
  sendMax: Asset,
  source: AccountId,
): Asset[] | undefined {
  const chosen = new Set<Asset>();
  for (const asset of assets) {
    if (currencyOf(asset) !== currencyOf(sendMax)) continue;
    if (asset === XRP) {
      chosen.add(XRP);
      continue;
    }
    const named = [issuerOf(asset), issuerOf(sendMax)].filter((issuer) => issuer !== source);
    if (named.length === 2 && named[0] !== named[1]) return undefined;
    if (named[0] !== undefined) chosen.add(issued(asset.slice(0, 40), named[0]));
    chosen.add(issued(asset.slice(0, 40), source));
  }
  return [...chosen];
}

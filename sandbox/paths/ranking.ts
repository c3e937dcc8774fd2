/**
 * Selects the best candidates: each is tried with the payment engine on a temporary view, and the best by cost, then by
 * liquidity, then by length, form the answer (rippled `Pathfinder::rankPaths`,
 * `getBestPaths`).
 *
 *     candidates ── try: at least a sixth of the amount ──► ranked ──► three best, a fourth that fills the rest,
 *                                                                      and a spare one that carries all
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { divide } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import { type Asset, issued, issuerOf, XRP } from '../../engine/codec/arithmetic/asset.ts';
import { getRate } from '../../engine/codec/arithmetic/quality.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { PaymentView } from '../flow/payment-view.ts';
import { rippleCalculate } from '../flow/ripple-calculate.ts';
import type { PathSet, PathStep } from '../protocol/fields.ts';
import type { Market, Question } from './search.ts';

/** Paths of one alternative (rippled `max_paths`); one more when only that pays all. */
export const PATHS_MAX = 4;

export type Path = readonly PathStep[];

interface Ranked {
  readonly path: Path;
  /** In / out, as books store it: lower is better. */
  readonly quality: bigint;
  readonly liquidity: Amount;
  /** Index among the candidates. */
  readonly place: number;
}

/** The amount that means "unlimited". */
export const unlimited = (asset: Asset): Amount => Amount.of(asset, -1n, 0);

export interface Choice {
  readonly paths: Path[];
  /** A path that carries all by itself, and is not one of `paths`. */
  readonly covering: Path | undefined;
}

export class Ranking {
  readonly #market: Market;
  readonly #question: Question;
  readonly #all: boolean;
  #ranked: readonly Ranked[] = [];
  #remaining: Amount;

  /** @param all as much as possible is to be delivered, `question.deliver` being the largest amount */
  constructor(market: Market, question: Question, all: boolean) {
    this.#market = market;
    this.#question = question;
    this.#all = all;
    this.#remaining = question.deliver;
  }

  /** Ranks the candidates, and computes what the implied path leaves for them to carry. */
  *rank(candidates: readonly Path[]): CooperativeTask<void> {
    const { deliver } = this.#question;
    const implied = this.#pay(new PaymentView(this.#market.view), deliver, [], true, true);
    if (implied !== undefined) this.#remaining = deliver.sub(implied.out);
    this.#ranked = yield* this.#rankedOf(candidates);
  }

  *#rankedOf(candidates: readonly Path[]): CooperativeTask<readonly Ranked[]> {
    const ranked: Ranked[] = [];
    for (const [place, path] of candidates.entries()) {
      if (!this.#market.effort.trial()) break;
      const tried = this.#try(path);
      if (tried !== undefined) ranked.push({ path, place, ...tried });
      yield;
    }
    return ranked.sort((a, b) => this.#order(a, b));
  }

  #order(a: Ranked, b: Ranked): number {
    if (!this.#all && a.quality !== b.quality) return a.quality < b.quality ? -1 : 1;
    return b.liquidity.compare(a.liquidity) || a.path.length - b.path.length || b.place - a.place;
  }

  /** Quality of the first part and liquidity of a path, undefined when it carries too little. */
  #try(path: Path): { quality: bigint; liquidity: Amount } | undefined {
    const { deliver } = this.#question;
    const view = new PaymentView(this.#market.view);
    // A path that carries less than its share with the most possible paths is dropped.
    const least = this.#all ? deliver : divide(deliver, Amount.drops(PATHS_MAX + 2), deliver.asset);
    const first = this.#pay(view, least, [path], false, this.#all);
    if (first === undefined) return undefined;
    const quality = getRate(first.out, first.in);
    if (this.#all) return { quality, liquidity: first.out };
    const more = this.#pay(view, deliver.sub(first.out), [path], false, true);
    return { quality, liquidity: more === undefined ? first.out : first.out.add(more.out) };
  }

  #pay(view: PaymentView, deliver: Amount, paths: PathSet, defaultPath: boolean, partial: boolean) {
    const { source, destination, send, domain } = this.#question;
    const { result, ...amounts } = rippleCalculate(view, {
      source,
      destination,
      deliver,
      maximum: unlimited(send),
      paths,
      defaultPath,
      partial,
      limitQuality: false,
      domain,
    });
    return result === 'tesSUCCESS' ? amounts : undefined;
  }

  /**
   * The best paths for one asset that is sent.
   * @param send the asset with the issuer whose debt is to be spent: paths that do not begin there are left out
   * @param extra paths found before, which are included
   */
  *best(send: Asset, extra: readonly Path[]): CooperativeTask<Choice> {
    const ranked = merged(this.#ranked, yield* this.#rankedOf(extra));
    const { source, deliver } = this.#question;
    const bySender = send === XRP || issuerOf(send) === source;
    const paths: Path[] = [];
    let remaining = this.#remaining;
    let covering: Path | undefined;
    for (const { path: found, liquidity, isExtra } of ranked) {
      if (paths.length === PATHS_MAX && covering !== undefined) break;
      const path = bySender || isExtra ? found : afterIssuer(found, send);
      if (path === undefined) continue;
      const left = PATHS_MAX - paths.length;
      if (left > 1 || (left === 1 && liquidity.compare(remaining) >= 0)) {
        remaining = remaining.sub(liquidity);
        paths.push(path);
      } else if (left === 0 && liquidity.compare(deliver) >= 0) covering = path;
    }
    return { paths, covering };
  }
}

/** Merges both lists in order; of two with equal rank and different steps only the newly found one is kept. */
function merged(found: readonly Ranked[], extra: readonly Ranked[]): (Ranked & { isExtra: boolean })[] {
  const both: (Ranked & { isExtra: boolean })[] = [];
  let i = 0;
  let j = 0;
  while (i < found.length || j < extra.length) {
    const a = found[i];
    const b = extra[j];
    const order = !a ? 1 : !b ? -1 : Number(a.quality - b.quality) || b.liquidity.compare(a.liquidity);
    if (order <= 0) i += 1;
    if (order >= 0) j += 1;
    both.push(order <= 0 ? { ...a!, isExtra: false } : { ...b!, isExtra: true });
  }
  return both;
}

/** A path from the issuer on: the issuer of SendMax is implied. */
function afterIssuer(path: Path, send: Asset): Path | undefined {
  return path.length > 1 && path[0]!.account === issuerOf(send) ? path.slice(1) : undefined;
}

/** The asset that a search starts from, for any issuer. */
export const ownAsset = (asset: Asset, source: string): Asset =>
  asset === XRP ? XRP : issued(asset.slice(0, 40), source);

/**
 * The payment engine: moves value over strands, the cheapest first, until enough is delivered or nothing is left.
 *
 *     round:  strands sorted by the upper bound of their quality
 *             the first that delivers anything within the limits is used, at one quality of its offers
 *             its changes are kept, all strands that may deliver more take part in the next round
 *
 * Goal: the result of rippled's engine (Flow.cpp, StrandFlow.h) to the last digit: consumed offers and their amounts,
 * removed offers, the result code. Non-goals: finding paths; explaining why a path is dry.
 *
 * `view` is changed only if the result is tesSUCCESS.
 * Cost: a round runs one strand (more only where strands fail). At most 1000 rounds, 1500 offers.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  type Hex,
  isIssued,
  issued,
} from '../../engine/codec/arithmetic/asset.ts';
import { qualityOf } from '../../engine/codec/arithmetic/quality.ts';
import { least, Sum } from '../../engine/codec/arithmetic/ratio.ts';
import { withinRelativeDistance } from '../assets/amm-shares.ts';
import { offerDelete } from '../assets/offers.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { PathSet } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';
import { ActiveStrands, strandBound } from './active-strands.ts';
import { AmmContext } from './amm-context.ts';
import { nearQualities } from './amm-liquidity.ts';
import { PaymentView } from './payment-view.ts';
import type { QualityFunction } from './quality-function.ts';
import type { Crossing, Debt, InOut } from './step.ts';
import { type Strand, toStrands } from './strand.ts';
import { runStrand } from './strand-flow.ts';

const ROUNDS_MAX = 1000;
const OFFERS_MAX = 1500;
/** Outputs closer than this, relatively, count as equal. */
const NEAR_DENOMINATOR = 1_000_000_000n;

export interface FlowRequest {
  readonly deliver: Amount;
  readonly source: AccountId;
  readonly destination: AccountId;
  readonly paths: PathSet;
  /** Whether the default path is used. */
  readonly defaultPath: boolean;
  /** Whether less than `deliver` is enough. */
  readonly partial: boolean;
  readonly ownerPaysTransferFee: boolean;
  readonly crossing: Crossing;
  /** Worst quality of any strand, as stored in books. */
  readonly limitQuality: bigint | undefined;
  readonly sendMax: Amount | undefined;
  readonly domain: Hex | undefined;
}

export interface FlowResult {
  readonly result: Result;
  readonly in: Amount;
  readonly out: Amount;
  /** Offers that a failed payment found and that must be removed all the same. */
  readonly removals: ReadonlySet<Hex>;
}

/** Pays in `view`, which is changed only if the result is tesSUCCESS. */
export function flow(view: PaymentView, request: FlowRequest): FlowResult {
  const { deliver, source, sendMax } = request;
  const assetIn = sendMax?.asset ?? ownIssue(deliver.asset, source);
  const amm = new AmmContext(source);
  const strands = toStrands(
    view,
    { ...request, deliver: deliver.asset, sendMax: sendMax?.asset, amm },
    request.paths,
    request.defaultPath,
  );
  if ('failure' in strands)
    return {
      result: strands.failure,
      in: Amount.zero(assetIn),
      out: Amount.zero(deliver.asset),
      removals: new Set(),
    };
  amm.multiPath = strands.made.length > 1;
  return new Rounds(view, request, strands.made, assetIn, amm).run();
}

function ownIssue(asset: Asset, source: AccountId): Asset {
  return isIssued(asset) ? issued(asset.slice(0, 40), source) : asset;
}

/** The best strand of a round. */
interface Best extends InOut {
  readonly view: PaymentView;
  readonly quality: bigint;
  readonly strand: Strand;
  readonly inactive: boolean;
}

class Rounds {
  readonly #request: FlowRequest;
  readonly #assetIn: Asset;
  readonly #amm: AmmContext;
  readonly #view: PaymentView;
  readonly #active: ActiveStrands;
  readonly #ins: Sum;
  readonly #outs: Sum;
  readonly #removals = new Set<Hex>();
  readonly #sendMax: Amount | undefined;
  #remainingIn: Amount | undefined;
  #remainingOut: Amount;
  #offers = 0;

  constructor(
    below: PaymentView,
    request: FlowRequest,
    strands: readonly Strand[],
    assetIn: Asset,
    amm: AmmContext,
  ) {
    this.#request = request;
    this.#assetIn = assetIn;
    this.#amm = amm;
    this.#view = new PaymentView(below);
    this.#active = new ActiveStrands(strands);
    this.#ins = new Sum(Amount.zero(assetIn), below.rules.numbers);
    this.#outs = new Sum(Amount.zero(request.deliver.asset), below.rules.numbers);
    const { sendMax } = request;
    this.#sendMax = sendMax && sendMax.mantissa >= 0n ? sendMax : undefined;
    this.#remainingIn = this.#sendMax;
    this.#remainingOut = request.deliver;
  }

  run(): FlowResult {
    let round = 0;
    while (this.#remainingOut.mantissa > 0n && (!this.#remainingIn || this.#remainingIn.mantissa > 0n)) {
      round += 1;
      if (round >= ROUNDS_MAX) return this.#failed('telFAILED_PROCESSING');
      if (!this.#round()) break;
    }
    return this.#finish();
  }

  /** Runs one round. @returns whether another round may deliver more */
  #round(): boolean {
    const request = this.#request;
    const amm = this.#amm;
    const sorted = this.#view.rules.enabled('FlowSortStrands');
    this.#active.activate(this.#view, request.limitQuality, sorted);
    amm.multiPath = this.#active.current.length > 1;
    const wanted = this.#limitedOut();
    const removals = new Set<Hex>();
    const best = sorted ? this.#firstGood(wanted, removals) : this.#bestOfAll(wanted, removals);
    if (best) this.#keep(best);
    for (const key of removals) {
      this.#removals.add(key);
      const offer = this.#view.peek(key);
      if (offer) offerDelete(this.#view, offer);
    }
    return best !== undefined && !(sorted && this.#offers >= OFFERS_MAX);
  }

  #firstGood(wanted: Amount, removals: Set<Hex>): Best | undefined {
    const { current } = this.#active;
    for (let i = 0; i < current.length; i += 1) {
      const strand = current[i]!;
      const best = this.#try(strand, wanted, removals);
      if (!best) continue;
      if (!best.inactive) this.#active.next.push(strand);
      this.#active.next.push(...current.slice(i + 1));
      return best;
    }
    return undefined;
  }

  /** Before FlowSortStrands (2020) every strand was run in every round. */
  #bestOfAll(wanted: Amount, removals: Set<Hex>): Best | undefined {
    const { current, next } = this.#active;
    let best: Best | undefined;
    let exhausted: number | undefined;
    for (const strand of current) {
      const found = this.#try(strand, wanted, removals);
      if (!found) continue;
      next.push(strand);
      const better =
        !best ||
        found.quality < best.quality ||
        (found.quality === best.quality && found.out.compare(best.out) > 0);
      if (!better) continue;
      // The index in this round's list, not the next one's: rippled did so.
      exhausted = found.inactive ? current.length - 1 : undefined;
      best = found;
    }
    if (best && exhausted !== undefined) next.splice(exhausted, 1);
    return best;
  }

  #try(strand: Strand, wanted: Amount, removals: Set<Hex>): Best | undefined {
    const { limitQuality, crossing } = this.#request;
    this.#amm.clear();
    if (crossing !== 'no' && limitQuality !== undefined) {
      const bound = strandBound(this.#view, strand);
      if (bound === undefined || bound > limitQuality) return undefined;
    }
    const {
      flown,
      removals: found,
      offersUsed,
      inactive,
    } = runStrand(this.#view, strand, this.#remainingIn, wanted);
    for (const key of found) removals.add(key);
    this.#offers += offersUsed;
    if (!flown || flown.amounts.out.isZero) return undefined;
    const quality = qualityOf(flown.amounts.in, flown.amounts.out);
    if (limitQuality !== undefined && quality > limitQuality) {
      // An output reduced for the limit may miss it by a rounding error.
      const reduced = wanted !== this.#remainingOut && wanted.compare(this.#remainingOut) !== 0;
      if (!reduced || !nearQualities(this.#view.rules.numbers, quality, limitQuality)) return undefined;
    }
    return { ...flown.amounts, view: flown.view, quality, strand, inactive };
  }

  #keep(best: Best): void {
    this.#ins.add(best.in.withAsset(this.#assetIn));
    this.#outs.add(best.out.withAsset(this.#request.deliver.asset));
    const { numbers } = this.#view.rules;
    this.#remainingOut = this.#request.deliver.sub(this.#outs.total, numbers);
    if (this.#sendMax) this.#remainingIn = this.#sendMax.sub(this.#ins.total, numbers);
    best.view.merge();
    this.#amm.endRound();
  }

  /**
   * The output to ask for: with one strand and a limit quality, as much as a pool on it can deliver at that quality.
   * Otherwise a pool's offer for everything would be worse than the limit, and nothing would be delivered.
   */
  #limitedOut(): Amount {
    const remaining = this.#remainingOut;
    const { limitQuality } = this.#request;
    const [strand, other] = this.#active.current;
    if (!strand || other || limitQuality === undefined || !strand.some(({ pooled }) => pooled))
      return remaining;
    const quality = qualityFunctionOf(this.#view, strand);
    if (!quality || quality.isConstant) return remaining;
    const number = quality.outputAt(limitQuality);
    if (!number) return remaining;
    const { numbers } = this.#view.rules;
    const out = numbers.toAmount(remaining.asset, number);
    const near = numbers.div(numbers.of(1n), numbers.of(NEAR_DENOMINATOR));
    if (withinRelativeDistance(numbers, numbers.of(out), numbers.of(remaining), near)) return remaining;
    return least(remaining, out);
  }

  #finish(): FlowResult {
    const { deliver, partial, crossing } = this.#request;
    const out = this.#outs.total;
    const newKill = this.#view.rules.enabled('fixFillOrKill');
    const difference = out.compare(deliver);
    if (difference > 0) return this.#failed('tefEXCEPTION');
    if (difference < 0) {
      // A fill-or-kill offer that is not a sell offer must receive all it asks (since fixFillOrKill, 2024).
      if (!partial && (crossing === 'no' || (newKill && crossing !== 'sell')))
        return this.#failed('tecPATH_PARTIAL', true);
      if (partial && out.isZero) return this.#failed('tecPATH_DRY');
    }
    // A sell offer, and before the fix any offer, must give all it offers.
    const mustSpend = crossing !== 'no' && !partial && (!newKill || crossing === 'sell');
    if (mustSpend && this.#remainingIn && !this.#remainingIn.isZero)
      return this.#failed('tecPATH_PARTIAL', true);
    this.#view.merge();
    return { result: 'tesSUCCESS', in: this.#ins.total, out, removals: new Set() };
  }

  #failed(result: Result, withTotals = false): FlowResult {
    return {
      result,
      in: withTotals ? this.#ins.total : Amount.zero(this.#assetIn),
      out: withTotals ? this.#outs.total : Amount.zero(this.#request.deliver.asset),
      removals: this.#removals,
    };
  }
}

/** Average quality of a whole strand as a function of its output; undefined when it is dry. */
function qualityFunctionOf(view: PaymentView, strand: Strand): QualityFunction | undefined {
  let whole: QualityFunction | undefined;
  let debt: Debt = 'issues';
  for (const step of strand) {
    const own = step.qualityFunction(view, debt);
    if (!own) return undefined;
    debt = step.debt(view, 'forward');
    whole = whole ? whole.combine(own) : own;
  }
  return whole;
}

/** Removes the offers that a failed payment found; the resulting changes stay. */
export function removeOffers(view: ApplyView, keys: Iterable<Hex>): void {
  for (const key of [...keys].sort()) {
    const offer = view.peek(key);
    if (offer) offerDelete(view, offer);
  }
}

/**
 * Moves value over strands, the cheapest first, until enough is delivered or nothing is left.
 *
 *     round:  strands sorted by the upper bound of their quality
 *             the first that delivers anything is used, at one quality of its offers
 *             its changes are kept, all strands that may deliver more take part in the next round
 *
 * Goal: what the ledger's payment engine would deliver, to the last digit (rippled Flow.cpp, StrandFlow.h). Non-goals: a limit of
 * quality (tfLimitQuality), finding paths. Cost: a round runs one strand and bounds the others: some 20 us; a payment may have a
 * thousand of them, so that it is a task of several steps.
 */
import type { Amount } from '../codec/arithmetic/amount.ts';
import type { InOut } from '../codec/arithmetic/quality.ts';
import { Sum } from '../codec/arithmetic/ratio.ts';
import type { CooperativeTask } from '../event-loop.ts';
import { zeroOf } from './amounts.ts';
import { BookHop, type TakenPart } from './book-hop.ts';
import type { PaymentState } from './payment-state.ts';
import type { PoolContext } from './pool-context.ts';
import type { LedgerRules } from './rules.ts';
import { boundOf, runStrand, type Strand, type StrandRun } from './strand.ts';

/** Rounds and offers of one payment at most. */
const ROUNDS_MAX = 1000;
const OFFERS_MAX = 1500;
/** Rounds of one step of the task: half a millisecond. */
const ROUNDS_A_STEP = 24;

export interface FlowRequest {
  /** Token ids. */
  readonly source: number;
  readonly destination: number;
  readonly deliver: Amount;
  /** Most to spend; undefined: no limit. */
  readonly sendMax: Amount | undefined;
  readonly strands: readonly Strand[];
  readonly pools: PoolContext;
  readonly rules: LedgerRules;
}

/** What one round moved. */
export interface Round extends InOut {
  /** Place in the request's strands. */
  readonly strand: number;
  /** Of each of its books: what was taken of which offer. */
  readonly books: readonly (readonly TakenPart[])[];
}

export interface FlowResult extends InOut {
  readonly rounds: readonly Round[];
}

/** @param view is changed: pass a new one. @returns undefined when nothing is delivered or the ledger would give up. */
export function flowing(view: PaymentState, request: FlowRequest): CooperativeTask<FlowResult | undefined> {
  return new Flow(view, request).run();
}

class Flow {
  readonly #request: FlowRequest;
  readonly #view: PaymentState;
  readonly #ins: Sum;
  readonly #outs: Sum;
  readonly #rounds: Round[] = [];
  #next: readonly Strand[];
  #remainingIn: Amount | undefined;
  #remainingOut: Amount;
  #offers = 0;

  constructor(view: PaymentState, request: FlowRequest) {
    const { source, destination, strands, pools, rules } = request;
    this.#request = request;
    this.#view = view;
    this.#ins = new Sum(zeroOf(source), rules.numbers);
    this.#outs = new Sum(zeroOf(destination), rules.numbers);
    this.#next = strands;
    this.#remainingIn = request.sendMax;
    this.#remainingOut = request.deliver;
    pools.severalStrands = strands.length > 1;
  }

  *run(): CooperativeTask<FlowResult | undefined> {
    const { deliver } = this.#request;
    for (let round = 1; this.#wantsMore(); round += 1) {
      if (round >= ROUNDS_MAX) return undefined;
      if (!this.#round()) break;
      if (round % ROUNDS_A_STEP === 0) yield;
    }
    const out = this.#outs.total;
    if (out.isZero || out.compare(deliver) > 0) return undefined;
    return { in: this.#ins.total, out, rounds: this.#rounds };
  }

  #wantsMore(): boolean {
    return this.#remainingOut.mantissa > 0n && (!this.#remainingIn || this.#remainingIn.mantissa > 0n);
  }

  /** @returns whether another round may deliver more */
  #round(): boolean {
    const { pools } = this.#request;
    const current = this.#next.length > 1 ? this.#sorted() : this.#next;
    pools.severalStrands = current.length > 1;
    const removals = new Set<number>();
    const found = this.#firstGood(current, removals);
    if (found) this.#keep(found.strand, found.run);
    for (const offer of removals) this.#view.deleteOffer(offer);
    return found !== undefined && this.#offers < OFFERS_MAX;
  }

  #sorted(): readonly Strand[] {
    const bounds: { readonly strand: Strand; readonly bound: bigint }[] = [];
    for (const strand of this.#next) {
      const bound = boundOf(strand, this.#view);
      if (bound !== undefined) bounds.push({ strand, bound });
    }
    bounds.sort((a, b) => (a.bound < b.bound ? -1 : a.bound > b.bound ? 1 : 0));
    return bounds.map(({ strand }) => strand);
  }

  #firstGood(
    current: readonly Strand[],
    removals: Set<number>,
  ): { readonly strand: Strand; readonly run: NonNullable<StrandRun['flown']> } | undefined {
    this.#next = [];
    for (let i = 0; i < current.length; i += 1) {
      const strand = current[i]!;
      this.#request.pools.clear();
      const run = runStrand(this.#view, strand, this.#remainingIn, this.#remainingOut);
      for (const offer of run.removals) removals.add(offer);
      this.#offers += run.offersUsed;
      if (!run.flown || run.flown.out.isZero) continue;
      this.#next = [...(run.inactive ? [] : [strand]), ...current.slice(i + 1)];
      return { strand, run: run.flown };
    }
    return undefined;
  }

  #keep(strand: Strand, run: NonNullable<StrandRun['flown']>): void {
    const { deliver, sendMax, rules, strands, pools } = this.#request;
    this.#ins.add(run.in);
    this.#outs.add(run.out);
    this.#remainingOut = deliver.sub(this.#outs.total, rules.numbers);
    if (sendMax) this.#remainingIn = sendMax.sub(this.#ins.total, rules.numbers);
    const books = strand.hops.flatMap((hop) => (hop instanceof BookHop ? [hop.parts] : []));
    this.#rounds.push({ strand: strands.indexOf(strand), in: run.in, out: run.out, books });
    run.view.merge();
    pools.endRound();
  }
}

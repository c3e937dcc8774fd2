/**
 * Runs one strand: delivers as much as possible of the wanted amount, at the qualities of its books' best offers.
 *
 *     reverse     each step is asked for the input of the next one; a step that delivers less is the limit so far,
 *                 changes after it are dropped, and the pass continues from its own output
 *     forward     from the limiting step on, with its real output
 *
 * Rules: rippled StrandFlow.h (`flow` of one strand). Cost: at most two runs of each step, and one more of the limit.
 */
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { sameNumber } from '../../engine/codec/arithmetic/ratio.ts';
import { PaymentView } from './payment-view.ts';
import { FlowError, type InOut } from './step.ts';
import type { Strand } from './strand.ts';

export interface StrandResult {
  /** What was delivered, and the view with the changes; undefined when the strand is dry. */
  readonly flown: { readonly amounts: InOut; readonly view: PaymentView } | undefined;
  /** Offers to be removed, whether the strand delivered anything or not. */
  readonly removals: Set<Hex>;
  readonly offersUsed: number;
  /** It must not be used again. */
  readonly inactive: boolean;
}

/** Runs a strand on `base` for `out` with an input of at most `maxIn`. */
export function runStrand(
  base: PaymentView,
  strand: Strand,
  maxIn: Amount | undefined,
  out: Amount,
): StrandResult {
  const removals = new Set<Hex>();
  let flown: StrandResult['flown'];
  if (!isXrpOnly(strand)) {
    try {
      flown = new StrandRun(base, strand, removals).run(maxIn, out);
    } catch (error) {
      if (!(error instanceof FlowError)) throw error;
    }
  }
  let offersUsed = 0;
  for (const step of strand) offersUsed += step.offersUsed;
  return {
    flown,
    removals,
    offersUsed,
    inactive: flown !== undefined && strand.some((step) => step.inactive),
  };
}

/** Direct XRP to XRP is not a path: it is paid without the engine. */
function isXrpOnly(strand: Strand): boolean {
  return strand.length === 2 && strand[0]!.kind === 'xrp' && strand[1]!.kind === 'xrp';
}

class StrandRun {
  readonly #base: PaymentView;
  readonly #strand: Strand;
  readonly #removals: Set<Hex>;
  #view: PaymentView;
  /** The state that separates offers found unfunded from those that became so. */
  #before: PaymentView;
  #limiting: number;
  #limitOut: Amount | undefined;

  constructor(base: PaymentView, strand: Strand, removals: Set<Hex>) {
    this.#base = base;
    this.#strand = strand;
    this.#removals = removals;
    this.#view = new PaymentView(base);
    this.#before = new PaymentView(base);
    this.#limiting = strand.length;
  }

  run(maxIn: Amount | undefined, out: Amount): StrandResult['flown'] {
    if (!this.#backwards(maxIn, out) || !this.#forwards()) return undefined;
    const first = this.#strand[0]!.flown;
    const last = this.#strand.at(-1)!.flown;
    if (!first || !last) return undefined;
    return { amounts: { in: first.in, out: last.out }, view: this.#view };
  }

  #backwards(maxIn: Amount | undefined, out: Amount): boolean {
    let wanted = out;
    for (let i = this.#strand.length - 1; i >= 0; i -= 1) {
      const step = this.#strand[i]!;
      let flown = step.rev(this.#view, this.#before, this.#removals, wanted);
      if (flown.out.isZero) return false;
      if (i === 0 && maxIn && maxIn.compare(flown.in) < 0) {
        this.#view = new PaymentView(this.#base);
        flown = step.fwd(this.#view, this.#before, this.#removals, maxIn);
        this.#limit(i, flown);
        if (flown.out.isZero || !sameNumber(flown.in, maxIn)) return false;
      } else if (!sameNumber(flown.out, wanted)) {
        this.#view = new PaymentView(this.#base);
        this.#before = new PaymentView(this.#base);
        wanted = flown.out;
        flown = step.rev(this.#view, this.#before, this.#removals, wanted);
        this.#limit(i, flown);
        // A tiny input can give zero output.
        if (flown.out.isZero || !sameNumber(flown.out, wanted)) return false;
      }
      wanted = flown.in;
    }
    return true;
  }

  #limit(step: number, flown: InOut): void {
    this.#limiting = step;
    this.#limitOut = flown.out;
  }

  #forwards(): boolean {
    let given = this.#limitOut;
    for (let i = this.#limiting + 1; i < this.#strand.length; i += 1) {
      const flown = this.#strand[i]!.fwd(this.#view, this.#before, this.#removals, given!);
      if (flown.out.isZero || !sameNumber(flown.in, given!)) return false;
      given = flown.out;
    }
    return true;
  }
}

/**
 * Runs one strand: as much as possible of the wanted amount, at the best qualities of its books.
 *
 *     reverse     each hop is asked for the input of the next one; one that gives less is the limit so far, changes after it
 *                 are dropped, and the pass goes on from its own output
 *     forward     from the limiting hop on, with its real output
 *
 * Rules: rippled StrandFlow.h (`flow` of one strand). Cost: at most two runs of each hop, and one more of the limit.
 */
import type { Amount } from '../codec/arithmetic/amount.ts';
import { composed, type InOut, QUALITY_ONE } from '../codec/arithmetic/quality.ts';
import { sameNumber } from '../codec/arithmetic/ratio.ts';
import { type Hop, HopError } from './hop.ts';
import type { PaymentState } from './payment-state.ts';

export interface Strand {
  readonly hops: readonly Hop[];
  /** Token ids from the sent to the delivered one. */
  readonly tokens: readonly number[];
  /** It leads over the line of two issuers of one currency, and through no book. */
  readonly isOverLine?: boolean;
}

export interface StrandRun {
  /** What was delivered, and the trial with the changes; undefined: the strand is dry. */
  readonly flown: (InOut & { readonly view: PaymentState }) | undefined;
  /** Offers to remove, whether it delivered anything or not. */
  readonly removals: ReadonlySet<number>;
  readonly offersUsed: number;
  /** It must not be used again. */
  readonly inactive: boolean;
}

/** Upper bound of a strand's quality; undefined when one of its hops is dry. */
export function boundOf({ hops }: Strand, view: PaymentState): bigint | undefined {
  let quality = QUALITY_ONE;
  for (const hop of hops) {
    const bound = hop.bound(view);
    if (bound === undefined) return undefined;
    quality = composed(quality, bound);
  }
  return quality;
}

/** Runs a strand on `base` for `out` with an input of at most `maxIn`. */
export function runStrand(
  base: PaymentState,
  { hops }: Strand,
  maxIn: Amount | undefined,
  out: Amount,
): StrandRun {
  const removals = new Set<number>();
  let flown: StrandRun['flown'];
  try {
    flown = new Pass(base, hops, removals).run(maxIn, out);
  } catch (error) {
    if (!(error instanceof HopError)) throw error;
  }
  let offersUsed = 0;
  for (const hop of hops) offersUsed += hop.offersUsed;
  return { flown, removals, offersUsed, inactive: flown !== undefined && hops.some((hop) => hop.inactive) };
}

class Pass {
  readonly #base: PaymentState;
  readonly #hops: readonly Hop[];
  readonly #removals: Set<number>;
  #view: PaymentState;
  #limiting: number;
  #limitOut: Amount | undefined;

  constructor(base: PaymentState, hops: readonly Hop[], removals: Set<number>) {
    this.#base = base;
    this.#hops = hops;
    this.#removals = removals;
    this.#view = base.fork();
    this.#limiting = hops.length;
  }

  run(maxIn: Amount | undefined, out: Amount): StrandRun['flown'] {
    if (!this.#backwards(maxIn, out) || !this.#forwards()) return undefined;
    const first = this.#hops[0]!.flown!;
    const last = this.#hops.at(-1)!.flown!;
    return { in: first.in, out: last.out, view: this.#view };
  }

  #backwards(maxIn: Amount | undefined, out: Amount): boolean {
    let wanted = out;
    for (let i = this.#hops.length - 1; i >= 0; i -= 1) {
      const hop = this.#hops[i]!;
      let flown = hop.rev(this.#view, this.#base, this.#removals, wanted);
      if (flown.out.isZero) return false;
      if (i === 0 && maxIn && maxIn.compare(flown.in) < 0) {
        this.#view = this.#base.fork();
        flown = hop.fwd(this.#view, this.#base, this.#removals, maxIn);
        this.#limit(i, flown);
        if (flown.out.isZero || !sameNumber(flown.in, maxIn)) return false;
      } else if (!sameNumber(flown.out, wanted)) {
        this.#view = this.#base.fork();
        wanted = flown.out;
        flown = hop.rev(this.#view, this.#base, this.#removals, wanted);
        this.#limit(i, flown);
        // A tiny input can give no output.
        if (flown.out.isZero || !sameNumber(flown.out, wanted)) return false;
      }
      wanted = flown.in;
    }
    return true;
  }

  #limit(hop: number, { out }: InOut): void {
    this.#limiting = hop;
    this.#limitOut = out;
  }

  #forwards(): boolean {
    let given = this.#limitOut;
    for (let i = this.#limiting + 1; i < this.#hops.length; i += 1) {
      const flown = this.#hops[i]!.fwd(this.#view, this.#base, this.#removals, given!);
      if (flown.out.isZero || !sameNumber(flown.in, given!)) return false;
      given = flown.out;
    }
    return true;
  }
}

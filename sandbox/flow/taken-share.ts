/**
 * How much of an offer a step consumes: for the offer, for the step (with transfer fees) and for the owner.
 * Reducing it rounds in favour of the offer's owner (rippled BookStep.cpp).
 */
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { PARITY } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import { scaled } from '../../engine/codec/arithmetic/ratio.ts';
import type { InOut } from './step.ts';
import type { TakerOffer } from './taker-offer.ts';

/** Transfer rates on both sides, per billion. */
interface Rates {
  readonly in: number;
  readonly out: number;
}

export class Share {
  readonly #rates: Rates;

  constructor(
    /** What the offer receives and gives. */
    readonly offer: InOut,
    /** Input and output of the step, fee included. */
    readonly step: InOut,
    /** What the owner pays, fee included. */
    readonly ownerGives: Amount,
    rates: Rates,
  ) {
    this.#rates = rates;
  }

  limitIn(offer: TakerOffer, limit: Amount): Share {
    if (limit.compare(this.step.in) >= 0) return this;
    const input = scaled(limit, PARITY, this.#rates.in, false);
    const amounts = offer.limitIn(this.offer, input, false);
    const ownerGives = scaled(amounts.out, this.#rates.out, PARITY, false);
    return new Share(amounts, { in: limit, out: amounts.out }, ownerGives, this.#rates);
  }

  limitOut(offer: TakerOffer, limit: Amount): Share {
    if (limit.compare(this.step.out) >= 0) return this;
    const ownerGives = scaled(limit, this.#rates.out, PARITY, false);
    const amounts = offer.limitOut(this.offer, limit, true);
    const input = scaled(amounts.in, this.#rates.in, PARITY, true);
    return new Share(amounts, { in: input, out: limit }, ownerGives, this.#rates);
  }

  withStep(step: InOut): Share {
    return new Share(this.offer, step, this.ownerGives, this.#rates);
  }
}

/** All that an offer gives, or as much as its owner has; `funds` undefined: the owner has it all. */
export function shareOf(offer: TakerOffer, funds: Amount | undefined, rates: Rates): Share {
  const { amounts } = offer;
  const wanted = scaled(amounts.out, rates.out, PARITY, false);
  if (!funds || funds.compare(wanted) >= 0) {
    const input = scaled(amounts.in, rates.in, PARITY, true);
    return new Share(amounts, { in: input, out: amounts.out }, wanted, rates);
  }
  const out = scaled(funds, PARITY, rates.out, false);
  const limited = offer.limitOut(amounts, out, false);
  const input = scaled(limited.in, rates.in, PARITY, true);
  return new Share(limited, { in: input, out }, funds, rates);
}

/**
 * What pools offer to payments that have not used any pool yet, kept from payment to payment.
 *
 *     tokens of a hop, one strand or several ──► balances, fee, best of the book, and the offer that followed from them
 *
 * Goal: searches on one ledger, and on ledgers that leave a pool as it was, make the same offers over and over: here each of them
 * is made once. Such an offer follows from what is kept beside it and from the network's rules alone, so that nothing has to be
 * forgotten when a ledger is applied, nor when half of one was read. Non-goal: offers in later rounds, which differ.
 * Cost: some 500 bytes an entry; a look-up instead of 10 us.
 */
import type { PoolAmounts } from '../codec/arithmetic/amm-math.ts';
import { sameNumber } from '../codec/arithmetic/ratio.ts';
import { keyWithToken } from './amounts.ts';

/** Entries that are kept. */
const KEPT_MAX = 16_384;

export interface Offered {
  readonly amounts: PoolAmounts;
  readonly quality: bigint;
}

/** What an offer was made of. */
export interface Basis {
  readonly balances: PoolAmounts;
  /** Units of 1/100,000. */
  readonly fee: number;
  /** Quality of the book's best offer; undefined: it has none. */
  readonly best: bigint | undefined;
  readonly severalStrands: boolean;
  /** Rounds of the payment in which pools were used. */
  readonly rounds: number;
}

/** The offer that followed; undefined: the pool has none that is better than the book's. */
export interface Made extends Basis {
  readonly made: Offered | undefined;
}

/** Whether the same follows from both. */
export function isSameBasis(a: Basis, b: Basis): boolean {
  return (
    a.best === b.best &&
    a.fee === b.fee &&
    a.severalStrands === b.severalStrands &&
    a.rounds === b.rounds &&
    sameNumber(a.balances.in, b.balances.in) &&
    sameNumber(a.balances.out, b.balances.out)
  );
}

/** Of the pools of one network. */
export class FirstOffers {
  readonly #made = new Map<number, Made>();

  /** @param tokens in and out. @param make is called where it is not kept */
  of(tokens: readonly [number, number], basis: Basis, make: () => Made): Made {
    const key = keyWithToken(...tokens) * 2 + (basis.severalStrands ? 1 : 0);
    const known = this.#made.get(key);
    if (known && isSameBasis(known, basis)) return known;
    const made = make();
    if (this.#made.size >= KEPT_MAX) this.#made.clear();
    this.#made.set(key, made);
    return made;
  }
}

/**
 * How much of each offer of a book its owner can deliver.
 *
 * Offers are walked best first. An owner's funds are counted once: what a better offer of the same owner takes is
 * gone for the next (rippled, NetworkOPs::getBookPage, keeps the same tally per owner). The owner of an offer
 * pays the issuer's transfer fee on top of what the taker gets, unless owner or taker is the issuer; the taker is
 * unknown here, so the fee is counted (rippled does the same for a request without taker).
 */
import { compareDecimal, type Decimal, mulDecimal, subDecimal, ZERO } from '../engine/codec/amount.ts';
import { quotient } from './ratio.ts';

/** An offer as the ledger holds it. `gets` is what its owner gives, `pays` what its owner wants. */
export interface OpenOffer {
  readonly offer: number;
  readonly account: number;
  readonly pays: Decimal;
  readonly gets: Decimal;
}

export interface FundedOffer extends OpenOffer {
  /** What the owner can deliver of `gets`; more than zero, at most `gets`. */
  readonly fundedGets: Decimal;
  /** The same share of `pays`. */
  readonly fundedPays: Decimal;
}

export interface Funds {
  /** What the account can spend of the token the offers give; undefined = without bound (its issuer). */
  spendable(account: number): Decimal | undefined;
  /** The issuer's transfer rate: 1 = no fee, 1.002 = 0.2 %. */
  readonly transferRate: Decimal;
}

const ONE: Decimal = { m: 1n, e: 0 };

/**
 * Walks offers best first and yields those that are at least partly funded.
 * @param offers best first, expired ones already left out.
 */
export function* fundedOffers(offers: Iterable<OpenOffer>, funds: Funds): Generator<FundedOffer> {
  const left = new Map<number, Decimal | undefined>();
  const charged = compareDecimal(funds.transferRate, ONE) > 0;
  for (const offer of offers) {
    if (offer.gets.m <= 0n || offer.pays.m <= 0n) continue;
    const known = left.has(offer.account);
    const own = known ? left.get(offer.account) : funds.spendable(offer.account);
    if (own === undefined) {
      if (!known) left.set(offer.account, undefined);
      yield { ...offer, fundedGets: offer.gets, fundedPays: offer.pays };
      continue;
    }
    if (own.m <= 0n) {
      if (!known) left.set(offer.account, ZERO);
      continue;
    }
    const needed = charged ? mulDecimal(offer.gets, funds.transferRate) : offer.gets;
    if (compareDecimal(own, needed) >= 0) {
      left.set(offer.account, subDecimal(own, needed));
      yield { ...offer, fundedGets: offer.gets, fundedPays: offer.pays };
      continue;
    }
    left.set(offer.account, ZERO);
    const fundedGets = charged ? quotient(own, funds.transferRate) : own;
    if (fundedGets.m <= 0n) continue;
    const fundedPays = quotient(mulDecimal(fundedGets, offer.pays), offer.gets);
    yield { ...offer, fundedGets, fundedPays };
  }
}

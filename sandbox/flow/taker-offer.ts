/** An offer that a step can consume: one of the book, or one of a pool (rippled `TOffer`, `AMMOffer`). */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, type Hex, isIssued, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import { ceilIn, ceilInStrict, ceilOut, ceilOutStrict } from '../../engine/codec/arithmetic/quality.ts';
import { accountSend } from '../assets/send.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';
import type { InOut } from './step.ts';

export interface TakerOffer {
  /** The entry's key; a pool's offer has none. */
  readonly key: Hex | undefined;
  readonly owner: AccountId;
  readonly quality: bigint;
  /** The remaining amounts, funded or not. */
  readonly amounts: InOut;
  /** Whether only the offer itself limits what it gives. */
  readonly isFunded: boolean;
  readonly isConsumed: boolean;
  /** Whether the owner pays the issuer's transfer fee on what it gives, when owners pay at all. */
  readonly ownerPaysFee: boolean;
  /** `amounts` reduced to an input or output. */
  limitIn(amounts: InOut, limit: Amount, roundUp: boolean): InOut;
  limitOut(amounts: InOut, limit: Amount, roundUp: boolean): InOut;
  send(view: ApplyView, from: AccountId, to: AccountId, amount: Amount): Result;
  consume(taken: InOut): void;
  /** Whether consuming this much keeps the required condition. */
  allows(taken: InOut): boolean;
}

/** An offer of a book. Its quality is its directory's: it never changes while the offer is partly consumed. */
export class BookOffer implements TakerOffer {
  readonly #entry: Entry;
  readonly #rules: Rules;
  readonly owner: AccountId;
  readonly isFunded: boolean;
  readonly ownerPaysFee = true;
  amounts: InOut;

  constructor(
    entry: Entry,
    readonly quality: bigint,
    rules: Rules,
  ) {
    this.#entry = entry;
    this.#rules = rules;
    this.owner = entry.Account!;
    this.amounts = { in: entry.TakerPays!, out: entry.TakerGets! };
    const { asset } = this.amounts.out;
    this.isFunded = isIssued(asset) && issuerOf(asset) === this.owner;
  }

  get key(): Hex {
    return this.#entry.index;
  }

  get isConsumed(): boolean {
    return this.amounts.in.mantissa <= 0n || this.amounts.out.mantissa <= 0n;
  }

  limitIn(amounts: InOut, limit: Amount, roundUp: boolean): InOut {
    if (this.#rules.enabled('fixReducedOffersV2')) return ceilInStrict(this.quality, amounts, limit, roundUp);
    return ceilIn(this.quality, amounts, limit);
  }

  limitOut(amounts: InOut, limit: Amount, roundUp: boolean): InOut {
    if (this.#rules.enabled('fixReducedOffersV1'))
      return ceilOutStrict(this.quality, amounts, limit, roundUp);
    return ceilOut(this.quality, amounts, limit);
  }

  send(view: ApplyView, from: AccountId, to: AccountId, amount: Amount): Result {
    return accountSend(view, from, to, amount);
  }

  consume(taken: InOut): void {
    if (!fits(taken, this.amounts)) throw new Error('more than the offer has');
    this.amounts = { in: this.amounts.in.sub(taken.in), out: this.amounts.out.sub(taken.out) };
    this.#entry.TakerPays = this.amounts.in;
    this.#entry.TakerGets = this.amounts.out;
  }

  allows(taken: InOut): boolean {
    return !this.#rules.enabled('fixAMMv1_3') || fits(taken, this.amounts);
  }
}

export function fits(taken: InOut, amounts: InOut): boolean {
  return taken.in.compare(amounts.in) <= 0 && taken.out.compare(amounts.out) <= 0;
}

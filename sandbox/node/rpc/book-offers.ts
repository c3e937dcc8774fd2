/**
 * `book_offers`: the offers of a book in the order they are consumed, each with the funds of its owner (rippled
 * `NetworkOPs::getBookPage`). AMM pools are not offers; `amm_info` shows them.
 *
 * An owner's funds are counted down from offer to offer: what the better one uses is not available to the next.
 */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import {
  divideRate,
  multiply,
  multiplyRate,
  PARITY,
} from '../../../engine/codec/arithmetic/amount-arithmetic.ts';
import { type AccountId, type Asset, issuerOf, isXrp } from '../../../engine/codec/arithmetic/asset.ts';
import { amountFromQuality } from '../../../engine/codec/arithmetic/quality.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import { isGlobalFrozen } from '../../assets/freeze.ts';
import { accountHolds } from '../../assets/funds.ts';
import { transferRate } from '../../assets/rates.ts';
import { dirEntries } from '../../ledger/directory.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Entry } from '../../protocol/fields.ts';
import * as keylets from '../../protocol/keylets.ts';
import { entryJson } from './account-choice.ts';
import { type BookSelection, bookSelection } from './book-params.ts';
import type { Command } from './command.ts';
import { chooseState } from './ledger-choice.ts';
import { LIMITS, limitParam } from './params.ts';

const smaller = (a: Amount, b: Amount): Amount => (a.compare(b) <= 0 ? a : b);

/** The owners of a book's offers, and what each has left of the asset it gives. */
class Funding {
  readonly #view: ReadView;
  readonly #asset: Asset;
  readonly #issuer: AccountId;
  readonly #frozen: boolean;
  readonly #rate: number;
  readonly #left = new Map<AccountId, Amount>();

  constructor(view: ReadView, { takerPays, takerGets, taker }: BookSelection) {
    this.#view = view;
    this.#asset = takerGets;
    this.#issuer = issuerOf(takerGets);
    this.#frozen = [takerPays, takerGets].some((asset) => !isXrp(asset) && isGlobalFrozen(view, asset));
    // The issuer receives its own currency without a transfer fee.
    this.#rate = taker === this.#issuer ? PARITY : transferRate(view, takerGets);
  }

  /** The remaining funds of the owner of an offer, and whether this is the owner's first offer here. */
  #funds(offer: Readonly<Entry>): { readonly funds: Amount; readonly isFirst: boolean } {
    const owner = offer.Account!;
    if (owner === this.#issuer && !isXrp(this.#asset)) return { funds: offer.TakerGets!, isFirst: true };
    if (this.#frozen) return { funds: Amount.zero(this.#asset), isFirst: true };
    const left = this.#left.get(owner);
    if (left !== undefined) return { funds: left, isFirst: false };
    const held = accountHolds(this.#view, owner, this.#asset, { freeze: 'zero', auth: 'zero' });
    return { funds: held.signum < 0 ? Amount.zero(this.#asset) : held, isFirst: true };
  }

  /** An offer with its funding, which is deducted from the owner's funds. */
  take(offer: Readonly<Entry>, rate: Amount): JsonObject {
    const { funds, isFirst } = this.#funds(offer);
    const gets = offer.TakerGets!;
    const owner = offer.Account!;
    const fee = owner === this.#issuer ? PARITY : this.#rate;
    const payable = fee === PARITY ? funds : divideRate(funds, fee);
    const isFunded = payable.compare(gets) >= 0;
    const given = isFunded ? gets : payable;
    const json: JsonObject = { ...entryJson(offer), quality: rate.text() };
    if (!isFunded) {
      const pays = offer.TakerPays!;
      json.taker_gets_funded = given.json() as Json;
      json.taker_pays_funded = smaller(pays, multiply(given, rate, pays.asset)).json() as Json;
    }
    const spent = fee === PARITY ? given : smaller(funds, multiplyRate(given, fee));
    this.#left.set(owner, funds.sub(spent));
    if (isFirst) json.owner_funds = funds.text();
    return json;
  }
}

/** Offers of a book as `book_offers` shows them, the best ones first. */
export function bookPage(view: ReadView, book: BookSelection, limit: number): JsonObject[] {
  const funding = new Funding(view, book);
  const base = keylets.bookBase(book);
  const end = keylets.nextQualityBase(base);
  const offers: JsonObject[] = [];
  let tip = view.successor(base, end);
  for (; tip !== undefined; tip = view.successor(tip, end)) {
    const rate = amountFromQuality(keylets.directoryQuality(tip));
    for (const key of dirEntries(view, tip)) {
      if (offers.length === limit) return offers;
      const offer = view.read(key);
      if (offer !== undefined) offers.push(funding.take(offer, rate));
    }
  }
  return offers;
}

export const bookOffers: Command = {
  name: 'book_offers',
  run(params, { network, admin }) {
    const { view, members } = chooseState(network, params);
    const book = bookSelection(params);
    const limit = limitParam(params, LIMITS.bookOffers, admin);
    return { ...members, offers: bookPage(view, book, limit) };
  },
};

/**
 * The first tokens of the sized network are those of known anchors, so that the engine has rates of XRP in fiat money as
 * on the main network (engine/market/known-anchors.ts).
 */
import { accountBytes } from '../../engine/codec/base58.ts';
import { currencyBytes } from '../../engine/codec/currency.ts';
import { Fiat } from '../../engine/market/figures.ts';
import { KNOWN_ANCHORS } from '../../engine/market/known-anchors.ts';

interface AnchorToken {
  readonly account: Uint8Array;
  readonly currency: Uint8Array;
  /** XRP for one token. */
  readonly price: number;
}

/** XRP for a unit of fiat money, as where XRP costs 2 dollars. */
const PRICES: Record<Fiat, number> = {
  [Fiat.USD]: 0.5,
  [Fiat.EUR]: 0.58,
  [Fiat.JPY]: 0.0033,
  [Fiat.CNY]: 0.07,
};

const working = KNOWN_ANCHORS.filter(({ until }) => until === undefined);

/** One token for each issuer that still pays out. */
export const ANCHORS: readonly AnchorToken[] = working
  .filter(({ issuer }, i) => working.findIndex((other) => other.issuer === issuer) === i)
  .map(({ issuer, currency, fiat }) => ({
    account: accountBytes(issuer)!,
    currency: currencyBytes(currency)!,
    price: PRICES[fiat],
  }));

/**
 * Which tokens are shown in lists, search, tags and totals, and which of them count in the market cap. The one definition
 * of either; a token that is not listed keeps its id, its history and its page (`/token/{id}`).
 *
 * Listed is
 *   - an issued currency while a trust line, an offer or a pool of it is there, whatever its supply
 *   - an LP token while its pool exists and some of it is outstanding
 *   - an MPT while its issuance exists; one whose issuance no ledger has shown, while it has a holder or an offer
 *   - never XRP, which has no issuer
 *
 * So a token is removed from the list with its last line, and one that never had more than an offer with that offer.
 */
import { AssetKind, rawNumber } from '../codec/amount.ts';
import type { Books } from './books.ts';
import type { Lines } from './lines.ts';
import type { Pools } from './pools.ts';
import { Issuance, TokenKind, type Tokens, XRP } from './tokens.ts';

/** A token of the market has an XRP pool with at least this much XRP, and at least this many holders. */
export const MARKET_POOL_XRP = 40;
export const MARKET_HOLDERS = 30;
/** First byte of the currency codes that pools give their LP tokens. */
const LP_CODE = '03';

type Stock = {
  readonly tokens: Pick<Tokens, 'kinds' | 'pools' | 'issuanceState' | 'currencyText'>;
  readonly lines: Pick<Lines, 'lineCount' | 'holdersCount'>;
  readonly books: Pick<Books, 'offersOf'>;
  readonly pools: Pick<Pools, 'of' | 'exists' | 'lpBalanceRaw' | 'byAssets' | 'asset1' | 'reserveRaw'>;
};

export class Listing {
  readonly #state: Stock;

  constructor(state: Stock) {
    this.#state = state;
  }

  /** Whether a token is shown in lists and totals; see the head of the file. */
  isListed(token: number): boolean {
    if (token === XRP) return false;
    const { tokens, lines, books, pools } = this.#state;
    const pool = tokens.pools[token]!;
    if (pool !== 0) return pools.exists(pool) && rawNumber(AssetKind.issued, ...pools.lpBalanceRaw(pool)) > 0;
    if (tokens.kinds[token] === TokenKind.mpt) {
      const issuance = tokens.issuanceState[token]!;
      if (issuance !== Issuance.none) return issuance === Issuance.exists;
    }
    return lines.lineCount(token) > 0 || books.offersOf(token) > 0 || pools.of(token).size > 0;
  }

  /**
   * Whether a token counts in the market cap of all (`isOMCF`): a token's price times its supply can be any number its
   * issuer chooses, so it must have a market.
   */
  isOfMarket(token: number): boolean {
    if (token === XRP) return false;
    const { tokens, lines, pools } = this.#state;
    const pool = pools.byAssets(XRP, token);
    if (pool === undefined || lines.holdersCount(token) < MARKET_HOLDERS) return false;
    const xrp = rawNumber(AssetKind.xrp, ...pools.reserveRaw(pool, pools.asset1(pool) === XRP ? 1 : 2));
    return xrp >= MARKET_POOL_XRP && !tokens.currencyText(token).startsWith(LP_CODE);
  }
}

/** Totals of the market counted afresh from the rows of the state: the oracle of engine/market/totals.ts. */
import { DROPS_PER_XRP, rawNumber } from '../../../engine/codec/amount.ts';
import type { Market } from '../../../engine/market/market.ts';
import type { State } from '../../../engine/state/state.ts';

const ISSUED = 1;
const MPT = 2;

export class BruteTotals {
  /** Listed tokens, ascending. */
  readonly listed: number[] = [];
  marketcap = 0;
  /** Of all listed tokens. */
  unfilteredMarketcap = 0;
  /** Drops that each standing pool locks. */
  readonly pools = new Map<number, number>();
  readonly #state: State;
  readonly #market: Market;
  readonly #ofMarket = new Set<number>();

  constructor(state: State, market: Market) {
    this.#state = state;
    this.#market = market;
    const { tokens, pools } = state;
    const named = this.#named();
    for (let token = 1; token < tokens.count; token++) {
      if (this.#isListed(token, named)) {
        this.listed.push(token);
        const cap = this.#price(token) * amount(state, token);
        if (Number.isFinite(cap)) this.unfilteredMarketcap += cap;
      }
      if (!this.#hasMarket(token)) continue;
      this.#ofMarket.add(token);
      this.marketcap += this.#price(token) * amount(state, token);
    }
    for (let pool = 1; pool < pools.count; pool++)
      if (pools.exists(pool)) this.pools.set(pool, Math.round(this.#worth(pool) * DROPS_PER_XRP));
  }

  /** XRP. */
  get locked(): number {
    return [...this.pools.values()].reduce((sum, drops) => sum + drops, 0) / DROPS_PER_XRP;
  }

  /** XRP that all pools of a token lock; undefined when it has none. */
  lockedOf(token: number): number | undefined {
    const { pools } = this.#state;
    const own = [...this.pools].filter(
      ([pool]) => pools.asset1(pool) === token || pools.asset2(pool) === token,
    );
    return own.length === 0 ? undefined : own.reduce((sum, [, drops]) => sum + drops, 0) / DROPS_PER_XRP;
  }

  /** Tokens that a line, an offer or a standing pool names. */
  #named(): Set<number> {
    const { lines, books, pools } = this.#state;
    const named = new Set<number>();
    for (let line = 1; line < lines.table.count; line++)
      if (lines.lows[line] !== 0) for (const token of lines.tokensOf(line)) named.add(token);
    for (let offer = 1; offer < books.table.count; offer++)
      if (books.accounts[offer] !== 0) named.add(books.paysTokens[offer]!).add(books.getsTokens[offer]!);
    for (let pool = 1; pool < pools.count; pool++)
      if (pools.exists(pool)) named.add(pools.asset1(pool)).add(pools.asset2(pool));
    return named;
  }

  #isListed(token: number, named: ReadonlySet<number>): boolean {
    const { tokens, pools } = this.#state;
    for (let pool = 1; pool < pools.count; pool++)
      if (pools.lpToken(pool) === token && pools.exists(pool))
        return rawNumber(ISSUED, ...pools.lpBalanceRaw(pool)) > 0;
    if (tokens.poolOf(token) !== undefined) return false;
    const issuance = tokens.kind(token) === MPT ? tokens.issuanceState[token]! : 0;
    return issuance === 0 ? named.has(token) : issuance === 1;
  }

  #hasMarket(token: number): boolean {
    const { lines, tokens } = this.#state;
    const holding = [...lines.holders(token)].filter((line) => lines.balanceNumber(line, token) > 0);
    return (
      this.#xrpBeside(token) >= 40 && holding.length >= 30 && !tokens.currencyText(token).startsWith('03')
    );
  }

  /** XRP in the token's XRP pool. */
  #xrpBeside(token: number): number {
    const { pools } = this.#state;
    for (let pool = 1; pool < pools.count; pool++) {
      if (!pools.exists(pool)) continue;
      if (pools.asset1(pool) === 0 && pools.asset2(pool) === token) return this.#held(pool, 1);
      if (pools.asset2(pool) === 0 && pools.asset1(pool) === token) return this.#held(pool, 2);
    }
    return 0;
  }

  #price(token: number): number {
    const known = this.#market.prices.price(token);
    if (known !== undefined) return known;
    const { pools } = this.#state;
    for (let pool = 1; pool < pools.count; pool++) {
      if (!pools.exists(pool)) continue;
      const [one, two] = [pools.asset1(pool), pools.asset2(pool)];
      if (one === 0 && two === token) return finite(this.#held(pool, 1) / this.#held(pool, 2));
      if (two === 0 && one === token) return finite(this.#held(pool, 2) / this.#held(pool, 1));
    }
    return 0;
  }

  #worth(pool: number): number {
    const { pools } = this.#state;
    const [one, two] = [pools.asset1(pool), pools.asset2(pool)];
    if (one === 0) return 2 * this.#held(pool, 1);
    if (two === 0) return 2 * this.#held(pool, 2);
    return this.#held(pool, 1) * this.#counted(one) + this.#held(pool, 2) * this.#counted(two);
  }

  /** A token's price where a pool between tokens counts it. */
  #counted(token: number): number {
    const { prices, rates, closeTime } = this.#market;
    const trusted =
      this.#ofMarket.has(token) ||
      this.#xrpBeside(token) >= 10_000 ||
      (rates.anchors(token, closeTime) && prices.direct(token, closeTime, Number.POSITIVE_INFINITY) > 0);
    return trusted ? this.#price(token) : 0;
  }

  #held(pool: number, side: 1 | 2): number {
    const { pools, tokens } = this.#state;
    const token = side === 1 ? pools.asset1(pool) : pools.asset2(pool);
    return tokens.number(token, ...pools.reserveRaw(pool, side));
  }
}

/** All that is issued, as the sum of the balances. */
function amount({ lines, tokens }: State, token: number): number {
  if (tokens.kind(token) === MPT)
    return tokens.number(token, tokens.outstandingHi[token]!, tokens.outstandingLo[token]!);
  let sum = 0;
  for (const line of lines.holders(token)) sum += Math.max(0, lines.balanceNumber(line, token));
  return sum;
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

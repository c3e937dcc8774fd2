/** The trades of a token against XRP, page by page, as the kernels of the analytics read them. */
import type { TokenTrade } from '../../engine/metrics/sandwiches.ts';
import type { JsonObject } from './json-rpc.ts';
import type { ToolContext } from './tool.ts';

/** Trades a page, and most pages of one answer. */
const PAGE = 1000;
const PAGES_MAX = 30;

export interface TokenTrades {
  /** Oldest first, in the order in which they were applied; those of who took, and of who offered. */
  readonly trades: readonly TokenTrade[];
  /** There are more that were not read, or older ones that are not kept. */
  readonly isCut: boolean;
}

export interface TradeRange {
  /** Unix ms, inclusive. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** @param id of the token @throws ApiError for one that is not known */
export async function tradesOf(
  { call }: Pick<ToolContext, 'call'>,
  id: unknown,
  { from, until }: TradeRange,
): Promise<TokenTrades> {
  const { token } = await call('GET /token/{id}', { id }, ['md5', 'issuer', 'currency']);
  const { issuer, currency } = token as JsonObject;
  const trades: TokenTrade[] = [];
  let cursor: unknown;
  for (let page = 0; page < PAGES_MAX; page++) {
    const range = { md5: id, start_time: from, end_time: until, cursor };
    const { data, meta } = await call('GET /history', {
      ...range,
      limit: PAGE,
      direction: 'asc',
      pair_type: 'xrp',
    });
    for (const row of data as JsonObject[]) trades.push(...sidesOf(row, `${issuer}.${currency}`));
    const { nextCursor, keptFrom } = meta as JsonObject;
    cursor = nextCursor;
    if (cursor === null || cursor === undefined) return { trades, isCut: keptFrom !== undefined };
  }
  return { trades, isCut: true };
}

const nameOf = ({ issuer, currency }: JsonObject): string => `${issuer}.${currency}`;

/**
 * A trade with the token from the view of those who made it. On a book `paid` is what the taker paid to the maker; with a
 * pool the pool counts as the taker, and there is one account beside it.
 */
function sidesOf({ paid, got, maker, taker, isAMM, ledger, time }: JsonObject, token: string): TokenTrade[] {
  const isPaid = nameOf(paid as JsonObject) === token;
  const [tokens, xrp] = (isPaid ? [paid, got] : [got, paid]).map((amount) =>
    Number((amount as JsonObject).value),
  );
  if (!(tokens! > 0) || !(xrp! > 0)) return [];
  const trade = { ledger: ledger as number, time: time as number, tokens: tokens!, xrp: xrp! };
  // Who gets what the taker pays: the maker.
  const makers = { ...trade, account: maker as string, side: isPaid ? 'buy' : 'sell' } as const;
  if (isAMM) return [makers];
  return [{ ...trade, account: taker as string, side: isPaid ? 'sell' : 'buy' }, makers];
}

/** Tools about the mood of the market: an index of fear and greed, and news. */
import { fearGreed, type MarketDay } from '../../../engine/metrics/fear-greed.ts';
import { DAY_MS } from '../../../engine/ripple-time.ts';
import { ApiError, notConfigured } from '../../../requests/errors.ts';
import type { JsonObject } from '../json-rpc.ts';
import { tool } from '../tool.ts';

/** Days before the first one that is asked for, with which it is compared. */
const BEFORE = 31;
/** Tokens whose day counts for the breadth of the market, those most traded. */
const BREADTH_TOKENS = 100;

export const sentimentTools = [
  tool({
    name: 'get_fear_greed_index',
    title: 'Fear and greed',
    about:
      'Mood of the token market, 0 (fear) to 100 (greed): mean of momentum (market cap against its 30-day mean), volatility (7 against 30 days) and, for today, breadth (tokens that rose, %). Days before: without breadth.',
    routes: ['GET /stats/marketcap-history', 'GET /tokens'],
    params: { days: { kind: 'int', about: 'Days that are shown', default: 1, min: 1, max: 365 } },
    ifNone: 'Fewer than 8 days are known here yet',
    answer: {
      properties: { date: {}, value: { type: 'number' }, label: {}, components: {}, days: { type: 'array' } },
    },
    run: async ({ days }, { call, closeTime }) => {
      const from = closeTime - ((days as number) + BEFORE) * DAY_MS;
      const { history } = await call('GET /stats/marketcap-history', { from });
      const known = (history as JsonObject[]).map(
        ({ date, gMarketcap }): MarketDay => ({ date: String(date), marketcap: Number(gMarketcap) }),
      );
      const { tokens } = await call('GET /tokens', { sort: 'vol24hxrp', limit: BREADTH_TOKENS }, ['pro24h']);
      const changes = (tokens as JsonObject[])
        .map(({ pro24h }) => Number(pro24h ?? 0))
        .filter((one) => one !== 0);
      const rose = changes.filter((one) => one > 0).length;
      const today = fearGreed(known, changes.length === 0 ? undefined : (100 * rose) / changes.length);
      if (!today) throw new ApiError('not_found', 'The index needs 8 days of the market');
      const before = known.slice(0, -1).map((_, at) => fearGreed(known.slice(0, at + 1)));
      const shown = [...before, today]
        .filter((one) => one !== undefined)
        .slice(-(days as number))
        .map(({ date, value, label }) => ({ date, value, label }));
      return { ...today, ...((days as number) > 1 && { days: shown }) };
    },
  }),
  tool({
    name: 'get_news',
    title: 'News',
    about: 'News that this service has. It reads none from outside: nothing there could be proved.',
    routes: [],
    params: {
      query: { kind: 'text', about: 'Words', maxLength: 200 },
      limit: { kind: 'int', about: 'Rows', default: 15, min: 1, max: 50 },
      source: { kind: 'text', about: 'Only of this source', maxLength: 100 },
      date: { kind: 'text', about: 'Only of this day, YYYY-MM-DD', maxLength: 10 },
    },
    answer: { properties: { news: { type: 'array' } } },
    run: () => {
      throw notConfigured(
        'This service follows no source of news',
        'get_top_movers, get_whale_activity and get_new_launches show what happened on the ledger',
      );
    },
  }),
];

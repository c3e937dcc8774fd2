/**
 * XRP in fiat from Kraken's public REST interface.
 *
 * Wire: `GET /0/public/Ticker?pair=XRPUSD,XRPEUR,XRPJPY` answers `{ error: [], result: { XXRPZUSD: { c: ["0.52",
 * "100"] } } }`; `c[0]` is the price of the last trade. Kraken names the pair in its own way (XXRPZUSD, XRPJPY), so
 * a pair is recognised by its ending. https://docs.kraken.com/api/docs/rest-api/get-ticker-information
 */
import { FIATS, type Fiat } from '../engine/market/figures.ts';
import type { RateDriver } from './rate-feed.ts';

export const krakenRates: RateDriver = {
  name: 'kraken',
  url: 'https://api.kraken.com',
  path: '/0/public/Ticker?pair=XRPUSD,XRPEUR,XRPJPY',
  prices(answer) {
    const { error, result } = (answer ?? {}) as { error?: unknown; result?: unknown };
    if (Array.isArray(error) && error.length > 0) throw new Error(String(error[0]));
    if (typeof result !== 'object' || result === null) throw new Error('an answer without result');
    return Object.entries(result).flatMap(([pair, ticker]) => {
      const fiat = FIATS.findIndex((name) => pair.endsWith(name));
      const last = (ticker as { c?: unknown })?.c;
      return fiat < 0 || !Array.isArray(last) ? [] : [[fiat as Fiat, Number(last[0])] as const];
    });
  },
};

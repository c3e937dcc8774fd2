/** Answers as the services give them, by the name of the driver, and what a driver must read in them. */
import type { FIATS } from '../../engine/market/figures.ts';

interface RateDriverCase {
  /** Path and query of the request. */
  readonly request: string;
  readonly answer: unknown;
  /** Fiat per XRP in the answer. USD is among them. */
  readonly prices: Readonly<Partial<Record<(typeof FIATS)[number], number>>>;
  /** Answers without a usable price. */
  readonly bad: Readonly<Record<string, unknown>>;
}

const ticker = (last: string) => ({
  a: [last, '1', '1.000'],
  b: [last, '1', '1.000'],
  c: [last, '100.5'],
  v: ['1', '2'],
});

export const RATE_DRIVER_CASES: Readonly<Record<string, RateDriverCase>> = {
  kraken: {
    request: '/0/public/Ticker?pair=XRPUSD,XRPEUR,XRPJPY',
    answer: {
      error: [],
      result: { XXRPZUSD: ticker('2.00000'), XXRPZEUR: ticker('1.60000'), XRPJPY: ticker('320.5') },
    },
    prices: { USD: 2, EUR: 1.6, JPY: 320.5 },
    bad: {
      'an error of the service': { error: ['EGeneral:Too many requests'] },
      'no result': { error: [] },
      'a negative price': { error: [], result: { XXRPZUSD: ticker('-1') } },
      'wrong types': { error: [], result: { XXRPZUSD: { c: 'x' }, XRPJPY: null } },
    },
  },
};

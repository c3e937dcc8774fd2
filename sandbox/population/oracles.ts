/**
 * Oracle owners: three accounts that publish prices (XLS-47), each every five minutes, at different times: XRP in every
 * fiat currency that has a token here, and BTC in USD.
 */
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import { hex } from './hex.ts';
import { ORACLES } from './setup.ts';
import type { SimulationStep } from './simulation-step.ts';
import { currencyCode, FIAT_TOKENS } from './tokens.ts';

/** Seconds between two updates of one owner. */
export const ORACLE_EVERY = 300;
/** Largest error of a published price, as a fraction. */
export const ORACLE_NOISE = 0.0004;
const SCALE = 6;
const UNITS = 1_000_000;
const DOCUMENT = 1;
const ZERO_CODE = '0'.repeat(40);

/** Publishes prices with a small random error: two owners never publish exactly the same. */
function post(step: SimulationStep, n: number): void {
  const { economy, closeTime } = step;
  const random = step.random(`oracle:${n}`);
  const usd = economy.xrpUsd(closeTime);
  const price = (code: string, quote: string, value: number) => ({
    PriceData: {
      BaseAsset: code,
      QuoteAsset: quote,
      AssetPrice: BigInt(Math.round(value * (1 + random.between(-ORACLE_NOISE, ORACLE_NOISE)) * UNITS)),
      Scale: SCALE,
    },
  });
  const dollar = currencyCode('USD');
  step.send(step.agents.get(`oracle:${n}`), {
    TransactionType: 'OracleSet',
    OracleDocumentID: DOCUMENT,
    Provider: hex(`feed-${n}`),
    AssetClass: hex('currency'),
    LastUpdateTime: closeTime + RIPPLE_EPOCH,
    PriceDataSeries: [
      price(ZERO_CODE, dollar, usd),
      ...FIAT_TOKENS.map((name) =>
        price(ZERO_CODE, currencyCode(name), 1 / economy.worth(economy.token(name), closeTime)),
      ),
      price(currencyCode('BTC'), dollar, usd * 41_000),
    ],
  });
}

export function oracles(step: SimulationStep): void {
  for (let n = 0; n < ORACLES; n++) {
    const shift = (ORACLE_EVERY / ORACLES) * n;
    const slot = (time: number) => Math.floor((time + shift) / ORACLE_EVERY);
    if (slot(step.now) !== slot(step.parent.header.parentCloseTime)) post(step, n);
  }
}

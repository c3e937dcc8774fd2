/**
 * Oracle owners: three accounts that publish prices (XLS-47), each every five minutes, one after the other: XRP in every
 * money that a token stands for, and BTC.
 */
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import { hex } from './hex.ts';
import { ORACLES } from './setup.ts';
import type { SimulationStep } from './simulation-step.ts';
import { currencyCode, MONEYS } from './tokens.ts';

/** Seconds between two posts of one owner. */
export const ORACLE_EVERY = 300;
/** How far an owner is off at most, as a fraction. */
export const ORACLE_NOISE = 0.0004;
const SCALE = 6;
const UNITS = 1_000_000;
const DOCUMENT = 1;
const ZERO_CODE = '0'.repeat(40);

/** Prices with a little noise of their own: owners never agree to the last digit. */
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
      ...MONEYS.map((name) =>
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

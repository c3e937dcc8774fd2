import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { PendingTrades } from '../../../engine/market/pending-trades.ts';
import { TRADE_BYTES, TradeAt } from '../../../engine/market/trade-record.ts';

const seed = Number(process.env.SEED ?? 20_261_128);

/** Trades of a ledger, numbered. */
function tradesOf(ledger: number, count: number): Uint8Array {
  const bytes = new Uint8Array(count * TRADE_BYTES);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) {
    view.setUint32(i * TRADE_BYTES + TradeAt.ledger, ledger, true);
    view.setUint32(i * TRADE_BYTES + TradeAt.number, i, true);
  }
  return bytes;
}

/** A ledger with so many trades, or that the ledgers up to so many before the newest are durable. */
const step = fc.oneof(
  fc.record({ trades: fc.integer({ min: 0, max: 700 }) }),
  fc.record({ behind: fc.integer({ min: -1, max: 12 }) }),
);

test(`what is left are the trades of later ledgers, in their order (SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pending = new PendingTrades();
      let kept: { ledger: number; number: number }[] = [];
      let newest = 100;
      for (const one of steps) {
        if ('trades' in one) {
          newest++;
          pending.append(tradesOf(newest, one.trades), one.trades);
          for (let number = 0; number < one.trades; number++) kept.push({ ledger: newest, number });
        } else {
          pending.durable(newest - one.behind);
          kept = kept.filter(({ ledger }) => ledger > newest - one.behind);
        }
        const records = Array.from({ length: pending.count }, (_, i) => {
          const { buffer, byteOffset } = pending.record(i);
          const view = new DataView(buffer, byteOffset);
          return {
            ledger: view.getUint32(TradeAt.ledger, true),
            number: view.getUint32(TradeAt.number, true),
          };
        });
        expect(records).toEqual(kept);
      }
    }),
    { seed, numRuns: 60 },
  );
});

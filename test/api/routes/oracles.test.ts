/** Prices of the oracles on the ledger, against the entries that the embedded network's node shows. */
import { expect, test } from 'bun:test';
import { HOUR } from '../../../engine/ripple-time.ts';
import { Network } from '../../../views/network.ts';
import { askerOf } from '../../embedded.ts';
import { follow, pass } from '../../flows-world.ts';
import { asker, type Json } from './ask.ts';

test('every price of XRP in dollars, exactly as it was published, the newest first', async () => {
  const followed = follow('oracles');
  await pass(followed, 6 * HOUR, 600);
  followed.world.flush();
  const node = askerOf(followed.world.network);
  const { state } = node('ledger_data', { type: 'oracle', ledger_index: 'validated', limit: 2048 }) as Json;
  const expected = (state as Json[]).flatMap(({ Owner, OracleDocumentID, LastUpdateTime, PriceDataSeries }) =>
    PriceDataSeries.map(({ PriceData }: Json) => PriceData)
      .filter(
        ({ BaseAsset, QuoteAsset, AssetPrice }: Json) =>
          BaseAsset === 'XRP' && QuoteAsset === 'USD' && AssetPrice,
      )
      .map(({ AssetPrice, Scale = 0 }: Json) => ({
        account: Owner,
        document_id: OracleDocumentID ?? 0,
        price: Number(BigInt(`0x${AssetPrice}`)) / 10 ** Scale,
        last_update: LastUpdateTime * 1000,
      })),
  );
  expect(expected.length).toBeGreaterThan(1);
  const { body } = await asker(new Network({ engine: followed.engine })).get('/stats/oracles?limit=200');
  expect([body.quote, body.count, body.total]).toEqual(['USD', expected.length, expected.length]);
  const order = ({ account, document_id }: Json) => `${account} ${document_id}`;
  const sorted = (rows: Json[]) => rows.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  const asNumbers = body.oracles.map((row: Json) => ({ ...row, price: Number(row.price) }));
  expect(sorted(asNumbers)).toEqual(sorted(expected));
  const times = body.oracles.map(({ last_update }: Json) => last_update);
  expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
});

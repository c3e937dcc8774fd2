/** Trades of recorded ledgers and transactions compared with a brute-force parser of their JSON metadata. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode } from 'ripple-binary-codec';
import { rawText } from '../../../engine/codec/amount.ts';
import { TradeReader } from '../../../engine/market/trade-record.ts';
import { corpusDir, readLines } from '../../../support/corpus.ts';
import { recordedLedgers, type Sample, sampleOf } from '../state/recorded.ts';
import { type BruteTrade, bruteTrades, canonical, exact, minus, poolsOf } from './brute.ts';
import { namedTrades } from './named.ts';
import { Rig } from './rig.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of the reference codec
type Json = Record<string, any>;

const vector = (name: string): Json => JSON.parse(readFileSync(join(corpusDir!, 'vectors', name), 'utf8'));
const text = ({
  maker,
  taker,
  account,
  paidKey,
  paid,
  gotKey,
  got,
  sequence,
  isAMM,
  liquidity,
}: BruteTrade) => [maker, taker, account, paidKey, paid, gotKey, got, sequence, isAMM, liquidity].join(' ');

/** Blobs of recorded transactions that trade; undefined when the reference codec refuses them. */
function sampleOfRow(row: Json, index: number): Sample | undefined {
  try {
    const tx = row.tx_blob ?? encode(row.tx);
    const meta = row.meta_blob ?? encode(row.meta);
    return sampleOf(row.hash, index, Number(row.close_time ?? 500_000_000), [{ tx, meta }]);
  } catch {
    return undefined;
  }
}

const txOf = (sample: Sample, i: number): Json => decode(Buffer.from(sample.packed.tx(i)).toString('hex'));

describe.skipIf(!corpusDir)('trades of recorded ledgers', () => {
  const recorded = corpusDir ? recordedLedgers('mainnet-') : [];
  const poolAccounts = new Set<string>();
  const moves: Json[] = corpusDir ? vector('amm_pool_moves_from_meta.json').cases : [];
  for (const { pools } of moves) for (const { amm_account } of pools) poolAccounts.add(amm_account);

  function check(rig: Rig, sample: Sample): number {
    rig.apply(sample.packed, sample.changes);
    for (const pool of poolsOf(sample.metas)) poolAccounts.add(pool);
    const found = namedTrades(rig.state, rig.market);
    const pools = (meta: Json) => {
      const named = JSON.stringify(meta).matchAll(/"(r[1-9A-HJ-NP-Za-km-z]{24,34})"/g);
      return new Set(
        Array.from(named, ([, account]) => account!).filter((account) => poolAccounts.has(account)),
      );
    };
    const wanted = sample.metas.flatMap((meta, tx) =>
      bruteTrades(txOf(sample, tx), meta, pools(meta)).map((trade) => `${tx} ${text(trade)}`),
    );
    expect(found.map((trade) => `${trade.tx} ${text(trade)}`).sort()).toEqual(wanted.sort());
    return found.length;
  }

  test('every leg of every recorded mainnet ledger, exact', () => {
    const rig = new Rig();
    let trades = 0;
    for (const sample of recorded) trades += check(rig, sample);
    expect(trades).toBeGreaterThan(250);
  });

  test('recorded transactions that consume offers or use pools', () => {
    const rig = new Rig();
    const rows = readLines('tx.jsonl.gz').filter(
      (row: Json) =>
        String(row.type).startsWith('AMM') || /offers-consumed|amm-crossed/.test(String(row.tags)),
    );
    let trades = 0;
    for (const [i, row] of rows.entries()) {
      const sample = sampleOfRow(row, i + 1);
      if (sample) trades += check(rig, sample);
    }
    expect(trades).toBeGreaterThan(300);
  });

  test('pool movements derived elsewhere', () => {
    const rows = new Map(readLines('tx.jsonl.gz').map((row) => [row.hash as string, row as Json]));
    let swaps = 0;
    for (const one of moves) {
      const row = rows.get(one.hash);
      const sample = row && sampleOfRow(row, 1);
      if (!sample) continue;
      const rig = new Rig();
      rig.apply(sample.packed, sample.changes);
      const found = namedTrades(rig.state, rig.market);
      for (const pool of one.pools.filter((p: Json) => p.swap)) {
        const trade = found.find((t) => t.isAMM && t.taker === pool.amm_account)!;
        const moved = (side: string) => {
          const { before, after, asset } = pool.assets.find((a: Json) => a.asset === pool.swap[side]);
          const d = minus(exact(after), exact(before));
          return canonical({ m: d.m < 0n ? -d.m : d.m, e: d.e - (asset === 'XRP' ? 6 : 0) });
        };
        const near = (a: string, b: string) => expect(Number(a) / Number(b)).toBeCloseTo(1, 12);
        near(trade.paid, moved('out_asset'));
        near(trade.got, moved('in_asset'));
        swaps++;
      }
    }
    expect(swaps).toBeGreaterThan(40);
  });

  test('what goes out of circulation of LP tokens with the last withdrawal, which deletes the pool', () => {
    let last = 0;
    for (const row of readLines('tx.jsonl.gz') as Json[]) {
      const gone = row.meta.AffectedNodes.find((node: Json) => node.DeletedNode?.LedgerEntryType === 'AMM');
      const sample = gone && sampleOfRow(row, 1);
      if (!sample) continue;
      const { issuer, currency } = gone.DeletedNode.FinalFields.LPTokenBalance;
      // Of the holders' own lines: that of the pool says what there was, and not that it changed.
      let held = 0;
      for (const { DeletedNode: node } of row.meta.AffectedNodes as Json[]) {
        if (node?.LedgerEntryType !== 'RippleState') continue;
        const { Balance, LowLimit, HighLimit } = node.FinalFields;
        if (Balance.currency !== currency || ![LowLimit.issuer, HighLimit.issuer].includes(issuer)) continue;
        held += Math.abs(Number(node.PreviousFields.Balance.value));
      }
      const rig = new Rig();
      rig.apply(sample.packed, sample.changes);
      const record = new TradeReader(rig.market.trades).at(0);
      expect(record.isLiquidity).toBe(true);
      expect(rawText(1, record.lpHi, record.lpLo)).toBe(String(held));
      last++;
    }
    expect(last).toBeGreaterThan(2);
  });

  test("order-book changes of Ripple's own parser", () => {
    for (const one of vector('parser_expectations_ripplelib.json').cases) {
      if (!one.expected_orderbook_changes) continue;
      const { meta, hash, date, inLedger, ledger_index, ...tx } = one.input;
      const { delivered_amount, ...recorded } = meta;
      const sample = sampleOf(one.name, 1, date, [{ tx: encode(tx), meta: encode(recorded) }]);
      const rig = new Rig();
      rig.apply(sample.packed, sample.changes);
      const found = namedTrades(rig.state, rig.market).map(
        (t) => `${t.maker} ${t.sequence} ${t.paid} ${t.got}`,
      );
      const wanted: string[] = [];
      for (const [maker, orders] of Object.entries<Json[]>(one.expected_orderbook_changes))
        for (const order of orders) {
          if (!/filled/.test(order.status)) continue;
          // Seen from the owner: it buys what takers pay, or sells what takers get.
          const [paid, got] =
            order.direction === 'buy'
              ? [order.quantity, order.totalPrice]
              : [order.totalPrice, order.quantity];
          wanted.push(
            `${maker} ${order.sequence} ${canonical(exact(paid.value))} ${canonical(exact(got.value))}`,
          );
        }
      expect(found.sort()).toEqual(wanted.sort());
    }
  });

  test('legs of one pair are in order of execution, numbers count up, hashes and tags are the transaction’s', () => {
    const rig = new Rig();
    for (const sample of recordedLedgers('mainnet-1045')) {
      rig.apply(sample.packed, sample.changes);
      const { market } = rig;
      const reader = new TradeReader(market.trades);
      for (let i = 0; i < market.tradeCount; i++) {
        reader.at(i);
        expect(reader.number).toBe(i);
        const tx = txOf(sample, reader.tx);
        expect(reader.sourceTag).toBe(tx.SourceTag);
        expect(Buffer.from(reader.hash)).toEqual(Buffer.from(sample.changes.hash(reader.tx)));
      }
      const found = namedTrades(rig.state, market);
      for (let i = 1; i < found.length; i++) {
        const [a, b] = [found[i - 1]!, found[i]!];
        if (a.tx !== b.tx || a.isAMM || b.isAMM || a.paidKey !== b.paidKey || a.gotKey !== b.gotKey) continue;
        expect(Number(a.paid) / Number(a.got)).toBeLessThanOrEqual(Number(b.paid) / Number(b.got));
      }
    }
  });

  test('conservation: what an offer’s owner gains in XRP is what the legs of its transaction gave it, less the fee', () => {
    const rig = new Rig();
    let checked = 0;
    for (const sample of recorded) {
      rig.apply(sample.packed, sample.changes);
      const legs = Map.groupBy(namedTrades(rig.state, rig.market), (trade) => trade.tx);
      for (const [tx, trades] of legs) {
        const { TransactionType, Account, Fee } = txOf(sample, tx);
        if (TransactionType !== 'OfferCreate') continue;
        const gains = (trade: BruteTrade): number => {
          const drops = (xrp: string) => Math.round(Number(xrp) * 1e6);
          // On a book the signer gets `got`; a pool gives it `paid`.
          const [inKey, inValue, outKey, outValue] = trade.isAMM
            ? [trade.paidKey, trade.paid, trade.gotKey, trade.got]
            : [trade.gotKey, trade.got, trade.paidKey, trade.paid];
          return (inKey === 'XRP' ? drops(inValue) : 0) - (outKey === 'XRP' ? drops(outValue) : 0);
        };
        const root = (sample.metas[tx] as Json).AffectedNodes.map((n: Json) => n.ModifiedNode).find(
          (n: Json | undefined) => n?.LedgerEntryType === 'AccountRoot' && n.FinalFields?.Account === Account,
        );
        const change =
          Number(root.FinalFields.Balance) - Number(root.PreviousFields.Balance ?? root.FinalFields.Balance);
        expect([sample.name, tx, trades.reduce((sum, trade) => sum + gains(trade), 0)]).toEqual([
          sample.name,
          tx,
          change + Number(Fee),
        ]);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(80);
  });
});

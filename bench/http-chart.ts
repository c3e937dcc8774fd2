/**
 * A chart of 5,000 candles against a `Bun.serve` that sends the same bytes, measured as in http.ts. The chain has a trade
 * of one token in every minute. `bun bench/http-chart.ts`.
 */
import { transactionHash } from '../engine/codec/hash.ts';
import { Engine } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { TradeReader } from '../engine/market/trade-record.ts';
import { XRP } from '../engine/state/tokens.ts';
import { recordedTransactions, relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import { MemoryStore } from '../support/memory-store.ts';
import type { Figure } from './budgets.ts';
import { againstStatic, withService } from './http.ts';

/** The most that one answer has. */
const CANDLES = 5_000;
const MINUTE = 60;
/** Ledgers in which the most traded token is looked for. */
const SEARCHED = 60;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** The token with most recorded transactions that trade it for XRP, and these. */
async function mostTraded() {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const found = new Map<number, Set<string>>();
  engine.onLedger(({ events: { market } }) => {
    const reader = new TradeReader(market.trades);
    for (let i = 0; i < market.tradeCount; i++) {
      const { paidToken, gotToken, hash, isLiquidity, valueDrops } = reader.at(i);
      if (isLiquidity || (paidToken !== XRP && gotToken !== XRP) || valueDrops < 1_000_000) continue;
      const token = paidToken === XRP ? gotToken : paidToken;
      const hashes = found.get(token) ?? new Set();
      found.set(token, hashes.add(Buffer.from(hash).toString('hex')));
    }
  });
  for (const packed of relaidChain({ ledgers: SEARCHED, transactionsPerLedger: 100 }))
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
  const [token, hashes] = [...found].sort((a, b) => b[1].size - a[1].size)[0]!;
  const transactions = recordedTransactions().filter(({ tx }) =>
    hashes.has(Buffer.from(transactionHash(tx)).toString('hex')),
  );
  return { md5: engine.state.tokens.md5(token), transactions };
}

async function run(): Promise<Figure[]> {
  const { md5, transactions } = await mostTraded();
  const plan = { ledgers: CANDLES + 1, transactionsPerLedger: 1, interval: MINUTE, transactions };
  return withService([...relaidChain(plan)], CANDLES + 1, async (rig) => {
    const path = `/v1/ohlc/${md5}?interval=1m&cb=${CANDLES}`;
    const { ohlc } = (await (await fetch(rig.url + path)).json()) as { ohlc: unknown[] };
    if (ohlc.length !== CANDLES) throw new Error(`the chart has ${ohlc.length} candles`);
    return [await againstStatic(rig, 'http.ohlc', [path])];
  });
}

if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
else console.log('recorded ledgers not found next to the checkout: nothing to measure');

/** What rows of holders say of how tokens came and what they gained, against the trades and the node's own accounts. */
import { beforeAll, expect, test } from 'bun:test';
import {
  addDecimal,
  type Decimal,
  decimalNumber,
  decimalText,
  subDecimal,
} from '../../../engine/codec/amount.ts';
import { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { DAY, HOUR, unixMs } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quietLog as quiet } from '../../engine/ledger/quiet.ts';
import { TradeLedger } from '../../engine/traders/trade-ledger.ts';
import { type ReadTransaction, read, World } from '../../sandbox/population/world.ts';
import { asker, type Json } from './ask.ts';

const HOURS = 26;
const STEP = 1200;
/** Ledgers read with the reference codec, which is slow: in the first ones most accounts are created. */
const LEDGERS_READ = 30;

const store = new MemoryStore();
const engine = new Engine({ store, log: quiet });
const ask = asker(engine);
const transactions: ReadTransaction[] = [];
/** Balance of each holder a day before the newest ledger, by token and address. */
const dayAgo = new Map<string, string>();
let exact: TradeLedger;

function balances(): Map<string, string> {
  const { lines, tokens, accounts } = engine.state;
  const found = new Map<string, string>();
  for (let token = 1; token < tokens.count; token++)
    for (const line of lines.holders(token))
      found.set(
        `${token} ${accounts.text(lines.holderAccount(line, token))}`,
        decimalText(tokens.decimal(token, ...lines.balanceRaw(line, token))),
      );
  return found;
}

beforeAll(async () => {
  const world = new World({ seed: 'holders' });
  const from = world.network.closed.closeTime;
  const end = from + HOURS * HOUR;
  let made = 0;
  while (world.network.closed.closeTime < end) {
    const closed = world.step(STEP);
    if (++made <= LEDGERS_READ) transactions.push(...read(closed));
    const packed = new PackedLedger(closed.packed().bytes);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
    if (packed.closeTime === end - DAY) for (const [key, value] of balances()) dayAgo.set(key, value);
  }
  await engine.drain();
  exact = new TradeLedger(engine, store);
});

/** The tokens with the most traders. */
function busiest(most: number): number[] {
  const counts = new Map<number, number>();
  for (const { token, trades } of exact.positions.values())
    if (trades > 0) counts.set(token, (counts.get(token) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([token]) => token);
}

async function rowsOf(token: number, query = ''): Promise<Json[]> {
  const rows: Json[] = [];
  for (let offset = 0; ; offset += 200) {
    const { status, body } = await ask.get(
      `/holders/list/${engine.state.tokens.md5(token)}?limit=200&offset=${offset}${query}`,
    );
    expect(status).toBe(200);
    rows.push(...body.richList);
    if (rows.length >= body.length) return rows;
  }
}

const near = (a: number, b: number, absolute = 1e-3) => Math.abs(a - b) <= Math.abs(b) * 1e-9 + absolute;

test('profit, amounts and the ways tokens came follow from the trades and the balance', async () => {
  let [profits, transfers, providers] = [0, 0, 0];
  for (const token of busiest(6)) {
    const price = engine.market.totals.price(token);
    for (const row of await rowsOf(token)) {
      const account = engine.state.accounts.findText(row.account)!;
      const one = exact.positions.get(`${account} ${token}`);
      const balance = Number(row.balance);
      const zero: Decimal = { m: 0n, e: 0 };
      const { bought, sold, liquidity } = one ?? { bought: zero, sold: zero, liquidity: zero };
      const [digits = '', fraction = ''] = row.balance.split('.');
      const held = { m: BigInt(digits + fraction), e: -fraction.length };
      // What is left when trades and liquidity are taken away.
      const apart = decimalNumber(subDecimal(subDecimal(addDecimal(held, sold), bought), liquidity));
      if (liquidity.m !== 0n) providers++;
      const withdrawn = Math.max(0, decimalNumber(liquidity));
      const came = decimalNumber(bought) + withdrawn;
      const transferred = apart > 1e-5 * (came + Math.max(0, apart)) ? apart : 0;
      const all = came + transferred;
      if (all > 0) {
        const { dexPct, ammPct, lpPct, transferPct } = row.acquisition;
        expect(near(dexPct + ammPct, (decimalNumber(bought) / all) * 100, 0.02)).toBe(true);
        expect(near(lpPct, (withdrawn / all) * 100, 0.02)).toBe(true);
        expect(near(transferPct, (transferred / all) * 100, 0.02)).toBe(true);
        expect(near(row.tradedPct, dexPct + ammPct, 0.02)).toBe(true);
        if (row.source === 'transfer') transfers++;
      } else expect(row.acquisition).toBeUndefined();
      if (price !== undefined) expect(near(row.value, balance * price, 1e-9)).toBe(true);
      if (!one || one.trades === 0) {
        expect([row.pnl, row.tradeCount, row.bought]).toEqual([undefined, undefined, undefined]);
        continue;
      }
      const left = Math.min(decimalNumber(one.held), balance);
      const unrealised =
        left > 0 && price !== undefined
          ? left * price - (Number(one.cost) / 1e6) * (left / decimalNumber(one.held))
          : 0;
      expect(near(row.unrealized, unrealised)).toBe(true);
      expect(near(row.pnl, Number(one.realised) / 1e6 + unrealised, 1e-2)).toBe(true);
      if (one.spent > 0n) expect(near(row.roi, (row.pnl / Number(one.spent)) * 1e8, 1e-2)).toBe(true);
      expect([row.tradeCount, row.lastTrade]).toEqual([one.trades, unixMs(one.last)]);
      expect(near(row.bought, decimalNumber(one.bought), 1e-9)).toBe(true);
      if (row.pnl !== 0) profits++;
    }
  }
  expect(profits).toBeGreaterThan(20);
  expect(transfers).toBeGreaterThan(3);
  expect(providers).toBeGreaterThan(0);
});

test('sorted by profit and by change in 24 hours, with the balance of a day ago', async () => {
  const [token] = busiest(1);
  const byBalance = await rowsOf(token!);
  for (const row of byBalance) expect(row.balance24h).toBe(dayAgo.get(`${token} ${row.account}`) ?? '0');
  const changeOf = (row: Json) => Number(row.balance) - Number(row.balance24h);
  const changed = await rowsOf(token!, '&sort=change24h');
  const changes = changed.map(changeOf);
  expect(changes).toEqual(changes.toSorted((a, b) => b - a));
  expect(changes[0]).toBeGreaterThan(0);
  const byProfit = await rowsOf(token!, '&sort=pnl');
  const profits = byProfit.map((row) => row.pnl).filter((pnl) => pnl !== undefined);
  expect(profits).toEqual(profits.toSorted((a, b) => b - a));
  // Those that never traded come last.
  expect(byProfit.slice(profits.length).every((row) => row.pnl === undefined)).toBe(true);
  const upwards = await rowsOf(token!, '&sort=pnl&order=asc');
  expect(upwards.map((row) => row.pnl)).toEqual([
    ...profits.toReversed(),
    ...byProfit.slice(profits.length).map(() => undefined),
  ]);
  const grown = await rowsOf(token!, '&sort=change24h&order=asc');
  expect(grown.map(changeOf)).toEqual(changes.toReversed());
  for (const rows of [changed, byProfit, upwards, grown])
    expect(rows.map((row) => row.account).sort()).toEqual(byBalance.map((row) => row.account).sort());
  const few = await rowsOf(token!, '&sort=pnl&minBalance=1000');
  expect(few.map((row) => row.account)).toEqual(
    byProfit.filter((row) => Number(row.balance) >= 1000).map((row) => row.account),
  );
});

test('the funder is who sent the transaction that created the account', async () => {
  const funders = new Map<string, string>();
  for (const { tx, meta } of transactions)
    for (const node of meta.AffectedNodes as Json[]) {
      const created = node.CreatedNode;
      if (created?.LedgerEntryType === 'AccountRoot')
        funders.set(created.NewFields.Account, String(tx.Account));
    }
  let known = 0;
  for (const token of busiest(4))
    for (const row of await rowsOf(token)) {
      if (!funders.has(row.account)) continue;
      expect([row.account, row.funder]).toEqual([row.account, funders.get(row.account)]);
      known++;
    }
  expect(known).toBeGreaterThan(20);
});

test('the position of an account in a token, and what selling all of it would bring', async () => {
  let [sales, split] = [0, 0];
  for (const token of busiest(6)) {
    const md5 = engine.state.tokens.md5(token);
    for (const row of (await rowsOf(token)).slice(0, 40)) {
      const { status, body } = await ask.get(`/account/token-stats/${row.account}/${md5}`);
      expect(status).toBe(200);
      const one = exact.positions.get(`${engine.state.accounts.findText(row.account)} ${token}`);
      expect([body.balance, body.tradeCount]).toEqual([Number(row.balance), one?.trades ?? 0]);
      expect(body.totalSpentXRP).toBe(Number(one?.spent ?? 0n) / 1e6);
      expect(body.totalReceivedXRP).toBe(Number(one?.received ?? 0n) / 1e6);
      // The same figures as in the list of holders.
      if (row.pnl !== undefined)
        expect([body.totalPnl, body.unrealizedPnl]).toEqual([row.pnl, row.unrealized]);
      expect(near(body.totalPnl, body.realizedPnl + body.unrealizedPnl, 1e-5)).toBe(true);
      if (body.exit === null) continue;
      expect(body.exit.pnl).toBeLessThanOrEqual(body.totalPnl);
      expect(body.exit.impactPct).toBeLessThanOrEqual(0);
      expect(near(body.exit.split.amm + body.exit.split.orderbook, 100)).toBe(true);
      expect(body.exit.poolChangePct === null).toBe(body.exit.split.amm === 0);
      if (body.exit.split.amm > 0 && body.exit.split.orderbook > 0) split++;
      sales++;
      const { body: quoted } = await ask.post('/dex/quote', {
        source_account: row.account,
        source_token: md5,
        destination_token: 'XRP',
        source_value: row.balance,
      });
      // The quote prefers the default path alone; the exit is the best of all.
      const best = Math.max(
        ...[quoted.quote, ...quoted.alternatives].map((one) => Number(one.destination_amount.value)),
      );
      expect(body.exit.xrp).toBe(best);
    }
  }
  expect(sales).toBeGreaterThan(20);
  expect(split).toBeGreaterThan(0);
  const nobody = await ask.get(
    `/account/token-stats/rrrrrrrrrrrrrrrrrrrn5RM1rHd/${engine.state.tokens.md5(busiest(1)[0]!)}`,
  );
  expect(nobody.body).toMatchObject({
    balance: 0,
    tradeCount: 0,
    totalPnl: 0,
    avgBuyPrice: null,
    exit: null,
  });
});

test('movers show the profit that the list of holders shows, and the market cap at which they break even', async () => {
  let compared = 0;
  for (const token of busiest(6)) {
    const rows = new Map((await rowsOf(token)).map((row) => [row.account, row]));
    const { body } = await ask.get(`/holders/movers/${engine.state.tokens.md5(token)}?limit=50`);
    const supply = decimalNumber(engine.state.lines.supply(token));
    for (const mover of [...body.buyers, ...body.sellers]) {
      const row = rows.get(mover.account);
      const one = exact.positions.get(`${engine.state.accounts.findText(mover.account)} ${token}`);
      if (row) expect([mover.pnl, mover.roi]).toEqual([row.pnl, row.roi]);
      const held = one && one.trades > 0 ? decimalNumber(one.held) : 0;
      // Rounding may leave nearly nothing of a position that was sold.
      if (held > 1e-6)
        expect(near(mover.breakevenMcap, (Number(one!.cost) / 1e6 / held) * supply, 1)).toBe(true);
      if (row?.pnl !== undefined) compared++;
    }
  }
  expect(compared).toBeGreaterThan(10);
});

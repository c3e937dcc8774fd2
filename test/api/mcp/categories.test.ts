/** Which tokens lists by category leave out, against the times of their last trades, and that lists of too many say so. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ToolContext } from '../../../api/mcp/tool.ts';
import { issuerTools } from '../../../api/mcp/tools/issuers.ts';
import { tokenTools } from '../../../api/mcp/tools/tokens.ts';
import { unixMs } from '../../../engine/ripple-time.ts';

const seed = Number(process.env.SEED ?? 20_261_129);
console.log(`seed ${seed}`);

const DAY = 86_400;
/** Newest ledger, seconds of the ledger's epoch. */
const NOW = 1_000 * DAY;
const { run } = tokenTools.find(({ name }) => name === 'get_tokens_by_category')!;

const sharing = { version: 0, pause: () => undefined };

/** @param trades seconds of the last trade of each token; 0: none is known @param first of the first ledger here */
const contextOf = (trades: readonly number[], first: number) =>
  ({
    closeTime: unixMs(NOW),
    sharing,
    call: async (_: string, { offset, limit }: { offset: number; limit: number }) => ({
      tokens: trades.map((_, token) => ({ md5: String(token) })).slice(offset, offset + limit),
    }),
    network: {
      engine: {
        state: { tokens: { byMd5: Number } },
        market: { prices: { lastTradeTime: (token: number) => trades[token] } },
      },
      views: { traders: { since: unixMs(first) } },
    },
  }) as unknown as ToolContext;

test('tokens without trades for longer than is asked for are left out, as far as that is known', async () => {
  const ago = fc.nat(200 * DAY);
  const tokens = fc.array(fc.option(ago, { nil: undefined }), { maxLength: 250 });
  await fc.assert(
    fc.asyncProperty(tokens, ago, fc.integer({ min: 1, max: 300 }), async (known, history, days) => {
      const trades = known.map((one) => (one === undefined ? 0 : NOW - one));
      const sent = { inactive_days: days, min_marketcap: 0, min_holders: 0, limit: 100 };
      const found = await run!(sent, contextOf(trades, NOW - history));
      const active = known.filter((one) => (one ?? history) <= days * DAY);
      expect([found.total, found.considered]).toEqual([active.length, known.length]);
    }),
    { numRuns: 200, seed },
  );
});

test('what is chosen among the first tokens of a longer list says so', async () => {
  const row = (token: number) => ({ md5: String(token), dateon: unixMs(NOW), pro24h: 1, issuer: 'rX' });
  const contextWith = (count: number) =>
    ({
      ...contextOf(Array(count).fill(NOW), 0),
      call: async (_: string, { offset, limit }: { offset: number; limit: number }) => ({
        tokens: Array.from({ length: count }, (_, token) => row(token)).slice(offset, offset + limit),
      }),
    }) as unknown as ToolContext;
  const sent = {
    limit: 10,
    days: 30,
    inactive_days: 90,
    min_marketcap: 0,
    min_holders: 0,
    timeframe: '24h',
    direction: 'gainers',
  };
  for (const name of ['get_new_launches', 'get_top_movers', 'get_tokens_by_category'])
    for (const more of [{}, { by_origin: true, group_by: 'issuer' }]) {
      const tool = tokenTools.find((one) => one.name === name)!;
      const truncated = async (count: number) =>
        (await tool.run!({ ...sent, ...more }, contextWith(count))).truncated;
      expect([await truncated(150), await truncated(2_150)], name).toEqual([undefined, true]);
    }
});

test('so do tokens of issuers without keys', async () => {
  const tool = issuerTools.find(({ name }) => name === 'get_issuer_actions')!;
  const contextWith = (count: number) =>
    ({
      sharing,
      call: async (_: string, { offset, limit }: { offset: number; limit: number }) => ({
        tokens: Array.from({ length: count }, () => ({ issuer: 'rX' })).slice(offset, offset + limit),
      }),
      network: { engine: { state: { accounts: { findText: () => 1, isBlackholed: () => true } } } },
    }) as unknown as ToolContext;
  const of = async (count: number, limit: number) => {
    const found = await tool.run!({ blackholed: true, limit }, contextWith(count));
    return [(found.tokens as readonly unknown[]).length, found.truncated];
  };
  expect(await of(50, 50)).toEqual([50, undefined]);
  expect(await of(50, 40)).toEqual([40, true]);
  expect(await of(1_100, 200)).toEqual([200, true]);
});

test('what an issuer made and redeemed is summed with every digit', async () => {
  const tool = issuerTools.find(({ name }) => name === 'get_issuer_actions')!;
  const [issuer, holder] = ['rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq', 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B'];
  const payment = (from: string, to: string, value: string) => ({
    tx_json: { TransactionType: 'Payment', Account: from, Destination: to },
    meta: { TransactionResult: 'tesSUCCESS', delivered_amount: { currency: 'USD', issuer, value } },
    close_time_iso: '2026-11-28T00:00:00Z',
  });
  const txs = [
    payment(issuer, holder, '0.1'),
    payment(issuer, holder, '0.2'),
    payment(issuer, holder, '9007199254740993'),
    payment(holder, issuer, '1e-15'),
  ];
  const context = {
    call: async () => ({ txs, hasMore: false }),
    network: { engine: { state: { tokens: { mptPlaces: () => 0 } } } },
  } as unknown as ToolContext;
  const found = await tool.run!({ account: issuer, supply: true, limit: 50 }, context);
  expect(found.supply).toEqual([
    {
      currency: 'USD',
      issued: '9007199254740993.3',
      redeemed: '0.000000000000001',
      net: '9007199254740993.299999999999999',
    },
  ]);
});

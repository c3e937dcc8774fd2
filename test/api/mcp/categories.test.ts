/** Which tokens are left out for having no trades for days, against the times of their last trades. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ToolContext } from '../../../api/mcp/tool.ts';
import { tokenTools } from '../../../api/mcp/tools/tokens.ts';
import { unixMs } from '../../../engine/ripple-time.ts';

const seed = Number(process.env.SEED ?? 20_261_129);
console.log(`seed ${seed}`);

const DAY = 86_400;
/** Newest ledger, seconds of the ledger's epoch. */
const NOW = 1_000 * DAY;
const { run } = tokenTools.find(({ name }) => name === 'get_tokens_by_category')!;

/** @param trades seconds of the last trade of each token; 0: none is known @param first of the first ledger here */
const contextOf = (trades: readonly number[], first: number) =>
  ({
    closeTime: unixMs(NOW),
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
      expect(found.total).toBe(active.length);
    }),
    { numRuns: 200, seed },
  );
});

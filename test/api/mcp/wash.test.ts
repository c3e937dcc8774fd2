/** What the tool says of wash trading of a token and of the market, for any number of traders, against a plain sum. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ToolContext } from '../../../api/mcp/tool.ts';
import { washTool } from '../../../api/mcp/tools/wash.ts';

const seed = Number(process.env.SEED ?? 20_261_128);
console.log(`seed ${seed}`);

/** Traders that are summed at most, and rows of a page of the routes. */
const [SUMMED, PAGE_MAX] = [2000, 100];

interface Trader {
  readonly address: string;
  readonly volume: number;
  readonly totalVolume: number;
  readonly washTradingScore: number;
  readonly isAMM: boolean;
}

/** The routes behind the tool: pages of the traders, sorted as it is asked for. */
const contextOf = (traders: readonly Trader[]) =>
  ({
    sharing: { version: 0, pause: () => undefined },
    call: async (key: string, { sort, limit, offset = 0 }: Record<string, unknown>) => {
      const rows = traders.toSorted((a, b) => b[sort as 'volume'] - a[sort as 'volume']);
      const first = Number(offset);
      const page = rows.slice(first, first + Math.min(Number(limit), PAGE_MAX));
      return key.includes('token-traders') ? { traders: page } : { data: page };
    },
  }) as unknown as ToolContext;

const traderLists = fc
  .record({ count: fc.integer({ min: 0, max: 2400 }), first: fc.nat(1_000_000), pool: fc.nat(50) })
  .map(({ count, first, pool }): Trader[] =>
    Array.from({ length: count }, (_, at) => {
      const volume = (first * 7919 + at * at * 104_729) % 1_000_003;
      const washTradingScore = at % 7 === 0 ? (first + at * 31) % 100 : 0;
      return { address: `r${at}`, volume, totalVolume: volume, washTradingScore, isAMM: at === pool };
    }),
  );

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const washedOf = ({ volume, washTradingScore }: Trader) => (volume * washTradingScore) / 100;

test('the volume is that of all traders, or of those with most and said to be cut', async () => {
  await fc.assert(
    fc.asyncProperty(traderLists, fc.boolean(), async (traders, isOfToken) => {
      const sent = { ...(isOfToken && { id: 'token' }), interval: 'all', days: 90, limit: 15 };
      const found = await washTool.run!(sent, contextOf(traders));
      const byVolume = traders.toSorted((a, b) => b.volume - a.volume);
      const accounts = byVolume.filter(({ isAMM }) => !isAMM);
      if (traders.length < SUMMED) {
        expect([found.traders, found.truncated]).toEqual([accounts.length, undefined]);
        expect(found.volume).toBe(sum(accounts.map(({ volume }) => volume)));
        expect(found.washedVolume).toBeCloseTo(sum(accounts.map(washedOf)), 3);
        expect(found.total).toBe(accounts.filter(({ washTradingScore: score }) => score > 0).length);
      } else {
        const counted = byVolume.slice(0, SUMMED).filter(({ isAMM }) => !isAMM);
        expect(found.truncated).toBe(true);
        expect(found.volume).toBeGreaterThanOrEqual(sum(counted.map(({ volume }) => volume)));
      }
      // Those with the highest scores are named whatever they traded, of the whole market.
      const [top] = accounts.toSorted((a, b) => b.washTradingScore - a.washTradingScore);
      const [shown] = found.accounts as { washTradingScore: number }[];
      if (top && top.washTradingScore > 0 && !isOfToken)
        expect(shown?.washTradingScore).toBe(top.washTradingScore);
    }),
    { numRuns: 60, seed },
  );
});

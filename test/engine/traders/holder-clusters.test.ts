/** Groups of holders over funders that the test sets. */
import { expect, test } from 'bun:test';
import { linePages } from '../../../bench/lines.ts';
import { Engine } from '../../../engine/engine.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import { type ClusterQuery, holderClusters } from '../../../engine/traders/holder-clusters.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';

const LINES = 3000;
const TOKEN = 1;

/** Holders of a token and accounts that hold none of it, of which nobody was funded yet. */
function world() {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  for (const page of linePages(LINES, { tokens: 2, accounts: LINES })) engine.loadEntries(page);
  const { state, traders } = engine;
  const { lines } = state;
  const { table } = traders.funders;
  const count = state.accounts.table.count;
  table.reserve(count);
  table.count = count;
  const funders = new Uint32Array(table.describe().buffers.funders!);
  const holding = [...lines.holders(TOKEN)].filter((line) => lines.balanceNumber(line, TOKEN) > 0);
  const holders = holding.map((line) => lines.holderAccount(line, TOKEN));
  const isHolder = new Set(holders);
  const others = Array.from({ length: count - 1 }, (_, at) => at + 1).filter((one) => !isHolder.has(one));
  return {
    holders,
    others,
    fund: (funder: number, accounts: readonly number[]) => {
      for (const account of accounts) funders[account] = funder;
    },
    find: (query: Partial<ClusterQuery> = {}) =>
      runToEnd(holderClusters(state, traders.funders, { token: TOKEN, hops: 4, ...query })),
  };
}

test('who funded over 100 accounts, most of which do not hold the token, unites nobody', () => {
  const { holders, others, fund, find } = world();
  const [service, bundler, few, treasury, ...idle] = others as [number, number, number, number, ...number[]];
  expect(holders.length).toBeGreaterThan(500);
  // 101 accounts, half of which but one hold it; 150 that all do; 100 of which five do.
  fund(service, [...holders.slice(0, 50), ...idle.slice(0, 51)]);
  fund(bundler, holders.slice(50, 200));
  fund(few, [...holders.slice(200, 205), ...idle.slice(51, 146)]);
  // Who funded the funders is a service too, else they were one group.
  fund(treasury, [service, bundler, few, ...idle.slice(146, 300)]);
  const groups = () => find().clusters.map(({ top, members }) => [top, members]);
  expect(groups()).toEqual([
    [bundler, 150],
    [few, 5],
  ]);
  // One more of them holds it.
  fund(service, [holders[205]!]);
  expect(groups()).toEqual([
    [bundler, 150],
    [service, 51],
    [few, 5],
  ]);
});

test('of some holders, shares are those that were given, and funders are judged by all holders', () => {
  const { holders, others, fund, find } = world();
  const [bundler] = others as [number];
  fund(bundler, holders.slice(0, 150));
  const among = holders.slice(147, 153).map((account, at) => ({ account, holdingPct: at + 1 }));
  const { holders: compared, clustered, clusteredPct, clusters } = find({ among });
  expect([compared, clustered, clusteredPct]).toEqual([6, 3, 6]);
  expect(clusters).toEqual([
    { top: bundler, accounts: [holders[149]!, holders[148]!, holders[147]!], members: 3, holdingPct: 6 },
  ]);
});

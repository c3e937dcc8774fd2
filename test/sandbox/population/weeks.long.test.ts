/**
 * A later week, of a random seed: its scenarios run as those of week 0 do, although the network stops and restarts
 * often; afterwards its actors close their accounts, and nothing of them remains.
 */
import { describe, expect, test } from 'bun:test';
import { WEEK } from '../../../engine/ripple-time.ts';
import { ScenarioContext } from '../../../sandbox/population/scenario.ts';
import { scenarios } from '../../../sandbox/population/scenarios/scenarios.ts';
import { KEPT_WEEKS, weekOfId } from '../../../sandbox/population/week.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { seedOf } from '../seed.ts';
import { wholeLedgerProblems } from '../whole-ledger.ts';
import { ScenarioReader, testScenarios } from './scenario-tests.ts';
import { WeekRun } from './week-run.ts';
import type { Json } from './world.ts';

const seed = seedOf(import.meta.file);
const week = 1 + (seed % 40);
/** Ledgers. */
const RESTART_EVERY = 170;
/** Seconds between ledgers outside the scenarios; while accounts are closed, at least 256 ledgers must fit. */
const STRIDE = 4 * 3_600;
const CLOSING_STEP = 900;

const weekRun = new WeekRun({ seed: String(seed), week, days: 6.95, restartEvery: RESTART_EVERY });
testScenarios(new ScenarioReader(weekRun));

const { population, groundTruth, world } = weekRun;
const { agents, economy, projects, weeks } = population;
const fixtures = population.fixtures() as Record<string, Json>;
const rowsOfWeek = groundTruth.rowsOf(week);

/** The actors of the week's scenarios. */
const context = new ScenarioContext({ agents, economy, projects, seed: groundTruth.seed, week });
scenarios(context);
const actors = [...context.actors.known().values()];

/**
 * Runs the network until the actors of the week have closed their accounts, and a week longer.
 * @returns the fixtures when the last account is closed
 */
function runUntilClosed(): Record<string, Json> {
  const { network } = world;
  const closing = groundTruth.epoch + (week + KEPT_WEEKS - 1) * WEEK;
  const open = () => actors.filter(({ account }) => network.closed.view().read(keylets.account(account)));
  while (network.closed.closeTime < closing) world.step(Math.min(STRIDE, closing - network.closed.closeTime));
  while (network.closed.closeTime < closing + WEEK && open().length > 0) world.step(CLOSING_STEP);
  const fixturesAfterwards = population.fixtures() as Record<string, Json>;
  while (network.closed.closeTime < closing + WEEK + 86_400) world.step(STRIDE);
  return fixturesAfterwards;
}

const fixturesAfterwards = runUntilClosed();
/** Weeks other than week 0 whose ground truth is still kept. */
const keptWeeks = new Set(groundTruth.rows.map(({ id }) => weekOfId(id)).filter((each) => each > 0));

describe('weeks', () => {
  test('the network was stopped often, and continued', () => {
    expect(weekRun.restarts).toBeGreaterThan(6);
  });

  test('scenarios begin on every day of a week, with new actors and new tokens', () => {
    for (const one of [week, week + 1]) {
      const begins = weeks.scenarios(one).map(({ from }) => Math.floor((from - one * WEEK) / 86_400));
      for (let day = 0; day < 6; day++)
        expect(begins.filter((each) => each === day).length).toBeGreaterThan(1);
    }
    const names = (of: number) =>
      new ScenarioContext({ agents, economy, projects, seed: groundTruth.seed, week: of }).actors.get(
        'sniper:0',
      ).address;
    expect(names(week)).not.toBe(names(week + 1));
    const tokens = (of: number) => weeks.scenarios(of).flatMap(({ token = '' }) => token);
    expect(tokens(week + 1).filter((token) => !tokens(week).includes(token)).length).toBeGreaterThan(7);
  });

  test('the fixtures list the scenarios that have started', () => {
    const listed = fixtures.scenarios as unknown as {
      id: string;
      week: number;
      from: number;
      transactions: Json[];
    }[];
    expect(fixtures.weeks).toEqual({ seconds: WEEK, now: week, kept: KEPT_WEEKS });
    const time = (fixtures.generated_at as unknown as number) / 1_000;
    for (const { from, week: of } of listed) expect(of === 0 || from <= time).toBe(true);
    const mine = listed.filter(({ id }) => weekOfId(id) === week);
    expect(mine.map(({ id }) => id)).toEqual(weeks.scenarios(week).map(({ id }) => id));
    for (const { id, transactions } of mine)
      expect(transactions.length).toBe(rowsOfWeek.filter((row) => row.id === id).length);
  });

  test('the fixtures list a collection as long as its NFTs exist', () => {
    const names = (from: Record<string, Json>) =>
      (from.collections as unknown as { name: string }[]).map(({ name }) => name);
    expect(names(fixtures)).toContain(`Drop of week ${week}`);
    expect(names(fixturesAfterwards)).not.toContain(`Drop of week ${week}`);
  });

  test('the accounts of a week are deleted with all their entries, and its ground truth is dropped', () => {
    for (const { name, account } of actors)
      expect(world.network.closed.view().read(keylets.account(account)), name).toBeUndefined();
    const entries = Array.from(world.network.closed.state.tree.items(), ({ entry }) => entry);
    expect(wholeLedgerProblems(entries)).toEqual([]);
    expect(keptWeeks.size).toBeLessThanOrEqual(KEPT_WEEKS);
    expect(keptWeeks.has(week)).toBe(false);
  });
});

/**
 * A later week, of any seed: its stories are told as the first week's are, whatever ends of the network lie between;
 * then its people leave, and nothing of them stays.
 */
import { describe, expect, test } from 'bun:test';
import { WEEK } from '../../../engine/ripple-time.ts';
import { KEPT_WEEKS, ScenarioContext, weekOfId } from '../../../sandbox/population/scenario.ts';
import { scenarios } from '../../../sandbox/population/scenarios/scenarios.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { seedOf } from '../seed.ts';
import { wholeLedgerProblems } from '../whole-ledger.ts';
import { ScenarioReader, testScenarios } from './scenario-tests.ts';
import { WeekRun } from './week-run.ts';
import type { Json } from './world.ts';

const seed = seedOf(import.meta.file);
const week = 1 + (seed % 40);
const ENDS_EVERY = 170;
/** While nothing is to be found, ledgers are far apart; while people leave, close enough for accounts to be quiet. */
const STRIDE = 4 * 3_600;
const LEAVING_STEP = 900;

const weekRun = new WeekRun({ seed: String(seed), week, days: 6.95, endsEvery: ENDS_EVERY });
testScenarios(new ScenarioReader(weekRun));

const { population, groundTruth, world } = weekRun;
const { agents, economy, weeks } = population;
const fixtures = population.fixtures() as Record<string, Json>;
const rowsOfWeek = groundTruth.rowsOf(week);

/** Everybody who came for the stories of the week. */
const context = new ScenarioContext({ agents, economy, seed: groundTruth.seed, week });
scenarios(context);
const actors = [...context.actors.known().values()];

/**
 * Lets time go by, and the people of the week with it.
 * @returns what is told when the last of them has left
 */
function letLeave(): Record<string, Json> {
  const { network } = world;
  const leaving = groundTruth.epoch + (week + KEPT_WEEKS - 1) * WEEK;
  const left = () => actors.filter(({ account }) => network.closed.view().read(keylets.account(account)));
  while (network.closed.closeTime < leaving) world.step(Math.min(STRIDE, leaving - network.closed.closeTime));
  while (network.closed.closeTime < leaving + WEEK && left().length > 0) world.step(LEAVING_STEP);
  const atLast = population.fixtures() as Record<string, Json>;
  while (network.closed.closeTime < leaving + WEEK + 86_400) world.step(STRIDE);
  return atLast;
}

const atLast = letLeave();
/** Weeks whose truth is still told, a week later. */
const told = new Set(groundTruth.rows.map(({ id }) => weekOfId(id)).filter((each) => each > 0));

describe('weeks', () => {
  test('the network has ended often, and went on', () => {
    expect(weekRun.ends).toBeGreaterThan(6);
  });

  test('every day of a week something begins, and in every story somebody comes who was not there before', () => {
    for (const one of [week, week + 1]) {
      const begins = weeks.scenarios(one).map(({ from }) => Math.floor((from - one * WEEK) / 86_400));
      for (let day = 0; day < 6; day++)
        expect(begins.filter((each) => each === day).length).toBeGreaterThan(1);
    }
    const names = (of: number) =>
      new ScenarioContext({ agents, economy, seed: groundTruth.seed, week: of }).actors.get('sniper:0')
        .address;
    expect(names(week)).not.toBe(names(week + 1));
    const tokens = (of: number) => weeks.scenarios(of).flatMap(({ token = '' }) => token);
    expect(tokens(week + 1).filter((token) => !tokens(week).includes(token)).length).toBeGreaterThan(7);
  });

  test('the fixtures tell the scenarios that have begun', () => {
    const tellings = fixtures.scenarios as unknown as {
      id: string;
      week: number;
      from: number;
      transactions: Json[];
    }[];
    expect(fixtures.weeks).toEqual({ seconds: WEEK, now: week, kept: KEPT_WEEKS });
    const time = (fixtures.generated_at as unknown as number) / 1_000;
    for (const { from, week: of } of tellings) expect(of === 0 || from <= time).toBe(true);
    const mine = tellings.filter(({ id }) => weekOfId(id) === week);
    expect(mine.map(({ id }) => id)).toEqual(weeks.scenarios(week).map(({ id }) => id));
    for (const { id, transactions } of mine)
      expect(transactions.length).toBe(rowsOfWeek.filter((row) => row.id === id).length);
  });

  test('a collection is told as long as its NFTs are there', () => {
    const names = (told: Record<string, Json>) =>
      (told.collections as unknown as { name: string }[]).map(({ name }) => name);
    expect(names(fixtures)).toContain(`Drop of week ${week}`);
    expect(names(atLast)).not.toContain(`Drop of week ${week}`);
  });

  test('people of a week leave with all they had, and so does their truth', () => {
    for (const { name, account } of actors)
      expect(world.network.closed.view().read(keylets.account(account)), name).toBeUndefined();
    const entries = Array.from(world.network.closed.state.tree.items(), ({ entry }) => entry);
    expect(wholeLedgerProblems(entries)).toEqual([]);
    expect(told.size).toBeLessThanOrEqual(KEPT_WEEKS);
    expect(told.has(week)).toBe(false);
  });
});

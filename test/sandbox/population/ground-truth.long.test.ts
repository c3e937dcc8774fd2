/** Week 0 of the scenarios and the catalogue: the ground truth is compared with the ledgers. */
import { describe, expect, test } from 'bun:test';
import { validate } from 'xrpl';
import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { KEPT_WEEKS } from '../../../sandbox/population/week.ts';
import type { EntryType } from '../../../sandbox/protocol/fields.ts';
import { RULES } from '../../../sandbox/transactions/index.ts';
import { ScenarioReader, sum, testScenarios } from './scenario-tests.ts';
import { WeekRun } from './week-run.ts';
import { type Json, nodesOf } from './world.ts';

const DAYS = 6.75;

const weekRun = new WeekRun({ seed: 'a seed', week: 0, days: DAYS });
const { population, groundTruth, transactions, world } = weekRun;
const reader = new ScenarioReader(weekRun);

testScenarios(reader);

describe('the ground truth', () => {
  test('the catalogue has a successful transaction of every type', () => {
    const done = new Set(
      groundTruth.rows.flatMap(({ step, hash }) => {
        const found = transactions.get(hash)!;
        return step === 'catalogue' && found.meta.TransactionResult === 'tesSUCCESS'
          ? [found.tx.TransactionType as string]
          : [];
      }),
    );
    expect([...done].sort(), 'rows are in sandbox/population/catalogue').toEqual([...RULES.keys()].sort());
    expect(done.size).toBe(62);
    // The reference library also finds the transactions well-formed, as far as it checks their types.
    for (const row of groundTruth.rows.filter(({ step }) => step === 'catalogue')) {
      const { tx } = transactions.get(row.hash)!;
      expect(() => validate(tx), `${row.id}: ${JSON.stringify(tx)}`).not.toThrow();
    }
  });

  test('holders of MPTs make the expected payments', () => {
    const paid = reader.transactions('mpt-payments', 'pays');
    expect(paid.length).toBe(reader.number('mpt-payments', 'payments'));
    for (const one of paid) {
      const to = nodesOf(one).find(
        ({ type, fields }) => type === 'MPToken' && fields.Account === one.tx.Destination,
      )!;
      const got = Number(to.fields.MPTAmount) - Number(to.previous.MPTAmount);
      expect(got).toBe(reader.number('mpt-payments', 'unitsEach'));
    }
  });

  test('the fixtures contain catalogue, tokens, collections, objects and scenarios', () => {
    const fixtures = population.fixtures() as Record<string, Json[] & Json>;
    expect(JSON.parse(JSON.stringify(fixtures))).toEqual(fixtures);
    expect(fixtures.catalogue!.length).toBe(sum(population.families.map(({ rows }) => rows.length)));
    expect(fixtures.tokens!.map(({ role }) => role)).toEqual(['stablecoin', 'deep', 'volatile', 'crowd']);
    expect(fixtures.tokens![3]!.holders).toBeGreaterThan(300);
    expect(fixtures.collections!.map(({ items }) => Number(items) > 80)).toEqual([true, true]);
    expect(fixtures.weeks as Json).toEqual({ seconds: 7 * 86_400, now: 0, kept: KEPT_WEEKS });
    const objects = Object.entries(fixtures.objects!);
    expect(objects.map(([type]) => type)).toEqual(expect.arrayContaining(['Escrow', 'Check', 'PayChannel']));
    expect(objects.length).toBe(19);
    for (const [type, index] of objects)
      expect(world.network.closed.view().read(index as Hex)?.LedgerEntryType).toBe(type as EntryType);
    const hashes = (fixtures.scenarios as Json[]).flatMap(({ transactions }) =>
      (transactions as Json[]).map(({ hash }) => hash as string),
    );
    for (const hash of hashes) expect(world.store.transaction(hash)).toBeDefined();
    expect(world.store.text('population')).toContain(hashes[0]!);
  });
});

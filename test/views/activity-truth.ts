/** What the embedded network's scenarios did (its ground truth) against what routes find: precision and recall. */
import { describe, expect, test } from 'bun:test';
import type { Network } from '../../views/network.ts';
import type { Asker, Json } from '../api/routes/ask.ts';
import type { Followed } from '../flows-world.ts';

/** Hashes of a scenario's transactions that succeeded, by what the step was called. */
function truthOf({ world }: Followed, id: string, step: RegExp, type?: string): Set<string> {
  const rows = world.population.groundTruth.rows.filter(
    (row) =>
      row.id === id &&
      row.result === 'tesSUCCESS' &&
      step.test(row.step ?? '') &&
      row.type === (type ?? row.type),
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Prints and returns both shares. */
function score(name: string, found: Iterable<string>, truth: ReadonlySet<string>) {
  const all = new Set(found);
  const hits = [...all].filter((one) => truth.has(one)).length;
  const [precision, recall] = [hits / all.size, hits / truth.size];
  console.log(`${name}: ${all.size} found, ${truth.size} true, precision ${precision}, recall ${recall}`);
  return { precision, recall };
}

/** Agents that trade for no scenario: market makers and scenarios' own accounts are not among them. */
function plainTraders({ world }: Followed): Set<string> {
  const known = [...world.population.agents.known()];
  return new Set(known.filter(([name]) => /^trader:\d+$/.test(name)).map(([, { address }]) => address));
}

interface Rig {
  readonly followed: Followed;
  readonly ask: Asker;
  readonly network: Network;
  readonly agent: (name: string) => string;
}

/** @param rig what the tests ask, when they run */
export function activityTruth(rig: () => Rig): void {
  describe('the ground truth of the scenarios', () => {
    test('whales: every purchase of the whale is in the feed of its account, and no plain trader is', async () => {
      const { followed, ask, network, agent } = rig();
      const truth = truthOf(followed, 'whale', /^buys/);
      const own = (await ask.get(`/whale-activity/${agent('whale')}?limit=200`)).body.events;
      const bought = own.filter(({ side }: Json) => side === 'buy');
      const hashes = bought.map(({ hash }: Json) => hash);
      expect(score('whale', hashes, truth)).toEqual({ precision: 1, recall: 1 });
      const flagged = new Set<string>(
        network.views.whales.events({ limit: 10_000 }).events.map(({ account }) => account),
      );
      expect(score('whales', flagged, new Set([agent('whale')]))).toEqual({ precision: 1, recall: 1 });
      expect(plainTraders(followed).intersection(flagged)).toEqual(new Set());
    });

    test('the creator who sells, the one who empties the pool, and who was given tokens', async () => {
      const { followed, ask, agent } = rig();
      const events = async (name: string, sides: string) =>
        (await ask.get(`/creator-activity/${agent(name)}?limit=200&side=${sides}`)).body.events.filter(
          ({ result }: Json) => result === 'tesSUCCESS',
        );
      const hashes = (list: Json[]) => list.map(({ hash }) => hash);
      for (const [name, found, truth] of [
        ['creator-dump', await events('creator:MEME', 'sell'), truthOf(followed, 'creator-dump', /^clip/)],
        ['insiders', await events('creator:MEME', 'transfer_out'), truthOf(followed, 'insiders', /^given/)],
      ] as const)
        expect(score(name, hashes(found), truth)).toEqual({ precision: 1, recall: 1 });
      const rug = truthOf(followed, 'rug-pull', /./, 'AMMWithdraw');
      const taken = hashes(await events('creator:RUG', 'withdraw'));
      expect(taken.length).toBe(1);
      expect(score('rug-pull', taken, rug)).toEqual({ precision: 1, recall: 1 });
    });
  });
}

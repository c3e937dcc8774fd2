/** Killed at any moment (SIGKILL), the platform's store has each ledger event in it exactly once. */
import { expect, test } from 'bun:test';
import { openPlatformStore } from '../../data/platform-store.ts';
import { casesOf } from '../cases.ts';
import { type Balance, balances, contents } from './platform-collections.ts';
import { eventsOf } from './platform-events.ts';
import { linesUntilKilled, temporaryDir } from './tools.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS = casesOf(8, 20);

/** Runs the child and kills it some time after its first ledger. @returns the last ledger it reported as durable */
async function killed(dir: string, afterMs: number): Promise<number> {
  return Number((await linesUntilKilled('platform-crash.child.ts', [dir], afterMs)).at(-1));
}

/** The balances when the events that `isApplied` names are applied once each, in order. */
function model(isApplied: (id: string, account: string) => boolean, last: number): Map<string, Balance> {
  const all = new Map<string, { drops: number; events: string[] }>();
  for (let ledger = 1; ledger <= last; ledger++)
    for (const { position, account, drops } of eventsOf(ledger)) {
      const id = `${position.ledger}.${position.tx}`;
      if (!isApplied(id, account)) continue;
      const balance = all.get(account) ?? { drops: 0, events: [] };
      balance.drops += drops;
      balance.events.push(id);
      all.set(account, balance);
    }
  return all;
}

/** The newest ledger an event of which has been applied. */
function newest(found: ReadonlyMap<string, Balance>): number {
  const ids = [...found.values()].flatMap(({ events }) => events);
  return ids.reduce((most, id) => Math.max(most, Number(id.split('.')[0])), 0);
}

test(`${ROUNDS} times kill -9: every event once, none lost (seed ${seed})`, async () => {
  const { dir, remove } = temporaryDir();
  let random = seed;
  let reported = 0;
  for (let round = 0; round < ROUNDS; round++) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    const last = await killed(dir, (random >>> 16) % 120);
    reported = Math.max(reported, last);
    const store = await openPlatformStore({ dir, network: 'test', collections: [balances] });
    // A settled ledger counts as well: the child may have been killed before it could say so.
    reported = Math.max(reported, store.settled('payments') ?? 0);
    // Every event reported as durable is there; events of later ledgers are there at most once, in order.
    const found = new Map(
      contents(store, balances).map(([[account], balance]) => [account as string, balance]),
    );
    const has = (id: string, account: string): boolean =>
      Number(id.split('.')[0]) <= reported || found.get(account)?.events.includes(id) === true;
    const expected = model(has, Math.max(reported, newest(found)));
    expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [account, balance] of found)
      expect([account, balance]).toEqual([account, expected.get(account)!]);
    expect(store.stats().collections.balances!.rows).toBe(found.size);
    await store.close();
  }
  console.log(`${ROUNDS} kills, ${reported} ledgers`);
  remove();
});

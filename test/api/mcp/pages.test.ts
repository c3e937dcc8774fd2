/** Pages of a list are read with pauses, and all of them at one version of what they are made of. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { transactionsOf } from '../../../api/mcp/account-transactions.ts';
import { atOneVersion, pages } from '../../../api/mcp/pages.ts';
import { tradesOf } from '../../../api/mcp/token-trades.ts';
import { TimeSlice } from '../../../engine/event-loop.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);

/** A list whose rows a ledger moves by one place. */
class MovingList {
  version = 0;
  readonly #rows: number;
  beforePage: () => Promise<void> = async () => undefined;

  constructor(rows: number) {
    this.#rows = rows;
  }

  page = async (offset: number, limit: number) => {
    await this.beforePage();
    const left = Math.max(0, Math.min(limit, this.#rows - offset));
    return Array.from({ length: left }, (_, at) => ({ row: offset + at - this.version }));
  };
}

test('whenever ledgers come, the rows are those of one version, each of them once', async () => {
  const limits = fc.integer({ min: 1, max: 400 });
  const plan = fc.array(fc.boolean(), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.nat(450), limits, plan, fc.boolean(), async (rows, most, ledgers, pagesWait) => {
      const list = new MovingList(rows);
      let waits = 0;
      const sharing = {
        get version() {
          return list.version;
        },
        pause: async () => {
          if (ledgers[waits++]) list.version++;
        },
      };
      // A page may wait for what it is made of, too; the reading after three ledgers is the last one.
      const wait = async () => {
        if (ledgers[waits++] && list.version < 3) list.version++;
      };
      if (pagesWait) {
        list.beforePage = wait;
        sharing.pause = wait;
      }
      const found = await pages(sharing, list.page, { size: 50, most });
      const [first] = found.rows;
      expect(found.rows).toEqual(
        Array.from({ length: Math.min(rows, most) }, (_, at) => ({ row: Number(first?.row) + at })),
      );
      if (first) expect(Number(first.row)).toBe(0 - list.version);
      expect(found.isCut).toBe(rows >= most);
    }),
    { seed, numRuns: 300 },
  );
});

test('other work runs between two pages', async () => {
  let read = 0;
  const slice = new TimeSlice(4, () => read * 10);
  let seenAt = 0;
  setImmediate(() => {
    seenAt = read;
  });
  const page = async (_: number, limit: number) => {
    read++;
    return Array.from({ length: limit }, () => ({}));
  };
  await pages({ version: 1, pause: () => slice.pause() }, page, { size: 10, most: 100 });
  expect(read).toBe(10);
  expect(seenAt).toBeGreaterThan(0);
  expect(seenAt).toBeLessThan(10);
});

test('what fails is not tried again, and nothing is read again where no ledger came', async () => {
  let reads = 0;
  const sharing = { version: 1, pause: () => undefined };
  const failing = atOneVersion(sharing, async (pause) => {
    reads++;
    await pause();
    throw new Error('not there');
  });
  expect(failing).rejects.toThrow('not there');
  await failing.catch(() => undefined);
  expect(reads).toBe(1);
});

test('trades and transactions that are all that is kept are said to be cut', async () => {
  const answering = (more: object, meta: object) => ({
    call: async (route: string) => {
      if (route === 'GET /token/{id}') return { token: { issuer: 'an issuer', currency: 'USD' } };
      return route === 'GET /history'
        ? { data: [], meta: { nextCursor: null, ...meta } }
        : { txs: [], hasMore: false, marker: null, ...more };
    },
  });
  const [all, kept] = [answering({}, {}), answering({ completeFrom: 9 }, { keptFrom: 1_000 })];
  for (const [context, isCut] of [
    [all, false],
    [kept, true],
  ] as const) {
    expect(await transactionsOf(context, 'an account', 10)).toEqual({ transactions: [], isCut });
    expect(await tradesOf(context, 'a token', {})).toEqual({ trades: [], isCut });
  }
});

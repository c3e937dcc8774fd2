/** The rows of accounts against a search through the table, while rows come and go, also between the steps in which they are linked. */
import { expect, test } from 'bun:test';
import { AccountRows } from '../../../engine/state/account-rows.ts';

const RUNS = Number(process.env.THOROUGH ?? 0) > 0 ? 40 : 4;
const ACCOUNTS = 50;
const ROWS = 40_000;

/** Mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

test.each(Array.from({ length: RUNS }, (_, i) => Number(process.env.SEED ?? 7_301) + i))(
  'seed %i: each account has its rows, once for each end',
  (seed) => {
    const random = randomOf(seed);
    const table = { count: 1, capacity: ROWS * 2 };
    const ends = [new Uint32Array(ROWS * 2), new Uint32Array(ROWS * 2)] as const;
    const rows = new AccountRows(table, { count: ACCOUNTS, capacity: ACCOUNTS }, ends);
    const free: number[] = [];
    const change = () => {
      const isAdded = random(3) > 0 || table.count === 1;
      if (isAdded) {
        const row = free.pop() ?? table.count++;
        ends[0][row] = 1 + random(ACCOUNTS);
        ends[1][row] = random(10) === 0 ? 0 : 1 + random(ACCOUNTS);
        rows.add(row);
        return;
      }
      const row = 1 + random(table.count - 1);
      if (free.includes(row)) return;
      rows.remove(row);
      ends[0][row] = 0;
      // A table links its free rows through a column of its own choice: what looks like an account there is none.
      ends[1][row] = 1 + random(ACCOUNTS);
      free.push(row);
    };
    const check = () => {
      for (let account = 1; account <= ACCOUNTS; account++) {
        const expected: number[] = [];
        for (let row = 1; row < table.count; row++)
          for (const end of ends) if (ends[0][row] !== 0 && end[row] === account) expected.push(row);
        expect([...rows.of(account)].sort((a, b) => a - b)).toEqual(expected);
        expect(rows.count(account)).toBe(expected.length);
      }
    };
    // More rows than one step links.
    for (let i = 0; i < ROWS; i++) {
      const row = table.count++;
      for (const end of ends) end[row] = 1 + random(ACCOUNTS);
      rows.add(row);
    }
    expect(rows.isReady).toBe(false);
    for (const _ of rows.linking()) for (let i = 0; i < 100; i++) change();
    expect(rows.isReady).toBe(true);
    check();
    for (let i = 0; i < 500; i++) change();
    check();
    rows.clear();
    expect(rows.isReady).toBe(false);
    for (const _ of rows.linking()) for (let i = 0; i < 20; i++) change();
    check();
  },
);

test('a log of an account says what its rows are now', () => {
  const random = randomOf(Number(process.env.SEED ?? 7_301));
  const table = { count: 1, capacity: ROWS };
  const ends = [new Uint32Array(ROWS), new Uint32Array(ROWS)] as const;
  const rows = new AccountRows(table, { count: ACCOUNTS, capacity: ACCOUNTS }, ends);
  for (const _ of rows.linking());
  const free: number[] = [];
  const logs = Array.from({ length: ACCOUNTS }, (_, i) => ({ account: i + 1, log: rows.follow(i + 1) }));
  const known = new Map(logs.map(({ account }) => [account, [] as number[]]));
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < 40; i++) {
      const row = 1 + random(table.count);
      if (row < table.count && !free.includes(row) && random(2) === 0) {
        rows.remove(row);
        ends[0][row] = 0;
        free.push(row);
      } else {
        const added = free.pop() ?? table.count++;
        ends[0][added] = 1 + random(ACCOUNTS);
        ends[1][added] = 1 + ((ends[0][added]! + random(ACCOUNTS - 1)) % ACCOUNTS);
        rows.add(added);
      }
    }
    for (const { account, log } of logs) {
      const own = known.get(account)!;
      for (const event of log.take()) {
        const at = own.indexOf(event < 0 ? -1 - event : event);
        if (event < 0) own.splice(at, 1);
        else if (at < 0) own.push(event);
      }
      expect([...rows.of(account)].reverse()).toEqual(own);
      expect(log.isLost).toBe(false);
    }
  }
  const [{ account, log }] = [logs[0]!];
  rows.unfollow(account, log);
  const [{ log: second }] = [logs[1]!];
  rows.clear();
  expect([log.isLost, second.isLost]).toEqual([false, true]);
});

test('a log that nobody reads ends', () => {
  const table = { count: 2, capacity: 8 };
  const rows = new AccountRows(table, { count: 4, capacity: 4 }, [new Uint32Array([0, 1, 1, 0])]);
  for (const _ of rows.linking());
  const log = rows.follow(1);
  for (let i = 0; i < 100_000; i++) rows.changed(1 + (i % 2));
  expect(log.isLost).toBe(true);
  expect(log.take()).toEqual([]);
});

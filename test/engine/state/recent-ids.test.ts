import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Accounts } from '../../../engine/state/accounts.ts';
import { Currencies } from '../../../engine/state/currencies.ts';
import { Fees } from '../../../engine/state/fees.ts';
import { RecentIds } from '../../../engine/state/recent-ids.ts';
import { Table } from '../../../engine/state/table.ts';
import { Texts } from '../../../engine/state/texts.ts';
import { TableId } from '../../../engine/table-ids.ts';

const seed = Number(process.env.SEED ?? 20_261_123);

/** Few values per byte, so that accounts share their first word, and any other. */
const account = fc
  .array(fc.integer({ min: 254, max: 256 }), { minLength: 5, maxLength: 5 })
  .map((words) => new Uint8Array(words.flatMap((word) => [word & 0xff, 0, 0, word >>> 8])));

test(`what is found is what was kept last, and a kept account is found (SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(account, { maxLength: 60 }), (accounts) => {
      const recent = new RecentIds();
      const known = new Map<string, number>();
      for (const [i, bytes] of accounts.entries()) {
        const padded = new Uint8Array([7, ...bytes, 9]);
        const before = recent.find(padded, 1);
        if (before !== 0) expect(before).toBe(known.get(bytes.toHex())!);
        recent.keep(bytes, 0, i + 1);
        known.set(bytes.toHex(), i + 1);
        expect(recent.find(padded, 1)).toBe(i + 1);
      }
      recent.clear();
      for (const bytes of accounts) expect(recent.find(bytes, 0)).toBe(0);
    }),
    { seed, numRuns: 100 },
  );
});

test(`accounts that push one another out keep their ids (SEED=${seed})`, () => {
  const texts = new Texts();
  const accounts = new Accounts(
    new Table(TableId.accounts, 'accounts', 1 << 12),
    new Fees(new Table(TableId.network, 'network', 64)),
    texts,
  );
  // The same words but the last: the same place.
  const all = Array.from({ length: 300 }, (_, i) =>
    new Uint8Array(20).fill(i & 0xff, 19).fill(i >>> 8, 18, 19),
  );
  const ids = all.map((bytes) => accounts.intern(bytes, 0));
  expect(new Set(ids).size).toBe(all.length);
  for (let round = 0; round < 2; round++)
    for (const [i, bytes] of all.entries()) {
      expect(accounts.find(bytes, 0)).toBe(ids[i]!);
      expect(accounts.find(bytes, 0)).toBe(ids[i]!);
    }
  expect(accounts.find(new Uint8Array(20).fill(1, 0, 1), 0)).toBeUndefined();
});

test('currencies that push one another out keep their ids', () => {
  const currencies = new Currencies(new Table(TableId.currencies, 'currencies', 1 << 12));
  // Standard codes differ in their letters alone, the others in the rest, too: the same place.
  const letters = Array.from({ length: 300 }, (_, i) =>
    new Uint8Array(20)
      .fill(65 + (i % 26), 12)
      .fill(65 + Math.floor(i / 26), 13)
      .fill(0, 15),
  );
  const others = Array.from({ length: 300 }, (_, i) =>
    new Uint8Array(20).fill(1 + (i & 0xff), 19).fill(1 + (i >>> 8), 18, 19),
  );
  const all = [...letters, ...others];
  for (const bytes of all) expect(currencies.find(bytes, 0)).toBe(0);
  const ids = all.map((bytes) => currencies.intern(bytes, 0));
  expect(new Set(ids).size).toBe(all.length);
  for (let round = 0; round < 2; round++)
    for (const [i, bytes] of all.entries()) {
      expect(currencies.find(bytes, 0)).toBe(ids[i]!);
      expect(currencies.intern(bytes, 0)).toBe(ids[i]!);
    }
});

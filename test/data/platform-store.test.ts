/** The platform's store compared with a model, at its limits, and its refusals. */
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type LmdbPlatformStore, openPlatformStore } from '../../data/platform-store.ts';
import type { Collection, Key, PlatformTransaction } from '../../platform/store.ts';
import { casesOf } from '../cases.ts';
import { balances, contents, type Note, notes } from './platform-collections.ts';
import { temporaryDir } from './tools.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);

const collections = [notes, balances];

async function opened(): Promise<{ store: LmdbPlatformStore; dir: string; remove: () => void }> {
  const { dir, remove } = temporaryDir();
  return { store: await openPlatformStore({ dir, network: 'test', collections }), dir, remove };
}

function note(part: Partial<Note> = {}): Note {
  return { owner: 'ann', slug: undefined, tags: [], size: 1, ...part };
}

/** Few of each, so that rows meet; texts and numbers whose bytes are prefixes of one another. */
const part = fc.constantFrom<string | number>(
  'a',
  'ab',
  'b',
  'é',
  '\u{1f600}',
  '',
  0,
  1,
  255,
  256,
  2 ** 40,
  2 ** 53 - 1,
);
const key = fc.array(part, { minLength: 1, maxLength: 3 });
const value = fc.record({
  owner: fc.constantFrom('ann', 'ben'),
  slug: fc.constantFrom(undefined, 'x', 'xy', 'z'),
  tags: fc.subarray(['t', 'tu', 'u']),
  size: fc.constantFrom(0, 1, 300, 2 ** 33),
});
type Operation =
  | { readonly kind: 'put'; readonly key: Key; readonly value: Note }
  | { readonly kind: 'delete'; readonly key: Key }
  | { readonly kind: 'throw' };
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), key, value }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'throw' as const }) },
);

type Row = readonly [Key, Note];

/** As platform/store.ts says: part by part, numbers before texts, a prefix before what it begins. */
function compareKeys(a: Key, b: Key): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x, y] = [a[i]!, b[i]!];
    if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1;
    if (x === y) continue;
    if (typeof x === 'number') return x < (y as number) ? -1 : 1;
    return Buffer.compare(Buffer.from(x), Buffer.from(y as string));
  }
  return a.length - b.length;
}

const begins = (whole: Key, prefix: Key): boolean => prefix.every((each, i) => whole[i] === each);

/** Applies operations to a transaction and to a copy of the model. @returns the copy; throws as the transaction must */
function apply(
  transaction: PlatformTransaction,
  model: readonly Row[],
  operations: readonly Operation[],
): Row[] {
  let rows = [...model];
  for (const each of operations) {
    if (each.kind === 'throw') throw new Error('thrown by the function');
    const others = rows.filter(([k]) => compareKeys(k, each.key) !== 0);
    if (each.kind === 'delete') {
      expect(transaction.delete(notes, each.key)).toBe(others.length < rows.length);
      rows = others;
      continue;
    }
    const { slug } = each.value;
    const isTaken = slug !== undefined && others.some(([, other]) => other.slug === slug);
    if (isTaken) {
      expect(() => transaction.put(notes, each.key, each.value)).toThrow("same key in the index 'slug'");
      continue;
    }
    transaction.put(notes, each.key, each.value);
    rows = [...others, [each.key, each.value] as const].sort(([a], [b]) => compareKeys(a, b));
  }
  return rows;
}

/** Everything that can be read, compared with the model. */
function compare(
  store: Pick<LmdbPlatformStore, 'get' | 'walk' | 'walkIndex'>,
  model: readonly Row[],
  probe: Key,
): void {
  expect(contents(store, notes)).toEqual(model as [Key, Note][]);
  const model1 = model.find(([k]) => compareKeys(k, probe) === 0);
  expect(store.get(notes, probe)).toEqual(model1?.[1]);
  for (const reverse of [false, true]) {
    const order = reverse ? -1 : 1;
    for (const prefix of [[], probe.slice(0, 1), probe]) {
      const wanted = model.filter(([k]) => begins(k, prefix)).sort(([a], [b]) => order * compareKeys(a, b));
      const seen: Row[] = [];
      store.walk(notes, { prefix, reverse }, (row, k) => void seen.push([k, row]));
      expect(seen).toEqual(wanted);
      const behind = wanted.filter(([k]) => order * compareKeys(k, probe) > 0).slice(0, 2);
      const further: Row[] = [];
      if (begins(probe, prefix))
        store.walk(
          notes,
          { prefix, reverse, after: probe, limit: 2 },
          (row, k) => void further.push([k, row]),
        );
      else further.push(...behind);
      expect(further).toEqual(behind);
    }
    for (const tag of ['t', 'tu', 'u']) {
      const wanted = model
        .filter(([, { tags }]) => tags.includes(tag))
        .sort(([a, x], [b, y]) => order * (x.size - y.size || compareKeys(a, b)));
      const seen: Row[] = [];
      store.walkIndex(notes, 'tag', { prefix: [tag], reverse }, (row, k) => void seen.push([k, row]));
      expect(seen).toEqual(wanted);
    }
  }
  for (const slug of ['x', 'xy', 'z']) {
    const seen: Note[] = [];
    store.walkIndex(notes, 'slug', { prefix: [slug] }, (row) => void seen.push(row));
    expect(seen).toEqual(model.filter(([, row]) => row.slug === slug).map(([, row]) => row));
  }
}

test('random transactions, some of which throw, and random reopening: as the model', async () => {
  const { dir, remove } = temporaryDir();
  const open = () => openPlatformStore({ dir, network: 'test', collections });
  let store = await open();
  let model: Row[] = [];
  const transactions = fc.array(fc.array(operation, { maxLength: 8 }), { minLength: 1, maxLength: 6 });
  const property = fc.asyncProperty(
    transactions,
    key,
    fc.integer({ min: 0, max: 4 }),
    async (list, probe, again) => {
      const running = list.map((operations) =>
        store.transaction((transaction) => {
          compare(transaction, model, probe);
          const next = apply(transaction, model, operations);
          compare(transaction, next, probe);
          model = next;
        }),
      );
      const ends = await Promise.allSettled(running);
      ends.forEach((end, i) => {
        const throws = list[i]!.some(({ kind }) => kind === 'throw');
        if (end.status === 'rejected' && !String(end.reason).includes('thrown by the function'))
          throw end.reason;
        expect(end.status).toBe(throws ? 'rejected' : 'fulfilled');
      });
      if (again === 0) {
        await store.close();
        store = await open();
        expect(store.upgraded).toEqual([]);
      }
      compare(store, model, probe);
      const { rows, bytes } = store.stats().collections.notes!;
      expect(rows).toBe(model.length);
      expect(bytes > 0).toBe(model.length > 0);
    },
  );
  await fc.assert(property, { seed, numRuns: casesOf(40, 120), endOnFailure: true });
  await store.transaction((transaction) => {
    for (const [k] of model) transaction.delete(notes, k);
  });
  expect(store.stats().collections.notes).toEqual({ rows: 0, bytes: 0 });
  await store.close();
  remove();
});

test('transactions called together are committed together; the next ones wait for them', async () => {
  const { store, remove } = await opened();
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      store.transaction((transaction) => {
        const drops = (transaction.get(balances, ['ann'])?.drops ?? 0) + i;
        transaction.put(balances, ['ann'], { drops, events: [] });
        return drops;
      }),
    ),
  );
  expect(results.at(-1)).toBe((49 * 50) / 2);
  expect(store.get(balances, ['ann'])?.drops).toBe((49 * 50) / 2);
  expect(store.stats()).toMatchObject({ transactions: 50, groups: 1, waiting: 0 });
  await store.close();
  remove();
});

test('no transaction runs on an older moment than the last commit', async () => {
  const { store, remove } = await opened();
  let called = 0;
  const add = () => {
    called++;
    return store.transaction((transaction) => {
      const drops = (transaction.get(balances, ['ann'])?.drops ?? 0) + 1;
      transaction.put(balances, ['ann'], { drops, events: [] });
    });
  };
  // Between commits, in the same step as their end, and from timers, as lmdb's own renewal comes.
  const waiting: Promise<void>[] = [];
  for (let round = 0; round < 300; round++) {
    store.get(balances, ['ann']);
    const timer = new Promise<void>((resolve) => setTimeout(() => resolve(add()), round % 3));
    waiting.push(timer, add().then(add));
    if (round % 4 === 0) await Promise.all(waiting.splice(0));
    // Reads of others at any time must not hold it back.
    store.walk(balances, {}, () => false);
  }
  await Promise.all(waiting);
  expect(store.get(balances, ['ann'])?.drops).toBe(called);
  await store.close();
  remove();
});

test('an event has its effect once; a settled one none, also after reopening', async () => {
  const { store, dir, remove } = await opened();
  const at = (ledger: number, tx: number) => ({ ledger, tx, entry: 3 });
  const pay = (s: LmdbPlatformStore, ledger: number, tx: number, cause = 'credits') =>
    s.onceAt(cause, at(ledger, tx), (transaction) => {
      const { drops, events } = transaction.get(balances, ['ann']) ?? { drops: 0, events: [] };
      transaction.put(balances, ['ann'], {
        drops: drops + 1,
        events: [...events, `${cause} ${ledger} ${tx}`],
      });
    });
  expect(await Promise.all([pay(store, 5, 0), pay(store, 5, 0), pay(store, 5, 1)])).toEqual([
    true,
    false,
    true,
  ]);
  expect(await pay(store, 5, 0, 'invoices')).toBe(true);
  expect(store.settled('credits')).toBeUndefined();
  const failed = store.onceAt('credits', at(6, 0), (transaction) => {
    transaction.put(balances, ['ann'], { drops: 1000, events: [] });
    throw new Error('no such account');
  });
  await expect(failed).rejects.toThrow('no such account');
  expect(await pay(store, 6, 0)).toBe(true);
  await store.settle('credits', 5);
  await store.settle('credits', 4);
  expect(store.settled('credits')).toBe(5);
  await store.close();
  const again = await openPlatformStore({ dir, network: 'test', collections });
  expect(again.settled('credits')).toBe(5);
  expect(again.settled('invoices')).toBeUndefined();
  // Ledger 5 is settled as a whole, also where nothing was stored of it; ledger 6 is not.
  expect([await pay(again, 5, 9), await pay(again, 6, 0), await pay(again, 6, 1)]).toEqual([
    false,
    false,
    true,
  ]);
  expect(await pay(again, 5, 0, 'invoices')).toBe(false);
  expect(again.get(balances, ['ann'])).toEqual({
    drops: 5,
    events: ['credits 5 0', 'credits 5 1', 'invoices 5 0', 'credits 6 0', 'credits 6 1'],
  });
  await again.close();
  remove();
});

test('values that are too large, and invalid keys and values, are refused and change nothing', async () => {
  const { store, remove } = await opened();
  const small: Collection<Note> = { ...notes, limits: { valueBytes: 2000, rows: 2 }, name: 'small' };
  const refused: [Key, unknown, string][] = [
    [['k'], note({ owner: 'x'.repeat(2000) }), 'value-too-large'],
    [['x'.repeat(400)], note(), 'bad-key'],
    [[], note(), 'bad-key'],
    [['a\0b'], note(), 'bad-key'],
    [['\ud800'], note(), 'bad-key'],
    [[-1], note(), 'bad-key'],
    [[1.5], note(), 'bad-key'],
    [[2 ** 53], note(), 'bad-key'],
    [['k'], note({ slug: 's'.repeat(500) }), 'bad-key'],
    [['k'], { ...note(), size: 2n ** 70n }, 'bad-value'],
  ];
  await store.transaction((transaction) => transaction.put(notes, ['first'], note()));
  for (const [at, wrong, code] of refused) {
    const refusal = store.transaction((transaction) => {
      transaction.put(notes, ['other'], note({ slug: 'other' }));
      transaction.put(notes, at, wrong as Note);
    });
    await expect(refusal).rejects.toMatchObject({ name: 'PlatformError', code });
  }
  // A refusal that is caught leaves no effect, and the rest of the transaction is kept.
  await store.transaction((transaction) => {
    for (const [at, wrong] of refused) expect(() => transaction.put(notes, at, wrong as Note)).toThrow();
    transaction.put(notes, ['second'], note());
  });
  expect(contents(store, notes).map(([k]) => k)).toEqual([['first'], ['second']]);
  const large = store.transaction((transaction) => {
    for (let i = 0; i < 100; i++) transaction.put(balances, [i], { drops: 0, events: ['x'.repeat(90_000)] });
  });
  await expect(large).rejects.toMatchObject({ code: 'transaction-too-large' });
  expect(contents(store, balances)).toEqual([]);
  await expect(store.transaction((transaction) => transaction.get(small, ['k']))).rejects.toMatchObject({
    code: 'not-declared',
  });
  for (const position of [
    { ledger: -1, tx: 0, entry: 0 },
    { ledger: 1, tx: 65_536, entry: 0 },
    { ledger: 2 ** 32, tx: 0, entry: 0 },
  ])
    await expect(store.onceAt('credits', position, () => {})).rejects.toMatchObject({ code: 'bad-key' });
  await expect(store.onceAt('../x', { ledger: 1, tx: 0, entry: 0 }, () => {})).rejects.toMatchObject({
    code: 'bad-key',
  });
  await store.close();
  remove();
});

test('a full collection takes no further row, and the rows it has may change', async () => {
  const { dir, remove } = temporaryDir();
  const few: Collection<Note> = { ...notes, limits: { valueBytes: 2000, rows: 3 } };
  const store = await openPlatformStore({ dir, network: 'test', collections: [few] });
  await store.transaction((transaction) => {
    for (const k of [1, 2, 3]) transaction.put(few, [k], note());
    expect(() => transaction.put(few, [4], note())).toThrow('holds 3 rows, which is its limit');
    transaction.put(few, [3], note({ size: 9 }));
  });
  const both = [4, 5].map((k) =>
    store.transaction((transaction) => {
      transaction.delete(few, [1]);
      transaction.put(few, [k], note());
    }),
  );
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(contents(store, few).map(([k]) => k)).toEqual([[2], [3], [4]]);
  await store.close();
  remove();
});

test('an asynchronous function is refused, and a transaction is not usable behind its end', async () => {
  const { store, remove } = await opened();
  let kept: PlatformTransaction | undefined;
  const refused = store.transaction(async (transaction) => {
    kept = transaction;
    transaction.put(notes, ['a'], note());
  });
  await expect(refused).rejects.toThrow('must be synchronous');
  expect(() => kept!.put(notes, ['a'], note())).toThrow('used after the function');
  expect(store.get(notes, ['a'])).toBeUndefined();
  await store.close();
  expect(() => store.get(notes, ['a'])).toThrow('closed');
  await expect(store.transaction(() => 1)).rejects.toMatchObject({ code: 'closed' });
  remove();
});

test('what waits when the store is closed is stored; what was handed out is a copy', async () => {
  const { store, dir, remove } = await opened();
  const waiting = [1, 2].map((k) =>
    store.transaction((transaction) => transaction.put(notes, [k], note({ tags: ['t'] }))),
  );
  const closed = store.close();
  await Promise.all([...waiting, closed]);
  const again = await openPlatformStore({ dir, network: 'test', collections });
  (again.get(notes, [1])!.tags as string[]).push('changed');
  expect(contents(again, notes)).toEqual([
    [[1], note({ tags: ['t'] })],
    [[2], note({ tags: ['t'] })],
  ]);
  await again.close();
  remove();
});

test('no space: the complete transaction is refused, and the store accepts what fits', async () => {
  const { dir, remove } = temporaryDir();
  const child = Bun.spawnSync([
    'sh',
    '-c',
    'ulimit -f 4096 && exec "$0" "$1" "$2"',
    process.execPath,
    join(import.meta.dir, 'platform-fill.child.ts'),
    dir,
  ]);
  const { code, isPlatformError, stored, afterwards, failures, said } = JSON.parse(child.stdout.toString());
  // Its callers can tell it from a fault of their own.
  expect([code, isPlatformError]).toEqual(['disk-full', true]);
  expect(stored).toBeGreaterThan(3);
  expect(afterwards).toBe(stored - 1);
  // Said once when it begins and once when it is over, however many fail.
  expect([failures, said]).toEqual([2, ['disk-full', null]]);
  const store = await openPlatformStore({ dir, network: 'test', collections });
  const rows = contents(store, balances).length;
  expect(rows).toBe(stored - 1);
  expect(contents(store, notes).length).toBe(rows);
  expect(store.stats().collections.balances!.rows).toBe(rows);
  await store.close();
  remove();
});

test('a damaged row is found before anything is read, with the remedy of this store', async () => {
  const { store, dir, remove } = await opened();
  await store.transaction((transaction) => transaction.put(notes, ['k'], note({ owner: 'damaged here' })));
  await store.close();
  const path = join(dir, 'data.mdb');
  const file = readFileSync(path);
  file[file.lastIndexOf('damaged here')]! ^= 1;
  writeFileSync(path, file);
  const failure = openPlatformStore({ dir, network: 'test', collections });
  await expect(failure).rejects.toMatchObject({ code: 'corrupt' });
  await expect(failure).rejects.toThrow(
    /'rows': row .* is not what was written\). It does not follow from ledgers/,
  );
  expect(readFileSync(path).equals(file)).toBe(true);
  remove();
});

test('one process, one network, one program a store', async () => {
  const { store, dir, remove } = await opened();
  const open = (network: string, declared: readonly Collection<unknown>[]) =>
    openPlatformStore({ dir, network, collections: declared });
  await expect(open('test', collections)).rejects.toMatchObject({ code: 'locked' });
  const child = Bun.spawnSync([
    process.execPath,
    '-e',
    `const { openPlatformStore } = await import(${JSON.stringify(join(import.meta.dir, '../../data/platform-store.ts'))});
     await openPlatformStore({ dir: ${JSON.stringify(dir)}, network: 'test', collections: [] }).catch(({ code, message }) => console.log(code, message));`,
  ]);
  expect(child.stdout.toString()).toContain(`locked ${dir}: in use by process ${process.pid}`);
  await store.transaction((transaction) => transaction.put(notes, ['k'], note()));
  await store.close();
  await expect(open('other', collections)).rejects.toMatchObject({ code: 'other-network' });
  const newer: Collection<Note> = { ...notes, version: 2, upgrades: [(row) => row] };
  await (await open('test', [newer])).close();
  await expect(open('test', collections)).rejects.toMatchObject({ code: 'newer-schema' });
  // What is not declared is left alone.
  await (await open('test', [balances])).close();
  const again = await open('test', [newer]);
  expect(contents(again, newer)).toEqual([[['k'], note()]]);
  await again.close();
  for (const wrong of [
    [notes, notes],
    [{ ...notes, name: 'No' }],
    [{ ...notes, version: 2 }],
    [{ ...notes, version: 0 }],
    [{ ...notes, limits: { valueBytes: 2 ** 30, rows: 1 } }],
  ])
    await expect(open('test', wrong)).rejects.toMatchObject({ name: 'PlatformError' });
  remove();
});

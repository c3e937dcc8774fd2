/** Keys: what works, what is kept of them, and their states against a model. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ApiKeys, KeyLimitError, makeKey } from '../../platform/api-keys.ts';
import { CustomerRig } from './store-rig.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);
const STEPS = process.env.THOROUGH ? 10_000 : 400;
const NOW = 1_900_000_000_000;

const rig = new CustomerRig();
beforeAll(() => rig.open());
afterAll(() => rig.stop());

const userKey = (wallet: string, name = 'one') => makeKey({ kind: 'user', wallet, name }, NOW);

test('a key works from when it is durable until it is revoked, also after a restart', async () => {
  const made = userKey('rA');
  expect(made.secret).toMatch(/^xrpl_[0-9a-f]{48}$/);
  expect(rig.customers.keys.find(made.secret)).toBeUndefined();
  const shown = await rig.customers.keys.add(made, 1);
  expect(shown).toMatchObject({
    id: made.id,
    name: 'one',
    status: 'active',
    keyPrefix: made.secret.slice(0, 11),
  });
  expect(rig.customers.keys.find(made.secret)).toMatchObject({ id: made.id, wallet: 'rA', kind: 'user' });
  await rig.restart();
  expect(rig.customers.keys.find(made.secret)?.id).toBe(made.id);
  expect(await rig.customers.keys.remove('rB', made.id, NOW)).toBeUndefined();
  expect(await rig.customers.keys.remove('rA', made.id, NOW + 5)).toBe('revoked');
  expect(rig.customers.keys.find(made.secret)).toBeUndefined();
  expect(rig.customers.keys.list('rA')).toMatchObject([{ status: 'revoked', revokedAt: NOW + 5 }]);
  await rig.restart();
  expect(rig.customers.keys.find(made.secret)).toBeUndefined();
  expect(await rig.customers.keys.rename('rA', made.id, 'two')).toBeUndefined();
  expect(await rig.customers.keys.remove('rA', made.id, NOW)).toBe('deleted');
  expect(await rig.customers.keys.remove('rA', made.id, NOW)).toBeUndefined();
  expect(rig.customers.keys.list('rA')).toEqual([]);
});

test('secrets are stored as hashes only', async () => {
  const made = userKey('rStored');
  await rig.customers.keys.add(made, 1);
  const stored = JSON.stringify([made.row, rig.customers.keys.list('rStored')]);
  expect(stored).not.toContain(made.secret.slice(11));
});

test('of keys made at once, as many are kept as a wallet may have', async () => {
  const made = Array.from({ length: 12 }, () => userKey('rMany'));
  const results = await Promise.allSettled(made.map((key) => rig.customers.keys.add(key, 5)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(KeyLimitError);
  expect(rig.customers.keys.list('rMany').filter(({ revokedAt }) => revokedAt === undefined)).toHaveLength(5);
  expect(made.filter(({ secret }) => rig.customers.keys.find(secret))).toHaveLength(5);
});

describe('what is nearly a key is none', () => {
  test('every changed character, a part of it, more of it', async () => {
    const made = userKey('rNear');
    await rig.customers.keys.add(made, 1);
    for (let at = 0; at < made.secret.length; at++) {
      const other = made.secret[at] === '0' ? '1' : '0';
      const near = made.secret.slice(0, at) + other + made.secret.slice(at + 1);
      expect(rig.customers.keys.find(near)).toBeUndefined();
    }
    for (const near of [
      '',
      made.secret.slice(0, -1),
      `${made.secret}0`,
      made.secret.toUpperCase(),
      'x'.repeat(1e5),
    ])
      expect(rig.customers.keys.find(near)).toBeUndefined();
  });

  test('two keys that share the part of the hash that finds them are told apart', async () => {
    const { secret, row, id } = userKey('rTwin');
    // A row whose hash begins like that of the secret, and ends otherwise.
    const twin = { ...row, hash: row.hash.slice(0, 12) + row.hash.slice(12).split('').reverse().join('') };
    await rig.customers.keys.add({ id, row: twin }, 1);
    expect(rig.customers.keys.find(secret)).toBeUndefined();
    expect(await rig.customers.keys.add(userKey('rTwin2'), 1)).toBeDefined();
    await expect(
      rig.customers.keys.add({ id: 'f'.repeat(24), row: { ...row, wallet: 'rC' } }, 1),
    ).rejects.toThrow();
  });

  test('the time of a look-up does not tell how much of a guess is right', async () => {
    const made = userKey('rTimed');
    await rig.customers.keys.add(made, 1);
    const { keys } = rig.customers;
    const guess = (right: number) => made.secret.slice(0, right) + '~'.repeat(made.secret.length - right);
    const guesses = [5, 20, 52].map(guess);
    const times = guesses.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < 40; round++)
      for (const [at, secret] of guesses.entries()) {
        const started = performance.now();
        for (let i = 0; i < 2000; i++) keys.find(secret);
        times[at] = Math.min(times[at]!, performance.now() - started);
      }
    // The secret is hashed whole before anything is compared: the fastest of 40 rounds differ by chance only.
    expect(Math.max(...times) / Math.min(...times)).toBeLessThan(1.5);
  });
});

test('random sequences of creating, renaming, revoking, deleting and restarting, against a model', async () => {
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  interface Modelled {
    readonly secret: string;
    name: string;
    isRevoked: boolean;
  }
  const model = new Map<string, Map<string, Modelled>>();
  const wallets = ['rM1', 'rM2', 'rM3'];
  for (const wallet of wallets) model.set(wallet, new Map());
  let { keys } = rig.customers as { keys: ApiKeys };
  for (let step = 0; step < STEPS; step++) {
    const wallet = wallets[random(3)]!;
    const own = model.get(wallet)!;
    const others = model.get(wallets[random(3)]!)!;
    const id = [...others.keys()][random(others.size || 1)] ?? 'f'.repeat(24);
    const entry = own.get(id);
    switch (random(5)) {
      case 0: {
        const most = random(2) === 0 ? 1 : 5;
        const active = [...own.values()].filter(({ isRevoked }) => !isRevoked).length;
        const made = makeKey({ kind: 'user', wallet, name: `n${step}` }, NOW + step);
        const added = await keys.add(made, most).catch((error: unknown) => error);
        expect(added instanceof KeyLimitError).toBe(active >= most || own.size >= 100);
        if (!(added instanceof KeyLimitError))
          own.set(made.id, { secret: made.secret, name: `n${step}`, isRevoked: false });
        break;
      }
      case 1: {
        const renamed = await keys.rename(wallet, id, `r${step}`);
        expect(renamed !== undefined).toBe(entry !== undefined && !entry.isRevoked);
        if (renamed) entry!.name = `r${step}`;
        break;
      }
      case 2:
      case 3: {
        const done = await keys.remove(wallet, id, NOW + step);
        expect(done).toBe(entry === undefined ? undefined : entry.isRevoked ? 'deleted' : 'revoked');
        if (done === 'deleted') own.delete(id);
        if (done === 'revoked') entry!.isRevoked = true;
        break;
      }
      default:
        if (random(10) === 0) ({ keys } = await rig.restart(random(2) === 0));
    }
    for (const [wallet, entries] of model) {
      const shown = keys.list(wallet).map(({ id, name, status }) => [id, name, status]);
      const expected = [...entries].map(([id, { name, isRevoked }]) => [
        id,
        name,
        isRevoked ? 'revoked' : 'active',
      ]);
      expect(shown.sort()).toEqual(expected.sort());
      for (const [id, { secret, isRevoked }] of entries)
        expect(keys.find(secret)?.id).toBe(isRevoked ? undefined : id);
    }
  }
});

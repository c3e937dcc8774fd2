/** The faucet pays each address once a day, whatever fails or ends in between. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LmdbPlatformStore, openPlatformStore } from '../../data/platform-store.ts';
import { FAUCET_COLLECTIONS, FAUCET_XRP, Faucet, type Paid } from '../../platform/faucet.ts';

const DAY_MS = 86_400_000;
const NOW = 1_800_000_000_000;
const ANN = 'rrrrrrrrrrrrrrrrrrrrBZbvji';

let dir: string;
let store: LmdbPlatformStore;
let paid: [string, number][];
let answer: () => Promise<Paid>;
let faucet: Faucet;

async function open(): Promise<void> {
  store = await openPlatformStore({ dir, network: 'test', collections: FAUCET_COLLECTIONS });
  faucet = new Faucet({
    address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
    pay: (destination, xrp) => {
      paid.push([destination, xrp]);
      return answer();
    },
  });
  faucet.attach(store);
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'millrace-faucet-'));
  paid = [];
  answer = async () => ({ kind: 'paid', hash: `${paid.length}` });
  await open();
});

afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('a claim', () => {
  test('is paid once in 24 hours, to the millisecond', async () => {
    expect(await faucet.claim(ANN, NOW)).toEqual({ kind: 'paid', hash: '1' });
    expect(await faucet.claim(ANN, NOW + 1)).toEqual({ kind: 'cooldown', retryMs: DAY_MS - 1 });
    expect(await faucet.claim(ANN, NOW + DAY_MS - 1)).toEqual({ kind: 'cooldown', retryMs: 1 });
    expect(await faucet.claim(ANN, NOW + DAY_MS)).toEqual({ kind: 'paid', hash: '2' });
    expect(paid).toEqual([
      [ANN, FAUCET_XRP],
      [ANN, FAUCET_XRP],
    ]);
  });

  test('of one address at one time by many is paid once', async () => {
    const claims = await Promise.all(Array.from({ length: 50 }, () => faucet.claim(ANN, NOW)));
    expect(claims.filter(({ kind }) => kind === 'paid')).toHaveLength(1);
    expect(paid).toHaveLength(1);
  });

  test('that the network refuses may be made again at once', async () => {
    answer = async () => ({ kind: 'refused', reason: 'full' });
    expect(await faucet.claim(ANN, NOW)).toEqual({ kind: 'refused', reason: 'full' });
    answer = async () => ({ kind: 'paid', hash: 'now' });
    expect(await faucet.claim(ANN, NOW)).toEqual({ kind: 'paid', hash: 'now' });
  });

  test('of which nobody knows whether it was paid stays, after a restart, too', async () => {
    answer = () => Promise.reject(new Error('no answer'));
    await expect(faucet.claim(ANN, NOW)).rejects.toThrow('no answer');
    await store.close();
    await open();
    expect((await faucet.claim(ANN, NOW + 5)).kind).toBe('cooldown');
    expect(paid).toHaveLength(1);
  });

  test('is durable before it is paid', async () => {
    answer = async () => {
      // What another process would read that starts now.
      const fresh = new Faucet({ address: '', pay: () => Promise.reject(new Error('twice')) });
      fresh.attach(store);
      expect((await fresh.claim(ANN, NOW)).kind).toBe('cooldown');
      return { kind: 'paid', hash: 'once' };
    };
    expect(await faucet.claim(ANN, NOW)).toEqual({ kind: 'paid', hash: 'once' });
  });

  test('does not lock an address for more than a day where the clock is set back', async () => {
    await faucet.claim(ANN, NOW + 10 * DAY_MS);
    expect(await faucet.claim(ANN, NOW)).toEqual({ kind: 'cooldown', retryMs: DAY_MS });
    expect(await faucet.claim(ANN, NOW + DAY_MS - 1)).toEqual({ kind: 'cooldown', retryMs: 1 });
    expect((await faucet.claim(ANN, NOW + DAY_MS)).kind).toBe('paid');
  });

  test('is forgotten some time after it is over', async () => {
    for (let i = 0; i < 20; i++) await faucet.claim(`r${i}`, NOW + i);
    for (let i = 0; i < 20; i++) await faucet.claim(`s${i}`, NOW + DAY_MS + 1000 + i);
    let kept = 0;
    store.walk(FAUCET_COLLECTIONS[0]!, {}, () => {
      kept++;
      return true;
    });
    expect(kept).toBe(20);
  });
});

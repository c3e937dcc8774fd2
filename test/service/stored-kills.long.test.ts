/**
 * The whole service is killed (SIGKILL) at random moments, also while it starts, or stopped, while wallets make keys, spend
 * credits, buy in XRP and by card, watch, report and write at once. After each start: what was answered is there, once and
 * complete; what was not answered is there or not; and what was paid is what the ledger and the card processor say.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { platformDir } from '../../data/platform-check.ts';
import { openPlatformStore } from '../../data/platform-store.ts';
import { THUMB_WIDTHS } from '../../platform/images.ts';
import type { Collection, Key, PlatformStore } from '../../platform/store.ts';
import { TOKEN_IMAGES, TOKEN_METADATA } from '../../platform/token-metadata.ts';
import { COLLECTIONS } from '../../service/collections.ts';
import { casesOf } from '../cases.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';
import { eventually, page } from '../sandbox-program.ts';
import { type Reported, StoredClient } from './stored/client.ts';
import { GoneError, StoredRig } from './stored/rig.ts';

const seed = seedOf('stored-kills');
const ROUNDS = casesOf(4, 12);
const CLIENTS = 5;
/** Answers of all clients before the kill of a round, at most. */
const ANSWERS_MAX = 250;
/** A start takes some seconds: kills fall into all of it. */
const START_MS = 6000;
const NETWORK_ID = 52168;

async function workUntil(
  clients: readonly StoredClient[],
  md5s: readonly string[],
  answers: number,
  end: () => Promise<unknown>,
): Promise<void> {
  let left = answers;
  const enough = Promise.withResolvers<void>();
  const onAnswer = () => {
    if (--left === 0) enough.resolve();
  };
  const working = clients.map((client) => client.work(md5s, onAnswer));
  await Promise.race([enough.promise, ...working]);
  await end();
  for (const ended of await Promise.allSettled(working))
    if (ended.status === 'rejected' && !(ended.reason instanceof GoneError)) throw ended.reason;
}

/** Each reporter that was answered counts once. */
async function checkReports(rig: StoredRig, reported: Reported): Promise<void> {
  for (const [domain, { answered, sent }] of reported) {
    const { body } = await rig.ask(`/scams/report/${domain}`);
    expect(body.confirmations, domain).toBeGreaterThanOrEqual(answered.size);
    expect(body.confirmations, domain).toBeLessThanOrEqual(sent.size);
  }
}

/** Invoices that the validated payments complete, counted again from what the node has. */
async function paidInvoices(rig: StoredRig, clients: readonly StoredClient[]) {
  const received = new Map<number, number>();
  for (const { tag, drops } of await rig.payments()) received.set(tag, (received.get(tag) ?? 0) + drops);
  return clients.map(({ invoices }) =>
    [...invoices.values()].filter(({ tag, drops }) => (received.get(tag) ?? 0) >= drops),
  );
}

/** Every index names the rows that its rule says, and no other; counts are those of the rows. */
async function checkRows(rig: StoredRig, feedback: readonly StoredClient['feedback'][]): Promise<void> {
  const store = await openPlatformStore({
    dir: platformDir(join(rig.dir, 'sandbox', 'engine')),
    network: NETWORK_ID,
    collections: COLLECTIONS,
  });
  try {
    for (const collection of COLLECTIONS) {
      const rows = new Map<string, unknown>();
      store.walk(collection, {}, (value, key) => void rows.set(JSON.stringify(key), value));
      expect(store.stats().collections[collection.name]?.rows ?? 0, collection.name).toBe(rows.size);
      for (const index of Object.keys(collection.indexes))
        expect(indexed(store, collection, index), `${collection.name} by ${index}`).toEqual(
          [...rows].flatMap(([key, value]) => collection.indexes[index]!.keys(value).map(() => key)).sort(),
        );
    }
    checkImages(store);
    const kept = new Set<string>();
    const collection = COLLECTIONS.find(({ name }) => name === 'feedback')!;
    store.walk(collection, {}, (_, key) => void kept.add(key.join(' ')));
    for (const { answered } of feedback) for (const one of answered) expect(kept.has(one), one).toBeTrue();
    const sent = new Set(feedback.flatMap((one) => [...one.sent]));
    for (const one of kept) expect(sent.has(one), one).toBeTrue();
  } finally {
    await store.close();
  }
}

/** An image is there in all of its sizes, or not at all. */
function checkImages(store: PlatformStore): void {
  const images = new Map<string, number>();
  store.walk(
    TOKEN_IMAGES,
    {},
    (_, [md5]) => void images.set(String(md5), (images.get(String(md5)) ?? 0) + 1),
  );
  store.walk(TOKEN_METADATA, {}, ({ image }, [md5]) => {
    expect(images.get(String(md5)) ?? 0, String(md5)).toBe(image ? 1 + THUMB_WIDTHS.length : 0);
    images.delete(String(md5));
    return true;
  });
  expect([...images.keys()]).toEqual([]);
}

function indexed(store: PlatformStore, collection: Collection<unknown>, index: string): string[] {
  const keys: string[] = [];
  store.walkIndex(collection, index, {}, (_, key: Key) => void keys.push(JSON.stringify(key)));
  return keys.sort();
}

test(`what was answered is there after ${ROUNDS} kills, once and complete`, async () => {
  const rig = new StoredRig();
  const draws = drawsOf(seed);
  const reported: Reported = new Map();
  const clients = Array.from({ length: CLIENTS }, (_, at) => new StoredClient(rig, at, draws, reported));
  try {
    const currencies = clients.map((_, at) => `TK${at}`);
    await rig.open(
      clients.map(({ wallet }) => wallet),
      currencies,
    );
    const md5s = await eventually('tokens', async () => {
      const found = await Promise.all(
        currencies.map((currency) => page(rig.program, `/v1/token/${rig.issuer.classicAddress}_${currency}`)),
      );
      return found.every(Boolean) ? found.map((token) => token!.token.md5 as string) : undefined;
    });
    for (let round = 0; round < ROUNDS; round++) {
      const isStopped = draws(4) === 0;
      const end = async () => (isStopped ? expect(await rig.stop()).toBe(0) : rig.kill());
      await workUntil(clients, md5s, 1 + draws(ANSWERS_MAX), end);
      if (draws(2) === 0) await rig.startAndKill(draws(START_MS));
      await rig.start();
      await rig.caughtUp();
      for (const client of clients) await client.check(md5s);
      await checkReports(rig, reported);
    }
    await eventually('the payments', async () => {
      const paid = await paidInvoices(rig, clients);
      const applied = await Promise.all(paid.flat().map(({ id }) => rig.ask(`/keys/purchase/${id}`)));
      return applied.every(({ body }) => body.status === 'applied') || undefined;
    });
    const paid = await paidInvoices(rig, clients);
    for (const [at, client] of clients.entries()) await client.checkBought(paid[at]!.length);
    console.log(
      `${clients.reduce((all, { answers }) => all + answers, 0)} answers, ${paid.flat().length} invoices paid`,
    );
    await rig.kill();
    await checkRows(
      rig,
      clients.map(({ feedback }) => feedback),
    );
  } finally {
    await rig.close();
  }
}, 600_000);

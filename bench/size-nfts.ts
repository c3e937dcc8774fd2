/**
 * NFTs at the main network's size: 8 million, 2 million offers for them, 60,000 collections (bench/size/nfts.ts).
 * `bun bench/size-nfts.ts [--share=0.1]`.
 *
 * - Answers: each list of collections, of the NFTs of one, and single NFTs, against a `Bun.serve` that sends the same bytes, as
 *   in http.ts: all sort orders in one load, between two ledgers.
 * - Start: until the service is ready with half as many NFTs and a quarter of the offers, against a store without; best of two.
 * - Memory: of an engine that was restored, tables, lists and indexes, against one without NFTs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveWriter } from '../engine/ledger/archive-writer.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import { COLLECTION_NFT_SORTS } from '../views/nfts/collection-nfts.ts';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';
import { againstStatic, besideStatic } from './http.ts';
import { startService } from './service-child.ts';
import type { NftPlan } from './size/nfts.ts';
import { readyAt, SHARE } from './size/rig.ts';

const PLAN: NftPlan = { nfts: 8_000_000 * SHARE, offers: 2_000_000 * SHARE, collections: 60_000 * SHARE };
const START: NftPlan = { ...PLAN, nfts: PLAN.nfts / 2, offers: PLAN.offers / 4 };
const NONE: NftPlan = { nfts: 0, offers: 0, collections: 1 };
const STARTS = 2;
const ROUNDS = 3;
const ROWS = 100;
/** Collections whose NFTs are listed, the largest. */
const LISTED = 3;
const MAKING_MS = 1_200_000;
const READY_MS = 120_000;
const COLLECTION_SORTS = [
  ...['vol24h', 'volume', 'created', 'trendingScore', 'items', 'owners', 'floor'],
  ...['listedCount', 'sales24h', 'totalSales', 'marketcap.amount'],
];

const peer = (name: string): string => join(import.meta.dir, 'peers', name);

interface Made {
  readonly dir: string;
  readonly ids: readonly string[];
  readonly slugs: readonly string[];
}

/** @param known of how many of the largest collections the metadata is there */
async function make(
  dir: string,
  archive: string,
  { nfts, offers, collections }: NftPlan,
  known = 0,
): Promise<Made> {
  const numbers = [nfts, offers, collections, known].map((number) => String(Math.ceil(number)));
  const child = new Child([process.execPath, peer('sized-nfts.ts'), 'make', dir, archive, ...numbers]);
  try {
    const { existing, ...made } = JSON.parse(await child.receive('made', MAKING_MS));
    if (existing !== Number(numbers[0])) throw new Error(`${existing} NFTs were made of ${nfts}`);
    return { dir, ...made };
  } finally {
    await child.end();
  }
}

/** Bytes of an engine that has restored a store. */
async function memory(dir: string): Promise<number> {
  const child = new Child([process.execPath, peer('sized-nfts.ts'), 'open', dir]);
  try {
    return Number(await child.receive('opened', READY_MS));
  } finally {
    await child.end();
  }
}

/** Seconds until the service is ready. */
async function start(dir: string, archive: string): Promise<number> {
  const started = performance.now();
  const service = await startService([`--data=${dir}`, `--source=file:${archive}`]);
  try {
    await readyAt(service.url, READY_MS);
    return (performance.now() - started) / 1000;
  } finally {
    await service.stop();
  }
}

async function startFigure(small: Made, none: Made, archive: string): Promise<Figure> {
  const best = { with: Number.POSITIVE_INFINITY, without: Number.POSITIVE_INFINITY };
  for (let i = 0; i < STARTS; i++) {
    best.without = Math.min(best.without, await start(none.dir, archive));
    best.with = Math.min(best.with, await start(small.dir, archive));
  }
  const text = (seconds: number) => `${seconds.toFixed(2)} s`;
  const value = best.with - best.without;
  return { name: 'size.nft-start', value, ours: text(best.with), other: text(best.without) };
}

async function answers({ dir, ids, slugs }: Made, archive: string): Promise<Figure[]> {
  // What is known of URIs is read, and nothing is fetched.
  const media = ['--nft-media=yes', '--ipfs-gateways=none'];
  const options = ['--port=0', `--data=${dir}`, `--source=file:${archive}`, '--workers=1', ...media];
  const service = new Child([process.execPath, peer('service.ts'), ...options], { core: 0 });
  try {
    const url = await service.receive('url', READY_MS);
    await readyAt(url, READY_MS);
    const listed = slugs.slice(0, LISTED).map((slug) => `${slug}/nfts?limit=${ROWS}`);
    return await besideStatic(service, url, async (rig) => [
      await againstStatic(
        rig,
        'size.nft-collections',
        COLLECTION_SORTS.map((sort) => `/v1/nft/collections?limit=${ROWS}&sort=${sort}`),
        ROUNDS,
      ),
      await againstStatic(rig, 'size.nft-members', listed.flatMap(membersInAllOrders), ROUNDS),
      await againstStatic(
        rig,
        'size.nft-traits',
        (await Promise.all(listed.map((slug) => twoTraits(url, slug)))).flatMap(membersInAllOrders),
        ROUNDS,
      ),
      await againstStatic(
        rig,
        'size.nft',
        ids.map((id) => `/v1/nft/${id}`),
        ROUNDS,
      ),
    ]);
  } finally {
    await service.end();
  }
}

const membersInAllOrders = (list: string): string[] =>
  COLLECTION_NFT_SORTS.map((sort) => `/v1/nft/collections/${list}&sort=${sort}`);

/** The most frequent value of each of two types. */
async function twoTraits(url: string, list: string): Promise<string> {
  const [slug] = list.split('/');
  const response = await fetch(`${url}/v1/nft/collections/${slug}/traits`);
  const { traits } = (await response.json()) as {
    traits: { type: string; values: { value: string }[] }[];
  };
  const pairs = traits.slice(0, 2).map(({ type, values }) => `${type}:${values[0]!.value}`);
  if (pairs.length < 2) throw new Error(`${slug} has ${traits.length} types of traits`);
  return `${list}&traits=${encodeURIComponent(pairs.join())}`;
}

async function run(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-nfts-'));
  try {
    const archive = join(base, 'one.mlr');
    const writer = ArchiveWriter.open(archive);
    for (const packed of relaidChain({ ledgers: 1, transactionsPerLedger: 100 })) writer.append(packed);
    writer.close();
    const none = await make(join(base, 'none'), archive, NONE);
    const small = await make(join(base, 'small'), archive, START);
    const startOf = await startFigure(small, none, archive);
    rmSync(small.dir, { recursive: true });
    const whole = await make(join(base, 'whole'), archive, PLAN, LISTED);
    const [held, bare] = [await memory(whole.dir), await memory(none.dir)];
    const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
    const memoryOf: Figure = {
      name: 'size.nft-memory',
      value: (held - bare) / PLAN.nfts,
      ours: megabytes(held),
      other: megabytes(bare),
    };
    return [startOf, memoryOf, ...(await answers(whole, archive))];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
  else console.log('recorded ledgers not found next to the checkout: nothing to measure');
}

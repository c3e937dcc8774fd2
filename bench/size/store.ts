/**
 * An engine's store filled with the sized network, and an archive of the ledgers after it.
 *
 *     <cache>/share-0.1-seed-1-<hash of the sources>/store/       the store, at the base ledger
 *                                                   /NxM.mlr      archive: the base ledger and N ledgers of M transactions
 *
 * Both are made once and kept: the folder's name changes with the generator, the tables and the store's format; folders
 * that no longer serve are removed after a day. Measuring writes to a store, so measurements take a copy. A share of 1 takes about two minutes and 4 GB of memory to make;
 * 0.01 about two seconds.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { ArchiveWriter } from '../../engine/ledger/archive-writer.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { Entries } from './entries.ts';
import { BASE_INDEX, baseLedger, type LedgerPlan, LedgerStream } from './ledgers.ts';
import { SizedNetwork } from './network.ts';

const PAGE_ENTRIES = 2048;
/** Entries between two writes to the store: bounds the memory that changed blocks take before they are written. */
const ENTRIES_PER_WRITE = 1_500_000;
/** Folders that were not used for so long are removed when another one is made. */
const UNUSED_MS = 24 * 3600 * 1000;
const SOURCES = ['bench/size', 'engine', 'engine/state', 'engine/market', 'data'];
const log = { debug() {}, info() {}, warn: console.error, error: console.error };

export interface SizedStore {
  /** Folder of the store. */
  readonly store: string;
  /** Path of the archive. */
  readonly archive: string;
}

export interface SizedStorePlan extends LedgerPlan {
  /** Share of the main network. */
  readonly share: number;
  readonly seed?: number;
  /** Folder to keep it in. */
  readonly cache?: string;
}

export const DEFAULT_CACHE = join(tmpdir(), 'millrace-size');

/** Makes what is not in the cache yet. Ends with all files complete, also when several processes ask at once. */
export async function sizedStore(plan: SizedStorePlan): Promise<SizedStore> {
  const { share, seed = 1, cache = DEFAULT_CACHE, ledgers, transactions } = plan;
  const folder = cacheFolder({ share, seed, cache });
  const isNew = !existsSync(folder);
  mkdirSync(folder, { recursive: true });
  utimesSync(folder, new Date(), new Date());
  if (isNew) removeUnused(cache);
  const store = join(folder, 'store');
  const archive = join(folder, `${ledgers}x${transactions}.mlr`);
  if (existsSync(store) && existsSync(archive)) return { store, archive };
  const entries = new Entries(new SizedNetwork(share, seed));
  if (!existsSync(store)) await inPlace(store, (dir) => fillStore(dir, entries));
  if (!existsSync(archive))
    await inPlace(archive, async (path) => writeArchive(path, entries, { ledgers, transactions }));
  return { store, archive };
}

/** Where what is made of a state is kept. */
export function cacheFolder({
  share,
  seed = 1,
  cache = DEFAULT_CACHE,
}: Omit<SizedStorePlan, keyof LedgerPlan>): string {
  return join(cache, `share-${share}-seed-${seed}-${sourceHash()}`);
}

/** Removes what no process has asked for in a day: each change of a source makes another folder. */
function removeUnused(cache: string): void {
  for (const name of readdirSync(cache).filter((one) => /^share-[\d.e-]+-seed-\d+-[0-9a-f]{12}$/.test(one))) {
    const folder = join(cache, name);
    if (Date.now() - statSync(folder).mtimeMs > UNUSED_MS) rmSync(folder, { recursive: true, force: true });
  }
}

/** Fills an empty store with the state and its ledger. */
async function fillStore(dir: string, entries: Entries): Promise<void> {
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log });
  const base = baseLedger();
  const ref = { index: BASE_INDEX, hash: base.hash };
  let waiting = 0;
  for (const page of entries.pages(PAGE_ENTRIES, (entry) => entry < entries.from.directories)) {
    engine.loadEntries(page);
    waiting += PAGE_ENTRIES;
    if (waiting < ENTRIES_PER_WRITE) continue;
    waiting = 0;
    await engine.saveSnapshot(ref, { ref, marker: '', tree: new Uint8Array(0) });
  }
  await engine.finishSnapshot(prepared(base, prepare(base.bytes)), ref);
  await store.close();
}

function writeArchive(path: string, entries: Entries, plan: LedgerPlan): void {
  const writer = ArchiveWriter.open(path);
  const base = baseLedger();
  writer.append(base);
  for (const ledger of new LedgerStream(entries, base).take(plan)) writer.append(ledger);
  writer.close();
}

/** Makes something under another name, which it loses when it is complete. */
async function inPlace(path: string, make: (path: string) => Promise<void>): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  await make(unfinished);
  if (existsSync(path)) rmSync(unfinished, { recursive: true, force: true });
  else renameSync(unfinished, path);
}

/** Changes when the generator, a table, or the form of the store changes. */
function sourceHash(): string {
  const root = resolve(import.meta.dir, '..', '..');
  const hash = new Bun.CryptoHasher('sha256');
  for (const folder of SOURCES)
    for (const file of [...new Bun.Glob('*.ts').scanSync(join(root, folder))].sort())
      hash.update(readFileSync(join(root, folder, file)));
  return hash.digest('hex').slice(0, 12);
}

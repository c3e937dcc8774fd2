/** Stores of a generated state, and an engine with its views on one of them. */
import { spyOn } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Entries } from '../../../bench/size/entries.ts';
import { LedgerStream } from '../../../bench/size/ledgers.ts';
import { SizedNetwork } from '../../../bench/size/network.ts';
import { type SizedStore, sizedStore } from '../../../bench/size/store.ts';
import { onCore, waitedForCore } from '../../../bench/stall-meter.ts';
import { type LmdbStore, openStore } from '../../../data/store.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { XRP } from '../../../engine/state/tokens.ts';
import { Network } from '../../../views/network.ts';
import type { Views } from '../../../views/views.ts';
import { quiet } from '../../live-rig.ts';

const TRANSACTIONS = 100;

/** Milliseconds of something that holds the thread, without those it waited for a core. */
function timeOf(run: () => unknown): number {
  const waited = waitedForCore();
  const started = performance.now();
  run();
  return performance.now() - started - (waitedForCore() - waited);
}

/** The same of something that yields. */
export async function timeUntil(run: () => Promise<unknown>): Promise<number> {
  const waited = waitedForCore();
  const started = performance.now();
  await run();
  return performance.now() - started - (waitedForCore() - waited);
}

export interface MadeStore extends SizedStore {
  readonly share: number;
  /** Milliseconds on a core that each page of the snapshot it was made of has taken. */
  readonly pages: readonly number[];
  remove(): void;
}

/** A store of its own, and an archive of its ledger alone. */
export async function makeStore(share: number): Promise<MadeStore> {
  const cache = mkdtempSync(join(tmpdir(), 'millrace-scale-'));
  const pages: number[] = [];
  const { loadEntries } = Engine.prototype;
  const spy = spyOn(Engine.prototype, 'loadEntries').mockImplementation(function (this: Engine, page) {
    const began = onCore();
    loadEntries.call(this, page);
    pages.push(onCore() - began);
  });
  try {
    const store = await sizedStore({ share, cache, ledgers: 0, transactions: 0 });
    return { ...store, share, pages, remove: () => rmSync(cache, { recursive: true, force: true }) };
  } finally {
    spy.mockRestore();
  }
}

/** An engine on a store of the generated state, and the ledgers after it. */
export class Sized {
  readonly engine: Engine;
  readonly network: Network;
  /** ms. */
  restored = 0;
  readonly #stream: LedgerStream;
  readonly #store: LmdbStore;
  readonly #made: MadeStore;

  private constructor(store: LmdbStore, made: MadeStore) {
    this.engine = new Engine({ store, log: quiet });
    this.network = new Network({ engine: this.engine });
    this.#stream = new LedgerStream(new Entries(new SizedNetwork(made.share)));
    this.#store = store;
    this.#made = made;
  }

  /** `close` removes the store. */
  static async open(made: MadeStore): Promise<Sized> {
    const store = await openStore({ dir: made.store, network: 0 });
    await store.checked;
    const sized = new Sized(store, made);
    sized.restored = timeOf(() => sized.engine.restore());
    return sized;
  }

  get views(): Views {
    return this.network.views;
  }

  /** Makes the next ledger. @returns applies it: until its frames are out and it is handed to the store */
  next(transactions = TRANSACTIONS, closeTime?: number): () => Promise<void> {
    const packed = this.#stream.next(transactions, closeTime);
    const ledger = prepared(packed, prepare(packed.bytes));
    return () => this.engine.applyLedger(ledger, false);
  }

  /** Applies the next ledger. @returns ms of the thread */
  async ledger(closeTime?: number): Promise<number> {
    const apply = this.next(TRANSACTIONS, closeTime);
    let applied: Promise<void> | undefined;
    const took = timeOf(() => {
      applied = apply();
    });
    await applied;
    return took;
  }

  /** Tokens with the most holders. */
  largest(count: number): number[] {
    const { lines, tokens } = this.engine.state;
    const all = Array.from({ length: tokens.count - 1 }, (_, at) => at + 1);
    return all.toSorted((a, b) => lines.lineCount(b) - lines.lineCount(a)).slice(0, count);
  }

  digest(): Promise<string> {
    return this.engine.digestWithHistory();
  }

  /** What readers ask for after a ledger. */
  async list(): Promise<void> {
    const { tokens, books } = this.views;
    await tokens.listReady('vol24hxrp');
    const { ids } = tokens.list({ sort: 'vol24hxrp', ascending: false, offset: 0, limit: 100 });
    await tokens.rowsReady(ids);
    for (const id of ids) tokens.row(id);
    books.book(ids[0]!, XRP, 20);
  }

  async close(): Promise<void> {
    await this.engine.drain();
    await this.#store.close();
    this.#made.remove();
  }
}

/**
 * How what wallets spend becomes durable, for any number of them at once: half a second's changes of 200 wallets are one row
 * of a journal, 0.3 us a wallet. Every half minute the wallets have rows of their own, and the journal begins again.
 *
 *     spent -> journal | 200 wallets | 200 wallets | ...     every 0.5 s
 *                `---> row of each wallet                    every 30 s; then the journal's rows before that are removed
 *
 * Read: rows, then the journal over them. What is spent only grows within a cycle, and cycles only move on, so that the
 * larger is the newer, in whatever order they are read.
 */
import type { Collection, PlatformStore } from './store.ts';
import { WriteBehind } from './write-behind.ts';

const JOURNAL = { everyMs: 500, slice: 200 };
/** A slice takes the thread under 1 ms. */
const ROWS = { slice: 25 };
const SETTLE_MS = 30_000;
/** Rows of the journal that are removed before other work runs: 1 ms. */
const REMOVED_AT_ONCE = 16;

export interface SpendingRow {
  /** Unix ms at which the cycle began. */
  readonly cycle: number;
  /** Tenths of the cycle's allowance that were used. */
  readonly used: number;
  /** Tenths of those bought that were used, in all. */
  readonly usedBought: number;
}

/** By r-address. */
const SPENDING: Collection<SpendingRow> = {
  name: 'credit-spending',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 256, rows: 1_000_000 },
  indexes: {},
};

type JournalRow = readonly (readonly [string, number, number, number])[];

/** By number. */
const JOURNALS: Collection<JournalRow> = {
  name: 'credit-journal',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 128 * 1024, rows: 100_000 },
  indexes: {},
};

export const SPENDING_COLLECTIONS = [SPENDING, JOURNALS] as unknown as readonly Collection<unknown>[];

/** Whose spending is kept. */
export interface Spender {
  readonly wallet: string;
  /** What must be written. It is told again when it spends after this. */
  spent(): SpendingRow;
}

export class Spending {
  #store: PlatformStore | undefined;
  /** Numbers of the journal's rows: the first that may be there, and the next that is written. */
  #first = 0;
  #next = 0;
  readonly #rows = new WriteBehind<Spender>(ROWS, (spenders, transaction) => {
    for (const spender of spenders) transaction.put(SPENDING, [spender.wallet], spender.spent());
  });
  readonly #journal = new WriteBehind<Spender>(JOURNAL, (spenders, transaction) => {
    const entries = spenders.map((spender) => {
      this.#rows.changed(spender);
      const { cycle, used, usedBought } = spender.spent();
      return [spender.wallet, cycle, used, usedBought] as const;
    });
    transaction.put(JOURNALS, [this.#next++], entries);
  });
  #timer: Timer | undefined;
  #settling: Promise<void> = Promise.resolve();

  /** @param make makes the spender of each wallet that has spent */
  attach(store: PlatformStore, make: (wallet: string, row: SpendingRow) => Spender): void {
    this.#store = store;
    const found = new Map<string, SpendingRow>();
    const journaled = new Set<string>();
    store.walk(SPENDING, {}, (row, [wallet]) => {
      found.set(String(wallet), row);
      return true;
    });
    store.walk(JOURNALS, {}, (entries, [number]) => {
      if (this.#next === 0) this.#first = Number(number);
      this.#next = Number(number) + 1;
      for (const [wallet, cycle, used, usedBought] of entries) {
        const row = { cycle, used, usedBought };
        journaled.add(wallet);
        found.set(wallet, newer(found.get(wallet), row));
      }
      return true;
    });
    for (const [wallet, row] of found) {
      const spender = make(wallet, row);
      if (journaled.has(wallet)) this.#rows.changed(spender);
    }
    this.#journal.attach(store);
    this.#rows.attach(store);
    this.#timer = setInterval(() => {
      // What cannot be written is settled the next time.
      this.#settling = this.#settling.then(() => this.settle()).catch(() => undefined);
    }, SETTLE_MS);
    this.#timer.unref();
  }

  changed(spender: Spender): void {
    this.#journal.changed(spender);
  }

  /** Writes a wallet that is new. Resolves when it is durable, with what was there before or this. */
  open(wallet: string, first: SpendingRow): Promise<SpendingRow> {
    return this.#store!.transaction((transaction) => {
      const before = transaction.get(SPENDING, [wallet]);
      if (!before) transaction.put(SPENDING, [wallet], first);
      return before ?? first;
    });
  }

  /** Resolves when all that was spent is durable. */
  async save(): Promise<void> {
    await this.#journal.save();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#settling;
    await this.#journal.close();
    this.#store = undefined;
  }

  /** Gives wallets rows of their own, and removes what the journal had of them. */
  async settle(): Promise<void> {
    const store = this.#store;
    const before = this.#next;
    if (!store || before === 0) return;
    await this.#journal.save();
    if (!(await this.#rows.save())) return;
    while (this.#first < before) {
      const end = Math.min(before, this.#first + REMOVED_AT_ONCE);
      await store.transaction((transaction) => {
        for (let number = this.#first; number < end; number++) transaction.delete(JOURNALS, [number]);
      });
      this.#first = end;
    }
  }
}

const newer = (one: SpendingRow | undefined, other: SpendingRow): SpendingRow => {
  const usedBought = Math.max(one?.usedBought ?? 0, other.usedBought);
  if (!one || other.cycle > one.cycle) return { ...other, usedBought };
  const used = other.cycle === one.cycle ? Math.max(one.used, other.used) : one.used;
  return { cycle: one.cycle, used, usedBought };
};

/**
 * The events of one account, newest first: those that are not durable yet, then those of the store.
 *
 *     pending, youngest first ][ store, backwards
 */
import type { Store } from '../store.ts';
import type { AccountEvents } from './account-events.ts';
import { EVENT_BYTES, EventReader } from './event-record.ts';

/** Records read in one go: about 5 ms. */
const SLICE = 4000;

type EventStore = Pick<Store, 'records'>;

/** The place of a record, within an account's. */
interface Place {
  readonly ledger: number;
  readonly tx: number;
  readonly number: number;
}

export class EventHistory {
  readonly #store: EventStore;
  readonly #events: AccountEvents;

  constructor(store: EventStore, events: AccountEvents) {
    this.#store = store;
    this.#events = events;
  }

  /**
   * Visits the events of an account, newest first, until `visit` returns false. In slices: ledgers may be applied in
   * between, whose events are not visited.
   * @param lastLedger newest ledger that is visited. @param visits the most events that are read
   * @returns whether all there are were visited, or `visit` ended it
   */
  async visit(
    account: number,
    lastLedger: number,
    visits: number,
    yieldToLoop: () => Promise<void>,
    visit: (event: EventReader) => boolean,
  ): Promise<boolean> {
    const walk = this.#walk(account, lastLedger, visits, visit);
    for (let step = walk.next(); ; step = walk.next()) {
      if (step.done) return step.value;
      await yieldToLoop();
    }
  }

  /** The same in one go, of at most SLICE stored events. */
  visitLatest(account: number, lastLedger: number, visit: (event: EventReader) => boolean): void {
    this.#walk(account, lastLedger, SLICE, visit).next();
  }

  /** Yields after each slice. */
  *#walk(
    account: number,
    lastLedger: number,
    visits: number,
    visit: (event: EventReader) => boolean,
  ): Generator<void, boolean> {
    const reader = new EventReader();
    let left = visits;
    // What becomes durable between two slices is not read twice: the store is read before what was visited.
    let last: Place = { ledger: lastLedger + 1, tx: 0, number: 0 };
    for (const bytes of this.#pendingOf(account, lastLedger)) {
      last = placeOf(reader.load(bytes));
      if (left-- <= 0) return false;
      if (!visit(reader)) return true;
    }
    for (;;) {
      const slice = this.#slice(account, last, Math.min(SLICE, left));
      for (const bytes of slice) {
        last = placeOf(reader.load(bytes));
        if (!visit(reader)) return true;
      }
      left -= slice.length;
      if (slice.length < SLICE || left <= 0) return left > 0 || slice.length === 0;
      yield;
    }
  }

  /** Newest first; copies. */
  #pendingOf(account: number, lastLedger: number): Uint8Array[] {
    const reader = new EventReader();
    const found: Uint8Array[] = [];
    for (const { ledger, bytes } of this.#events.pending) {
      if (ledger > lastLedger) break;
      reader.load(bytes);
      for (let i = 0; i < bytes.length / EVENT_BYTES; i++)
        if (reader.at(i).account === account) found.push(reader.bytes);
    }
    return found.sort((a, b) => compare(placeOf(reader.load(b)), placeOf(new EventReader().load(a))));
  }

  /** Stored events before a place, newest first; copies. */
  #slice(account: number, before: Place, limit: number): Uint8Array[] {
    const found: Uint8Array[] = [];
    const reader = new EventReader();
    if (limit <= 0) return found;
    this.#store.records('accountEvents', [account], { to: before.ledger, reverse: true }, (_, record) => {
      if (compare(placeOf(reader.load(record)), before) >= 0) return true;
      found.push(record.slice());
      return found.length < limit;
    });
    return found;
  }
}

function placeOf({ ledger, tx, number }: EventReader): Place {
  return { ledger, tx, number };
}

function compare(a: Place, b: Place): number {
  return a.ledger - b.ledger || a.tx - b.tx || a.number - b.number;
}

/**
 * Started by platform-crash.test.ts: applies the events of ledger after ledger until it is killed, as a part of the service
 * would: it goes on behind the last settled ledger, and sees some events a second time.
 */
import { openPlatformStore } from '../../data/platform-store.ts';
import { balances } from './platform-collections.ts';
import { type Event, eventsOf } from './platform-events.ts';

/** Ledgers whose transactions wait at once. */
const AHEAD = 3;
/** Ledgers between two statements that all is applied. */
const SETTLE_EVERY = 5;

const store = await openPlatformStore({ dir: process.argv[2]!, network: 'test', collections: [balances] });

function apply({ position, account, drops }: Event): Promise<boolean> {
  return store.onceAt('payments', position, (transaction) => {
    const key = [account];
    const { drops: before, events } = transaction.get(balances, key) ?? { drops: 0, events: [] };
    const id = `${position.ledger}.${position.tx}`;
    transaction.put(balances, key, { drops: before + drops, events: [...events, id] });
  });
}

const waiting: Promise<unknown>[] = [];
for (let ledger = (store.settled('payments') ?? 0) + 1; ; ledger++) {
  const events = eventsOf(ledger);
  // The previous ledger is seen again, as after a reconnection to a node.
  const applied = [...events, ...eventsOf(ledger - 1), ...events.slice(0, 1)].map(apply);
  // A ledger without events has nothing to wait for but those before it.
  const before = waiting.at(-1);
  waiting.push(Promise.all([before, ...applied]).then(() => void process.stdout.write(`${ledger}\n`)));
  if (waiting.length >= AHEAD) await waiting.shift();
  if (ledger % SETTLE_EVERY !== 0) continue;
  await Promise.all(waiting.splice(0));
  await store.settle('payments', ledger);
}

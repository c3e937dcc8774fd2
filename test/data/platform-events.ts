/** The events that the tests of crashes apply: a function of the ledger alone. */
import type { Position } from '../../engine/store.ts';
import { hashOf } from './tools.ts';

export interface Event {
  readonly position: Position;
  readonly account: string;
  readonly drops: number;
}

export function eventsOf(ledger: number): Event[] {
  if (ledger < 1) return [];
  const bytes = hashOf(ledger);
  return Array.from({ length: bytes[0]! % 5 }, (_, i) => ({
    position: { ledger, tx: i * 3, entry: 0 },
    account: `account-${bytes[i + 1]! % 7}`,
    drops: 1 + bytes[i + 8]!,
  }));
}

/** The account that the address of a stream names, and the topics that a ledger concerns. */
import type { LedgerEvent } from '../../engine/engine.ts';
import { isAddress } from '../../views/identity.ts';
import { CloseCode, Refusal } from '../limits.ts';
import type { StreamContext } from '../stream.ts';
import type { Topic, Topics } from './topics.ts';

/** The path parameter that names an account. */
export const accountParam = {
  in: 'path',
  kind: 'text',
  maxLength: 64,
  code: CloseCode.parameter,
  about: 'r-address.',
} as const;

/** What topics of accounts are found by: id of the account, 0 while no ledger has named it. */
export interface OfAccount {
  readonly address: string;
  readonly account: number;
  stale: boolean;
}

/** @throws Refusal 4020 */
export function addressOf(text: string): string {
  if (!isAddress(text)) throw new Refusal(CloseCode.identifierForm, 'not an account');
  return text;
}

export function accountIdOf({ engine }: StreamContext, address: string): number {
  return engine.state.accounts.findText(address) ?? 0;
}

/** The topics whose account a transaction of the ledger affected, each once for each. */
export function* concerned<T extends OfAccount>(
  topics: Topics<T>,
  { events: { accountIndex } }: LedgerEvent,
): Generator<{ readonly topic: Topic<T>; readonly entry: number }> {
  if (topics.size === 0) return;
  for (let entry = 0; entry < accountIndex.count; entry++)
    for (const topic of topics.of(accountIndex.account(entry))) yield { topic, entry };
}

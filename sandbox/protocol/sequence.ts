/** The sequence of a transaction within its account. Rules: rippled `STTx::getSeqProxy`. */
import type { TransactionFields } from './fields.ts';

/** Whether a transaction uses a ticket in place of the account's sequence number. */
export const usesTicket = (tx: Readonly<TransactionFields>): boolean =>
  (tx.Sequence ?? 0) === 0 && tx.TicketSequence !== undefined;

/** The transaction's sequence number or its ticket's: also the number of the entry it creates. */
export const sequenceOf = (tx: Readonly<TransactionFields>): number =>
  usesTicket(tx) ? (tx.TicketSequence as number) : (tx.Sequence ?? 0);

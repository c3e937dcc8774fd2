/** Sequence numbers and tickets of transactions. Rules: rippled `Transactor::checkSeqProxy`, `consumeSeqProxy`. */
import { deleteTicket } from '../assets/tickets.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { usesTicket } from '../protocol/sequence.ts';

/** Whether the transaction uses the account's next sequence number, or one of its tickets. */
export function checkSequence(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const account = view.read(keylets.account(tx.Account));
  if (account === undefined) return 'terNO_ACCOUNT';
  const next = account.Sequence ?? 0;
  if (usesTicket(tx)) {
    const ticket = tx.TicketSequence as number;
    if (next <= ticket) return 'terPRE_TICKET';
    return view.read(keylets.ticket(tx.Account, ticket)) ? 'tesSUCCESS' : 'tefNO_TICKET';
  }
  if (tx.TicketSequence !== undefined) return 'temSEQ_AND_TICKET';
  const sequence = tx.Sequence ?? 0;
  if (sequence === next) return 'tesSUCCESS';
  return next < sequence ? 'terPRE_SEQ' : 'tefPAST_SEQ';
}

/** Uses up the sequence number or the ticket. `account` is the peeked entry of `tx.Account`. */
export function consumeSequence(view: ApplyView, tx: Readonly<TransactionFields>, account: Entry): Result {
  if (usesTicket(tx))
    return deleteTicket(view, tx.Account, keylets.ticket(tx.Account, tx.TicketSequence as number));
  account.Sequence = (tx.Sequence ?? 0) + 1;
  return 'tesSUCCESS';
}

/** TicketCreate (XLS-13): reserves sequence numbers for use in any order. Rules: rippled `TicketCreate.cpp`. */
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { insertOwned } from '../assets/owned.ts';
import { reserveOf } from '../assets/reserve.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { usesTicket } from '../protocol/sequence.ts';

/** Maximum number of tickets that an account may hold, and that a transaction may create. */
const TICKETS_MAX = 250;

function preflight(tx: Readonly<TransactionFields>): Result {
  const count = tx.TicketCount ?? 0;
  return count < 1 || count > TICKETS_MAX ? 'temINVALID_COUNT' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const account = view.read(keylets.account(tx.Account));
  if (account === undefined) return 'terNO_ACCOUNT';
  const used = usesTicket(tx) ? 1 : 0;
  const after = (account.TicketCount ?? 0) + (tx.TicketCount ?? 0) - used;
  return after > TICKETS_MAX ? 'tecDIR_FULL' : 'tesSUCCESS';
}

function apply({ view, tx, account: id, priorBalance }: ApplyContext): Result {
  const account = view.peek(keylets.account(id)) as Entry;
  const count = tx.TicketCount ?? 0;
  if (priorBalance < reserveOf(view, account, count)) return 'tecINSUFFICIENT_RESERVE';
  const first = account.Sequence ?? 0;
  // The first ticket's number follows the transaction's own sequence.
  if ((tx.Sequence ?? 0) !== 0 && first !== (tx.Sequence ?? 0) + 1) return 'tefINTERNAL';
  for (let number = first; number < first + count; number += 1) {
    const listed = insertOwned(view, account, {
      LedgerEntryType: 'Ticket',
      index: keylets.ticket(id, number),
      Flags: 0,
      Account: id,
      TicketSequence: number,
    });
    if (listed !== 'tesSUCCESS') return listed;
  }
  account.TicketCount = (account.TicketCount ?? 0) + count;
  account.Sequence = first + count;
  return 'tesSUCCESS';
}

export const ticketCreate: Rule = {
  type: 'TicketCreate',
  flags: 0,
  // Later transactions of the account depend on its next sequence.
  blocker: false,
  preflight,
  preclaim,
  apply,
};

/** Tickets: reserved sequence numbers. Rules: rippled `Transactor.cpp` (`ticketDelete`), XLS-13. */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyView } from '../ledger/view.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { deleteOwned } from './owned.ts';

/** Deletes a ticket, and updates its owner's count of tickets and of owned entries. */
export function deleteTicket(view: ApplyView, account: AccountId, ticketKey: Hex): Result {
  const ticket = view.peek(ticketKey);
  const owner = view.peek(keylets.account(account));
  if (ticket === undefined || owner?.TicketCount === undefined) return 'tefBAD_LEDGER';
  if (owner.TicketCount === 1) delete owner.TicketCount;
  else owner.TicketCount -= 1;
  return deleteOwned(view, account, ticket, { keepRoot: true });
}

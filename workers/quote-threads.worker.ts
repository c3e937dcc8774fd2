/** Worker thread: searches for quotes over the memory that the main thread writes. */
import { parentPort } from 'node:worker_threads';
import { ledgerRules } from '../engine/quotes/rules.ts';
import { packQuote, SharedSearch, unpackRequest } from '../engine/quotes/shared-search.ts';
import { OvertakenError } from '../engine/state/sequence-lock.ts';
import { SharedState } from '../engine/state/shared-state.ts';
import { OutdatedDescriptionError } from '../engine/state/table-memory.ts';
import type { FromQuoteThread, ToQuoteThread } from './quote-threads.ts';

const port = parentPort!;
const searches = new Map<number, SharedSearch>();
const send = (message: FromQuoteThread): void => port.postMessage(message);

port.on('message', (message: ToQuoteThread) => {
  if (message.kind === 'network') {
    const { network, state, amendments } = message;
    searches.set(network, new SharedSearch(new SharedState(state), ledgerRules(amendments)));
    return;
  }
  const { id, network, request } = message;
  try {
    const { value, ledger } = searches.get(network)!.ranked(unpackRequest(request));
    send({ kind: 'found', id, quotes: value.map(packQuote), ledger });
  } catch (fault) {
    if (fault instanceof OutdatedDescriptionError) send({ kind: 'outdated', id });
    else if (fault instanceof OvertakenError) send({ kind: 'overtaken', id });
    else send({ kind: 'fault', id, message: String(fault) });
  }
});
send({ kind: 'ready' });

/** `subscribe` and `unsubscribe` (rippled `Subscribe.cpp`, `Unsubscribe.cpp`). */
import type { JsonObject } from '../../../codec/json.ts';
import { ledgerMembers } from '../messages.ts';
import type { StreamName } from '../session.ts';
import type { Command } from './command.ts';
import { expectedField, RpcError } from './errors.ts';

const STREAMS: readonly StreamName[] = [
  'ledger',
  'transactions',
  'transactions_proposed',
  'server',
  'book_changes',
];

function streamsOf(params: JsonObject): StreamName[] {
  const { streams = [] } = params;
  if (!Array.isArray(streams)) throw expectedField('streams', 'array');
  return streams.map((name) => {
    const stream = name === 'rt_transactions' ? 'transactions_proposed' : name;
    if (!STREAMS.includes(stream as StreamName)) throw new RpcError('malformedStream');
    return stream as StreamName;
  });
}

export const subscribe: Command = {
  name: 'subscribe',
  session: true,
  run(params, { network, session, apiVersion }) {
    const streams = streamsOf(params);
    for (const stream of streams) session!.streams.set(stream, apiVersion);
    return streams.includes('ledger') ? ledgerMembers(network, network.validated) : {};
  },
};

export const unsubscribe: Command = {
  name: 'unsubscribe',
  session: true,
  run(params, { session }) {
    for (const stream of streamsOf(params)) session!.streams.delete(stream);
    return {};
  },
};

/** Section 4.4: read commands, passed on to the node that ledgers come from. */
import { isJsonObject } from '../../engine/codec/values.ts';
import { SourceError } from '../../engine/ledger/source.ts';
import { unavailable } from '../../requests/errors.ts';
import { type Route, route } from '../route.ts';
import { anyObject, describe, object, string } from '../schema.ts';

/** Those of the contract. Session commands (subscribe, path_find) need the WebSocket; all others could change something. */
export const RPC_COMMANDS = [
  'account_channels',
  'account_currencies',
  'account_info',
  'account_lines',
  'account_nfts',
  'account_objects',
  'account_offers',
  'account_tx',
  'amm_info',
  'book_changes',
  'book_offers',
  'channel_verify',
  'deposit_authorized',
  'feature',
  'fee',
  'gateway_balances',
  'get_aggregate_price',
  'ledger',
  'ledger_closed',
  'ledger_current',
  'ledger_data',
  'ledger_entry',
  'ledger_header',
  'ledger_index',
  'manifest',
  'mpt_holders',
  'nft_buy_offers',
  'nft_history',
  'nft_info',
  'nft_sell_offers',
  'nfts_by_issuer',
  'noripple_check',
  'owner_info',
  'ping',
  'random',
  'ripple_path_find',
  'server_definitions',
  'server_info',
  'server_state',
  'simulate',
  'transaction_entry',
  'tx',
  'tx_history',
  'tx_reduce_relay',
  'vault_info',
  'version',
] as const;

/** Of the envelope of a command: they would change which one is meant. */
const ENVELOPE: ReadonlySet<string> = new Set(['command', 'method', 'id', 'jsonrpc', 'ripplerpc']);

export const rpc = route({
  method: 'POST',
  path: '/rpc',
  section: '4.4',
  auth: 'none',
  tier: 'anonymous',
  example: { method: 'server_info', params: {} },
  summary: 'A read command of the ledger node; its result is passed on as it is, errors of it included',
  params: {
    method: {
      in: 'body',
      kind: 'enum',
      values: RPC_COMMANDS,
      required: true,
      about: 'A command that reads; those of a session (subscribe, unsubscribe, path_find) need a WebSocket',
    },
    params: { in: 'body', kind: 'json', about: 'Its parameters' },
  },
  unavailable: true,
  response: object({
    method: string,
    result: describe(anyObject, 'Of the node; with `error` where it refuses the command'),
  }),
  cost: 1,
  bucket: '/rpc',
  handler: async ({ method, params }, { network }) => {
    const { source } = network;
    if (!source?.request)
      throw unavailable(
        'This is answered by a ledger node, and none is followed',
        'Start with --source <node>',
      );
    const given = isJsonObject(params) ? Object.entries(params) : [];
    const sent = Object.fromEntries(given.filter(([name]) => !ENVELOPE.has(name)));
    try {
      return { method, result: await source.request({ ...sent, command: method }) };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw unavailable('No ledger node answers', 'Try again shortly');
    }
  },
});

export const rpcRoutes: Route[] = [rpc];

/** Section 4.4: read commands, passed on to the node that ledgers come from. */
import { isJsonObject, type Json, type JsonObject } from '../../engine/codec/values.ts';
import { type NodeCommand, SourceError } from '../../engine/ledger/source.ts';
import { badRequest, notConfigured, unavailable } from '../../requests/errors.ts';
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

/**
 * A node of one's own takes this service for an admin of it, and our clients are none. rippled refuses these members to others:
 * `vetoed` changes its votes (`Feature1.cpp`), `full` and `accounts` give a whole state (`LedgerHandler.cpp`), the last two
 * are a password (`Role.cpp`).
 */
const FOR_ADMINS: ReadonlySet<string> = new Set([
  'vetoed',
  'full',
  'accounts',
  'admin_user',
  'admin_password',
]);

/** Keys that sign: the node is another's, often, and no read command needs them. */
const SECRETS: ReadonlySet<string> = new Set(['secret', 'seed', 'seed_hex', 'passphrase']);

/** The longest page that rippled gives to others than admins (`Tuning.h`). An answer of many megabytes ends the connection. */
const ROWS_MAX = 500;
const STATE_ROWS_MAX = { binary: 2_048, json: 256 } as const;

/** @throws ApiError 400 for what must not reach a node */
function readCommand(method: string, params: JsonObject): NodeCommand {
  const command: Record<string, Json> = {};
  for (const [name, value] of Object.entries(params)) {
    if (ENVELOPE.has(name)) continue;
    if (SECRETS.has(name))
      throw badRequest(`params.${name} is not passed on`, 'Nothing here needs a secret: sign on your device');
    // `full: false` is in many examples.
    if (FOR_ADMINS.has(name) && (value !== false || name === 'vetoed'))
      throw badRequest(`params.${name} is for admins of the node`, `Leave ${name} out`);
    command[name] = value;
  }
  const { binary } = command;
  const most = method === 'ledger_data' ? STATE_ROWS_MAX[binary === true ? 'binary' : 'json'] : ROWS_MAX;
  // Older nodes read a limit in text, too.
  if (Number(command.limit) > most) command.limit = most;
  return { ...command, command: method };
}

/** An object, alone or in a list as JSON-RPC has it; none is one without members. @throws ApiError 400 */
function paramsOf(sent: unknown): JsonObject {
  const params = Array.isArray(sent) && sent.length <= 1 ? sent[0] : sent;
  if (params === undefined || params === null) return {};
  if (!isJsonObject(params))
    throw badRequest('params is not an object', 'Send {"account":"r…"}, or leave it out');
  return params;
}

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
    params: {
      in: 'body',
      kind: 'json',
      about: `Its parameters, but those for admins of the node; limit is ${ROWS_MAX} at most, of ledger_data ${STATE_ROWS_MAX.json} (binary: ${STATE_ROWS_MAX.binary})`,
    },
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
      throw notConfigured(
        'This is answered by a ledger node, and none is followed',
        'Start with --source <node>',
      );
    const command = readCommand(method, paramsOf(params));
    try {
      return { method, result: await source.request(command) };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw unavailable('No ledger node answers', 'Try again shortly');
    }
  },
});

export const rpcRoutes: Route[] = [rpc];

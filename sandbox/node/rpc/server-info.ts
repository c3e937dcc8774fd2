/**
 * `server_info`, `server_state`, `version` and `manifest` in rippled's shapes, as far as they apply to a network of one
 * node (`NetworkOPsImp::getServerInfo`).
 */
import { encodeNodePublic } from 'xrpl';
import { DROPS_PER_XRP } from '../../../engine/codec/amount.ts';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { completeLedgers } from '../messages.ts';
import type { Command, CommandContext } from './command.ts';
import { invalidField, missingField } from './errors.ts';
import { humanTime } from './header-json.ts';
import { loadMembers } from './load.ts';

/**
 * The version of rippled whose behaviour this node follows: the one that brought the newest amendments it has
 * (`fixCleanup3_3_0`, `BatchV1_1`). Clients read it to know what they may send.
 */
export const BUILD_VERSION = '3.3.0';

/** States that a network of one node is never in. */
const STATES_BEFORE_FULL = ['disconnected', 'connected', 'syncing', 'tracking'];

/** The duration of a round that rippled reports for a network whose ledgers are closed by hand (`Consensus::simulate`), ms. */
const ROUND_BY_HAND_MS = 100;

const roundMs = ({ node }: CommandContext): number => (node.manual ? ROUND_BY_HAND_MS : 0);

/** The port, whose clients are admins: rippled shows such a port to admins only. */
const portsJson = ({ node, admin }: CommandContext): JsonObject[] =>
  admin ? [{ port: String(node.port()), protocol: ['http', 'ws'] }] : [];

/** For admins only: there is no validator, and one thread does all the work. */
const adminMembers = ({ admin }: CommandContext): JsonObject =>
  admin ? { load: { job_types: [], threads: 1 }, pubkey_validator: 'none' } : {};

/** "2026-Nov-21 06:10:00.123000 UTC" */
function humanNow(unixMs: number): string {
  const text = humanTime(Math.floor(unixMs / 1000) - RIPPLE_EPOCH);
  return text.replace('.000000000', `.${String(Math.floor(unixMs) % 1000).padStart(3, '0')}000`);
}

/** The members that both commands have. */
function common(context: CommandContext): JsonObject {
  const { network, node } = context;
  const { unixMs } = network;
  const uptimeMs = Math.max(0, unixMs - node.startedAt);
  const micros = String(Math.floor(uptimeMs * 1000));
  return {
    build_version: BUILD_VERSION,
    complete_ledgers: completeLedgers(network),
    initial_sync_duration_us: '0',
    // There is no disk or peer to wait for; rippled rounds up.
    io_latency_ms: 1,
    jq_trans_overflow: '0',
    network_id: network.networkId,
    peer_disconnects: '0',
    peer_disconnects_resources: '0',
    peers: 0,
    ports: portsJson(context),
    pubkey_node: encodeNodePublic(bytesOf(node.publicKey)),
    server_state: 'full',
    server_state_duration_us: micros,
    state_accounting: {
      ...Object.fromEntries(
        STATES_BEFORE_FULL.map((state) => [state, { duration_us: '0', transitions: '0' }]),
      ),
      full: { duration_us: micros, transitions: '1' },
    },
    time: humanNow(unixMs),
    uptime: Math.floor(uptimeMs / 1000),
    validation_quorum: 0,
    ...adminMembers(context),
  };
}

export const serverInfo: Command = {
  name: 'server_info',
  run(_params, context) {
    const { network } = context;
    const ledger = network.validated;
    const { base, reserve, increment } = ledger.view().fees;
    const factor = Number(network.openLedgerCost) / Number(base);
    return {
      info: {
        ...common(context),
        hostid: 'embedded',
        last_close: { converge_time_s: roundMs(context) / 1_000, proposers: 0 },
        load_factor: factor,
        ...(factor > 1 ? { load_factor_fee_escalation: factor } : {}),
        validated_ledger: {
          age: Math.max(0, network.time - ledger.closeTime),
          base_fee_xrp: Number(base) / DROPS_PER_XRP,
          hash: ledger.hash,
          reserve_base_xrp: Number(reserve) / DROPS_PER_XRP,
          reserve_inc_xrp: Number(increment) / DROPS_PER_XRP,
          seq: ledger.index,
        },
        ...(context.admin ? { validator_list: { count: 0, expiration: 'unknown', status: 'unknown' } } : {}),
      },
    };
  },
};

export const serverState: Command = {
  name: 'server_state',
  run(_params, context) {
    const { network } = context;
    const ledger = network.validated;
    const { base, reserve, increment } = ledger.view().fees;
    return {
      state: {
        ...common(context),
        last_close: { converge_time: roundMs(context), proposers: 0 },
        ...loadMembers(network),
        validated_ledger: {
          base_fee: Number(base),
          close_time: ledger.closeTime,
          hash: ledger.hash,
          reserve_base: Number(reserve),
          reserve_inc: Number(increment),
          seq: ledger.index,
        },
        ...(context.admin ? { validator_list_expires: 0 } : {}),
      },
    };
  },
};

/** Versions of the commands, in the shape of the requested version. */
export const version: Command = {
  name: 'version',
  run: (_params, { apiVersion }) => ({
    version: apiVersion === 1 ? { first: '1.0.0', good: '1.0.0', last: '1.0.0' } : { first: 1, last: 2 },
  }),
};

/** There are no manifests here, so the answer contains only a well-formed key. */
export const manifest: Command = {
  name: 'manifest',
  run({ public_key: key }) {
    if (key === undefined) throw missingField('public_key');
    if (typeof key !== 'string' || !/^n[1-9A-HJ-NP-Za-km-z]{50,54}$/.test(key))
      throw invalidField('public_key');
    return { requested: key };
  },
};

/** A command of the node: one row a command, gathered in registry.ts. */

import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import type { Network } from '../network.ts';
import type { ApiVersion, Session } from '../session.ts';

/** What commands know of the process that runs them. */
export interface NodeSelf {
  /** When it began to listen, Unix time in ms. */
  readonly startedAt: number;
  /** Ledgers close by `ledger_accept` only. */
  readonly manual: boolean;
  /** 16 unpredictable bytes. */
  readonly entropy: () => Uint8Array;
  /** The key that identifies this node; it signs nothing. */
  readonly publicKey: Hex;
  /** Where it listens. */
  readonly port: () => number;
}

export interface CommandContext {
  readonly network: Network;
  readonly node: NodeSelf;
  readonly apiVersion: ApiVersion;
  /** The caller may use admin commands. */
  readonly admin: boolean;
  /** The WebSocket the command came by; absent over HTTP. */
  readonly session?: Session;
  /** `id` of the request, if it came over a WebSocket. */
  readonly id?: Json | undefined;
  /** Reports an exception in work that a command continues after its answer. */
  readonly onFault: (fault: unknown, command: string) => void;
}

export interface Command {
  readonly name: string;
  readonly admin?: boolean;
  /** Needs a WebSocket (`noEvents` over HTTP). */
  readonly session?: boolean;
  /** The members of `result`. @throws RpcError */
  run(params: JsonObject, context: CommandContext): JsonObject | Promise<JsonObject>;
}

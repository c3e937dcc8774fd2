/** A command of the node: one row a command, gathered in registry.ts. */
import type { JsonObject } from '../../../codec/json.ts';
import type { Network } from '../network.ts';
import type { Session } from '../session.ts';

export type ApiVersion = 1 | 2;

export interface CommandContext {
  readonly network: Network;
  readonly apiVersion: ApiVersion;
  /** The caller may use admin commands. */
  readonly admin: boolean;
  /** The WebSocket the command came by; absent over HTTP. */
  readonly session?: Session;
}

export interface Command {
  readonly name: string;
  readonly admin?: boolean;
  /** Needs a WebSocket (`noEvents` over HTTP). */
  readonly session?: boolean;
  /** The members of `result`. @throws RpcError */
  run(params: JsonObject, context: CommandContext): JsonObject | Promise<JsonObject>;
}

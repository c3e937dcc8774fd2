/** JSON-RPC 2.0, as far as the tool protocol uses it: messages as they come in, and the one error. */
import { isJsonObject } from '../../engine/codec/values.ts';

export type JsonObject = Readonly<Record<string, unknown>>;
export type RpcId = string | number;

/** The codes of JSON-RPC, and from -32020 on those of the tool protocol. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Not admitted: key, tier, rate or credits. The HTTP status says which. */
  refused: -32000,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

interface RpcErrorDetails {
  readonly data?: JsonObject;
  /** HTTP status; default: that of the code. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly details: RpcErrorDetails = {},
  ) {
    super(message);
  }
}

/** A message of a client. Notifications have no id; answers to requests of ours have no method, and we make none. */
export type Message =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification' | 'answer' };

/** The id of what may be a message; null: it has none that can be read. */
export function idOf(value: unknown): RpcId | null {
  const id = isJsonObject(value) ? value.id : undefined;
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : null;
}

/** @throws RpcError for what is no message */
export function readMessage(value: unknown): Message {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0')
    throw invalid('A message is an object with "jsonrpc": "2.0"');
  const { method, params = {} } = value;
  const id = idOf(value);
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'answer' };
  if (typeof method !== 'string') throw invalid('A request has a method');
  if (!isJsonObject(params)) throw new RpcError(RPC.invalidParams, 'params is an object');
  if (!('id' in value)) return { kind: 'notification' };
  if (id === null) throw invalid('The id of a request is a text or a number');
  return { kind: 'request', id, method, params };
}

const invalid = (text: string) => new RpcError(RPC.invalidRequest, text);

/** Before and after the result of an answer. */
export const resultHead = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
export const RESULT_END = '}';

export const errorText = (id: RpcId | null, { code, message, details: { data } }: RpcError): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } });

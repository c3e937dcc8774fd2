/** JSON-RPC 2.0, as far as the tool protocol uses it: messages as they come in, and the one error. */
import { cutText } from '../../engine/codec/cut-text.ts';
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
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'answer' };

/** How deep a message may be nested: what is written from it again, or compared, needs a stack. */
const DEPTH_MAX = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The id of what may be a message; null: it has none that can be read and comes back as it was sent. */
export function idOf(value: unknown): RpcId | null {
  const id = isJsonObject(value) ? value.id : undefined;
  if (typeof id === 'string') return id;
  return typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER ? id : null;
}

/** A name in a message about it; what is no text is not repeated. */
export const shownName = (name: unknown): string =>
  typeof name === 'string' ? cutText(name, 100) : 'what is no text';

/** @throws RpcError for what is no message */
export function readMessage(value: unknown): Message {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0')
    throw invalid('A message is an object with "jsonrpc": "2.0"');
  if (isDeeper(value, DEPTH_MAX)) throw invalid(`A message is nested ${DEPTH_MAX} deep at most`);
  const { method, params = {} } = value;
  const id = idOf(value);
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'answer' };
  if (typeof method !== 'string') throw invalid('A request has a method');
  if (!isJsonObject(params)) throw new RpcError(RPC.invalidParams, 'params is an object');
  if (!('id' in value)) return { kind: 'notification', method, params };
  if (id === null) throw invalid('The id of a request is a text or a number that keeps its digits');
  return { kind: 'request', id, method, params };
}

const invalid = (text: string) => new RpcError(RPC.invalidRequest, text);

/** Before and after the result of an answer. */
export const resultHead = (id: RpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
export const RESULT_END = '}';

export const errorText = (id: RpcId | null, { code, message, details: { data } }: RpcError): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } });

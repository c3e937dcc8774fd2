/**
 * From a request to its answer: finds the command, checks who may use it, runs it, and puts result or error into the
 * envelope of the transport.
 *
 *     WebSocket   {id, command, ...}                  -> {id, result, status, type: "response"}
 *     HTTP        {method, params: [{...}]}           -> {result: {..., status}}
 *
 * Nothing a caller sends ends more than its own request: what a command throws that is no RpcError is told as
 * `internal` and reported.
 */
import type { Json, JsonObject } from '../../codec/json.ts';
import type { Network } from './network.ts';
import { requestJson } from './request-text.ts';
import type { ApiVersion, Command, CommandContext, NodeSelf } from './rpc/command.ts';
import { RpcError } from './rpc/errors.ts';
import { isObject } from './rpc/params.ts';
import { COMMANDS } from './rpc/registry.ts';
import type { Session } from './session.ts';

const API_VERSION_DEFAULT: ApiVersion = 1;
/** Requests of one JSON-RPC batch. */
const BATCH_MAX = 100;

export interface Caller {
  readonly network: Network;
  readonly node: NodeSelf;
  readonly admin: boolean;
  /** Tells of a fault in a command. */
  readonly onFault: (fault: unknown, command: string) => void;
}

function versionOf(value: Json | undefined): ApiVersion | undefined {
  if (value === undefined) return API_VERSION_DEFAULT;
  return value === 1 || value === 2 ? value : undefined;
}

async function run(command: Command, params: JsonObject, context: CommandContext): Promise<JsonObject> {
  if (command.admin && !context.admin) throw new RpcError('noPermission');
  if (command.session && !context.session) throw new RpcError('noEvents');
  return command.run(params, context);
}

/** The members of an error, whatever was thrown. */
function errorOf(fault: unknown, name: string, { onFault }: Caller): Record<string, unknown> {
  if (fault instanceof RpcError) return fault.json();
  onFault(fault, name);
  return new RpcError('internal').json();
}

/** Secrets are not given back in the echo of a request (rippled `RPCCall`). */
function echoed(request: JsonObject): JsonObject {
  const echo: JsonObject = { ...request };
  for (const secret of ['secret', 'seed', 'seed_hex', 'passphrase'])
    if (secret in echo) echo[secret] = '<masked>';
  return echo;
}

/** The answer to one message of a WebSocket, undefined for the text of no JSON object. */
export async function answerMessage(text: string, session: Session, caller: Caller): Promise<JsonObject> {
  const request = requestJson(text);
  if (!isObject(request)) return { type: 'error', error: 'jsonInvalid', value: text.slice(0, 256) };
  const { command: named, method, api_version: version, ...params } = request;
  const { id } = params;
  const name = named ?? method;
  const ours: JsonObject = id === undefined ? {} : { id };
  const head: JsonObject = version === undefined ? ours : { ...ours, api_version: version };
  const failed = (error: Record<string, unknown>): JsonObject => ({
    ...head,
    ...(error as JsonObject),
    request: echoed(request),
    status: 'error',
    type: 'response',
  });
  const apiVersion = versionOf(version);
  if (apiVersion === undefined) return failed({ error: 'invalid_API_version' });
  if (typeof name !== 'string') return failed(new RpcError('commandMissing').json());
  if (named !== undefined && method !== undefined && named !== method)
    return failed(new RpcError('unknownCmd').json());
  const command = COMMANDS.get(name);
  if (command === undefined) return failed(new RpcError('unknownCmd').json());
  try {
    const result = await run(command, params, { ...caller, apiVersion, session, id });
    return { ...head, result, status: 'success', type: 'response' };
  } catch (fault) {
    return failed(errorOf(fault, name, caller));
  }
}

/** One request of JSON-RPC. */
async function answerCall(call: unknown, caller: Caller): Promise<JsonObject> {
  if (!isObject(call)) return { error: { code: -32700, message: 'Null method' } };
  const { method, params: list } = call;
  const params = Array.isArray(list) ? list[0] : list;
  if (typeof method !== 'string') return { error: { code: -32601, message: 'Null method' } };
  if (params !== undefined && !isObject(params))
    return { error: { code: -32602, message: 'params unparsable' } };
  const { api_version: version, ...rest } = params ?? {};
  const envelope: JsonObject = {};
  for (const name of ['id', 'jsonrpc', 'ripplerpc'] as const)
    if (call[name] !== undefined) envelope[name] = call[name];
  const failed = (error: Record<string, unknown>): JsonObject => ({
    result: {
      ...(error as JsonObject),
      request: { ...echoed(params ?? {}), command: method },
      status: 'error',
    },
    ...envelope,
  });
  const apiVersion = versionOf(version);
  if (apiVersion === undefined) return failed({ error: 'invalid_API_version' });
  const command = COMMANDS.get(method);
  if (command === undefined) return failed(new RpcError('unknownCmd').json());
  try {
    const result = await run(command, rest, { ...caller, apiVersion });
    return { result: { ...result, status: 'success' }, ...envelope };
  } catch (fault) {
    return failed(errorOf(fault, method, caller));
  }
}

/** The answer to a body of JSON-RPC; `method: "batch"` with `params: [...]` is rippled's form of many at once. */
export async function answerBody(
  text: string,
  caller: Caller,
): Promise<{ status: number; body: Json } | undefined> {
  const body = requestJson(text);
  if (!isObject(body)) return undefined;
  if (body.method !== 'batch') return { status: 200, body: await answerCall(body, caller) };
  const { params } = body;
  if (!Array.isArray(params) || params.length > BATCH_MAX) return undefined;
  const answers: Json[] = [];
  for (const call of params) {
    const { method, ...rest } = isObject(call) ? call : {};
    answers.push(await answerCall({ method, params: [rest.params ?? rest] }, caller));
    await new Promise(setImmediate);
  }
  return { status: 200, body: answers };
}

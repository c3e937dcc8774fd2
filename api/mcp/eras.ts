/**
 * The two eras of the protocol, and which one a message is of.
 *
 *     handshake   2024-11-05 .. 2025-11-25   `initialize` agrees on a version; later requests name it in a header, or not.
 *                                            Nothing is kept of it here: each request is answered by itself
 *     stateless   2026-07-28                 every request names version and capabilities in `_meta`, the version, its
 *                                            method and what it is about in headers, too; there is no `initialize`
 *
 * Specification: modelcontextprotocol.io/specification, pages "Versioning" and "Transports" of these versions.
 */
import { isJsonObject } from '../../engine/codec/values.ts';
import { type JsonObject, RPC, RpcError } from './json-rpc.ts';

export type Era = 'handshake' | 'stateless';

/** Newest first. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const STATELESS_VERSIONS = ['2026-07-28'] as const;
/** The version that knows batches. It is also what a request without the header is of. */
const BATCH_VERSION = '2025-03-26';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';

/** What the header `Mcp-Name` repeats of the parameters, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const isOneOf = (versions: readonly string[], version: unknown): boolean =>
  versions.includes(version as string);

/** The version that `initialize` answers: the one asked for where it is known, else the newest. */
export const agreedVersion = (asked: unknown): string =>
  isOneOf(HANDSHAKE_VERSIONS, asked) ? (asked as string) : HANDSHAKE_VERSIONS[0];

/** @throws RpcError where the version of the request has no batches */
export function checkBatch(headers: Headers): void {
  const version = headers.get('mcp-protocol-version')?.trim() ?? BATCH_VERSION;
  if (version !== BATCH_VERSION)
    throw new RpcError(RPC.invalidRequest, `${version} has no batches: send one message a request`);
}

/** Whether a request without `_meta` is of the handshake era. */
export function isHandshake(headers: Headers): boolean {
  const version = headers.get('mcp-protocol-version');
  return version === null || isOneOf(HANDSHAKE_VERSIONS, version.trim());
}

/** The era of a request, whose headers and `_meta` are checked. @throws RpcError */
export function eraOf(method: string, params: JsonObject, headers: Headers): Era {
  const header = headers.get('mcp-protocol-version')?.trim();
  const meta = isJsonObject(params._meta) ? params._meta : undefined;
  const version = meta?.[VERSION_KEY];
  if (version === undefined && isHandshake(headers)) return 'handshake';
  if (version === undefined && !isOneOf(STATELESS_VERSIONS, header)) throw unsupported(header);
  if (typeof version !== 'string') throw missingMeta(VERSION_KEY);
  if (header !== version) throw mismatch('MCP-Protocol-Version', header);
  if (!isOneOf(STATELESS_VERSIONS, version)) throw unsupported(version);
  if (!isJsonObject(meta?.[CAPABILITIES_KEY])) throw missingMeta(CAPABILITIES_KEY);
  if (headers.get('mcp-method')?.trim() !== method)
    throw mismatch('Mcp-Method', headers.get('mcp-method') ?? undefined);
  const member = NAMED_BY[method];
  if (member !== undefined && decoded(headers.get('mcp-name')) !== params[member])
    throw mismatch('Mcp-Name', headers.get('mcp-name') ?? undefined);
  return 'stateless';
}

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Values that a header cannot hold are sent in Base64. */
function decoded(header: string | null): string | undefined {
  const text = header?.trim();
  const [, base64] = ENCODED.exec(text ?? '') ?? [];
  return base64 === undefined ? text : Buffer.from(base64, 'base64').toString('utf8');
}

const mismatch = (name: string, value: string | undefined) =>
  new RpcError(
    RPC.headerMismatch,
    value === undefined ? `Header ${name} is missing` : `Header ${name} says something else than the message`,
  );

const missingMeta = (key: string) =>
  new RpcError(RPC.invalidParams, `params._meta lacks ${key}`, { status: 400 });

const unsupported = (requested: string | undefined) =>
  new RpcError(RPC.unsupportedVersion, 'Unsupported protocol version', {
    data: { supported: [...STATELESS_VERSIONS], requested },
  });

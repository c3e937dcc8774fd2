/** Splits a request into its path, its id and its body. All input is treated as untrusted. */
import { ApiError } from '../requests/errors.ts';
import type { Param } from '../requests/param.ts';
import type { Route } from './route.ts';

/** Stands for a host where a request names none that is one, or comes from no client: addresses are shown without a host. */
export const NO_HOST = 'http://host.invalid';

/** Everything after the host: `/v1/tokens?limit=5`. If the Host header is not a host, the server's `url` has none. */
export function targetOf(request: Request): string {
  const { url } = request;
  // If the query contains another address, the router uses that one. We must do the same: otherwise the cache would
  // store the answer of one address under another.
  if (url.startsWith('/') && !url.includes('://')) return url;
  const at = url.indexOf('/', url.indexOf('://') + 3);
  return at < 0 ? '/' : url.slice(at);
}

/** The same without a key in the query: secrets are never logged. */
export function loggedTargetOf(request: Request): string {
  const target = targetOf(request);
  const at = target.indexOf('?');
  const query = new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
  if (!query.has('apiKey')) return target;
  query.set('apiKey', 'hidden');
  return `${target.slice(0, at)}?${query}`;
}

/** The prefixes under which the table is mounted. */
export const prefixes = ['/v1', '/api'] as const;

/** Length of the mount prefix at the start of a target, 0 if there is none. */
export function prefixLength(target: string): number {
  for (const prefix of prefixes) {
    if (!target.startsWith(prefix)) continue;
    const next = target.charCodeAt(prefix.length);
    if (next === 47 || next === 63 || target.length === prefix.length) return prefix.length;
  }
  return 0;
}

/** Splits `/token/x?desc=yes` into segments (still percent-encoded) and query. */
export function splitTarget(target: string): { segments: string[]; query: URLSearchParams } {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const segments = (path || '/').split('/').slice(1);
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  return { segments, query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)) };
}

/** What an `X-Request-ID` may be. */
export const REQUEST_ID = /^[\w.:-]{1,64}$/;

/** Assigns request ids: the client's own if it sent a valid one, else a random start and a count. */
export class RequestIds {
  readonly #start = crypto.randomUUID().slice(0, 8);
  #count = 0;

  of(request: Request): string {
    const sent = request.headers.get('x-request-id');
    return sent !== null && REQUEST_ID.test(sent) ? sent : `${this.#start}-${(++this.#count).toString(36)}`;
  }
}

/** Largest body of a route that sets no limit of its own, bytes. */
const MAX_BODY = 64 * 1024;

/** Whether a route reads a JSON body. */
export const takesBody = (row: Route): boolean =>
  Object.values(row.params).some((param: Param) => param.in === 'body');

/**
 * Reads a JSON object from the body; an empty body is an empty object.
 * @throws ApiError body_too_large as soon as more than the route's `maxBody` bytes arrived, invalid_json (also if the
 * client disconnects before the end: the answer is not read, and the error is not ours).
 */
export async function readBody(request: Request, row: Route): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request, row.maxBody ?? MAX_BODY);
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ApiError('invalid_json', 'The body is not well-formed JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('invalid_json', 'The body is not a JSON object');
  return value as Record<string, unknown>;
}

/** The body as text. Rejects with ApiError body_too_large or, where it ends too soon, any error. */
export function readText(request: Request, maxBytes: number): Promise<string> {
  const claimed = claimedLength(request);
  // Of a body whose length is known: in one step.
  if (claimed > 0 && claimed <= maxBytes) return request.text();
  return readBytes(request, maxBytes).then((bytes) => new TextDecoder().decode(bytes));
}

const claimedLength = ({ headers }: Request): number => Number(headers.get('content-length') ?? 0);

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const claimed = claimedLength(request);
  if (claimed > maxBytes) throw tooLarge(maxBytes);
  if (claimed > 0) return readWhole(request);
  if (!request.body) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError('invalid_json', 'The body ended too soon');
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Of a body whose length is known: several times as fast as chunk by chunk. */
async function readWhole(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    throw new ApiError('invalid_json', 'The body ended too soon');
  }
}

const tooLarge = (maxBytes: number) =>
  new ApiError('body_too_large', `The body is larger than ${maxBytes} bytes`);

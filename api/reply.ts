/**
 * From a handler's answer to the bytes of the response.
 *
 *     {"success":true,"attribution":"Data by Millrace","took":3,  <- spliced here, in bytes
 *      ...the members of the handler's object, or its Fragment... }
 *
 * Nothing is parsed or stringified twice: a Fragment's parts are copied once into the final buffer. Each stored answer
 * is compressed once per encoding.
 */

import type { ApiError } from '../requests/errors.ts';
import type { Identity } from '../requests/identity.ts';
import { type Encoded, KEPT_TWICE_MAX, KeptHeaders, type StoredAnswer } from './cache.ts';
import { type HeadedBytes, join, packHeaded } from './headed-bytes.ts';
import { PICTURE_HEADERS, PICTURE_TYPE } from './pictures.ts';
import { type Answer, Fragment, type Picture, type Route } from './route.ts';

const encoder = new TextEncoder();

export const JSON_TYPE = 'application/json; charset=utf-8';

/** It is one of the first members, within so many bytes. */
const CREDIT_WITHIN = 512;

/** Answers below this many bytes are not compressed. */
const COMPRESS_FROM = 1024;
/**
 * And of those that are sent once: what a new connection sends before it waits for the client (RFC 6928: ten segments) arrives no
 * earlier when it is shorter, and compressing it takes some 30 us.
 */
const COMPRESS_ONCE_FROM = 14_600;

const exposed = [
  'X-Request-ID',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Daily-Remaining',
  'RateLimit',
  'RateLimit-Policy',
  'X-Credits-Used',
  'X-Credits-Remaining',
  'ETag',
].join(', ');

/** Clients that pay get no credit in the body, and each one its own limits: no cache on the way gives one's answer to another. */
export const DEPENDS_ON = 'Origin, X-Api-Key';

/** On every answer: any page may read it, without credentials, and no browser guesses what it is. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposed,
};

const preflightHeaders: Readonly<Record<string, string>> = {
  ...corsHeaders,
  'Access-Control-Allow-Headers':
    'Content-Type, Accept, If-None-Match, X-Api-Key, X-Wallet, X-Signature, X-Timestamp, X-Public-Key, X-Admin-Key, X-Request-ID, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID',
  'Access-Control-Max-Age': '86400',
};

/** Answer to OPTIONS. `methods` are those of the path. */
export function preflight(methods: readonly string[], requestId: string): Response {
  const allow = methods.join(', ');
  return new Response(null, {
    status: 204,
    headers: {
      ...preflightHeaders,
      Allow: allow,
      'Access-Control-Allow-Methods': allow,
      'X-Request-ID': requestId,
    },
  });
}

/** What the reply layer adds to an answer. Members that are undefined are left out. */
interface Envelope {
  /** ms */
  readonly took: number;
  /** Absent on paid tiers. */
  readonly attribution: string | undefined;
  /** The ledger the answer is of; not part of the content: the same content of a later ledger has the same ETag. */
  readonly ledgerIndex?: number | undefined;
}

/** The body of a successful answer. */
export function envelope(
  row: Route,
  answer: Exclude<Answer, Picture | Response>,
  { took, attribution, ledgerIndex }: Envelope,
): Uint8Array<ArrayBuffer> {
  const inside = answer instanceof Fragment ? answer.parts : [jsonText(row, answer).slice(1, -1)];
  if (row.bare) {
    const [open, close] = answer instanceof Fragment ? answer.brackets : '{}';
    return joinAll([open!, ...inside, close!]);
  }
  const success = row.successAs ? `"${row.successAs}":"success"` : '"success":true';
  const credit = attribution === undefined ? '' : creditMember(attribution);
  const ledger = ledgerIndex === undefined ? '' : `,"ledger_index":${ledgerIndex}`;
  const filled = inside.some((part) => part.length > 0);
  const head = `{${success}${credit},"took":${Math.max(0, Math.round(took))}${ledger}${filled ? ',' : ''}`;
  return joinAll([head, ...inside, '}']);
}

/** The member that says whose data it is, with the comma before it. */
export const creditMember = (attribution: string) => `,"attribution":${JSON.stringify(attribution)}`;

/**
 * Rows that have answered with integers that a double cannot hold. Only theirs are written with a function that is called for
 * each member: it takes nine times as long (44 us instead of 5 for a quote with three alternatives).
 */
const rowsWithBigIntegers = new WeakSet<Route>();

function jsonText(row: Route, answer: object): string {
  if (!rowsWithBigIntegers.has(row))
    try {
      return JSON.stringify(answer);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      rowsWithBigIntegers.add(row);
    }
  return JSON.stringify(answer, jsonValue);
}

/** Integers that a double cannot hold exactly are sent as text. */
function jsonValue(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** Concatenates texts and bytes. */
const joinAll = (parts: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> =>
  parts.every((part) => typeof part === 'string')
    ? encoder.encode(parts.join(''))
    : join(...parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part)));

/** Where a body says whose data it is; undefined: it does not. @param credit the member, with the comma before it */
export function creditIn(body: Uint8Array, credit: string): { from: number; to: number } | undefined {
  const from = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, CREDIT_WITHIN)).indexOf(
    credit,
  );
  return from < 0 ? undefined : { from, to: from + Buffer.byteLength(credit) };
}

/** Weak, because the same content is sent in several encodings, and `took` differs. */
export function etagOf(row: Route, answer: Uint8Array): string {
  return `W/"${Bun.hash(row.bare ? answer : content(answer)).toString(36)}"`;
}

/** The end of the envelope. */
const ENVELOPE_END = /"took":\d+(?:,"ledger_index":\d+)?/;

/** The bytes after the envelope, which is not content. */
function content(body: Uint8Array): Uint8Array {
  const found = ENVELOPE_END.exec(new TextDecoder('latin1').decode(body.subarray(0, 400)));
  return found ? body.subarray(found.index + found[0].length) : body;
}

/**
 * Sends a finished answer in the best encoding that the client accepts, or 304 if the client has it already. Headers
 * are made once per encoding and copied by the Response: half the cost of an object literal for each answer.
 */
export function send(
  answer: StoredAnswer,
  request: Request,
  requestId: string,
  client: Pick<Identity, 'stamp' | 'isPaid'> = {},
): Response {
  const sent = request.headers;
  const encoding = isCompressed(answer) ? chosenEncoding(sent.get('accept-encoding')) : undefined;
  const encoded = encodedAs(answer, encoding);
  const kept = sent.get('origin') === null ? encoded.headers : encoded.crossOrigin();
  const headers = kept.for(client.stamp);
  headers.set('X-Request-ID', requestId);
  if (answer.etag !== undefined && isKnown(sent, answer.etag.slice(2))) return unchanged(headers);
  const body = answer.credit && client.isPaid ? withoutCredit(answer, encoded) : encoded.body;
  return new Response(body, { headers });
}

/** Whether the client has what the tag is of. @param tag without what says that it is weak */
export function isKnown(sent: Headers, tag: string): boolean {
  const known = sent.get('if-none-match');
  return known !== null && (known === '*' || known.includes(tag));
}

/** Pictures are compressed as they are. */
const isCompressed = ({ body, contentType, etag }: StoredAnswer) =>
  body.length >= (etag === undefined ? COMPRESS_ONCE_FROM : COMPRESS_FROM) && contentType !== PICTURE_TYPE;

/** The bytes for a client that pays. */
function withoutCredit(answer: StoredAnswer, encoded: Encoded): Uint8Array<ArrayBuffer> {
  const { uncredited, headed } = encoded;
  if (uncredited) return uncredited;
  const { body, credit } = answer;
  const { from, to } = credit!;
  const beginning = body.subarray(0, from);
  const made = headed ? headed.behind(beginning) : join(beginning, body.subarray(to));
  if (body.length <= KEPT_TWICE_MAX) encoded.uncredited = made;
  return made;
}

function unchanged(headers: Headers): Response {
  const left = new Headers(headers);
  left.delete('Content-Type');
  left.delete('Content-Encoding');
  return new Response(null, { status: 304, headers: left });
}

function encodedAs(answer: StoredAnswer, encoding: Encoding | undefined): Encoded {
  if (encoding === undefined) {
    answer.plain ??= encoded(answer, answer.body, undefined);
    return answer.plain;
  }
  answer[encoding] ??= compressed(answer, encoding);
  return answer[encoding]!;
}

function compressed(answer: StoredAnswer, encoding: Encoding): Encoded {
  const { body, credit } = answer;
  if (credit) {
    const headed = packHeaded(body, credit.to, encoding);
    return encoded(answer, headed.whole, encoding, headed);
  }
  const bytes =
    encoding === 'zstd'
      ? new Uint8Array(Bun.zstdCompressSync(body, { level: 1 }))
      : (Bun.gzipSync(body, { level: 1 }) as Uint8Array<ArrayBuffer>);
  return encoded(answer, bytes, encoding);
}

function encoded(
  answer: StoredAnswer,
  body: Uint8Array<ArrayBuffer>,
  encoding: Encoding | undefined,
  headed?: HeadedBytes,
): Encoded {
  const headers = new Headers({
    'Content-Type': answer.contentType,
    'Cache-Control': answer.cacheControl,
    'Access-Control-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
    Vary: isCompressed(answer) ? `Accept-Encoding, ${DEPENDS_ON}` : DEPENDS_ON,
    ...(answer.contentType === PICTURE_TYPE && PICTURE_HEADERS),
  });
  if (answer.etag !== undefined) headers.set('ETag', answer.etag);
  if (encoding !== undefined) headers.set('Content-Encoding', encoding);
  let crossOrigin: KeptHeaders | undefined;
  return {
    body,
    headed,
    headers: new KeptHeaders(headers),
    crossOrigin: () => {
      crossOrigin ??= new KeptHeaders(exposing(headers));
      return crossOrigin;
    },
  };
}

function exposing(headers: Headers): Headers {
  const more = new Headers(headers);
  more.set('Access-Control-Expose-Headers', exposed);
  return more;
}

type Encoding = 'gzip' | 'zstd';

/** zstd if it is accepted (half the time of gzip for the same size), else gzip. `q=0` refuses. */
export function chosenEncoding(accept: string | null): Encoding | undefined {
  if (accept === null || accept === '') return undefined;
  if (takes(accept, 'zstd')) return 'zstd';
  if (takes(accept, 'gzip')) return 'gzip';
  return undefined;
}

function takes(accept: string, coding: string): boolean {
  const at = accept.toLowerCase().indexOf(coding);
  if (at < 0) return false;
  const end = accept.indexOf(',', at);
  const weight = accept.slice(at + coding.length, end < 0 ? undefined : end);
  return weight === '' || !/^\s*;\s*q\s*=\s*0(\.0*)?\s*$/i.test(weight);
}

/** The one error body. */
export function sendError(error: ApiError, requestId: string, docs: string): Response {
  return new Response(error.body(requestId, docs), {
    status: error.status,
    headers: {
      'Content-Type': JSON_TYPE,
      'Cache-Control': 'no-store',
      ...corsHeaders,
      ...error.details.headers,
      'X-Request-ID': requestId,
    },
  });
}

/** A copy of a handler's own Response with the headers that every answer has. Nobody keeps it unless it says for how long. */
export function withCommonHeaders(response: Response, requestId: string): Response {
  const headers = new Headers(response.headers);
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(corsHeaders)) headers.set(name, value);
  headers.set('X-Request-ID', requestId);
  return new Response(response.body, { status: response.status, headers });
}

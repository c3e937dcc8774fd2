/**
 * The one place from which the pages ask the service. Types come from the OpenAPI document (`api-types.d.ts`), addresses
 * are relative to the document. A failure is a value: pages show the service's own words.
 */
import type { Answers } from '../api-types.d.ts';
import { type Query, searchOf } from '../router.ts';
import { noteRates } from '../settings.ts';
import { pagesKey } from './key.ts';

type Method = 'GET' | 'POST' | 'DELETE';
/** Paths of the OpenAPI document: '/tokens', '/token/{id}'. */
export type PathOf<M extends Method> = keyof Answers extends infer K
  ? K extends `${M} ${infer P}`
    ? P
    : never
  : never;
export type Answer<P extends string, M extends Method = 'GET'> = `${M} ${P}` extends infer K extends
  keyof Answers
  ? Answers[K]
  : never;

export interface Failure {
  /** 0: the service was not reached. */
  readonly status: number;
  readonly message: string;
  /** The service does not have it as it is set up: it answers the same until another one runs in its place. */
  readonly isNotConfigured?: boolean;
  /** Milliseconds after which the service wants to be asked again. */
  readonly retryAfter?: number;
}

export type Result<T> =
  | { readonly value: T; readonly failure?: never }
  | { readonly failure: Failure; readonly value?: never };

export interface Asked {
  /** Members of the path, `{id}`, and of the query. */
  readonly query?: Query;
  readonly signal?: AbortSignal;
  /** What shows who asks. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Times that a GET is asked again where the service could not be reached, or says that it is busy or not ready. */
const TRIES = 3;
const WAIT_MS = 400;
const WAIT_AT_MOST_MS = 5_000;

/** Where the routes are, relative to the document: works behind any path prefix. Frames may be of another network. */
const base = new URL(`v1${document.documentElement.dataset.mount ?? ''}`, document.baseURI).href;

/** The address of a route with its parameters: those of the path in their places, the others as the query. */
export function addressOf(path: string, query: Query = {}): string {
  const rest: Record<string, Query[string]> = { ...query };
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return segmentOf(String(value ?? ''));
  });
  const search = searchOf(rest);
  return `${base}${filled}${search && `?${search}`}`;
}

/**
 * What browsers take for the folder itself or the one above, even with its dots encoded once, would be the address of another
 * route: encoded twice it is a name like any other, which the service refuses in its own words.
 */
const segmentOf = (value: string): string =>
  /^\.\.?$/.test(value) ? value.replaceAll('.', '%252E') : encodeURIComponent(value);

/** Asks again where that can help: a GET changes nothing. */
export async function get<P extends PathOf<'GET'>>(path: P, asked: Asked = {}): Promise<Result<Answer<P>>> {
  for (let tried = 1; ; tried++) {
    const { signal = null, headers = {} } = asked;
    const result = await send<Answer<P>>(addressOf(path, asked.query), { signal, headers });
    const { failure } = result;
    if (!failure || tried === TRIES || asked.signal?.aborted || !isPassing(failure)) return result;
    const wait = failure.retryAfter ?? WAIT_MS * tried;
    // Asked earlier, it would only refuse again: whoever shows this asks when it is time.
    if (wait > WAIT_AT_MOST_MS) return result;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

export function post<P extends PathOf<'POST'>>(
  path: P,
  body: object,
  asked: Asked = {},
): Promise<Result<Answer<P, 'POST'>>> {
  return write('POST', path, body, asked);
}

export function remove<P extends PathOf<'DELETE'>>(
  path: P,
  asked: Asked = {},
): Promise<Result<Answer<P, 'DELETE'>>> {
  return write('DELETE', path, undefined, asked);
}

function write<T>(
  method: Method,
  path: string,
  body: object | undefined,
  { query, signal, headers }: Asked,
): Promise<Result<T>> {
  return send(addressOf(path, query), {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null,
    signal: signal ?? null,
  });
}

/** Whether the same may be answered later. */
export const isPassing = ({ status, isNotConfigured = false }: Failure) =>
  status === 0 || status === 429 || (status === 503 && !isNotConfigured);

/** For the few addresses that answer something else than JSON. */
export function getText(path: '/metrics', signal?: AbortSignal): Promise<Result<string>> {
  return send(addressOf(path), { signal: signal ?? null }, (response) => response.text());
}

interface StreamInfo {
  readonly path: string;
  readonly summary: string;
  readonly frames: readonly { readonly name: string; readonly about: string }[];
}

/** The streams that the service has: of these the OpenAPI document says nothing. */
export function getStreams(
  signal: AbortSignal,
): Promise<Result<{ readonly streams: readonly StreamInfo[] }>> {
  return send(addressOf('/ws/info'), { signal });
}

/** With the key of the pages, where they have one. */
async function ask(address: string, init: RequestInit): Promise<Response> {
  const sent = (key = pagesKey.secret) =>
    fetch(address, {
      ...init,
      headers: { ...init.headers, ...(key !== undefined && { 'X-Api-Key': key }) },
      credentials: 'omit',
    });
  const response = await sent();
  // The service may have begun again, with another key. It has done nothing with what it did not admit.
  return response.status === 401 && (await pagesKey.renew()) ? sent() : response;
}

async function send<T>(
  address: string,
  init: RequestInit,
  read: (response: Response) => Promise<T> = (response) => response.json(),
): Promise<Result<T>> {
  try {
    const response = await ask(address, init);
    if (response.ok) {
      const value = await read(response);
      noteRates(value as { exch?: unknown });
      return { value };
    }
    const said = await response.json();
    const retryAfter = Number(response.headers.get('Retry-After')) * 1000;
    // Where there is nothing to add, both are the same.
    const words = new Set([said.error, said.message].filter((text) => typeof text === 'string'));
    const message = [...words].join('. ');
    const isNotConfigured = said.code === 'not_configured';
    const failure = { status: response.status, message, isNotConfigured };
    return { failure: { ...failure, ...(retryAfter > 0 && { retryAfter }) } };
  } catch {
    return { failure: { status: 0, message: 'The service does not answer.' } };
  }
}

/**
 * Requests of an outside service, with limits for time and memory because the answer is not trusted.
 *
 * The answer is read in chunks and the connection is closed as soon as it is longer than allowed. It is requested
 * uncompressed, and refused when compressed: so the limit holds for the decoded data too. Redirects are not followed: a
 * driver uses only the address it was given, or checks the next one as it did the first (public-fetch.ts).
 */

export interface FetchBounds {
  /** From the request to the last byte, ms. */
  readonly timeoutMs: number;
  /** Longest answer, bytes; where it depends on what is answered, by the first of its bytes, at least START_BYTES. */
  readonly bytesMax: number | ((start: Uint8Array) => number);
}

/** By which kinds of files are told apart. */
export const START_BYTES = 16;

/** The service did not answer as expected; the message is one line that describes it. */
export class OutsideError extends Error {
  override readonly name = 'OutsideError';

  /** @param isOfHost it does not answer, or wants to be left alone: another question would get no answer either */
  constructor(
    message: string,
    readonly isOfHost = false,
  ) {
    super(message);
  }
}

/** Whom the server at an address is asked for, where its address is not its name. */
export interface ServerName {
  /** In the Host header. */
  readonly host: string;
  /** The name that the certificate must be of, and the authorities in place of the usual ones. */
  readonly tls?: { readonly serverName: string; readonly ca?: string };
}

/** What is sent, where it is more than the address. */
export interface Sent {
  readonly method?: string | undefined;
  readonly body?: RequestInit['body'];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer is at another address. */
export interface Redirect {
  readonly location: string;
}

/** @returns the answer's text. @throws OutsideError */
export async function boundedText(
  url: string,
  bounds: FetchBounds,
  name?: ServerName,
  sent?: Sent,
): Promise<string> {
  const answer = await boundedAnswer(url, bounds, name, sent);
  if ('location' in answer) throw new OutsideError('a redirect, which is not followed');
  return new TextDecoder().decode(answer);
}

/** @returns the answer's bytes, or where it says they are. @throws OutsideError */
export async function boundedAnswer(
  url: string,
  bounds: FetchBounds,
  name?: ServerName,
  sent?: Sent,
): Promise<Uint8Array | Redirect> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), bounds.timeoutMs);
  try {
    const response = await fetch(url, {
      ...sent,
      signal: end.signal,
      redirect: 'manual',
      decompress: false,
      // The runtime ends what has been silent for five minutes, and the time that is allowed may be longer.
      timeout: false,
      headers: { ...sent?.headers, 'accept-encoding': 'identity', ...(name && { host: name.host }) },
      // A connection that was checked for one name is not used for another.
      ...(name && { keepalive: false, tls: name.tls }),
    } as RequestInit);
    const location = response.headers.get('location');
    if (location !== null && response.status >= 300 && response.status < 400) return { location };
    if (!response.ok) throw httpError(response.status);
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') throw new OutsideError(`an answer in ${encoding}, which was not asked for`);
    return await boundedBytes(response, bounds.bytesMax);
  } catch (fault) {
    if (fault instanceof OutsideError) throw fault;
    if (end.signal.aborted) throw new OutsideError(`no whole answer within ${bounds.timeoutMs} ms`, true);
    throw new OutsideError(reasonOf(fault), true);
  } finally {
    clearTimeout(timer);
    // Do not wait for data that is still arriving.
    end.abort();
  }
}

/**
 * Why there was no answer. Without the address, which may have a key in it, and without advice for programmers: some messages
 * of the runtime have both.
 */
function reasonOf(fault: unknown): string {
  const text = fault instanceof Error ? fault.message : String(fault);
  return text.replace(/(?: fetching "|\. For more information).*$/s, '');
}

function httpError(status: number): OutsideError {
  return new OutsideError(`HTTP ${status}`, status === 429 || status >= 500);
}

async function boundedBytes(response: Response, bytesMax: FetchBounds['bytesMax']): Promise<Uint8Array> {
  const stated = Number(response.headers.get('content-length') ?? 0);
  let most = typeof bytesMax === 'number' ? bytesMax : Number.POSITIVE_INFINITY;
  const parts: Uint8Array[] = [];
  let size = 0;
  const check = () => {
    if (stated > most) throw new OutsideError(`an answer of ${stated} bytes, more than ${most}`);
    if (size > most) throw new OutsideError(`an answer of more than ${most} bytes`);
  };
  check();
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (typeof bytesMax === 'function' && size >= START_BYTES && most === Number.POSITIVE_INFINITY)
      most = bytesMax(parts.length === 1 ? part : Buffer.concat(parts));
    check();
  }
  return Buffer.concat(parts);
}

/**
 * Requests of an outside service, with limits for time and memory because the answer is not trusted.
 *
 * The answer is read in chunks and the connection is closed as soon as it is longer than allowed. It is requested
 * uncompressed, and refused when compressed: so the limit holds for the decoded data too. Redirects are refused: a
 * driver uses only the address it was given.
 */

export interface FetchBounds {
  /** From the request to the last byte, ms. */
  readonly timeoutMs: number;
  /** Longest answer, bytes. */
  readonly bytesMax: number;
}

/** The service did not answer as expected; the message is one line that describes it. */
export class OutsideError extends Error {
  override readonly name = 'OutsideError';
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

/** @returns the answer's text. @throws OutsideError */
export async function boundedText(
  url: string,
  bounds: FetchBounds,
  name?: ServerName,
  sent?: Sent,
): Promise<string> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), bounds.timeoutMs);
  try {
    const response = await fetch(url, {
      ...sent,
      signal: end.signal,
      redirect: 'error',
      decompress: false,
      headers: { ...sent?.headers, 'accept-encoding': 'identity', ...(name && { host: name.host }) },
      // A connection that was checked for one name is not used for another.
      ...(name && { keepalive: false, tls: name.tls }),
    } as RequestInit);
    if (!response.ok) throw new OutsideError(`HTTP ${response.status}`);
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') throw new OutsideError(`an answer in ${encoding}, which was not asked for`);
    return new TextDecoder().decode(await boundedBytes(response, bounds.bytesMax));
  } catch (fault) {
    if (fault instanceof OutsideError) throw fault;
    if (end.signal.aborted) throw new OutsideError(`no whole answer within ${bounds.timeoutMs} ms`);
    throw new OutsideError(fault instanceof Error ? fault.message : String(fault));
  } finally {
    clearTimeout(timer);
    // Do not wait for data that is still arriving.
    end.abort();
  }
}

async function boundedBytes(response: Response, bytesMax: number): Promise<Uint8Array> {
  const stated = Number(response.headers.get('content-length') ?? 0);
  if (stated > bytesMax) throw new OutsideError(`an answer of ${stated} bytes, more than ${bytesMax}`);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > bytesMax) throw new OutsideError(`an answer of more than ${bytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

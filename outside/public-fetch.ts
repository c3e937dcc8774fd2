/**
 * Reads addresses that strangers wrote, of the public internet alone.
 *
 *     URL -> name -> all of its addresses, each public? -> connect to the address that was checked -> answer, bounded
 *      ^                                                                                    `- redirect, at most 3 --.
 *      `------------------------------------------------------------------------------------------------------------'
 *
 * Goals: nothing of this machine or its network is reached, whatever a name resolves to a moment later (nothing is resolved
 * twice), and wherever a redirect leads; time and bytes are bounded for all redirects together. Non-goals: cookies,
 * credentials, caching.
 */
import { lookup } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import { boundedAnswer, type FetchBounds, OutsideError, type ServerName } from './bounded-fetch.ts';
import { isPublicAddress } from './public-address.ts';

/** A gateway of IPFS redirects to its address by content, and some once more to another host. */
const REDIRECTS_MAX = 3;
/** Where web servers listen: other services are not to be talked to in HTTP. */
const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);

export interface PublicReads {
  /** All addresses of a name. */
  readonly resolve: (name: string) => Promise<readonly { readonly address: string }[]>;
  readonly isAllowed: (address: string) => boolean;
  readonly isPortAllowed: (port: number) => boolean;
  /** Certificates of authorities in place of the usual ones. */
  readonly ca?: string | undefined;
}

export const PUBLIC_READS: PublicReads = {
  resolve: (name) => lookup(name, { all: true }),
  isAllowed: isPublicAddress,
  isPortAllowed: (port) => PORTS.has(port),
};

/**
 * Reads what an address has.
 * @param isTrusted the operator chose the server: it may be one of the own network. Where it redirects to is checked
 * @throws OutsideError
 */
export type ReadPublic = (url: URL, bounds: FetchBounds, isTrusted?: boolean) => Promise<Uint8Array>;

export function publicReader(changed: Partial<PublicReads> = {}): ReadPublic {
  const reads = { ...PUBLIC_READS, ...changed };
  return async (first, bounds, isTrusted = false) => {
    const end = performance.now() + bounds.timeoutMs;
    let url = first;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      const timeoutMs = Math.ceil(end - performance.now());
      if (timeoutMs <= 0) break;
      const left = { ...bounds, timeoutMs };
      const isOwn = isTrusted && redirects === 0;
      const answer = await (isOwn ? boundedAnswer(url.href, left) : checkedAnswer(url, left, reads));
      if (!('location' in answer)) return answer;
      const next = URL.parse(answer.location, url.href);
      if (!next) throw new OutsideError('a redirect to no address');
      url = next;
    }
    throw new OutsideError(`no answer after ${REDIRECTS_MAX} redirects or ${bounds.timeoutMs} ms`);
  };
}

/** What one server has for every address: the node of an embedded network, which knows whom it is asked for by the name. */
export function readerOf(server: string): ReadPublic {
  return async (url, bounds) => {
    const answer = await boundedAnswer(`${server}${url.pathname}${url.search}`, bounds, { host: url.host });
    if ('location' in answer) throw new OutsideError('a redirect, which is not followed');
    return answer;
  };
}

/**
 * The address of a name to connect to, all of whose addresses are public.
 * @throws OutsideError
 */
export async function checkedAddress(name: string, timeoutMs: number, reads: PublicReads): Promise<string> {
  const addresses = await within(timeoutMs, reads.resolve(name));
  // One that is not public is enough: a name has no honest reason to mix them.
  if (addresses.length === 0 || !addresses.every(({ address }) => reads.isAllowed(address)))
    throw new OutsideError(`${name} has an address that is not of the public internet`);
  // Every machine reaches those of IPv4.
  return (addresses.find(({ address }) => isIPv4(address)) ?? addresses[0]!).address;
}

/** As it stands in an address of the web. */
export function hostOf(address: string): string {
  return isIPv4(address) ? address : `[${address}]`;
}

async function checkedAnswer(url: URL, bounds: FetchBounds, reads: PublicReads) {
  const { protocol, hostname, pathname, search, host } = url;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new OutsideError(`an address of ${protocol}, not of the web`);
  if (url.username + url.password !== '') throw new OutsideError('an address with a password');
  const port = Number(url.port) || (protocol === 'https:' ? 443 : 80);
  if (!reads.isPortAllowed(port)) throw new OutsideError(`port ${port} is not one of web servers`);
  const started = performance.now();
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) && protocol === 'https:') throw new OutsideError('a certificate is of a name');
  if (isIP(literal) && !reads.isAllowed(literal))
    throw new OutsideError(`${literal} is not of the public internet`);
  const address = isIP(literal) ? literal : await checkedAddress(hostname, bounds.timeoutMs, reads);
  const timeoutMs = Math.max(1, Math.ceil(bounds.timeoutMs - (performance.now() - started)));
  const tls = { serverName: hostname, ...(reads.ca !== undefined && { ca: reads.ca }) };
  const name: ServerName = { host, ...(protocol === 'https:' && { tls }) };
  return boundedAnswer(
    `${protocol}//${hostOf(address)}:${port}${pathname}${search}`,
    { ...bounds, timeoutMs },
    name,
  );
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new OutsideError(`no address within ${ms} ms`, true)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } catch (fault) {
    throw fault instanceof OutsideError
      ? fault
      : new OutsideError(`no address: ${(fault as Error).message}`, true);
  } finally {
    clearTimeout(timer);
  }
}

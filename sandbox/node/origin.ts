/**
 * What pages in browsers may do with the node (Fetch standard, "CORS protocol"; RFC 6454).
 *
 * A browser names the page that asks (`Origin`); other programs send no such header. Programs and pages of this machine
 * may do everything, as every local client may in rippled's stand-alone mode. A page of another site may read, submit and
 * use the faucet, but no admin command. The check uses the `Origin` and not the request's `Host`: with DNS rebinding the
 * host is the page's own name, which then resolves to this machine.
 */

/** Names of this machine in the address of a page. */
const OWN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Seconds for which a browser may cache the answer to a preflight request. */
const PREFLIGHT_AGE = '86400';

/** Whether a request comes from a page of another site. @param origin the header, null if there is none */
export function isForeign(origin: string | null): boolean {
  if (origin === null) return false;
  // "null" is what a browser sends for a page without an origin: a file, a sandboxed frame.
  return !URL.canParse(origin) || !OWN_HOSTS.has(new URL(origin).hostname);
}

/** Allows the page that asked to read an answer. */
export function allowReading(response: Response): Response {
  response.headers.set('access-control-allow-origin', '*');
  response.headers.set('access-control-expose-headers', 'retry-after');
  return response;
}

/** The answer to a preflight request (OPTIONS). */
export function preflightAnswer(request: Request): Response {
  const headers = new Headers({
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': '*',
    'access-control-max-age': PREFLIGHT_AGE,
  });
  // Browsers ask this too before a page from the internet may reach this machine.
  if (request.headers.has('access-control-request-private-network'))
    headers.set('access-control-allow-private-network', 'true');
  return new Response(null, { status: 204, headers });
}

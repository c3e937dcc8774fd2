/**
 * Which pages in browsers may do what with the node (Fetch standard, "CORS protocol"; RFC 6454).
 *
 * A browser names the page that asks (`Origin`); programs name none. Programs and pages of this machine may do
 * everything, as who reaches a loopback port may in rippled's stand-alone mode. A page of another site is a stranger
 * that happens to run in somebody's browser here: it reads, submits and is paid by the faucet, and may do nothing that
 * needs an admin. The name counts and not the request's `Host`: that is the page's own name again once its site makes
 * it point here (DNS rebinding).
 */

/** Names of this machine, as they stand in the address of a page. */
const OWN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
/** A browser asks again whether it may only after this long, seconds. */
const PREFLIGHT_AGE = '86400';

/** Whether a request comes from a page of another site. @param origin the header, null where there is none */
export function isForeign(origin: string | null): boolean {
  if (origin === null) return false;
  // "null" is what a browser says for a page without a site of its own: a file, a frame that is locked in.
  return !URL.canParse(origin) || !OWN_HOSTS.has(new URL(origin).hostname);
}

/** Lets the page that asked read an answer. */
export function allowReading(response: Response): Response {
  response.headers.set('access-control-allow-origin', '*');
  response.headers.set('access-control-expose-headers', 'retry-after');
  return response;
}

/** The answer to a browser that asks what a page may send (OPTIONS). */
export function preflightAnswer(request: Request): Response {
  const headers = new Headers({
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': '*',
    'access-control-max-age': PREFLIGHT_AGE,
  });
  // Of a page from the internet browsers ask this too before they let it reach this machine.
  if (request.headers.has('access-control-request-private-network'))
    headers.set('access-control-allow-private-network', 'true');
  return new Response(null, { status: 204, headers });
}

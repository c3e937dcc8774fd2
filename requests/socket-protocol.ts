/**
 * How a page sends a key with a socket. Browsers add no headers of a page's own to the handshake, and an address with a key
 * ends up in logs; what they let a page choose are the protocols that it offers:
 *
 *     Sec-WebSocket-Protocol: millrace, key.xrpl_…      answered with: millrace
 */

/** What is spoken whatever is offered: JSON as text. Browsers want one of those that they offer. */
const PROTOCOL = 'millrace';
const KEY = 'key.';

const namesIn = (offered: string): string[] => offered.split(',').map((name) => name.trim());

/** The secret among the protocols; undefined: there is none. */
export const keyOffered = (offered: string): string | undefined =>
  namesIn(offered)
    .find((name) => name.startsWith(KEY))
    ?.slice(KEY.length);

/** Headers of the answer to a handshake, so that the key does not come back. */
export function protocolHeaders(request: Request): { readonly 'Sec-WebSocket-Protocol': string } | undefined {
  const offered = request.headers.get('sec-websocket-protocol');
  return offered !== null && namesIn(offered).includes(PROTOCOL)
    ? { 'Sec-WebSocket-Protocol': PROTOCOL }
    : undefined;
}

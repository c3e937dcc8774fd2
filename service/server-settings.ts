/** What the server itself follows from the options: the rules at its edge, its certificate, its limits. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Edge } from '../api/edge.ts';
import { DAY_MS } from '../engine/ripple-time.ts';
import { OptionError, type Options } from './options.ts';

/** Whether programs of this machine alone reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether keys and limits are in force. */
export const hasAdmission = ({ admission, host }: Options): boolean =>
  admission === 'keys' || (admission === 'auto' && !isLoopback(host));

export const CLOSED =
  'The service is closed until it has an admin key: npm run tool -- admin key makes one, with the --data of this service (--admission open: without keys)';

/** @param hasAdminKey asked for each request until it is true */
export function edgeOf(options: Options, hasAdminKey: () => boolean): Edge {
  const { genericAgents, host, tlsCert } = options;
  return new Edge({
    refusesGenericAgents: genericAgents === 'refuse' || (genericAgents === 'auto' && !isLoopback(host)),
    ...(hasAdmission(options) && { closed: () => (hasAdminKey() ? undefined : CLOSED) }),
    isTls: tlsCert !== undefined,
  });
}

export interface Certificate {
  /** PEM: the certificate, those that lead to it, and its key. */
  readonly pem: { readonly cert: string; readonly key: string };
  /** The first in `cert`: clients check its names and times. */
  readonly own: X509Certificate;
}

/** @throws OptionError where certificate or key cannot be read, or do not belong together */
export function tlsOf({ tlsCert, tlsKey }: Options): Certificate | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const [cert, key] = [pem(tlsCert, 'CERTIFICATE'), pem(tlsKey, 'PRIVATE KEY')];
  const own = orFault(() => new X509Certificate(cert), `the certificate in ${tlsCert} is damaged`);
  const secret = orFault(
    () => createPrivateKey(key),
    `the key in ${tlsKey} is damaged, or needs a passphrase: give it without one`,
  );
  if (!own.checkPrivateKey(secret))
    throw new OptionError(`the key in ${tlsKey} is not that of the certificate in ${tlsCert}`);
  // The certificates after the first one.
  orFault(() => createSecureContext({ cert, key }), `the certificates in ${tlsCert} cannot be used`);
  return { pem: { cert, key }, own };
}

function orFault<T>(read: () => T, message: string): T {
  try {
    return read();
  } catch (fault) {
    throw new OptionError(`${message} (${(fault as Error).message})`);
  }
}

/** Why clients refuse a certificate at a time (Unix ms); undefined: they do not for its times. */
export function outOfTime({ validFrom, validTo }: X509Certificate, now: number): string | undefined {
  if (now > Date.parse(validTo)) return `it has ended: ${validTo}`;
  if (now < Date.parse(validFrom)) return `it has not begun: ${validFrom}`;
  return undefined;
}

/** Days before its end at which a certificate should have been renewed. */
export const RENEW_DAYS = 21;

/** Whole days until a certificate ends. @param now Unix ms */
export const daysLeft = ({ validTo }: X509Certificate, now: number): number =>
  Math.floor((Date.parse(validTo) - now) / DAY_MS);

function pem(path: string, kind: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (fault) {
    throw new OptionError(`${path} cannot be read: ${(fault as Error).message}`);
  }
  if (!new RegExp(`-----BEGIN (?:\\w+ )*${kind}-----`).test(text))
    throw new OptionError(`${path} has no ${kind} (PEM)`);
  return text;
}

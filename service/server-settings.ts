/** What the server itself follows from the options: the rules at its edge, its certificate, its limits. */
import { readFileSync } from 'node:fs';
import { Edge } from '../api/edge.ts';
import { OptionError, type Options } from './options.ts';

/** Whether programs of this machine alone reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether keys and limits are in force. */
export const hasAdmission = ({ admission, host }: Options): boolean =>
  admission === 'keys' || (admission === 'auto' && !isLoopback(host));

export const CLOSED =
  'The service is closed until it has an admin key: npm run tool -- admin key makes one (--admission open: without keys)';

/** @param hasAdminKey asked for each request until it is true */
export function edgeOf(options: Options, hasAdminKey: () => boolean): Edge {
  const { genericAgents, host, tlsCert } = options;
  return new Edge({
    refusesGenericAgents: genericAgents === 'refuse' || (genericAgents === 'auto' && !isLoopback(host)),
    ...(hasAdmission(options) && { closed: () => (hasAdminKey() ? undefined : CLOSED) }),
    isTls: tlsCert !== undefined,
  });
}

/** @throws OptionError where the certificate or its key cannot be read */
export function tlsOf({ tlsCert, tlsKey }: Options): { cert: string; key: string } | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { cert: pem(tlsCert, 'CERTIFICATE'), key: pem(tlsKey, 'PRIVATE KEY') };
}

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

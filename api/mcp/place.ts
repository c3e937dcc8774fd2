/**
 * Where a request comes from: a page of another site must not reach a service of this machine through the browser of its
 * owner (DNS rebinding).
 *
 * A page's requests carry an `Origin`, and as `Host` the name under which the page was loaded. Where everybody is answered
 * without a key, both must be this machine: `localhost`, an address, or the host of the configured base address. A name
 * that somebody else's DNS made point here is refused. Where keys are asked for there is nothing to steal: browsers send no
 * key by themselves.
 */
import { isIP } from 'node:net';
import type { Service } from '../route.ts';
import { RPC, RpcError } from './json-rpc.ts';

/** What nearly all programs of this machine send. */
const LOOPBACK = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;

/** @throws RpcError with status 403 */
export function checkPlace(request: Request, service: Service): void {
  if (service.admission.mode !== 'open') return;
  const configured = service.publicHost;
  const sent = request.headers.get('host');
  if (sent !== null && LOOPBACK.test(sent) && !request.headers.has('origin')) return;
  const host = hostOf(`http://${sent ?? new URL(request.url).host}`);
  if (!isOwn(host, configured)) throw refused('Host');
  const origin = request.headers.get('origin');
  if (origin !== null && !isOwnOrigin(hostOf(origin), host, configured)) throw refused('Origin');
}

/** Host name without port and brackets; '' for what is no address, as `null` of pages without an origin. */
function hostOf(address: string): string {
  const host = URL.parse(address)?.hostname ?? '';
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

const isOwn = (host: string, configured: string | undefined): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || isIP(host) !== 0 || host === configured;

/** An address of another machine may be anybody's page: only that under which we were asked is ours. */
const isOwnOrigin = (origin: string, host: string, configured: string | undefined): boolean =>
  origin === 'localhost' ||
  origin === '127.0.0.1' ||
  origin === '::1' ||
  origin === host ||
  origin === configured;

const refused = (name: string) =>
  new RpcError(RPC.refused, `${name} is not one of this service`, { status: 403, data: { status: 403 } });

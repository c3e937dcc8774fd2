/** Asks a running service whether it answers, as the health check of a container does. */

import type { Options } from './options.ts';
import { isLoopback } from './server-settings.ts';

/** Longest wait for the answer, ms. */
const WAIT_MS = 4_000;

interface Health {
  readonly status: string;
  readonly progress?: { readonly stage: string } | null;
}

/** The address at which programs of this machine reach a service. */
export function localUrl({ host, port, tlsCert }: Pick<Options, 'host' | 'port' | 'tlsCert'>): string {
  const name = isLoopback(host) ? host.replace(/^\[|\]$/g, '') : anyAddress(host) ? '127.0.0.1' : host;
  return `${tlsCert ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const anyAddress = (host: string) => host === '0.0.0.0' || host === '::' || host === '[::]';

/** A request to the service of this machine. @throws Error that names the address, where nothing answers */
export async function askLocally(url: string, request: RequestInit): Promise<Response> {
  try {
    // Its certificate is for the name by which others reach it.
    return await fetch(url, { ...request, tls: { rejectUnauthorized: false } });
  } catch (fault) {
    throw new Error(`nothing answers at ${url}: ${(fault as Error).message}`);
  }
}

/** What it says of itself. A service that is starting or degraded answers, too. @throws Error when nothing answers */
export async function checkHealth(options: Pick<Options, 'host' | 'port' | 'tlsCert'>): Promise<string> {
  const url = `${localUrl(options)}/health`;
  const response = await askLocally(url, { signal: AbortSignal.timeout(WAIT_MS) });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const { status, progress } = (await response.json()) as Health;
  return progress ? `${status}: ${progress.stage}` : status;
}

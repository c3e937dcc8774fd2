/** Asks the whole API over recorded ledgers, for contract tests of single routes. */

import { type ApiOptions, createApi } from '../../../api/app.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { Log } from '../../../engine/log.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

// biome-ignore lint/suspicious/noExplicitAny: answers are checked member by member
export type Json = any;

export interface Asker {
  get(path: string): Promise<{ status: number; body: Json }>;
  post(path: string, body: unknown): Promise<{ status: number; body: Json }>;
  raw(path: string): Promise<Response>;
}

export function asker(asked: Engine | Network, options: Partial<ApiOptions> = {}): Asker {
  const network = asked instanceof Network ? asked : new Network({ engine: asked });
  const api = createApi({ mounts: [Mount.of(network)], log: quiet, ...options });
  const raw = async (path: string, init: RequestInit = {}): Promise<Response> =>
    api.fetch(new Request(`http://localhost/v1${path}`, init));
  const send = async (path: string, init: RequestInit) => {
    const response = await raw(path, init);
    return { status: response.status, body: await response.json() };
  };
  return {
    raw: (path) => raw(path),
    get: (path) => send(path, {}),
    post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}

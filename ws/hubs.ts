/**
 * The sockets of all networks: a hub for each mount whose network is open, behind one server.
 *
 * Goals: frames, channels and session of one network never reach a socket of another; a network that is opened, stopped
 * or slow does not touch the sockets of the others. Bounds of memory and of the thread's time are divided between the
 * mounts (`limitsOfEach`); open sockets are counted together.
 *
 *     /ws/...  /v1/ws/...             -> hub of the mount ''
 *     /test-network/ws/...  /v1/test-network/ws/...  -> hub of the mount '/test-network'
 */
import type { Server, WebSocketHandler } from 'bun';
import { type ApiError, notOpen } from '../requests/errors.ts';
import { checkMounts, type Mount, mountedAt } from '../views/mount.ts';
import type { Connection } from './connection.ts';
import { ConnectionCounts } from './connection-counts.ts';
import { Hub, type HubOptions, targetUrl, transportOptions } from './hub.ts';
import { DEFAULT_LIMITS, type Limits, limitsOfEach } from './limits.ts';

/** A mount, and the hub of its network while that is open. */
interface MountedHub {
  readonly mount: Mount;
  hub: Hub | undefined;
}

export class Hubs {
  readonly websocket: WebSocketHandler<Connection>;
  readonly #mounted: readonly MountedHub[];
  readonly #options: HubOptions;
  readonly #limits: Limits;
  readonly #counts: ConnectionCounts;

  /** @param mounts the first has no prefix. @param options limits are those of all mounts together */
  constructor(mounts: readonly Mount[], options: HubOptions) {
    checkMounts(mounts);
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#mounted = mounts.map((mount) => ({ mount, hub: undefined }));
    this.#options = options;
    this.#limits = limitsOfEach(limits, mounts.length);
    this.#counts = new ConnectionCounts(limits);
    this.websocket = {
      ...transportOptions(limits),
      open: (socket) => socket.data.handler.open?.(socket),
      message: (socket, data) => socket.data.handler.message?.(socket, data),
      drain: (socket) => socket.data.handler.drain?.(socket),
      close: (socket, code, reason) => socket.data.handler.close?.(socket, code, reason),
    };
  }

  /** Open sockets of all networks. */
  get connections(): number {
    return this.#counts.total;
  }

  /** Serves the streams of the mount's network, which is open. */
  open(mount: Mount): Hub {
    const { network } = mount;
    if (!network) throw new Error(`the network of the mount '${mount.prefix}' is not open`);
    const mounted = this.#of(mount);
    const counts = this.#counts;
    const hub = new Hub(network, { ...this.#options, limits: this.#limits, counts, prefix: mount.prefix });
    mounted.hub = hub;
    return hub;
  }

  /** Ends the streams of one mount; the others go on. */
  closeMount(mount: Mount): void {
    const mounted = this.#of(mount);
    mounted.hub?.close();
    mounted.hub = undefined;
  }

  /** Answers a request of a stream's address. @returns undefined when it became a WebSocket. */
  upgrade(request: Request, server: Server<Connection>): Response | ApiError | undefined {
    const { pathname } = targetUrl(request);
    const from = /^\/(?:v1|api)(?=\/)/.exec(pathname)?.[0].length ?? 0;
    const { hub, mount } = mountedAt(this.#mounted, pathname, from);
    return hub ? hub.upgrade(request, server) : notOpen(mount.reason);
  }

  /** As each hub's. @param id of a key that works no more */
  keyRevoked(id: string): void {
    for (const { hub } of this.#mounted) hub?.keyRevoked(id);
  }

  /** Closes every socket with 1001 and accepts no more. */
  close(): void {
    for (const { hub } of this.#mounted) hub?.close();
  }

  #of(mount: Mount): MountedHub {
    const found = this.#mounted.find((mounted) => mounted.mount === mount);
    if (!found) throw new Error(`the mount '${mount.prefix}' is not one of this service`);
    return found;
  }
}

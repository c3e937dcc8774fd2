/** A hub behind a real server on loopback, and clients that remember what they got. */
import WS from 'ws';
import { sendError } from '../../api/reply.ts';
import type { Log } from '../../engine/log.ts';
import { ApiError } from '../../requests/errors.ts';
import type { Connection } from '../../ws/connection.ts';
import { Hub, type HubOptions } from '../../ws/hub.ts';
import { match } from '../../ws/match.ts';
import { streams } from '../../ws/streams/index.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames of any shape
export type Frame = Record<string, any>;

export class Faults implements Log {
  readonly messages: string[] = [];
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(fields: object, message: string): void {
    this.messages.push(`${message}: ${JSON.stringify(fields)}`);
  }
}

export function rig(engine: ConstructorParameters<typeof Hub>[0], options: Partial<HubOptions> = {}) {
  const faults = new Faults();
  const limits = { flushMs: 0, ...options.limits };
  const hub = new Hub(engine, { log: faults, ...options, limits });
  const server = Bun.serve<Connection>({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, self) {
      const result = hub.upgrade(request, self);
      return result instanceof ApiError ? sendError(result, 'rig', '/v1/docs') : result;
    },
    websocket: hub.websocket,
  });
  const origin = `127.0.0.1:${server.port}`;
  return {
    hub,
    server,
    faults,
    http: (path: string, init?: RequestInit) => fetch(`http://${origin}${path}`, init),
    open: (path: string, socketOptions?: WS.ClientOptions) => client(`ws://${origin}${path}`, socketOptions),
    /** Resolves when frames of all ledgers so far are made: ledgers of one turn of the event loop share theirs. */
    async published() {
      while (hub.stats.jobs > 0) await pause(1);
    },
    native: (path: string, protocols?: string[]) => new WebSocket(`ws://${origin}${path}`, protocols),
    async stop() {
      hub.close();
      await server.stop(true);
    },
  };
}

export type Client = Awaited<ReturnType<typeof client>>;

/** A `ws` client. `next` resolves with the next frame that fits, looking first at those that came before. */
async function client(url: string, options: WS.ClientOptions = { perMessageDeflate: false }) {
  const socket = new WS(url, options);
  const frames: Frame[] = [];
  let taken = 0;
  let wake = () => {};
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      resolve({ code, reason: reason.toString() });
      wake();
    });
  });
  socket.on('message', (data, binary) => {
    if (binary) throw new Error('a binary frame');
    frames.push(JSON.parse(data.toString()));
    wake();
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.on('open', () => resolve());
    socket.on('error', () => resolve());
  });
  const next = async (fits: (frame: Frame) => boolean = () => true, ms = 120_000): Promise<Frame> => {
    const deadline = Date.now() + ms;
    for (;;) {
      while (taken < frames.length) {
        const frame = frames[taken++]!;
        if (fits(frame)) return frame;
      }
      if (Date.now() > deadline)
        throw new Error(`no such frame in ${ms} ms; had ${JSON.stringify(frames.at(-1))}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 50);
      });
    }
  };
  return {
    socket,
    frames,
    next,
    closed,
    send: (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
  };
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Frames of a client that are none of those that its stream declares: of each the nearest, with what is too much and what lacks. */
export function undeclared({ socket, frames }: Client): string[] {
  const { pathname } = new URL(socket.url);
  const declared = match(streams, pathname)!.stream.frames.map(({ name, fields }) => {
    // `status (ok, replayed, snapshot)`, `k {t, T}`, `tokens[]?`: the name, and whether it may be left out.
    const texts = fields.map((field) => field.split(' ')[0]!);
    const nameOf = (text: string) => text.replace(/[[\]?]/g, '');
    const needed = texts.filter((text) => !text.endsWith('?')).map(nameOf);
    return { name, all: new Set(texts.map(nameOf)), needed };
  });
  return frames.flatMap((frame) => {
    if (frame.type === 'pong') return [];
    const wrong = declared.map(({ name, all, needed }) => {
      const more = Object.keys(frame).filter((member) => !all.has(member));
      const less = needed.filter((member) => !(member in frame));
      return { name, count: more.length + less.length, text: `${name}: +${more} -${less}` };
    });
    const [nearest] = wrong.sort((a, b) => a.count - b.count);
    return nearest!.count === 0 ? [] : [nearest!.text];
  });
}

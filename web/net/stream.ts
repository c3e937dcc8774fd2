/**
 * The one place from which the pages open streams. A stream stays open by itself: after a loss it connects again, with
 * growing waits, and asks for what it missed (`from_seq`) where the stream has numbers; where that is gone, or a frame is
 * missing, it starts over, and the service sends the whole again. A tab that is hidden for a minute closes its streams,
 * and opens them when it is seen again.
 *
 *   connecting -> live -> lost -> connecting …       (hidden: closed, then connecting)
 */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Query, searchOf } from '../router.ts';
import { noteRates } from '../settings.ts';
import { pagesKey } from './key.ts';

export type StreamState = 'connecting' | 'live' | 'lost';

/** A frame of any stream; each page reads the members of its own. */
// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document does not describe frames
export type Frame = any;

export interface StreamOptions {
  /** As in the contract: '/ws/ledger'. */
  readonly path: string;
  readonly query?: Query;
  readonly onFrame: (frame: Frame) => void;
  /** The service does not accept the parameters: in its own words, why. It is not asked again with the same ones. */
  readonly onRefused?: ((reason: string) => void) | undefined;
  /** Sent after each opening, and when it becomes another: a subscription. */
  readonly hello?: object;
  /** Frames have `seq` and `prevSeq`, or ledger numbers: what was missed can be asked for. */
  readonly resumable?: boolean;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The service answers a ping at once: no frame for so long means that the connection is dead. */
const PING_EVERY_MS = 20_000;
const SILENT_FOR_MS = 45_000;
const HIDDEN_FOR_MS = 60_000;
/** Close codes after which the same connection would be refused again: parameters. */
const REFUSED = [4020, 4021, 4022, 4023, 4024, 4025];

/** The key works no more: the service has begun again. */
const NOT_ADMITTED = 1008;

export class Stream {
  readonly state: Signal<StreamState> = signal<StreamState>('connecting');
  /** How often the service has accepted a socket, also in place of one that this end dropped. */
  readonly openings: Signal<number> = signal(0);
  readonly #options: StreamOptions;
  #hello: object | undefined;
  #socket: WebSocket | undefined;
  #seq: number | undefined;
  #session: string | undefined;
  #losses = 0;
  #heard = 0;
  /** The socket has got no frame yet. */
  #isOpening = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #pinger: ReturnType<typeof setInterval>;
  #ended = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#hello = options.hello;
    this.#pinger = setInterval(this.#ping, PING_EVERY_MS);
    document.addEventListener('visibilitychange', this.#seen);
    addEventListener('online', this.#connectNow);
    this.#connect();
  }

  send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Replaces what is sent after each opening, and sends it. */
  say(hello: object): void {
    this.#hello = hello;
    this.send(hello);
  }

  close(): void {
    this.#ended = true;
    clearInterval(this.#pinger);
    clearTimeout(this.#timer);
    clearTimeout(this.#hiddenTimer);
    document.removeEventListener('visibilitychange', this.#seen);
    removeEventListener('online', this.#connectNow);
    this.#drop();
  }

  #connect(): void {
    this.#drop();
    const { path, query, resumable } = this.#options;
    const resume =
      resumable && this.#seq !== undefined ? { from_seq: this.#seq, session: this.#session } : {};
    const search = searchOf({ ...query, ...resume });
    const mount = document.documentElement.dataset.mount ?? '';
    const address = new URL(`${mount}${path}`.slice(1) + (search && `?${search}`), document.baseURI);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const key = pagesKey.secret;
    const socket = new WebSocket(address, key === undefined ? [] : ['millrace', `key.${key}`]);
    this.#socket = socket;
    this.#isOpening = true;
    this.#heard = Date.now();
    socket.onopen = () => {
      if (this.#hello) this.send(this.#hello);
      // Who has missed nothing gets no first frame: the answer says that the socket was accepted.
      if ('from_seq' in resume) this.send({ type: 'ping' });
    };
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onclose = ({ code, reason }) => this.#lose(code, reason);
  }

  #receive(text: string): void {
    this.#heard = Date.now();
    const frame = JSON.parse(text) as Frame;
    // Comes before a close code, also where the socket opened only to be refused.
    if (frame.error !== undefined) return;
    if (this.#hasGap(frame)) {
      this.#seq = undefined;
      this.#connect();
      return;
    }
    this.#losses = 0;
    this.state.value = 'live';
    if (this.#isOpening) this.openings.value++;
    this.#isOpening = false;
    if (frame.type === 'pong' || frame.type === 'resumed') return;
    const seq = frame.seq ?? frame.ledger_index;
    if (typeof seq === 'number') this.#seq = seq;
    if (typeof frame.session === 'string') this.#session = frame.session;
    noteRates(frame);
    this.#options.onFrame(frame);
  }

  #hasGap({ prevSeq }: Frame): boolean {
    return this.#options.resumable === true && prevSeq !== undefined && prevSeq !== this.#seq;
  }

  #lose(code: number, reason = ''): void {
    this.#socket = undefined;
    if (this.#ended) return;
    this.state.value = 'lost';
    if (REFUSED.includes(code)) {
      this.#options.onRefused?.(reason);
      return;
    }
    if (code === NOT_ADMITTED) void pagesKey.renew();
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#losses++, LONGEST_WAIT_MS);
    clearTimeout(this.#timer);
    // Not all readers of a restarted service at the same moment.
    this.#timer = setTimeout(this.#connectNow, wait * (0.5 + Math.random() / 2));
  }

  /** Without `onclose`: this end is our own. */
  #drop(): void {
    if (!this.#socket) return;
    this.#socket.onclose = null;
    this.#socket.onmessage = null;
    this.#socket.close();
    this.#socket = undefined;
  }

  readonly #connectNow = (): void => {
    if (this.#ended || this.#socket || document.hidden) return;
    clearTimeout(this.#timer);
    this.#connect();
  };

  readonly #seen = (): void => {
    clearTimeout(this.#hiddenTimer);
    if (document.hidden) this.#hiddenTimer = setTimeout(() => this.#drop(), HIDDEN_FOR_MS);
    else this.#connectNow();
  };

  readonly #ping = (): void => {
    if (this.#socket && Date.now() - this.#heard > SILENT_FOR_MS) {
      this.#drop();
      this.#lose(0);
    }
    this.send({ type: 'ping' });
  };
}

/**
 * A stream for as long as the component is shown; none while `options` is undefined. It is opened again when the path or the
 * query changes; `onFrame` and `onRefused` may be other functions each time.
 */
export function useStream(options: StreamOptions | undefined): StreamState {
  const onFrame = useRef(options?.onFrame);
  onFrame.current = options?.onFrame;
  const onRefused = useRef(options?.onRefused);
  onRefused.current = options?.onRefused;
  const [state, setState] = useState<StreamState>('connecting');
  const key = options && `${options.path}?${searchOf(options.query ?? {})}`;
  const open = useRef<Stream>(undefined);
  const hello = JSON.stringify(options?.hello);
  // The key stands for the options.
  useEffect(() => {
    if (!options) return;
    const stream = new Stream({
      ...options,
      onFrame: (frame) => onFrame.current?.(frame),
      onRefused: (reason) => onRefused.current?.(reason),
    });
    open.current = stream;
    const unsubscribe = stream.state.subscribe(setState);
    return () => {
      unsubscribe();
      stream.close();
      open.current = undefined;
    };
  }, [key]);
  useEffect(() => {
    if (hello !== undefined) open.current?.say(JSON.parse(hello));
  }, [hello]);
  return state;
}

/** Every bound of the streams in one table, and every close code with its meaning. */

import type { ApiError } from '../requests/errors.ts';

export interface Limits {
  /** Open sockets in total. Reached: 4011. */
  readonly connections: number;
  /** Open sockets of one client address. Reached: 4029. */
  readonly connectionsPerIp: number;
  /** Open sockets of one key. Reached: 4029. */
  readonly connectionsPerKey: number;
  /** Tokens one `/ws/sync` socket may name. Reached: 4011. */
  readonly tokensPerConnection: number;
  /** Candle subscriptions of one `/ws/ohlc` socket. Reached: 4011. */
  readonly ohlcPerConnection: number;
  /** A client's message in bytes. Exceeded: 4012. */
  readonly messageBytes: number;
  /** Size of a client's message at which the transport itself ends the connection (before we could send 4012). */
  readonly transportMessageBytes: number;
  /** Sustained client messages a second, and the largest burst. Exceeded: 4010. */
  readonly messagesPerSecond: number;
  readonly messageBurst: number;
  /** Bytes of a socket's messages that may wait to be answered. Exceeded: 4010. */
  readonly waitingBytes: number;
  /** The same of all sockets together. Above it, those with the most are closed: 4010. */
  readonly waitingBytesInAll: number;
  /** Bytes that may wait for one socket before it counts as a slow reader: 4010. */
  readonly queueBytes: number;
  /** Bytes that may wait for all sockets together. Above it, those with the longest queues are terminated. */
  readonly queueBytesInAll: number;
  /** Milliseconds a closing socket has to read the frames that wait for it. `lingerMs` in `/ws/info`. */
  readonly drainMs: number;
  /**
   * Queue length at which the transport drops frames. Must be much larger than `queueBytes` + `sweepBytes`, so that
   * we close the socket before that happens.
   */
  readonly transportQueueBytes: number;
  /** Bytes that a channel may publish before it checks its members' queues again. */
  readonly sweepBytes: number;
  /** Frames and bytes that a channel keeps for `checkSeq`. */
  readonly ringFrames: number;
  readonly ringBytes: number;
  /** Bytes kept for `checkSeq` by all channels together. */
  readonly ringBytesInAll: number;
  /** Token rows in one frame; further rows go into further frames with their own seq. */
  readonly rowsPerFrame: number;
  /** Frames below this many bytes are sent plain even if deflate was negotiated: it would cost more than it saves. */
  readonly deflateFrom: number;
  /** Bytes that one publish may deflate (frame bytes x deflating sockets). Above it, the frame is sent plain. */
  readonly deflateBytesPerPublish: number;
  /** Milliseconds of work between two returns to the event loop. */
  readonly timeSliceMs: number;
  /**
   * Least milliseconds between two flushes. Live ledgers are seconds apart and are sent immediately. While the engine
   * catches up, many ledgers share a flush, so that readers are not overloaded.
   */
  readonly flushMs: number;
  /** Milliseconds that frames may delay the ledger's way to the store. Beyond that, both share the thread. */
  readonly publishMs: number;
  /** Seconds without any frame in either direction after which the transport closes. Pings are sent before. */
  readonly idleSeconds: number;
}

export const DEFAULT_LIMITS: Limits = {
  connections: 20_000,
  connectionsPerIp: 200,
  connectionsPerKey: 1_000,
  tokensPerConnection: 2_000,
  ohlcPerConnection: 10,
  messageBytes: 128 * 1024, // 2,000 ids of 32 hex digits with quotes and commas are 70 KB
  // 32 times the largest accepted message, so that a client that sends too much still receives 4012 and the reason. Not
  // more, because the transport inflates a message before it is counted: 4 KB of deflated text become 4 MB, about 5 ms
  // of the event loop.
  transportMessageBytes: 4 * 1024 * 1024,
  messagesPerSecond: 20,
  messageBurst: 200,
  waitingBytes: 1024 * 1024, // eight of the largest messages
  waitingBytesInAll: 64 * 1024 * 1024,
  queueBytes: 1024 * 1024,
  queueBytesInAll: 256 * 1024 * 1024,
  drainMs: 10_000,
  transportQueueBytes: 64 * 1024 * 1024,
  sweepBytes: 256 * 1024,
  ringFrames: 64,
  ringBytes: 2 * 1024 * 1024,
  ringBytesInAll: 128 * 1024 * 1024,
  rowsPerFrame: 100, // 200 KB
  deflateFrom: 1024,
  deflateBytesPerPublish: 2 * 1024 * 1024, // about 7 ms at level 1
  timeSliceMs: 5,
  flushMs: 100,
  publishMs: 100,
  idleSeconds: 120,
};

/** What each of several hubs may use of the memory and the thread's time. Open sockets are counted together. */
export function limitsOfEach(limits: Limits, hubs: number): Limits {
  return {
    ...limits,
    waitingBytesInAll: limits.waitingBytesInAll / hubs,
    queueBytesInAll: limits.queueBytesInAll / hubs,
    ringBytesInAll: limits.ringBytesInAll / hubs,
    timeSliceMs: limits.timeSliceMs / hubs,
  };
}

/** Close codes (section 6 names the ranges; the meaning of each of 4020-4025 is fixed here). */
export const CloseCode = {
  /** The service is shutting down: reconnect with back-off. */
  goingAway: 1001,
  /** Not admitted: a key, a signature or a higher tier is needed (1008: "policy violation", RFC 6455 7.4.1). */
  notAdmitted: 1008,
  /** A fault of ours. */
  internal: 1011,
  /** The streams begin again, as ledgers are missing: reconnect with back-off. */
  restart: 1012,
  /** Too many messages, or the client reads frames too slowly. Everything sent before the close arrives. */
  rate: 4010,
  /** The limit of sockets or subscriptions is reached. */
  subscriptions: 4011,
  messageSize: 4012,
  /** An identifier that is malformed, or in a form that this stream does not accept (`base={md5}`). */
  identifierForm: 4020,
  /** A required parameter is missing, or names something that is not on the ledger. */
  missing: 4021,
  interval: 4022,
  currency: 4023,
  fields: 4024,
  /** Any other parameter value that is not supported. */
  parameter: 4025,
  /** Too many sockets of one address or key: reconnect with back-off. */
  connections: 4029,
} as const;

/** Error numbers in frames after which the connection stays open. */
export const ErrorCode = {
  /** The frame is not a JSON object. */
  notJson: 4026,
  /** A JSON object whose `type` this stream does not know, or with unusable content. */
  badMessage: 4025,
} as const;

export const CLOSE_CODES: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: 1001, meaning: 'the service is shutting down; reconnect with exponential back-off' },
  { code: 1008, meaning: 'not admitted: a key, a signature or a higher tier is needed' },
  {
    code: 1009,
    meaning:
      'a message so large that the transport closes the connection without reading it; see limits.transportMessageBytes',
  },
  { code: 1011, meaning: 'a fault of the service' },
  {
    code: 1012,
    meaning:
      'ledgers are missing, so that frames of them are, too; reconnect with exponential back-off for what is known now',
  },
  {
    code: 4010,
    meaning:
      'rate limit: too many messages, or too many bytes of them not answered yet, or the reader is too slow (it gets every frame sent before the close, without a gap)',
  },
  { code: 4011, meaning: 'maximum of connections in all, or of subscriptions of the connection' },
  { code: 4012, meaning: 'message size; see limits.messageBytes' },
  {
    code: 4020,
    meaning: 'invalid parameter: malformed identifier, or a form this stream does not take (base={md5})',
  },
  {
    code: 4021,
    meaning: 'invalid parameter: required and missing, or naming what the ledger does not hold',
  },
  { code: 4022, meaning: 'invalid parameter: interval' },
  { code: 4023, meaning: 'invalid parameter: vs_currency' },
  { code: 4024, meaning: 'invalid parameter: fields' },
  { code: 4025, meaning: 'invalid parameter: any other' },
  {
    code: 4029,
    meaning: 'connection limit of the client address, or of the key; an {error} frame precedes the close',
  },
];

/** The close code of a stream for an error that a request would get as a status. */
export function closeCodeOf({ code, details }: ApiError): number {
  if (details.closeCode !== undefined) return details.closeCode;
  switch (code) {
    case 'rate_limited':
      return CloseCode.rate;
    case 'payment_required':
      return CloseCode.subscriptions;
    case 'unauthorized':
    case 'forbidden':
      return CloseCode.notAdmitted;
    default:
      return CloseCode.parameter;
  }
}

/** Refuses a connection: an {error} frame, then the close code. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

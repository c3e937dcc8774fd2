/** The streams as JSON, from their rows: for `GET /ws/info` and the documentation. */
import { CLOSE_CODES, ErrorCode, type Limits } from './limits.ts';
import type { Stream } from './stream.ts';

export function info(streams: readonly Stream[], limits: Limits) {
  return {
    success: true,
    streams: streams.map(({ path, summary, params, messages, frames, notes }) => ({
      path,
      summary,
      params,
      messages: [{ type: 'ping', fields: '', about: 'Answered by {type: "pong", time}.' }, ...messages],
      frames,
      notes: notes ?? [],
    })),
    common: {
      query: { wsToken: 'accepted and ignored' },
      keys: 'in the header X-Api-Key; pages, which can send none, offer the protocols "millrace" and "key.<API key>"',
      compression: 'permessage-deflate where the client asks for it',
      reconnect: 'with exponential back-off; not after 4011, 4020 and 4021',
      slowReaders:
        'are closed with 4010 after everything that was sent, if they read it within 10 s; otherwise they are terminated. Frames are never left out silently',
    },
    closeCodes: CLOSE_CODES,
    errorCodes: [
      {
        errorCode: ErrorCode.notJson,
        meaning: 'the frame is not a JSON object as text; the connection stays open',
      },
      {
        errorCode: ErrorCode.badMessage,
        meaning: 'unknown type or unusable content; the connection stays open',
      },
    ],
    limits: {
      connections: limits.connections,
      connectionsPerIp: limits.connectionsPerIp,
      connectionsPerKey: limits.connectionsPerKey,
      tokensPerConnection: limits.tokensPerConnection,
      ohlcPerConnection: limits.ohlcPerConnection,
      messageBytes: limits.messageBytes,
      transportMessageBytes: limits.transportMessageBytes,
      messagesPerSecond: limits.messagesPerSecond,
      messageBurst: limits.messageBurst,
      waitingBytes: limits.waitingBytes,
      waitingBytesInAll: limits.waitingBytesInAll,
      queueBytes: limits.queueBytes,
      queueBytesInAll: limits.queueBytesInAll,
      lingerMs: limits.drainMs,
    },
  };
}

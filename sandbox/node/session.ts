/**
 * One WebSocket of the node: its subscriptions, and the way to write to it.
 *
 * Everything that grows a session has a limit. A reader that lets its messages pile up is closed, as in rippled: a stream
 * with a gap is worse than none.
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../engine/codec/json.ts';
import { RpcError } from './rpc/errors.ts';

/** Accounts and books of one session together. */
const SUBSCRIPTIONS_MAX = 1_024;

/** The last three are streams of rippled on which a network of one node never publishes. */
export const STREAMS = [
  'ledger',
  'transactions',
  'transactions_proposed',
  'server',
  'book_changes',
  'consensus',
  'manifests',
  'peer_status',
  'validations',
] as const;

export type StreamName = (typeof STREAMS)[number];

/** Version of the API that a request is answered by. */
export type ApiVersion = 1 | 2;

/** A path request that stays open. */
export interface PathSubscription {
  /** The last answer. */
  readonly answer: JsonObject;
  /** A ledger has closed: searches again, and sends the answer to the session later. */
  update(): void;
}

export class Session {
  /** With the API version each was subscribed under: it decides the shape of messages. */
  readonly streams = new Map<StreamName, ApiVersion>();
  readonly accounts = new Map<AccountId, ApiVersion>();
  readonly accountsProposed = new Map<AccountId, ApiVersion>();
  /** Books that are watched, by the keys of their directories without the quality, 48 digits. */
  readonly books = new Map<Hex, ApiVersion>();
  /** The open `path_find` request: answered again at each closed ledger. */
  pathFind: PathSubscription | undefined;
  #write: (text: string) => void = () => {};

  /** Until this is called, messages are discarded. */
  writeWith(write: (text: string) => void): void {
    this.#write = write;
  }

  /** Sends text that may be shared with other sessions. */
  sendText(text: string): void {
    this.#write(text);
  }

  send(message: JsonObject): void {
    this.#write(JSON.stringify(message));
  }

  /** @throws RpcError slowDown when `more` subscriptions would be too many */
  admit(more: number): void {
    const held = this.accounts.size + this.accountsProposed.size + this.books.size;
    if (held + more > SUBSCRIPTIONS_MAX) throw new RpcError('slowDown', 'Too many subscriptions.');
  }
}

/**
 * One stream, declared once: a row of data. Parameters, close codes, `/ws/info` and the documentation come from the
 * same rows; `serve` makes what answers, once per hub.
 */

import type { Guarded } from '../requests/admission.ts';
import type { Input, Params } from '../requests/param.ts';
import type { Transport } from './channel.ts';
import type { Connection } from './connection.ts';
import type { Feed, LedgerNews } from './feed.ts';
import type { Work } from './work.ts';

export interface MessageRow {
  readonly type: string;
  readonly fields: string;
  readonly about: string;
}

export interface FrameRow {
  readonly name: string;
  readonly fields: readonly string[];
  readonly about: string;
}

/** A client's message: an object without prototype keys to trip over (made by JSON.parse). */
export type Message = Readonly<Record<string, unknown>> & { readonly type: string };

/** What a stream's server gets from the hub. */
export interface Ground {
  readonly feed: Feed;
  readonly transport: Transport;
  readonly work: Work;
  /** Unix ms. */
  readonly now: () => number;
  /** Names this run of the hub: a seq is comparable only within one session. */
  readonly session: string;
}

/** The living side of a stream. `I`: what its parameters read. */
export interface StreamServer<I = unknown> {
  /** Subscribes and sends the first frame. @throws Refusal */
  open(connection: Connection, input: I): void;
  /** A message other than ping. @returns false when its type is not known here. @throws Refusal */
  message?(connection: Connection, message: Message): boolean;
  close?(connection: Connection): void;
  /** A ledger was applied: note what concerns the members. Builds nothing. */
  note?(news: LedgerNews): void;
  /** Once per turn of the loop after one or more ledgers: hand out jobs that build and publish frames. */
  flush?(): void;
  /** Channels now alive, for /metrics. */
  readonly channels: number;
}

export interface Stream<P extends Params = Params> extends Guarded {
  /** `/ws/token/{md5}` */
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly messages: readonly MessageRow[];
  readonly frames: readonly FrameRow[];
  /** Remarks on limits and codes of this stream. */
  readonly notes?: readonly string[];
  readonly serve: (ground: Ground) => StreamServer<Input<P>>;
}

/** Types a row: the input of its server follows from its parameters. */
export function stream<const P extends Params>(row: Stream<P>): Stream {
  return row;
}

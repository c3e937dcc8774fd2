/**
 * One stream, declared once: a row of data. Parameters, close codes, `/ws/info` and the documentation come from the
 * same rows; `serve` makes what answers, once per hub.
 */

import type { Transport } from './channel.ts';
import type { Connection } from './connection.ts';
import type { Feed, LedgerNews } from './feed.ts';
import type { Work } from './work.ts';

interface ParamBase {
  readonly in: 'path' | 'query';
  readonly about: string;
  /** Other names clients send. */
  readonly aliases?: readonly string[];
}

export type StreamParam = ParamBase &
  (
    | { readonly kind: 'text'; readonly maxLength: number }
    /** Clamped, never refused; not a number = default. */
    | { readonly kind: 'int'; readonly default: number; readonly min: number; readonly max: number }
    /** `code` closes on a value that is not offered. */
    | {
        readonly kind: 'enum';
        readonly values: readonly string[];
        readonly default?: string;
        readonly synonyms?: Readonly<Record<string, string>>;
        readonly code: number;
      }
    | { readonly kind: 'flag'; readonly default: boolean }
  );

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

export type Input = Readonly<Record<string, string | number | boolean | undefined>>;

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

/** The living side of a stream. */
export interface StreamServer {
  /** Subscribes and sends the first frame. @throws Refusal */
  open(connection: Connection, input: Input): void;
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

export interface Stream {
  /** `/ws/token/{md5}` */
  readonly path: string;
  readonly summary: string;
  readonly params: Readonly<Record<string, StreamParam>>;
  readonly messages: readonly MessageRow[];
  readonly frames: readonly FrameRow[];
  /** Remarks on limits and codes of this stream. */
  readonly notes?: readonly string[];
  readonly serve: (ground: Ground) => StreamServer;
}

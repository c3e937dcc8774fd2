/**
 * One stream, declared once: a row of data. Parameters, close codes, `/ws/info` and the documentation come from the
 * same rows. `serve` creates the stream's server, once per hub.
 */

import type { LedgerEvent } from '../engine/engine.ts';
import type { Changed } from '../engine/state/changed.ts';
import type { Guarded } from '../requests/admission.ts';
import type { Input, Params } from '../requests/param.ts';
import type { Network } from '../views/network.ts';
import type { Transport } from './channel.ts';
import type { Client } from './client.ts';
import type { Scheduler } from './scheduler.ts';

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

/** A client's message: a plain object made by JSON.parse. */
export type Message = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * What a stream's server gets from the hub: the network it is about, read through its views, and through the engine where
 * no view is needed. What several streams need of one ledger is made once, by the view of its subject.
 */
export interface StreamContext extends Pick<Network, 'engine' | 'views'> {
  readonly transport: Transport;
  readonly scheduler: Scheduler;
  /** Unix ms. */
  readonly now: () => number;
  /** Names this run of the hub: a seq is comparable only within one session. */
  readonly session: string;
}

/** Serves the connections of one stream. `I`: the values of its parameters. */
export interface StreamServer<I = unknown> {
  /**
   * Resolves when `open` needs no long computation; undefined: now. The client's messages wait for it. @throws Refusal
   */
  ready?(input: I): Promise<void> | undefined;
  /** Subscribes and sends the first frame. @throws Refusal */
  open(connection: Client, input: I): void;
  /** A message other than ping. @returns false when its type is not known here. @throws Refusal */
  message?(connection: Client, message: Message): boolean;
  close?(connection: Client): void;
  /**
   * Hot state has a ledger that the market and the rest do not have yet: publish some frames that follow from this state alone,
   * now and before all others (`Channel.publishNow`). What is left out here goes out as usual.
   */
  stateApplied?(changed: Changed): void;
  /**
   * A ledger was applied: mark what concerns the members. Builds no frames.
   * @param event its transactions, and what it changed in each domain; valid during the call
   */
  markDirty?(event: LedgerEvent): void;
  /** Called once after one or more ledgers: schedules the jobs that build and publish frames. */
  flush?(): void;
  /** Number of channels now, for /metrics. */
  readonly channels: number;
}

export interface Stream<P extends Params = Params> extends Guarded {
  /** `/ws/token/{md5}` */
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly messages: readonly MessageRow[];
  readonly frames: readonly FrameRow[];
  /** Notes on limits and codes of this stream. */
  readonly notes?: readonly string[];
  readonly serve: (context: StreamContext) => StreamServer<Input<P>>;
}

/** Types a row: the input of its server follows from its parameters. */
export function stream<const P extends Params>(row: Stream<P>): Stream {
  return row;
}

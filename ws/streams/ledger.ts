/** `/ws/ledger`: one frame per closed ledger. The ledger index is the sequence. */

import type { LedgerEvent } from '../../engine/engine.ts';
import type { Head } from '../../engine/head.ts';
import type { State } from '../../engine/state/state.ts';
import { Channel } from '../channel.ts';
import type { Client } from '../client.ts';
import { type StreamContext, type StreamServer, stream } from '../stream.ts';

/** Ledgers that may wait for one flush. If more wait while the engine catches up, the older ones are reported as a gap. */
const PENDING_MAX = 64;

const FIELDS = [
  'ledger_index',
  'ledger_hash',
  'ledger_time (Ripple epoch seconds)',
  'close_time (Unix ms)',
  'txn_count',
  'validated',
  'reserve_base (drops)',
  'reserve_inc (drops)',
  'fee_base (drops)',
  'fee_ref (fee units)',
];

/** Fee units of a reference transaction: a constant of the protocol, no longer on the ledger since XRPFees. */
const REFERENCE_FEE_UNITS = 10;

/** Drops; undefined if the ledgers read so far do not contain the value. */
interface Fees {
  readonly reserve_base: number | undefined;
  readonly reserve_inc: number | undefined;
  readonly fee_base: number | undefined;
}

export const ledgerStream = stream({
  path: '/ws/ledger',
  summary: 'Ledger closes',
  auth: 'none',
  tier: 'anonymous',
  params: {
    from_seq: {
      in: 'query',
      kind: 'int',
      min: 0,
      about:
        'After a reconnect: index of the last ledger received. The ledgers since follow, or a gap is reported.',
    },
  },
  messages: [],
  frames: [
    { name: 'initial', fields: ['type', 'e', 'E', ...FIELDS], about: 'The last closed ledger.' },
    { name: 'ledger', fields: ['e', 'E', ...FIELDS], about: 'Each close.' },
    {
      name: 'gap',
      fields: ['e', 'E', 'from', 'to'],
      about:
        'Ledgers that are not sent one by one: applied while catching up, or no longer kept for from_seq.',
    },
  ],
  serve: (context) => new LedgerServer(context),
});

class LedgerServer implements StreamServer<{ readonly from_seq: number | undefined }> {
  readonly channels = 1;
  readonly #context: StreamContext;
  readonly #channel: Channel;
  /** Newest ledger at which there was a member, or with which the service started: those that it ended reconnect. */
  #watchedAt: number;
  #pending: { head: Head; fees: Fees }[] = [];
  /** Index of the newest ledger that members know of. */
  #published: number | undefined;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#channel = new Channel(context.transport, 'ledger', 0, true);
    this.#watchedAt = context.engine.head?.index ?? 0;
  }

  open(connection: Client, { from_seq: from }: { readonly from_seq: number | undefined }): void {
    const { engine, now } = this.#context;
    // Publish the waiting ledgers now, so that the new member's first frame is older than its second.
    this.#publish();
    this.#published = engine.head?.index;
    this.#watchedAt = engine.head?.index ?? 0;
    this.#channel.join(connection);
    if (from !== undefined) {
      if (this.#resume(connection, from)) return;
      if (engine.head) this.#sendGap(connection, from + 1, engine.head.index - 1);
    }
    if (engine.head)
      connection.reply({ type: 'initial', ...frameOf(engine.head, feesOf(engine.state), now()) });
  }

  /** Sends the ledgers after one, and says which of them are missing. @returns false: that one is not known here */
  #resume(connection: Client, from: number): boolean {
    const { seq } = this.#channel;
    const newest = this.#context.engine.head?.index;
    if (from === newest) return true;
    // Without members ledgers are kept for a while only.
    if (seq !== newest) return false;
    const kept =
      this.#channel.since(from) ?? (from < seq ? this.#channel.since(this.#channel.floor) : undefined);
    if (!kept) return false;
    const first = kept.length === 0 ? seq : (this.#indexOf(kept) ?? seq);
    this.#sendGap(connection, from + 1, first - 1);
    for (const frame of kept) connection.send(frame);
    return true;
  }

  /** Ledgers that a client does not get, where there are any. */
  #sendGap(connection: Client, from: number, to: number): void {
    if (to >= from) connection.reply({ e: 'gap', E: this.#context.now(), from, to });
  }

  /** Index of the first ledger among frames. */
  #indexOf(frames: readonly string[]): number | undefined {
    for (const frame of frames) {
      const { ledger_index: index, from } = JSON.parse(frame) as { ledger_index?: number; from?: number };
      if (index !== undefined || from !== undefined) return index ?? from;
    }
    return undefined;
  }

  /** For a while without members, too: for those that reconnect. */
  markDirty({ head }: LedgerEvent): void {
    const { members } = this.#channel;
    if (members.size > 0) this.#watchedAt = head.index;
    else if (head.index - this.#watchedAt > this.#context.transport.limits.ringFrames) {
      this.#channel.release();
      this.#pending = [];
      return;
    }
    this.#pending.push({ head, fees: feesOf(this.#context.engine.state) });
    if (this.#pending.length > PENDING_MAX) this.#pending.shift();
  }

  /** Frames that nobody gets yet are made when somebody joins. */
  flush(): void {
    if (this.#pending.length > 0 && this.#channel.members.size > 0)
      this.#context.scheduler.urgent(() => this.#publish());
  }

  #publish(): void {
    const pending = this.#pending;
    const time = this.#context.now();
    this.#pending = [];
    for (const { head, fees } of pending) {
      const [from, to] = [(this.#published ?? head.index) + 1, head.index - 1];
      if (to >= from) this.#channel.publish(JSON.stringify({ e: 'gap', E: time, from, to }));
      this.#published = head.index;
      this.#channel.publish(JSON.stringify(frameOf(head, fees, time)), head.index);
    }
  }
}

function feesOf({ fees }: State): Fees {
  return {
    reserve_base: fees.reserveBaseDrops,
    reserve_inc: fees.reserveIncrementDrops,
    fee_base: fees.baseFeeDrops,
  };
}

function frameOf(head: Head, fees: Fees, time: number) {
  return {
    e: 'ledger',
    E: time,
    ledger_index: head.index,
    ledger_hash: head.hash,
    ledger_time: head.closeTime,
    close_time: head.closeTimeMs,
    txn_count: head.txCount,
    validated: true,
    ...fees,
    fee_ref: REFERENCE_FEE_UNITS,
  };
}

/** `/ws/ledger`: one frame per closed ledger. The ledger index is the sequence. */

import type { LedgerEvent } from '../../engine/engine.ts';
import type { Head } from '../../engine/head.ts';
import type { State } from '../../engine/state/state.ts';
import { Channel } from '../channel.ts';
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
  params: {},
  messages: [],
  frames: [
    { name: 'initial', fields: ['type', 'e', 'E', ...FIELDS], about: 'The last closed ledger.' },
    { name: 'ledger', fields: ['e', 'E', ...FIELDS], about: 'Each close.' },
    {
      name: 'gap',
      fields: ['e', 'E', 'from', 'to'],
      about: 'Ledgers that were applied while catching up and are not sent one by one.',
    },
  ],
  serve: (context) => new LedgerServer(context),
});

class LedgerServer implements StreamServer {
  readonly channels = 1;
  readonly #context: StreamContext;
  readonly #channel: Channel;
  #pending: { head: Head; fees: Fees }[] = [];
  #gap: { from: number; to: number } | undefined;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#channel = new Channel(context.transport, 'ledger');
  }

  open(connection: Parameters<StreamServer['open']>[0]): void {
    const { engine, now } = this.#context;
    // Publish the waiting ledgers now, so that the new member's first frame is older than its second.
    this.#publish();
    this.#channel.join(connection);
    if (engine.head)
      connection.reply({ type: 'initial', ...frameOf(engine.head, feesOf(engine.state), now()) });
  }

  markDirty({ head }: LedgerEvent): void {
    if (this.#channel.members.size === 0) return;
    this.#pending.push({ head, fees: feesOf(this.#context.engine.state) });
    if (this.#pending.length <= PENDING_MAX) return;
    const { index } = this.#pending.shift()!.head;
    this.#gap = { from: this.#gap?.from ?? index, to: index };
  }

  flush(): void {
    if (this.#pending.length > 0) this.#context.scheduler.urgent(() => this.#publish());
  }

  #publish(): void {
    const pending = this.#pending;
    const time = this.#context.now();
    this.#pending = [];
    if (this.#gap) this.#channel.publish(JSON.stringify({ e: 'gap', E: time, ...this.#gap }));
    this.#gap = undefined;
    for (const { head, fees } of pending)
      this.#channel.publish(JSON.stringify(frameOf(head, fees, time)), head.index);
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

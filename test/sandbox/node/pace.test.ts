import { describe, expect, test } from 'bun:test';
import type { Clock } from '../../../engine/ledger/clock.ts';
import type { ParsedTransaction } from '../../../sandbox/apply/environment.ts';
import { HISTORY_STEP, Pace, type TransactionSource } from '../../../sandbox/node/pace.ts';
import { quietLog } from '../../engine/ledger/quiet.ts';
import { GENESIS, NetworkRig, START } from './network-rig.ts';

/** A clock that is advanced by hand: `run` calls due timers, one after the other. */
class HandClock implements Clock {
  ms = 0;
  #timers: { at: number; run: () => void }[] = [];

  now(): number {
    return this.ms;
  }

  timer(ms: number, run: () => void): () => void {
    const timer = { at: this.ms + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Calls the next timer, advancing the time to it. @returns false when there is none */
  run(): boolean {
    const next = this.#timers.sort((a, b) => a.at - b.at).shift();
    if (next === undefined) return false;
    this.ms = Math.max(this.ms, next.at);
    next.run();
    return true;
  }
}

function paced(agents: TransactionSource, behindSeconds: number) {
  const clock = new HandClock();
  const rig = new NetworkRig({ startTime: START });
  rig.time = START + behindSeconds;
  const faults: unknown[] = [];
  const pace = new Pace({
    network: rig.network,
    agents,
    interval: 4,
    clock,
    log: quietLog,
    onFault: (fault) => faults.push(fault),
  });
  pace.start();
  return { rig, clock, pace, faults };
}

const noTransactions: TransactionSource = { transactions: () => [] };

describe('the pace', () => {
  test('makes history a minute a ledger until now, then a ledger every interval', () => {
    const { rig, clock, faults } = paced(noTransactions, 100 * HISTORY_STEP + 7);
    const closeTimes: number[] = [];
    rig.network.on('ledger', ({ closeTime }) => closeTimes.push(closeTime));
    clock.run();
    // All of it in one time slice: the clock does not advance meanwhile.
    expect(closeTimes).toEqual(Array.from({ length: 100 }, (_, i) => START + (i + 1) * HISTORY_STEP));
    expect(rig.network.closed).toBe(rig.network.validated);
    const before = clock.ms;
    for (let i = 0; i < 3; i++) {
      clock.run();
      rig.time += 4;
    }
    expect(closeTimes).toHaveLength(103);
    expect(clock.ms - before).toBe(8_000);
    expect(faults).toEqual([]);
  });

  test('after a restart agents act on the newest ledger before it gets a successor', () => {
    const asked: number[] = [];
    const agents: TransactionSource = {
      transactions: (parent) => {
        asked.push(parent.index);
        return [];
      },
    };
    const { rig, clock } = paced(agents, HISTORY_STEP / 2);
    const head = rig.network.closed.index;
    clock.run();
    expect([asked, rig.network.closed.index]).toEqual([[head], head]);
    rig.time += 4;
    clock.run();
    expect([asked, rig.network.closed.index]).toEqual([[head, head + 1], head + 1]);
    expect(clock.ms).toBe(4_000);
    // The machine sleeps: the next ledger on the same parent is history, and the agents do not act again.
    rig.time += 2 * HISTORY_STEP;
    clock.run();
    expect(asked).toEqual([head, head + 1, head + 2, head + 3]);
  });

  test('includes transactions of clients in history, durable at once', () => {
    const { rig, clock, pace } = paced(
      {
        // A client sends a payment after the tenth ledger has been made.
        transactions: (parent): readonly ParsedTransaction[] => {
          if (parent.index === 12) sent = send();
          return [];
        },
      },
      40 * HISTORY_STEP,
    );
    let sent: ParsedTransaction | undefined;
    const { network } = rig;
    const send = () => {
      const tx = rig.signed(GENESIS, {
        TransactionType: 'AccountSet',
        LastLedgerSequence: network.validated.index + 20,
      });
      expect(network.submit(tx).result).toBe('tesSUCCESS');
      return tx;
    };
    const flushed: number[] = [];
    network.on('ledger', ({ index }) => {
      if (index === network.validated.index) flushed.push(index);
    });
    clock.run();
    const found = network.ledgers.transaction(sent!.hash);
    expect(found?.ledger.index).toBeLessThanOrEqual(14);
    expect(flushed).toContain(found!.ledger.index);
    // When the client polls a second later, the chain is not yet past the transaction's last ledger.
    const sentAt = clock.ms;
    while (clock.ms - sentAt < 1_200) {
      expect(network.validated.index).toBeLessThan(found!.ledger.index + 6);
      clock.run();
    }
    while (network.time - network.closed.closeTime >= HISTORY_STEP) expect(clock.run()).toBe(true);
    pace.stop();
    expect(clock.run()).toBe(false);
  });

  test('stops, and reports it, when the store fails', () => {
    const { rig, clock, faults } = paced(noTransactions, 100 * HISTORY_STEP);
    rig.network.ledgers.append = () => {
      throw new Error('disk full');
    };
    clock.run();
    expect(faults).toEqual([new Error('disk full')]);
    expect(clock.run()).toBe(false);
  });
});

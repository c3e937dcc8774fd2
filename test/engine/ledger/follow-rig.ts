/** A follower on fake nodes, with a record of what it emitted. */

import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { Counters } from '../../../engine/counters.ts';
import { type FollowEnd, type FollowOptions, follow } from '../../../engine/ledger/follow.ts';
import type { Limits } from '../../../engine/ledger/limits.ts';
import { NodeSource } from '../../../engine/ledger/node-source.ts';
import type { FollowProgress } from '../../../engine/ledger/progress.ts';
import type { Source } from '../../../engine/ledger/source.ts';
import type { FakeNode } from '../../../support/fake-node.ts';
import { preparePool } from '../../../workers/prepare-pool.ts';
import { quietLog, SHORT, seeded, testClock } from './quiet.ts';

export interface Rig {
  readonly emitted: PackedLedger[];
  readonly gaps: [number, number][];
  readonly progress: FollowProgress[];
  readonly counters: Counters;
  readonly ended: Promise<FollowEnd>;
  stop(): Promise<FollowEnd>;
}

/** Follows any open source inline. */
export function followSource(
  source: Source,
  options: Partial<FollowOptions> = {},
  counters = new Counters(),
): Rig {
  const emitted: PackedLedger[] = [];
  const gaps: [number, number][] = [];
  const progress: FollowProgress[] = [];
  const stop = new AbortController();
  const ended = follow({
    source,
    preparer: preparePool(0),
    from: undefined,
    history: Number.POSITIVE_INFINITY,
    window: 8,
    onLedger: ({ packed }) => {
      emitted.push(packed);
    },
    onGap: (from, to) => gaps.push([from, to]),
    onProgress: (report) => progress.push(report),
    log: quietLog,
    counters,
    clock: testClock,
    random: seeded(3),
    signal: stop.signal,
    ...options,
  });
  ended.catch(() => {});
  return {
    emitted,
    gaps,
    progress,
    counters,
    ended,
    stop() {
      stop.abort();
      return ended;
    },
  };
}

/** A node source for these nodes, and a follower of it. */
export async function followNodes(
  nodes: readonly FakeNode[],
  options: Partial<FollowOptions> = {},
  limits: Limits = SHORT,
): Promise<Rig & { source: NodeSource; end(): Promise<void> }> {
  const counters = new Counters();
  const source = new NodeSource({
    urls: nodes.map((node) => node.url),
    clock: testClock,
    random: seeded(5),
    log: quietLog,
    counters,
    limits,
  });
  await source.open();
  const rig = followSource(source, options, counters);
  return {
    ...rig,
    source,
    async end() {
      await rig.stop();
      await source.close();
      for (const node of nodes) await node.stop();
    },
  };
}

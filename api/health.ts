/**
 * The answer of /health: always 200 while the process serves, and one rule for its content.
 *
 *     ready = the network is up to date (readiness.ts) and every service it needs is up
 *     status = ready ? healthy : degraded
 *
 * The age of the newest ledger is not used: networks close ledgers at different intervals, some manually. readiness.ts
 * knows the interval and decides whether a source has been silent for too long.
 */

import type { Engine } from '../engine/engine.ts';
import { SNAPSHOT_VALUE } from '../engine/snapshot.ts';
import type { Network } from '../views/network.ts';
import type { Service } from './route.ts';

/** Number of ranges of stored ledgers that are listed, the newest; a recording may have a range for each ledger. */
const RANGES_MAX = 20;

interface Part {
  readonly status: 'up' | 'down';
  /** ms of a trivial read. */
  readonly latency: number;
}

export function healthObject(network: Network, service: Service) {
  const now = service.now();
  const { engine } = network;
  const { head } = engine;
  const services = {
    database: probe(() => engine.store.firstLedger()),
    rippled: node(network),
    cache: probe(() => engine.version),
  };
  const ready = network.ready && Object.values(services).every((part) => part.status === 'up');
  return {
    status: ready ? ('healthy' as const) : ('degraded' as const),
    ready,
    timestamp: now,
    version: service.version,
    uptime: Math.floor(service.uptime()),
    services,
    ledger: head
      ? {
          index: head.index,
          closeTime: head.closeTimeMs,
          age_seconds: Math.max(0, Math.round((now - head.closeTimeMs) / 1000)),
          behind: network.behind,
          ...ledgersHeld(engine),
        }
      : null,
  };
}

/**
 * Which ledgers are stored, and whether the state is complete. It is complete if it was read in full once (`value`
 * null: the snapshot is done), or if every ledger was read from the first one on. Otherwise it contains only entries
 * that changed in the ledgers read.
 */
function ledgersHeld(engine: Engine) {
  const ranges = engine.ledgerRanges();
  const fromTheFirst = ranges.length === 1 && ranges[0]![0] === 1;
  const isComplete = fromTheFirst || engine.store.value(SNAPSHOT_VALUE) === null;
  return {
    ranges: ranges.slice(-RANGES_MAX),
    rangesTotal: ranges.length,
    state: isComplete ? ('complete' as const) : ('partial' as const),
  };
}

function probe(read: () => unknown): Part {
  const started = performance.now();
  try {
    read();
    return { status: 'up', latency: msSince(started) };
  } catch {
    return { status: 'down', latency: msSince(started) };
  }
}

/** A live source is up while it sends data (readiness.ts), a recording while it is open. No request is sent here. */
function node({ source, sourceAlive }: Network): Part {
  const started = performance.now();
  const up = source !== undefined && (!source.live || sourceAlive);
  return { status: up ? 'up' : 'down', latency: msSince(started) };
}

const msSince = (started: number) => Math.round((performance.now() - started) * 1000) / 1000;

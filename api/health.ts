/**
 * What /health answers. Alive and ready are two things: 200 as long as the process serves; `ready` says that
 * nothing newer is known to be waiting. Degraded: a service is down, or the newest ledger is old.
 */
import type { Engine } from '../engine/engine.ts';
import { SNAPSHOT_VALUE } from '../engine/snapshot.ts';
import type { Service } from './route.ts';

/** A ledger closes every 3 to 5 s; one minute without any is trouble at the source or at our end. */
const LEDGER_AGE_MAX_S = 60;

/** Newest ranges of held ledgers that are listed; a recording may have a range for each ledger. */
const RANGES_MAX = 20;

interface Part {
  readonly status: 'up' | 'down';
  /** ms of a trivial read. */
  readonly latency: number;
}

export function healthObject(engine: Engine, service: Service): Record<string, unknown> {
  const now = service.now();
  const { head, source } = engine;
  const age = head && Math.max(0, Math.round((now - head.closeTimeMs) / 1000));
  // A recording has no present: its age says nothing.
  const stale = source?.live === true && (age === undefined || age > LEDGER_AGE_MAX_S);
  const services = {
    database: probe(() => engine.store.firstLedger()),
    rippled: node(engine, stale),
    cache: probe(() => engine.version),
  };
  const healthy = Object.values(services).every((part) => part.status === 'up') && !stale;
  return {
    status: healthy ? 'healthy' : 'degraded',
    ready: engine.ready,
    timestamp: now,
    version: service.version,
    uptime: Math.floor(service.uptime()),
    services,
    ledger: head
      ? {
          index: head.index,
          closeTime: head.closeTimeMs,
          age_seconds: age,
          behind: engine.behind,
          ...held(engine),
        }
      : null,
  };
}

/**
 * What of the ledger is held. The state is whole where it was read in full once (`value` null: the snapshot is
 * done), or where every ledger was, from the first one on; else it knows what has moved in the ledgers read.
 */
function held(engine: Engine) {
  const ranges = engine.ledgerRanges();
  const fromTheFirst = ranges.length === 1 && ranges[0]![0] === 1;
  return {
    ranges: ranges.slice(-RANGES_MAX),
    rangesTotal: ranges.length,
    state: fromTheFirst || engine.store.value(SNAPSHOT_VALUE) === null ? 'complete' : 'partial',
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

/**
 * The source is up while it delivers: its word is followed on every closed ledger, so nothing is asked here. A network
 * that makes its history closes old ledgers, and is heard all the same.
 */
function node(engine: Engine, stale: boolean): Part {
  const started = performance.now();
  const up = engine.source?.latest() !== undefined && (engine.fed || !stale);
  return { status: up ? 'up' : 'down', latency: msSince(started) };
}

const msSince = (started: number) => Math.round((performance.now() - started) * 1000) / 1000;

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
import { hasWholeState } from '../engine/store.ts';
import type { Mount } from '../views/mount.ts';
import type { DiskFigures, Network } from '../views/network.ts';
import type { Service } from './route.ts';

/** Number of ranges of stored ledgers that are listed, the newest; a recording may have a range for each ledger. */
const RANGES_MAX = 20;

interface Part {
  readonly status: 'up' | 'down';
  /** ms of a trivial read. */
  readonly latency: number;
}

export function healthObject({ network, progress }: Pick<Mount, 'network' | 'progress'>, service: Service) {
  const now = service.now();
  const engine = network?.engine;
  const disk = diskOf(network);
  const isStoring = disk !== 'unreadable' && network?.unstored === undefined;
  const services = {
    database: probe(() => engine?.store.firstLedger(), isStoring ? engine : undefined),
    rippled: node(network),
    cache: probe(() => engine?.version, engine),
  };
  const ready = network?.ready === true && Object.values(services).every((part) => part.status === 'up');
  const reason = network?.lack ?? network?.unstored;
  return {
    status: ready ? ('healthy' as const) : ('degraded' as const),
    ready,
    timestamp: now,
    version: service.version,
    uptime: Math.floor(service.uptime()),
    services,
    ...(reason !== undefined && !ready && { reason }),
    progress: progress && !ready ? { stage: progress.stage, share: progress.share ?? null } : null,
    ledger: network ? ledgerPart(network, now) : null,
    disk: typeof disk === 'object' ? diskPart(disk, now) : null,
  };
}

/** Its folder may have been removed, or its disk be gone. undefined: the network has none */
function diskOf(network: Network | undefined): DiskFigures | 'unreadable' | undefined {
  try {
    return network?.disk?.();
  } catch {
    return 'unreadable';
  }
}

function diskPart({ writtenBytes: _, fullInMs, ...figures }: DiskFigures, now: number) {
  return { ...figures, ...(fullInMs !== undefined && { fullAt: Math.round(now + fullInMs) }) };
}

function ledgerPart({ engine, behind }: Network, now: number) {
  const { head } = engine;
  if (!head) return null;
  return {
    index: head.index,
    closeTime: head.closeTimeMs,
    age_seconds: Math.max(0, Math.round((now - head.closeTimeMs) / 1000)),
    behind,
    ...ledgersHeld(engine),
  };
}

/** Which ledgers are stored, and whether the state is complete. */
function ledgersHeld(engine: Engine) {
  const ranges = engine.ledgerRanges();
  return {
    ranges: ranges.slice(-RANGES_MAX),
    rangesTotal: ranges.length,
    state: hasWholeState(engine.store, ranges) ? ('complete' as const) : ('partial' as const),
  };
}

/** @param engine undefined: there is nothing to read from */
function probe(read: () => unknown, engine: Engine | undefined): Part {
  const started = performance.now();
  if (!engine) return { status: 'down', latency: 0 };
  try {
    read();
    return { status: 'up', latency: msSince(started) };
  } catch {
    return { status: 'down', latency: msSince(started) };
  }
}

/** A live source is up while it sends data (readiness.ts), a recording while it is open. No request is sent here. */
function node(network: Network | undefined): Part {
  const started = performance.now();
  const source = network?.source;
  const up = source !== undefined && (!source.live || network?.sourceAlive === true);
  return { status: up ? 'up' : 'down', latency: msSince(started) };
}

const msSince = (started: number) => Math.round((performance.now() - started) * 1000) / 1000;

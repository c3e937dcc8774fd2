/** The one rule of /health: healthy exactly while ready, and ready only with every service up. */
import { expect, test } from 'bun:test';
import { healthObject } from '../../api/health.ts';
import type { Network } from '../../views/network.ts';
import { emptyLedger, fixture } from './fixture.ts';

type Health = { status: string; ready: boolean; services: Record<string, { status: string }> };

const { engine, api } = fixture([emptyLedger(100, 500_000_000)]);

function health(world: {
  ready?: boolean;
  sourceAlive?: boolean;
  live?: boolean;
  latest?: boolean;
  broken?: boolean;
  /** Its file can no longer be asked for its size. */
  removed?: boolean;
  lack?: string;
  unstored?: string;
}): Health {
  const { ready = true, sourceAlive = true, live = true, latest = true, broken = false } = world;
  const disk = () => {
    throw new Error('no such file');
  };
  const store = broken
    ? {
        ...engine.store,
        firstLedger: () => {
          throw new Error('gone');
        },
      }
    : engine.store;
  const source = { live, latest: () => (latest ? { index: 100 } : undefined) };
  const one = {
    engine: { ...engine, store },
    ready,
    sourceAlive,
    source,
    behind: 0,
    lack: world.lack,
    unstored: world.unstored,
    ...(world.removed && { disk }),
  } as unknown as Network;
  return healthObject({ network: one, progress: undefined }, api.service) as unknown as Health;
}

test('an old ledger is no fault: networks close at their own pace, some by hand', () => {
  // The head closed in 2015.
  expect(health({})).toMatchObject({
    status: 'healthy',
    ready: true,
    services: { rippled: { status: 'up' } },
  });
});

test('status and ready never differ, whatever is down', () => {
  const choices = [true, false];
  for (const ready of choices)
    for (const sourceAlive of choices)
      for (const live of choices)
        for (const latest of choices)
          for (const broken of choices) {
            const answer = health({ ready, sourceAlive, live, latest, broken });
            expect(answer.status).toBe(answer.ready ? 'healthy' : 'degraded');
            const allUp = Object.values(answer.services).every(({ status }) => status === 'up');
            expect(answer.ready).toBe(ready && allUp);
          }
});

test('a recording is up as long as it is open; a live source while readiness reports that it is alive', () => {
  expect(health({ live: false, sourceAlive: false, latest: false }).services.rippled!.status).toBe('up');
  expect(health({ sourceAlive: false }).services.rippled!.status).toBe('down');
  expect(health({ broken: true }).services.database!.status).toBe('down');
});

test('a store whose file is gone is down, and is still answered', () => {
  expect(health({ removed: true })).toMatchObject({
    status: 'degraded',
    ready: false,
    services: { database: { status: 'down' } },
    disk: null,
  });
});

test('the store is down while only what the service itself keeps cannot be written, with the reason', () => {
  expect(health({ unstored: 'cannot be stored' })).toMatchObject({
    status: 'degraded',
    services: { database: { status: 'down' } },
    reason: 'cannot be stored',
  });
  expect(health({ unstored: 'cannot be stored', ready: false, lack: 'late' })).toMatchObject({
    reason: 'late',
  });
});

test('the time for which it runs does not follow a clock that is set', () => {
  let now = 1_000_000_000;
  const { api: running } = fixture([emptyLedger(100, 500_000_000)], { now: () => now });
  for (const jump of [-3_600_000, 7_200_000]) {
    now += jump;
    const { uptime, timestamp } = healthObject({ network: undefined, progress: undefined }, running.service);
    expect({ timestamp, isNow: uptime >= 0 && uptime < 60 }).toEqual({ timestamp: now, isNow: true });
  }
});

test('the reason is there while it is not ready, and no field without one', () => {
  const lack = 'no endpoint is up';
  expect(health({ ready: false, lack })).toMatchObject({ ready: false, reason: lack });
  expect(health({ ready: true, lack })).not.toHaveProperty('reason');
  expect(health({ ready: false })).not.toHaveProperty('reason');
});

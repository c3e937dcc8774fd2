/** Flags in messages: as in queries, and never guessed. */
import { afterAll, expect, test } from 'bun:test';
import { FakeEngine } from '../../support/fake-engine.ts';
import { rig } from './rig.ts';

const engine = new FakeEngine();
const service = rig(engine.network);
afterAll(() => service.stop());

const YES = [true, 1, 'true', '1', 'yes', 'TRUE'];
const NO = [false, 0, 'false', '0', 'no'];
const NEITHER = [undefined, null, 'maybe', '', {}, []];

test('setDelta takes what delta= takes, and says so where it is neither', async () => {
  const client = await service.open(`/ws/token/${engine.md5(1)}`);
  await client.next();
  for (const [values, deltaMode] of [
    [YES, true],
    [NO, false],
  ] as const)
    for (const enabled of values) {
      client.send({ type: 'setDelta', enabled });
      expect(await client.next()).toEqual({ type: 'deltaUpdated', deltaMode });
      expect(await client.next()).toMatchObject({ type: 'initial', deltaMode });
    }
  client.send({ type: 'setDelta', enabled: true });
  await client.next(({ type }) => type === 'initial');
  for (const enabled of NEITHER) {
    client.send({ type: 'setDelta', enabled });
    expect(await client.next()).toEqual({ error: expect.stringContaining('enabled'), errorCode: 4025 });
  }
  engine.apply({ tokens: [1] });
  expect(await client.next()).toMatchObject({ type: 'update', delta: true });
});

test('subscribe reads lightweight, skip_metrics and snapshot alike', async () => {
  const client = await service.open('/ws/sync');
  await client.next();
  const subscribed = async (flags: object) => {
    client.send({ type: 'subscribe', tokens: [engine.md5(1)], ...flags });
    client.send({ type: 'ping' });
    const { lightweight, skip_metrics } = await client.next(({ type }) => type === 'subscribed');
    const { snapshot = false } = await client.next(({ type, snapshot }) => snapshot || type === 'pong');
    if (snapshot) await client.next(({ type }) => type === 'pong');
    return { lightweight, skip_metrics, snapshot };
  };
  for (const yes of YES)
    expect(await subscribed({ lightweight: yes, skip_metrics: yes, snapshot: yes })).toEqual({
      lightweight: true,
      skip_metrics: true,
      snapshot: true,
    });
  for (const no of NO)
    expect(await subscribed({ lightweight: no, skip_metrics: no, snapshot: no })).toEqual({
      lightweight: false,
      skip_metrics: false,
      snapshot: false,
    });
  for (const neither of NEITHER)
    expect(await subscribed({ lightweight: neither, skip_metrics: neither, snapshot: neither })).toEqual({
      lightweight: false,
      skip_metrics: false,
      snapshot: true,
    });
});

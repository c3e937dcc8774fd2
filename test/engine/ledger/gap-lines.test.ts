/** How often gaps are logged that the follow loop repairs. */
import { expect, test } from 'bun:test';
import { FakeNode } from '../../../support/fake-node.ts';
import { makeChain } from '../../ledgers.ts';
import { followNodes } from './follow-rig.ts';
import { until } from './quiet.ts';

const chain = makeChain({ count: 20, transactions: 1, first: 1000 });

test('logs a gap, and those of the next minute only for who debugs', async () => {
  const node = new FakeNode({ ledgers: chain, closed: 5 });
  const lines: string[] = [];
  const levels = Object.fromEntries(
    ['debug', 'info', 'warn', 'error'].map((level) => [
      level,
      (_: object, message: string) => message.startsWith('gap:') && lines.push(level),
    ]),
  ) as never;
  const rig = await followNodes([node], { log: levels });
  await until(() => rig.emitted.length === 5);
  for (const emitted of [5, 8, 11]) {
    node.faults.silentAbout = new Set([1000 + emitted, 1001 + emitted]);
    node.advance(3);
    await until(() => rig.emitted.length === emitted + 3);
  }
  await rig.end();
  expect(lines).toEqual(['info', 'debug', 'debug']);
});

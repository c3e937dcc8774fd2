/** What a network says of the time now: nothing, unless its newest ledger closed a moment ago by other clocks than this one. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import type { Source } from '../../engine/ledger/source.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { makeChain } from '../ledgers.ts';
import { quiet } from '../live-rig.ts';

test('the time now is that of the newest ledger of a live network that shows the present, and is not embedded', async () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const live = { live: true, latest: () => undefined } as unknown as Source;
  const recording = { ...live, live: false };
  const networks = [
    new Network({ engine, source: live }),
    new Network({ engine, source: live, isOfThisClock: true }),
    new Network({ engine, source: recording }),
    new Network({ engine }),
  ];
  const times = () => networks.map(({ presentMs }) => presentMs);
  for (const network of networks) network.ready = true;
  expect(times()).toEqual([undefined, undefined, undefined, undefined]);
  const [packed] = makeChain({ count: 1, transactions: 1 });
  await engine.applyLedger(prepared(packed!, prepare(packed!.bytes)), false);
  expect(times()).toEqual([engine.head!.closeTimeMs, undefined, undefined, undefined]);
  networks[0]!.ready = false;
  expect(networks[0]!.presentMs).toBeUndefined();
});

/** What a receiver of tokens did, where it has more events than are read. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { EventBuffer, EventSide } from '../../engine/flows/event-record.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { EVENTS_MAX } from '../../views/creator-activity.ts';
import { Network } from '../../views/network.ts';
import { asker } from '../api/routes/ask.ts';
import { follow } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';
import type { TestAccount } from '../sandbox/rig.ts';

/** Events of one ledger, all of an account that does nothing of note, the newest first. */
function eventsOf(account: number, ledger: number, count: number): Uint8Array[] {
  const buffer = new EventBuffer();
  const origin = { ledger, closeTime: 1, tx: 0, hash: new Uint8Array(32), type: 0, result: 0 };
  const event = { account, counterparty: 0, token: 0, hi: 0, lo: 0, side: EventSide.out, drops: 0 };
  return Array.from({ length: count }, () => buffer.add(origin, event).slice()).reverse();
}

/** A store that has these events beside its own. */
class FullStore extends MemoryStore {
  events: readonly Uint8Array[] = [];

  override records(...[family, prefix, walk, visit]: Parameters<MemoryStore['records']>): void {
    if (family !== 'accountEvents') super.records(family, prefix, walk, visit);
    else for (const event of this.events) if (!visit(0, event, event)) return;
  }
}

test.each([
  [1, undefined],
  [EVENTS_MAX + 1, true],
])('of %d events', async (count, truncated) => {
  const rig = new NetworkRig();
  const store = new FullStore();
  const engine = new Engine({ store, log: quiet });
  const ask = asker(new Network({ engine }));
  const [issuer, holder] = rig.fund(['issuer', 'holder']) as [TestAccount, TestAccount];
  await follow(engine, rig.network.closed);
  const LimitAmount = { currency: 'ABC', issuer: issuer.address, value: '100' };
  rig.submit(holder, { TransactionType: 'TrustSet', LimitAmount });
  await follow(engine, rig.close());
  await engine.drain();
  const account = engine.state.accounts.findText(holder.address)!;
  store.events = eventsOf(account, engine.head!.index, count);
  const path = `/creator-activity/${issuer.address}_ABC/receiver/${holder.address}`;
  const { status, body } = await ask.get(path);
  expect([status, body.behavior, body.truncated]).toEqual([200, 'holding', truncated]);
});

/** Checks for XRP that an issuer writes and cashes, on the embedded network: both ends of each, exact to the drop. */
import { expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../engine/codec/bytes.ts';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { follow } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';
import type { TestAccount } from '../sandbox/rig.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';

const SEED = seedOf('checks of creators', 20_261_128);
const DROPS_PER_XRP = 1e6;

test(`a check for XRP that was cashed is an event of its writer and of its receiver (SEED=${SEED})`, async () => {
  const draw = drawsOf(SEED);
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const ask = asker(new Network({ engine }));
  const [issuer, other, delegate] = rig.fund(['issuer', 'other', 'delegate']) as [
    TestAccount,
    TestAccount,
    TestAccount,
  ];
  await follow(engine, rig.network.closed);
  const close = async (account: TestAccount, json: Record<string, unknown>) => {
    rig.submit(account, json);
    const packed = await follow(engine, rig.close());
    return decode(hexOf(packed.meta(0))) as Json;
  };
  const LimitAmount = { currency: 'USD', issuer: issuer.address, value: '10' };
  await close(other, { TransactionType: 'TrustSet', LimitAmount });
  await close(other, {
    TransactionType: 'DelegateSet',
    Authorize: delegate.address,
    Permissions: [{ Permission: { PermissionValue: 'CheckCash' } }],
  });
  const wanted: object[] = [];
  const cash = async (from: TestAccount, to: TestAccount, side: string, isDelegated = false) => {
    const most = 1_000 + draw(5_000_000);
    const created = await close(from, {
      TransactionType: 'CheckCreate',
      Destination: to.address,
      SendMax: String(most),
    });
    const nodes = created.AffectedNodes.map((node: Json) => Object.values(node)[0]);
    const CheckID = nodes.find((node: Json) => node.LedgerEntryType === 'Check').LedgerIndex;
    const Amount = String(1 + draw(most));
    const by = {
      Account: to.address,
      Delegate: delegate.address,
      Sequence: rig.network.nextSequence(to.id),
    };
    const meta = await close(isDelegated ? delegate : to, {
      TransactionType: 'CheckCash',
      CheckID,
      Amount,
      ...(isDelegated && by),
    });
    expect(meta.TransactionResult).toBe('tesSUCCESS');
    const xrp = Number(Amount) / DROPS_PER_XRP;
    wanted.unshift({ side, type: 'CheckCash', xrpAmount: xrp, destination: to.address });
  };
  await cash(issuer, other, 'check_send');
  await cash(other, issuer, 'check_receive');
  await cash(issuer, other, 'check_send', true);
  const path = `/creator-activity/${issuer.address}?side=check_send,check_receive`;
  const { events } = (await ask.get(path)).body;
  expect(events).toMatchObject(wanted);
  expect(events).toHaveLength(wanted.length);
});

/** Tokens that their creator gives, and a receiver gives on, by checks count as those that are paid. */
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

test('what was received and given on by checks', async () => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const ask = asker(new Network({ engine }));
  const accounts = rig.fund(['issuer', 'holder', 'other']);
  const [issuer, holder, other] = accounts as [TestAccount, TestAccount, TestAccount];
  await follow(engine, rig.network.closed);
  const send = async (account: TestAccount, json: Json): Promise<Json> => {
    rig.submit(account, json);
    const meta = decode(hexOf((await follow(engine, rig.close())).meta(0))) as Json;
    expect([json.TransactionType, meta.TransactionResult]).toEqual([json.TransactionType, 'tesSUCCESS']);
    return meta;
  };
  const tokens = (value: string) => ({ currency: 'ABC', issuer: issuer.address, value });
  const give = async (from: TestAccount, to: TestAccount, value: string) => {
    const check = { TransactionType: 'CheckCreate', Destination: to.address, SendMax: tokens(value) };
    const nodes = (await send(from, check)).AffectedNodes.map((node: Json) => Object.values(node)[0]);
    const CheckID = nodes.find((node: Json) => node.LedgerEntryType === 'Check').LedgerIndex;
    await send(to, { TransactionType: 'CheckCash', CheckID, Amount: tokens(value) });
  };
  await send(issuer, { TransactionType: 'AccountSet', SetFlag: 8 });
  for (const account of [holder, other])
    await send(account, { TransactionType: 'TrustSet', LimitAmount: tokens('1000') });
  await give(issuer, holder, '40.25');
  await send(issuer, { TransactionType: 'Payment', Destination: holder.address, Amount: tokens('2') });
  await give(holder, other, '30.5');
  const path = `/creator-activity/${issuer.address}_ABC/receiver/${holder.address}`;
  const { body } = await ask.get(path);
  expect(body.stats).toMatchObject({
    received: { count: 2, tokens: '42.25' },
    transfer_out: { count: 1, tokens: '30.5' },
  });
  expect(body.behavior).toBe('transferred');
});

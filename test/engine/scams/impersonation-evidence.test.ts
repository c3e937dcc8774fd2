/** The transactions that are shown of an impersonation are of the token that imitates, not of others of the same issuer. */
import { expect, test } from 'bun:test';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { transactionHash } from '../../../engine/codec/hash.ts';
import { Engine } from '../../../engine/engine.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import { follow } from '../nfts/random-nfts.ts';

const HOLDERS = 20;
const hex = (text: string) => Buffer.from(text).toString('hex').toUpperCase();

test('a token beside another one of its issuer', async () => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  await follow(engine, rig.network.closed);
  const names = ['genuine', 'pretender', ...Array.from({ length: HOLDERS }, (_, i) => `holder ${i}`)];
  const [genuine, pretender, ...holders] = rig.fund(names);
  await follow(engine, rig.network.closed);
  const amount = (currency: string, issuer: typeof genuine, value = '10') => ({
    currency,
    issuer: issuer!.address,
    value,
  });
  const send = (from: typeof genuine, json: object) => rig.submit(from!, { ...json });
  const domain = { TransactionType: 'AccountSet', Domain: hex('gatebank.example'), SetFlag: 8 };
  send(genuine, domain);
  send(pretender, { ...domain, Domain: hex('gatebank-claims.example') });
  await follow(engine, rig.close());
  const trust = (currency: string, issuer: typeof genuine) => ({
    TransactionType: 'TrustSet',
    LimitAmount: amount(currency, issuer, '1000'),
  });
  const name = hex('GATEBANK').padEnd(40, '0');
  for (const holder of holders) send(holder, trust(name, genuine));
  await follow(engine, rig.close());
  for (const { address } of holders)
    send(genuine, { TransactionType: 'Payment', Destination: address, Amount: amount(name, genuine) });
  await follow(engine, rig.close());

  // In one ledger, in which one of the other token comes first.
  for (const holder of holders.slice(1)) send(holder, trust('ABC', pretender));
  send(holders[0], trust(name, pretender));
  const packed = await follow(engine, rig.close());
  const { impersonation } = engine.scams;
  expect(impersonation.listedRows).toHaveLength(1);
  const evidence = impersonation.evidence(impersonation.listedRows[0]!).map((hash) => hexOf(hash));
  const own = Array.from({ length: packed.count }, (_, i) => packed.tx(i)).filter((tx) =>
    hexOf(tx).includes(name),
  );
  expect(hexOf(packed.tx(0))).not.toContain(name);
  expect(evidence).toEqual(own.map((tx) => hexOf(transactionHash(tx))));
});

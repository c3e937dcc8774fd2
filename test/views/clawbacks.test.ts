/** What issuers claw back out of pools and vaults, on the embedded network: both ends of it, by the metadata. */
import { expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../engine/codec/bytes.ts';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { follow } from '../engine/nfts/random-nfts.ts';
import { changeOf, units } from '../flows-world.ts';
import { quiet } from '../live-rig.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';
import type { TestAccount } from '../sandbox/rig.ts';

const ALLOWS_CLAWBACK = 16;
const RIPPLES = 8;
const CLAWS_BOTH = 1;
const FEE = '2000000';

/** A pool of USD and another asset, in which a holder has a share. @param second EUR: another issuer's; GBP: the same issuer's */
async function poolOf(second: 'XRP' | 'EUR' | 'GBP') {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const { get } = asker(new Network({ engine }));
  const [issuer, other, holder] = rig.fund(['issuer', 'other', 'holder']) as [
    TestAccount,
    TestAccount,
    TestAccount,
  ];
  await follow(engine, rig.network.closed);
  const close = () => follow(engine, rig.close());
  const send = async (account: TestAccount, json: Record<string, unknown>): Promise<Json> => {
    rig.submit(account, json);
    return decode(hexOf((await close()).meta(0))) as Json;
  };
  const issuerOf = (currency: string) => (currency === 'EUR' ? other : issuer);
  const asset = (currency: string) => ({ currency, issuer: issuerOf(currency).address });
  const held = ['USD', second].filter((currency) => currency !== 'XRP');
  rig.submit(issuer, { TransactionType: 'AccountSet', SetFlag: ALLOWS_CLAWBACK });
  for (const one of [issuer, other]) rig.submit(one, { TransactionType: 'AccountSet', SetFlag: RIPPLES });
  await close();
  for (const currency of held) {
    const LimitAmount = { ...asset(currency), value: '1000000' };
    rig.submit(holder, { TransactionType: 'TrustSet', LimitAmount });
  }
  await close();
  for (const currency of held) {
    const Amount = { ...asset(currency), value: '10000' };
    rig.submit(issuerOf(currency), { TransactionType: 'Payment', Destination: holder.address, Amount });
  }
  await close();
  const Amount2 = second === 'XRP' ? '100000000' : { ...asset(second), value: '300' };
  const Amount = { ...asset('USD'), value: '700' };
  await send(holder, { TransactionType: 'AMMCreate', Amount, Amount2, TradingFee: 0, Fee: FEE });
  const Asset2 = second === 'XRP' ? { currency: 'XRP' } : asset(second);
  const claw = (more: object): Promise<Json> =>
    send(issuer, {
      TransactionType: 'AMMClawback',
      Holder: holder.address,
      Asset: asset('USD'),
      Asset2,
      ...more,
    });
  const pool = engine.state.pools.accounts[1]!;
  const eventsOf = async (account: TestAccount, sides: string): Promise<Json[]> =>
    (await get(`/creator-activity/${account.address}?side=${sides}`)).body.events;
  return { issuer, holder, asset, send, claw, eventsOf, get, pool: engine.state.accounts.text(pool) };
}

const sizes = (events: readonly Json[]) =>
  events.map(({ side, currency, tokenAmount }) => [side, currency, units(tokenAmount)]);

test.each([
  ['XRP', 0, ['USD']],
  ['EUR', 0, ['USD']],
  ['GBP', 0, ['USD']],
  ['GBP', CLAWS_BOTH, ['USD', 'GBP']],
] as const)('of USD and %s, with flags %d', async (second, Flags, clawed) => {
  const { issuer, holder, asset, claw, eventsOf, pool } = await poolOf(second);
  for (const Amount of [{ ...asset('USD'), value: '70' }, undefined]) {
    const meta = await claw({ Flags, ...(Amount && { Amount }) });
    expect(meta.TransactionResult).toBe('tesSUCCESS');
    const taken = clawed.map((currency) => {
      const { issuer } = asset(currency);
      return ['clawback', currency, -changeOf(meta, pool, issuer, currency)];
    });
    for (const [, , size] of taken) expect(size).toBeGreaterThan(0n);
    for (const account of [issuer, holder]) {
      const found = (await eventsOf(account, 'clawback')).slice(0, clawed.length);
      expect(sizes(found).sort()).toEqual(taken.sort());
      const source = account === issuer ? { source: holder.address } : {};
      for (const event of found)
        expect(event).toMatchObject({ type: 'AMMClawback', destination: issuer.address, ...source });
    }
  }
  expect(await eventsOf(holder, 'clawback')).toHaveLength(2 * clawed.length);
});

test('what the holder gets beside it is liquidity that they took out', async () => {
  const { holder, asset, send, claw, eventsOf } = await poolOf('GBP');
  // Who opens the pool with XRP is the token's creator: its activity has what it does with it.
  const Amount = { ...asset('GBP'), value: '50' };
  await send(holder, { TransactionType: 'AMMCreate', Amount, Amount2: '1000000', TradingFee: 0, Fee: FEE });
  const meta = await claw({});
  const change = changeOf(meta, holder.address, asset('GBP').issuer, 'GBP');
  expect(change).toBeGreaterThan(0n);
  expect(sizes(await eventsOf(holder, 'withdraw'))).toEqual([['withdraw', 'GBP', change]]);
});

test('attempts name the token that was to be clawed back', async () => {
  const { issuer, holder, asset, send, claw, eventsOf } = await poolOf('XRP');
  expect((await claw({})).TransactionResult).toBe('tesSUCCESS');
  const all = { ...asset('USD'), issuer: holder.address, value: '9300' };
  const claws = { TransactionType: 'Clawback', Amount: all };
  expect((await send(issuer, claws)).TransactionResult).toBe('tesSUCCESS');
  expect((await send(issuer, claws)).TransactionResult).not.toBe('tesSUCCESS');
  const events = await eventsOf(issuer, 'clawback');
  expect(events.map(({ type, currency, tokenAmount }) => [type, currency, tokenAmount])).toEqual([
    ['Clawback', 'USD', '9300'],
    ['Clawback', 'USD', '9300'],
    ['AMMClawback', 'USD', '700'],
  ]);
});

test('out of a vault, it is no payment of the vault', async () => {
  const { issuer, holder, asset, send, eventsOf } = await poolOf('XRP');
  const created = await send(issuer, { TransactionType: 'VaultCreate', Asset: asset('USD'), Fee: FEE });
  const { LedgerIndex: VaultID, NewFields: vault } = created.AffectedNodes.map(
    (node: Json) => Object.values(node)[0] as Json,
  ).find(({ LedgerEntryType }: Json) => LedgerEntryType === 'Vault');
  const deposit = { TransactionType: 'VaultDeposit', VaultID, Amount: { ...asset('USD'), value: '50' } };
  expect((await send(holder, deposit)).TransactionResult).toBe('tesSUCCESS');
  const Amount = { ...asset('USD'), value: '20' };
  const claw = { TransactionType: 'VaultClawback', VaultID, Holder: holder.address, Amount };
  const meta = await send(issuer, claw);
  const taken = -changeOf(meta, vault.Account, asset('USD').issuer, 'USD');
  expect([meta.TransactionResult, taken]).toEqual(['tesSUCCESS', units('20')]);
  expect(sizes(await eventsOf(issuer, 'clawback,receive,other_receive'))).toEqual([
    ['clawback', 'USD', taken],
  ]);
});

/** Permissions of delegates, who pays the fee, and signatures (XLS-75). */
import { describe, expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import { hasAny, Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;

const DENIED = 'terNO_DELEGATE_PERMISSION';
const USD = `${'0'.repeat(24)}5553440000000000`;

/** An issuer with a holder of 100 USD and 100 units of an MPT, and an account that acts for the issuer. */
class World {
  readonly rig = new Rig();
  readonly issuer: TestAccount;
  readonly holder: TestAccount;
  readonly agent: TestAccount;
  readonly mpt: string;

  constructor() {
    const [issuer, holder, agent] = this.rig.fund('issuer', 'holder', 'agent') as TestAccount[];
    [this.issuer, this.holder, this.agent] = [issuer!, holder!, agent!];
    this.rig.close();
    this.does(this.issuer, 'AccountSet', { SetFlag: 2 });
    this.does(this.issuer, 'AccountSet', { SetFlag: 8 });
    this.does(this.holder, 'TrustSet', { LimitAmount: this.usd('1000') });
    this.does(this.issuer, 'TrustSet', { LimitAmount: this.owed('0'), Flags: 0x1_0000 });
    this.does(this.issuer, 'Payment', { Destination: this.holder.address, Amount: this.usd('100') });
    const sequence = this.rig.root(this.issuer).Sequence!;
    this.mpt = sequence.toString(16).toUpperCase().padStart(8, '0') + this.issuer.id;
    this.does(this.issuer, 'MPTokenIssuanceCreate', { Flags: 0x22 });
    this.does(this.holder, 'MPTokenAuthorize', { MPTokenIssuanceID: this.mpt });
    this.does(this.issuer, 'Payment', { Destination: this.holder.address, Amount: this.units('100') });
  }

  usd(value: string): Json {
    return { currency: 'USD', issuer: this.issuer.address, value };
  }

  /** The issuer's side of the holder's line. */
  owed(value: string): Json {
    return { currency: 'USD', issuer: this.holder.address, value };
  }

  units(value: string): Json {
    return { mpt_issuance_id: this.mpt, value };
  }

  does(account: TestAccount, TransactionType: string, more: Json = {}): void {
    expect(this.rig.apply({ TransactionType, Account: account.address, ...more }).result).toBe('tesSUCCESS');
  }

  permit(account: TestAccount, ...values: string[]): void {
    const Permissions = values.map((PermissionValue) => ({ Permission: { PermissionValue } }));
    this.does(account, 'DelegateSet', { Authorize: this.agent.address, Permissions });
  }

  /** Result of a transaction that the agent sends for an account. */
  acts(account: TestAccount, TransactionType: string, more: Json = {}): string {
    const tx = { TransactionType, Account: account.address, Delegate: this.agent.address, ...more };
    return this.rig.apply(tx).result;
  }

  line(): Readonly<Entry> {
    return this.rig.ledger.read(keylets.line(this.issuer.id, this.holder.id, USD)) as Entry;
  }
}

describe('granular permissions', () => {
  const settings: [permission: string, fields: Json, other: Json][] = [
    ['AccountDomainSet', { Domain: 'AB' }, { TickSize: 5 }],
    ['AccountEmailHashSet', { EmailHash: 'A'.repeat(32) }, { Domain: 'AB' }],
    ['AccountMessageKeySet', { MessageKey: `ED${'A'.repeat(64)}` }, { Domain: 'AB' }],
    ['AccountTransferRateSet', { TransferRate: 1_002_000_000 }, { Domain: 'AB' }],
    ['AccountTickSizeSet', { TickSize: 5 }, { TransferRate: 1_002_000_000 }],
  ];
  test.each(settings)('%s sets its own field, nothing else', (permission, fields, other) => {
    const world = new World();
    const { issuer } = world;
    expect(world.acts(issuer, 'AccountSet', fields)).toBe(DENIED);
    world.permit(issuer, permission);
    expect(world.acts(issuer, 'AccountSet', fields)).toBe('tesSUCCESS');
    expect(world.rig.root(issuer)).toMatchObject(fields as never);
    expect(world.acts(issuer, 'AccountSet', other)).toBe(DENIED);
    expect(world.acts(issuer, 'AccountSet', { ...fields, ...other })).toBe(DENIED);
    expect(world.acts(issuer, 'AccountSet', { ...fields, SetFlag: 1 })).toBe(DENIED);
    expect(world.acts(issuer, 'AccountSet', { ...fields, Flags: 0x1_0000 })).toBe(DENIED);
    expect(world.acts(issuer, 'TicketCreate', { TicketCount: 1 })).toBe(DENIED);
    world.rig.close();
    expect(world.rig.problems()).toEqual([]);
  });

  test('add up', () => {
    const world = new World();
    world.permit(world.issuer, 'AccountDomainSet', 'AccountTickSizeSet');
    expect(world.acts(world.issuer, 'AccountSet', { Domain: 'AB', TickSize: 5 })).toBe('tesSUCCESS');
    expect(world.acts(world.issuer, 'AccountSet', { Domain: '', EmailHash: 'A'.repeat(32) })).toBe(DENIED);
  });

  test('TrustlineAuthorize, Freeze and Unfreeze set their flag of an existing line, not its limit', () => {
    const world = new World();
    const { issuer, agent } = world;
    const trust = (Flags: number, more: Json = {}) =>
      world.acts(issuer, 'TrustSet', { LimitAmount: world.owed('0'), Flags, ...more });
    const frozen = () => hasAny(world.line().Flags, Lsf.lsfLowFreeze | Lsf.lsfHighFreeze);
    const [authorize, freeze, unfreeze] = [0x1_0000, 0x10_0000, 0x20_0000];
    world.permit(issuer, 'TrustlineAuthorize');
    expect([trust(authorize), trust(freeze), trust(unfreeze)]).toEqual(['tesSUCCESS', DENIED, DENIED]);
    const foreign = { currency: 'USD', issuer: agent.address, value: '0' };
    expect(trust(authorize, { LimitAmount: foreign })).toBe(DENIED);
    world.permit(issuer, 'TrustlineFreeze');
    expect([trust(authorize), trust(unfreeze), trust(freeze)]).toEqual([DENIED, DENIED, 'tesSUCCESS']);
    expect(frozen()).toBe(true);
    world.permit(issuer, 'TrustlineUnfreeze');
    expect([trust(freeze), trust(unfreeze)]).toEqual([DENIED, 'tesSUCCESS']);
    expect(frozen()).toBe(false);
    expect(trust(unfreeze, { LimitAmount: world.owed('1') })).toBe(DENIED);
    expect(trust(unfreeze, { QualityIn: 5 })).toBe(DENIED);
    expect(trust(0x2_0000)).toBe(DENIED);
  });

  test('PaymentMint issues, PaymentBurn redeems, neither does anything else', () => {
    const world = new World();
    const { issuer, holder, agent } = world;
    const mint = (more: Json) => world.acts(issuer, 'Payment', { Destination: holder.address, ...more });
    const burn = (more: Json) => world.acts(holder, 'Payment', { Destination: issuer.address, ...more });
    world.permit(issuer, 'PaymentMint');
    world.permit(holder, 'PaymentMint');
    expect(mint({ Amount: world.usd('5') })).toBe('tesSUCCESS');
    expect(mint({ Amount: world.units('5') })).toBe('tesSUCCESS');
    expect(mint({ Amount: '5' })).toBe(DENIED);
    expect(mint({ Amount: world.usd('5'), Flags: 0x2_0000 })).toBe(DENIED);
    expect(mint({ Amount: world.usd('5'), SendMax: '5' })).toBe(DENIED);
    expect(burn({ Amount: world.usd('5') })).toBe(DENIED);
    world.permit(issuer, 'PaymentBurn');
    world.permit(holder, 'PaymentBurn');
    expect(mint({ Amount: world.usd('5') })).toBe(DENIED);
    expect(burn({ Amount: world.usd('5') })).toBe('tesSUCCESS');
    expect(burn({ Amount: world.units('5') })).toBe('tesSUCCESS');
    expect(burn({ Amount: world.usd('5'), Destination: agent.address })).toBe(DENIED);
    expect(burn({ Amount: '5' })).toBe(DENIED);
    world.rig.close();
    expect(world.rig.problems()).toEqual([]);
  });

  test('MPTokenIssuanceLock locks, MPTokenIssuanceUnlock unlocks', () => {
    const world = new World();
    const { issuer, holder } = world;
    const set = (Flags: number, more: Json = {}) =>
      world.acts(issuer, 'MPTokenIssuanceSet', { MPTokenIssuanceID: world.mpt, Flags, ...more });
    const one = { Holder: holder.address };
    world.permit(issuer, 'MPTokenIssuanceLock');
    expect([set(1), set(1, one), set(2), set(2, one)]).toEqual(['tesSUCCESS', 'tesSUCCESS', DENIED, DENIED]);
    world.permit(issuer, 'MPTokenIssuanceUnlock');
    expect([set(2), set(2, one), set(1), set(1, one)]).toEqual(['tesSUCCESS', 'tesSUCCESS', DENIED, DENIED]);
    expect(set(2, { DomainID: 'A'.repeat(64) })).toBe(DENIED);
  });
});

describe('a delegate', () => {
  const tickets = { TicketCount: 1 };

  test('pays the fee, also of failed transactions, and only from its balance', () => {
    const world = new World();
    const { rig, issuer, agent, holder } = world;
    world.permit(issuer, 'TicketCreate', 'Payment');
    const balances = () => [rig.root(issuer).Balance!.drops, rig.root(agent).Balance!.drops];
    const [owner, paid] = balances() as [bigint, bigint];
    expect(world.acts(issuer, 'TicketCreate', { ...tickets, Fee: '25' })).toBe('tesSUCCESS');
    expect(balances()).toEqual([owner, paid - 25n]);
    const all = { Destination: holder.address, Amount: '99000000000' };
    const { Sequence } = rig.root(issuer);
    expect(world.acts(issuer, 'Payment', { ...all, Fee: '30' })).toBe('tecUNFUNDED_PAYMENT');
    expect(balances()).toEqual([owner, paid - 55n]);
    expect([rig.root(issuer).Sequence, rig.root(agent).Sequence]).toEqual([
      Sequence! + 1,
      rig.root(agent).Sequence,
    ]);
    const purse = rig.ledger.peek(keylets.account(agent.id)) as Entry;
    const genesis = rig.ledger.peek(keylets.account(rig.account('genesis').id)) as Entry;
    genesis.Balance = Amount.drops(genesis.Balance!.drops + purse.Balance!.drops - 7n);
    purse.Balance = Amount.drops(7n);
    expect(world.acts(issuer, 'TicketCreate', tickets)).toBe('tecINSUFF_FEE');
    expect(balances()).toEqual([owner, 0n]);
    expect(world.acts(issuer, 'TicketCreate', tickets)).toBe('terINSUF_FEE_B');
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test('that does not exist cannot pay', () => {
    const world = new World();
    const ghost = world.rig.account('ghost');
    const Permissions = [{ Permission: { PermissionValue: 'TicketCreate' } }];
    const set = { TransactionType: 'DelegateSet', Account: world.issuer.address, Permissions };
    expect(world.rig.apply({ ...set, Authorize: ghost.address }).result).toBe('tecNO_TARGET');
    const tx = { TransactionType: 'TicketCreate', Account: world.issuer.address, ...tickets };
    expect(world.rig.apply({ ...tx, Delegate: ghost.address }).result).toBe(DENIED);
  });

  test('uses tickets and AccountTxnID of the account it acts for', () => {
    const world = new World();
    const { rig, issuer, agent } = world;
    world.permit(issuer, 'TicketCreate');
    world.does(issuer, 'TicketCreate', tickets);
    const TicketSequence = rig.root(issuer).Sequence! - 1;
    expect(world.acts(issuer, 'TicketCreate', { ...tickets, TicketSequence })).toBe('tesSUCCESS');
    world.does(issuer, 'AccountSet', { SetFlag: 5 });
    const chain = rig.root(issuer).AccountTxnID!;
    expect(world.acts(issuer, 'TicketCreate', { ...tickets, AccountTxnID: 'A'.repeat(64) })).toBe(
      'tefWRONG_PRIOR',
    );
    expect(world.acts(issuer, 'TicketCreate', { ...tickets, AccountTxnID: chain })).toBe('tesSUCCESS');
    expect(rig.root(issuer).AccountTxnID).not.toBe(chain);
    expect(rig.root(agent).AccountTxnID).toBeUndefined();
  });

  test('signs with its own keys or its own signer list, a base fee a signer', () => {
    const world = new World();
    const { rig, issuer, holder, agent } = world;
    const key = rig.account('key');
    world.permit(issuer, 'TicketCreate');
    const tx = {
      TransactionType: 'TicketCreate',
      Account: issuer.address,
      Delegate: agent.address,
      ...tickets,
    };
    expect(rig.apply(tx, { signer: issuer }).result).toBe('tefBAD_AUTH');
    expect(rig.apply(tx, { signers: [holder] }).result).toBe('tefNOT_MULTI_SIGNING');
    const SignerEntries = [{ SignerEntry: { Account: holder.address, SignerWeight: 1 } }];
    world.does(issuer, 'SignerListSet', { SignerQuorum: 1, SignerEntries });
    expect(rig.apply(tx, { signers: [holder] }).result).toBe('tefNOT_MULTI_SIGNING');
    world.does(agent, 'SignerListSet', { SignerQuorum: 1, SignerEntries });
    const before = rig.root(agent).Balance!.drops;
    expect(rig.apply(tx, { signers: [holder] }).result).toBe('tesSUCCESS');
    expect(rig.root(agent).Balance!.drops).toBe(before - 20n);
    world.does(agent, 'SetRegularKey', { RegularKey: key.address });
    expect(rig.apply(tx, { signer: key }).result).toBe('tesSUCCESS');
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test('never uses XRP that the account needs for its reserve', () => {
    const world = new World();
    for (const [type, more] of [
      ['SetRegularKey', {}],
      ['SignerListSet', { SignerQuorum: 0 }],
      ['AccountDelete', { Destination: world.holder.address, Fee: '200000' }],
      ['DelegateSet', { Authorize: world.holder.address, Permissions: [] }],
    ] as [string, Json][])
      expect([type, world.acts(world.issuer, type, more)]).toEqual([type, 'temINVALID']);
  });

  test('issues what the account could issue', () => {
    const world = new World();
    world.permit(world.issuer, 'PaymentMint');
    const Amount_ = world.usd('40');
    expect(world.acts(world.issuer, 'Payment', { Destination: world.holder.address, Amount: Amount_ })).toBe(
      'tesSUCCESS',
    );
    const held = world.line().Balance!.abs().withAsset(issued(USD, world.issuer.id));
    expect(held.equals(Amount.issued(issued(USD, world.issuer.id), 140n, 0))).toBe(true);
  });
});

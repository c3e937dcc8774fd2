/** Bridges: who may create one, commits, attestations, claims (XLS-38). */
import { describe, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { sign } from 'ripple-keypairs';
import type { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { sameBridge } from '../../../sandbox/assets/xchain-bridges.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount, testAccount } from '../rig.ts';

type Json = Record<string, unknown>;

const ROOT = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const OTHER_CHAIN = testAccount('on the other chain');

/** The issuing side needs the root account as its door account; here this chain is the locking side. */
function lockingChain() {
  const rig = new Rig();
  const [door, alice, bob, w1, w2, w3] = rig.fund('door', 'alice', 'bob', 'w1', 'w2', 'w3') as TestAccount[];
  const XChainBridge = {
    LockingChainDoor: door!.address,
    LockingChainIssue: { currency: 'XRP' },
    IssuingChainDoor: ROOT,
    IssuingChainIssue: { currency: 'XRP' },
  };
  return { rig, door: door!, alice: alice!, bob: bob!, witnesses: [w1!, w2!, w3!], XChainBridge };
}

type World = ReturnType<typeof lockingChain>;

const of = (account: TestAccount, TransactionType: string, more: Json): Json => ({
  TransactionType,
  Account: account.address,
  ...more,
});

function open({ rig, door, witnesses, XChainBridge }: World, SignatureReward = '100'): void {
  const result = rig.apply(
    of(door, 'XChainCreateBridge', { XChainBridge, SignatureReward, MinAccountCreateAmount: '5000000' }),
  ).result;
  expect(result).toBe('tesSUCCESS');
  const SignerEntries = witnesses.map(({ address }) => ({
    SignerEntry: { Account: address, SignerWeight: 1 },
  }));
  SignerEntries.sort((a, b) => (a.SignerEntry.Account < b.SignerEntry.Account ? -1 : 1));
  expect(rig.apply(of(door, 'SignerListSet', { SignerQuorum: 2, SignerEntries })).result).toBe('tesSUCCESS');
}

/** An attestation by a witness, its proof made with the reference codec. */
function attestation(world: World, witness: TestAccount, TransactionType: string, attested: Json): Json {
  const { XChainBridge } = world;
  const event: Json = {
    OtherChainSource: OTHER_CHAIN.address,
    AttestationRewardAccount: witness.address,
    WasLockingChainSend: 0,
    XChainBridge,
    ...attested,
  };
  const Signature = sign(encode(event), witness.privateKey);
  return {
    TransactionType,
    Account: witness.address,
    ...event,
    PublicKey: witness.publicKey,
    AttestationSignerAccount: witness.address,
    Signature,
  };
}

const claimed = (world: World, witness: TestAccount, attested: Json): string =>
  world.rig.apply(attestation(world, witness, 'XChainAddClaimAttestation', attested)).result;

const drops = (rig: Rig, account: TestAccount): bigint => (rig.root(account).Balance as Amount).drops;

function claimId({ rig, alice, XChainBridge }: World): string {
  return rig.apply(
    of(alice, 'XChainCreateClaimID', {
      XChainBridge,
      SignatureReward: '100',
      OtherChainSource: OTHER_CHAIN.address,
    }),
  ).result;
}

describe('bridges', () => {
  test('malformed bridges', () => {
    const { rig, door, alice, XChainBridge } = lockingChain();
    const create = (bridge: Json, more: Json = {}, by = door): string =>
      rig.apply(
        of(by, 'XChainCreateBridge', {
          XChainBridge: { ...XChainBridge, ...bridge },
          SignatureReward: '1',
          ...more,
        }),
      ).result;
    const usd = { currency: 'USD', issuer: alice.address };
    expect(create({ IssuingChainDoor: door.address })).toBe('temXCHAIN_EQUAL_DOOR_ACCOUNTS');
    expect(create({}, {}, alice)).toBe('temXCHAIN_BRIDGE_NONDOOR_OWNER');
    expect(create({ IssuingChainIssue: usd })).toBe('temXCHAIN_BRIDGE_BAD_ISSUES');
    expect(create({ IssuingChainDoor: alice.address })).toBe('temXCHAIN_BRIDGE_BAD_ISSUES');
    expect(create({}, { MinAccountCreateAmount: '0' })).toBe(
      'temXCHAIN_BRIDGE_BAD_MIN_ACCOUNT_CREATE_AMOUNT',
    );
    expect(
      create({
        LockingChainIssue: { currency: 'USD', issuer: door.address },
        IssuingChainIssue: usd,
        IssuingChainDoor: alice.address,
      }),
    ).toBe('temXCHAIN_BRIDGE_BAD_ISSUES');
    expect(create({})).toBe('tesSUCCESS');
    expect(create({})).toBe('tecDUPLICATE');
    expect(rig.root(door).OwnerCount).toBe(1);
    expect(rig.problems()).toEqual([]);
  });

  test('changing a bridge', () => {
    const world = lockingChain();
    const { rig, door, XChainBridge } = world;
    const modify = (more: Json): string =>
      rig.apply(of(door, 'XChainModifyBridge', { XChainBridge, ...more })).result;
    expect(modify({ SignatureReward: '5' })).toBe('tecNO_ENTRY');
    open(world);
    expect(modify({})).toBe('temMALFORMED');
    expect(modify({ Flags: 0x00010000, MinAccountCreateAmount: '1' })).toBe('temMALFORMED');
    expect(modify({ Flags: 1, SignatureReward: '5' })).toBe('temINVALID_FLAG');
    expect(modify({ Flags: 0x00010000, SignatureReward: '5' })).toBe('tesSUCCESS');
    const entry = rig.ledger.read(keylets.bridge(door.id, 'XRP')) as Entry;
    expect(entry.SignatureReward?.drops).toBe(5n);
    expect(entry.MinAccountCreateAmount).toBeUndefined();
    expect(sameBridge(entry.XChainBridge!, entry.XChainBridge!)).toBe(true);
  });
});

describe('claims', () => {
  test('two of three witnesses move the funds and share the reward', () => {
    const world = lockingChain();
    const { rig, door, alice, bob, witnesses, XChainBridge } = world;
    const [w1, w2, w3] = witnesses as [TestAccount, TestAccount, TestAccount];
    open(world);
    const commit = of(alice, 'XChainCommit', {
      XChainBridge,
      XChainClaimID: '1',
      OtherChainDestination: alice.address,
      Amount: '7000000',
    });
    expect(rig.apply(commit).result).toBe('tesSUCCESS');
    expect(claimId(world)).toBe('tesSUCCESS');
    expect(rig.root(alice).OwnerCount).toBe(1);
    const attested = { XChainClaimID: '1', Amount: '3000000', Destination: bob.address };
    const before = {
      bob: drops(rig, bob),
      door: drops(rig, door),
      alice: drops(rig, alice),
      w1: drops(rig, w1),
    };
    expect(claimed(world, w1, attested)).toBe('tesSUCCESS');
    expect(drops(rig, bob)).toBe(before.bob);
    expect(claimed(world, w1, { ...attested, Amount: '2000000' })).toBe('tesSUCCESS');
    // The first witness now attests something else: no quorum yet.
    expect(claimed(world, w2, attested)).toBe('tesSUCCESS');
    expect(drops(rig, bob)).toBe(before.bob);
    expect(claimed(world, w3, attested)).toBe('tesSUCCESS');
    expect(drops(rig, bob)).toBe(before.bob + 3_000_000n);
    expect(drops(rig, door)).toBe(before.door - 3_000_000n);
    expect(drops(rig, alice)).toBe(before.alice - 100n);
    expect(drops(rig, w1)).toBe(before.w1 - 20n);
    expect(rig.root(alice).OwnerCount).toBe(0);
    expect(claimed(world, w1, attested)).toBe('tecXCHAIN_NO_CLAIM_ID');
    expect(rig.problems()).toEqual([]);
  });

  test('attestations that are refused', () => {
    const world = lockingChain();
    const { rig, alice, bob, witnesses } = world;
    const w1 = witnesses[0] as TestAccount;
    const attested = { XChainClaimID: '1', Amount: '3000000', Destination: bob.address };
    expect(claimed(world, w1, attested)).toBe('tecNO_ENTRY');
    open(world);
    expect(claimed(world, w1, attested)).toBe('tecXCHAIN_NO_CLAIM_ID');
    expect(claimId(world)).toBe('tesSUCCESS');
    expect(claimed(world, alice, attested)).toBe('tecNO_PERMISSION');
    expect(claimed(world, w1, { ...attested, OtherChainSource: bob.address })).toBe(
      'tecXCHAIN_SENDING_ACCOUNT_MISMATCH',
    );
    expect(claimed(world, w1, { ...attested, WasLockingChainSend: 1 })).toBe('tecXCHAIN_WRONG_CHAIN');
    const good = attestation(world, w1, 'XChainAddClaimAttestation', attested);
    expect(rig.apply({ ...good, Amount: '3000001' }).result).toBe('temXCHAIN_BAD_PROOF');
    expect(rig.apply({ ...good, PublicKey: `04${w1.publicKey.slice(2)}` }).result).toBe('temMALFORMED');
    const other = attestation(world, bob, 'XChainAddClaimAttestation', attested);
    expect(rig.apply({ ...other, AttestationSignerAccount: w1.address }).result).toBe(
      'tecXCHAIN_BAD_PUBLIC_KEY_ACCOUNT_PAIR',
    );
    expect(rig.problems()).toEqual([]);
  });

  test('the owner of a claim id chooses the destination of the funds', () => {
    const world = lockingChain();
    const { rig, alice, bob, witnesses, XChainBridge } = world;
    open(world);
    expect(claimId(world)).toBe('tesSUCCESS');
    const claim = (more: Json = {}, by = alice): string =>
      rig.apply(
        of(by, 'XChainClaim', {
          XChainBridge,
          XChainClaimID: '1',
          Destination: bob.address,
          Amount: '3000000',
          ...more,
        }),
      ).result;
    expect(claim()).toBe('tecXCHAIN_CLAIM_NO_QUORUM');
    const attested = { XChainClaimID: '1', Amount: '3000000' };
    for (const witness of witnesses.slice(0, 2)) expect(claimed(world, witness, attested)).toBe('tesSUCCESS');
    expect(claim({}, bob)).toBe('tecXCHAIN_BAD_CLAIM_ID');
    expect(claim({ XChainClaimID: '9' })).toBe('tecXCHAIN_NO_CLAIM_ID');
    expect(claim({ Destination: OTHER_CHAIN.address })).toBe('tecNO_DST');
    expect(claim({ Amount: '3000001' })).toBe('tecXCHAIN_CLAIM_NO_QUORUM');
    expect(rig.apply(of(bob, 'AccountSet', { SetFlag: 1 })).result).toBe('tesSUCCESS');
    expect(claim()).toBe('tecDST_TAG_NEEDED');
    const before = drops(rig, bob);
    expect(claim({ DestinationTag: 4 })).toBe('tesSUCCESS');
    expect(drops(rig, bob)).toBe(before + 3_000_000n);
    expect(rig.problems()).toEqual([]);
  });
});

describe('transfers that create accounts', () => {
  test('committing', () => {
    const world = lockingChain();
    const { rig, door, alice, XChainBridge } = world;
    const commit = (more: Json = {}, by = alice): string =>
      rig.apply(
        of(by, 'XChainAccountCreateCommit', {
          XChainBridge,
          Destination: OTHER_CHAIN.address,
          Amount: '5000000',
          SignatureReward: '100',
          ...more,
        }),
      ).result;
    expect(commit()).toBe('tecNO_ENTRY');
    open(world);
    expect(commit({ SignatureReward: '99' })).toBe('tecXCHAIN_REWARD_MISMATCH');
    expect(commit({ Amount: '4999999' })).toBe('tecXCHAIN_INSUFF_CREATE_AMOUNT');
    expect(commit({}, door)).toBe('tecXCHAIN_SELF_COMMIT');
    expect(commit({ Amount: '9999999999999' })).toBe('tecUNFUNDED_PAYMENT');
    expect(commit()).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.bridge(door.id, 'XRP'))?.XChainAccountCreateCount).toBe(1n);
    expect(rig.problems()).toEqual([]);
  });

  test('they are paid out in order', () => {
    const world = lockingChain();
    const { rig, door, witnesses } = world;
    open(world);
    const [first, second] = [testAccount('first'), testAccount('second')];
    const add = (witness: TestAccount, count: string, to: TestAccount): string => {
      const attested = {
        XChainAccountCreateCount: count,
        Amount: '6000000',
        SignatureReward: '101',
        Destination: to.address,
      };
      return rig.apply(attestation(world, witness, 'XChainAddAccountCreateAttestation', attested)).result;
    };
    const [w1, w2, w3] = witnesses as [TestAccount, TestAccount, TestAccount];
    expect(add(w1, '0', first)).toBe('tecXCHAIN_ACCOUNT_CREATE_PAST');
    expect(add(w1, '128', first)).toBe('tecXCHAIN_ACCOUNT_CREATE_TOO_MANY');
    // The second reaches its quorum first and waits.
    for (const witness of [w1, w2]) expect(add(witness, '2', second)).toBe('tesSUCCESS');
    expect(rig.ledger.read(keylets.account(second.id))).toBeUndefined();
    const owned = rig.root(door).OwnerCount as number;
    expect(add(w1, '1', first)).toBe('tesSUCCESS');
    expect(rig.root(door).OwnerCount).toBe(owned + 1);
    expect(add(w2, '1', first)).toBe('tesSUCCESS');
    expect((rig.ledger.read(keylets.account(first.id)) as Entry).Balance?.drops).toBe(6_000_000n);
    expect(add(w3, '2', second)).toBe('tesSUCCESS');
    expect((rig.ledger.read(keylets.account(second.id)) as Entry).Balance?.drops).toBe(6_000_000n);
    expect(rig.ledger.read(keylets.bridge(door.id, 'XRP'))?.XChainAccountClaimCount).toBe(2n);
    expect(rig.root(door).OwnerCount).toBe(owned - 1);
    expect(rig.problems()).toEqual([]);
  });
});

/** Funds, sending, freezes, holdings and credentials on a state in memory. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Amount, currencyOfJson } from '../../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../../engine/codec/arithmetic/asset.ts';
import {
  canTransfer,
  checkDepositPreauth,
  requireAuth,
  verifyDepositPreauth,
} from '../../../sandbox/assets/authorisation.ts';
import {
  authorizedByDomain,
  sortedKinds,
  validDomain,
  verifyValidDomain,
} from '../../../sandbox/assets/credentials.ts';
import { isDeepFrozen, isFrozen, isGlobalFrozen } from '../../../sandbox/assets/freeze.ts';
import { accountFunds, accountHolds } from '../../../sandbox/assets/funds.ts';
import { addEmptyHolding, removeEmptyHolding } from '../../../sandbox/assets/holdings.ts';
import { authorizeMpToken, lockMpt, unlockMpt } from '../../../sandbox/assets/mptokens.ts';
import { createPseudoAccount, isPseudoAccount } from '../../../sandbox/assets/pseudo-accounts.ts';
import { transferRate } from '../../../sandbox/assets/rates.ts';
import { accountReserve, confineOwnerCount, xrpLiquid } from '../../../sandbox/assets/reserve.ts';
import { accountSend, redeemIou } from '../../../sandbox/assets/send.ts';
import { lineBalance } from '../../../sandbox/assets/trust-lines.ts';
import { describeOwnerDir, dirInsert } from '../../../sandbox/ledger/directory.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import { type Rules, rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import type { Entry, TransactionFields } from '../../../sandbox/protocol/fields.ts';
import { Lsf, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

const USD = currencyOfJson('USD')!;

function setUp(rules: Rules = SANDBOX_RULES) {
  const rig = new Rig({ rules });
  const [issuer, alice, bob] = rig.fund('issuer', 'alice', 'bob') as [TestAccount, TestAccount, TestAccount];
  const view = rig.ledger;
  const root = (account: TestAccount) => view.peek(keylets.account(account.id))!;
  root(issuer).Flags = Lsf.lsfDefaultRipple;
  const usd = issued(USD, issuer.id);
  const units = (text: string) => Amount.issued(usd, BigInt(text), 0);
  const line = (account: TestAccount) => view.peek(keylets.line(issuer.id, account.id, USD));
  return { rig, issuer, alice, bob, view, root, usd, units, line };
}

/** An issuance and holdings of two accounts. */
function withMpt(flags: number, fee = 0) {
  const all = setUp();
  const { view, issuer, alice, bob } = all;
  const id = keylets.mptId(7, issuer.id);
  view.insert({
    LedgerEntryType: 'MPTokenIssuance',
    index: keylets.mptIssuance(id),
    Flags: flags,
    Issuer: issuer.id,
    Sequence: 7,
    OutstandingAmount: 0n,
    TransferFee: fee,
    MaximumAmount: 1000n,
    OwnerNode: 0n,
  } as Entry);
  for (const { id: holder } of [alice, bob])
    expect(authorizeMpToken(view, 0n, id, holder)).toBe('tesSUCCESS');
  const held = (account: TestAccount) => view.read(keylets.mptoken(id, account.id))!;
  const issuance = () => view.read(keylets.mptIssuance(id))!;
  return { ...all, id, held, issuance };
}

test('reserve and liquid XRP', () => {
  const { view, alice, root } = setUp();
  expect(accountReserve(view.fees, 3)).toBe(1_600_000n);
  root(alice).OwnerCount = 2;
  expect(xrpLiquid(view, alice.id, 0).drops).toBe(10_000_000_000n - 1_400_000n);
  expect(xrpLiquid(view, alice.id, -1).drops).toBe(10_000_000_000n - 1_200_000n);
  root(alice).Balance = Amount.drops(5n);
  expect(xrpLiquid(view, alice.id, 0).drops).toBe(0n);
  expect(confineOwnerCount(0, -1)).toBe(0);
  expect(confineOwnerCount(0xffff_ffff, 1)).toBe(0xffff_ffff);
});

test('a line is created by a receipt and deleted when it is empty again', () => {
  const { rig, view, issuer, alice, usd, units, line, root } = setUp();
  expect(accountSend(view, issuer.id, alice.id, units('10'))).toBe('tesSUCCESS');
  expect(root(alice).OwnerCount).toBe(1);
  expect(lineBalance(view, alice.id, usd).text()).toBe('10');
  expect(accountSend(view, alice.id, issuer.id, units('4'))).toBe('tesSUCCESS');
  expect(line(alice)!.Balance!.abs().text()).toBe('6');
  expect(redeemIou(view, alice.id, units('6'), usd)).toBe('tesSUCCESS');
  expect(line(alice)).toBeUndefined();
  expect(root(alice).OwnerCount).toBe(0);
  expect(redeemIou(view, alice.id, units('1'), usd)).toBe('tefINTERNAL');
  expect(rig.problems()).toEqual([]);
});

test('the sum over all lines is zero after any transfer, and the fee goes to the issuer', () => {
  const seed = 20_261_121;
  console.log(`seed ${seed}`);
  const send = fc.tuple(fc.nat(2), fc.nat(2), fc.integer({ min: 1, max: 50 }), fc.boolean());
  fc.assert(
    fc.property(fc.array(send, { maxLength: 12 }), fc.integer({ min: 0, max: 500_000_000 }), (sends, fee) => {
      const { rig, view, issuer, alice, bob, usd, units, root } = setUp();
      root(issuer).TransferRate = 1_000_000_000 + fee;
      const accounts = [issuer, alice, bob];
      for (const [from, to, value, waiveFee] of sends) {
        const [sender, receiver] = [accounts[from]!, accounts[to]!];
        const held = accountFunds(view, sender.id, units('100000'), 'ignore');
        if (held.compare(units(String(2 * value))) < 0) continue;
        const before = lineBalance(view, sender.id, usd);
        expect(accountSend(view, sender.id, receiver.id, units(String(value)), { waiveFee })).toBe(
          'tesSUCCESS',
        );
        const paid = before.sub(lineBalance(view, sender.id, usd));
        const charged = !waiveFee && from !== 0 && to !== 0 && from !== to;
        // A value of at most 50 times a rate of ten digits is exact in sixteen.
        if (charged) expect(paid.text()).toBe(exactly(value, 1_000_000_000 + fee));
        else if (from !== 0 && from !== to) expect(paid.text()).toBe(String(value));
      }
      expect(rig.problems()).toEqual([]);
      for (const account of [alice, bob]) {
        const has = view.read(keylets.line(issuer.id, account.id, USD)) ? 1 : 0;
        expect(root(account).OwnerCount).toBe(has);
      }
    }),
    { seed, numRuns: 60 },
  );
});

/** value * rate / 10^9 as decimal text, by integers. */
function exactly(value: number, rate: number): string {
  const scaled = BigInt(value) * BigInt(rate);
  const fraction = (scaled % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${scaled / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
}

test('balances change in the arithmetic of the rules', () => {
  // The sum's digits after the sixteenth are 5000000000000001: just above a half, and exactly a half of 19 digits.
  const small = rulesOf([...SANDBOX_RULES.names].filter((name) => name !== 'SingleAssetVault'));
  for (const [rules, text] of [
    [small, '1000000000000001'],
    [SANDBOX_RULES, '1000000000000000'],
  ] as const) {
    const { view, issuer, alice, usd, line } = setUp(rules);
    const much = Amount.issued(usd, 1_000_000_000_000_000n, 0);
    const bit = Amount.issued(usd, 5_000_000_000_000_001n, -16);
    for (const amount of [much, bit])
      expect(accountSend(view, issuer.id, alice.id, amount)).toBe('tesSUCCESS');
    expect(line(alice)!.Balance!.abs().text()).toBe(text);
  }
});

test('XRP goes as far as there is any', () => {
  const { view, issuer, bob, root } = setUp();
  expect(accountSend(view, issuer.id, bob.id, Amount.drops(7n))).toBe('tesSUCCESS');
  expect(root(issuer).Balance!.drops).toBe(10_000_000_000n - 7n);
  expect(root(bob).Balance!.drops).toBe(10_000_000_007n);
  expect(accountSend(view, issuer.id, bob.id, Amount.drops(20_000_000_000n))).toBe('tecFAILED_PROCESSING');
});

test('freezes of issued currency', () => {
  const { view, issuer, alice, usd, units, line, root } = setUp();
  accountSend(view, issuer.id, alice.id, units('10'));
  const high = issuer.id > alice.id;
  const spendable = () => accountHolds(view, alice.id, usd, { freeze: 'zero' }).text();
  line(alice)!.Flags! |= high ? Lsf.lsfHighFreeze : Lsf.lsfLowFreeze;
  expect([isFrozen(view, alice.id, usd), isDeepFrozen(view, alice.id, usd), spendable()]).toEqual([
    true,
    false,
    '0',
  ]);
  line(alice)!.Flags = high ? Lsf.lsfHighDeepFreeze : Lsf.lsfLowDeepFreeze;
  expect([isFrozen(view, alice.id, usd), isDeepFrozen(view, alice.id, usd), spendable()]).toEqual([
    false,
    true,
    '0',
  ]);
  line(alice)!.Flags = 0;
  expect(spendable()).toBe('10');
  root(issuer).Flags = Lsf.lsfGlobalFreeze;
  expect([isGlobalFrozen(view, issuer.id), spendable()]).toEqual([true, '0']);
  expect(accountHolds(view, alice.id, usd, { freeze: 'ignore' }).text()).toBe('10');
});

test('authorisation and rippling of issued currency', () => {
  const { view, issuer, alice, bob, usd, units, line, root } = setUp();
  expect(requireAuth(view, usd, alice.id, 'strong')).toBe('tecNO_LINE');
  expect(requireAuth(view, usd, alice.id, 'weak')).toBe('tesSUCCESS');
  root(issuer).Flags! |= Lsf.lsfRequireAuth;
  expect(requireAuth(view, usd, alice.id, 'weak')).toBe('tecNO_LINE');
  accountSend(view, issuer.id, alice.id, units('1'));
  expect(requireAuth(view, usd, alice.id)).toBe('tecNO_AUTH');
  line(alice)!.Flags! |= issuer.id > alice.id ? Lsf.lsfHighAuth : Lsf.lsfLowAuth;
  expect(requireAuth(view, usd, alice.id)).toBe('tesSUCCESS');
  expect(canTransfer(view, usd, alice.id, bob.id)).toBe('tesSUCCESS');
  root(issuer).Flags = 0;
  line(alice)!.Flags! |= issuer.id > alice.id ? Lsf.lsfHighNoRipple : Lsf.lsfLowNoRipple;
  expect(canTransfer(view, usd, alice.id, bob.id)).toBe('terNO_RIPPLE');
});

test('MPTs: issue, transfer with fee, redeem; the issuance counts', () => {
  const { view, issuer, alice, bob, id, held, issuance } = withMpt(Lsf.lsfMPTCanTransfer, 50_000);
  expect(transferRate(view, id)).toBe(1_500_000_000);
  expect(accountSend(view, issuer.id, alice.id, Amount.mpt(id, 1001n))).toBe('tecPATH_DRY');
  expect(accountSend(view, issuer.id, alice.id, Amount.mpt(id, 300n))).toBe('tesSUCCESS');
  expect(accountSend(view, alice.id, bob.id, Amount.mpt(id, 100n))).toBe('tesSUCCESS');
  expect([held(alice).MPTAmount, held(bob).MPTAmount, issuance().OutstandingAmount]).toEqual([
    150n,
    100n,
    250n,
  ]);
  expect(accountSend(view, bob.id, issuer.id, Amount.mpt(id, 100n))).toBe('tesSUCCESS');
  expect(held(bob)).not.toHaveProperty('MPTAmount');
  expect(accountHolds(view, issuer.id, id, { freeze: 'zero', spendable: 'full' }).text()).toBe('850');
  expect(accountSend(view, bob.id, alice.id, Amount.mpt(id, 1n))).toBe('tecINSUFFICIENT_FUNDS');
});

test('MPTs: locked for escrow and released with a fee', () => {
  const { view, issuer, alice, bob, id, held, issuance } = withMpt(Lsf.lsfMPTCanTransfer);
  accountSend(view, issuer.id, alice.id, Amount.mpt(id, 300n));
  expect(lockMpt(view, alice.id, Amount.mpt(id, 200n))).toBe('tesSUCCESS');
  expect([held(alice).MPTAmount, held(alice).LockedAmount, issuance().LockedAmount]).toEqual([
    100n,
    200n,
    200n,
  ]);
  expect(removeEmptyHolding(view, alice.id, id)).toBe('tecHAS_OBLIGATIONS');
  expect(unlockMpt(view, alice.id, bob.id, Amount.mpt(id, 180n), Amount.mpt(id, 200n))).toBe('tesSUCCESS');
  expect(held(alice)).not.toHaveProperty('LockedAmount');
  expect(issuance()).not.toHaveProperty('LockedAmount');
  expect([held(bob).MPTAmount, issuance().OutstandingAmount]).toEqual([180n, 280n]);
});

test('MPTs: authorisation, locks, reserve and deletion', () => {
  const { view, alice, bob, id, root } = withMpt(Lsf.lsfMPTRequireAuth);
  expect(requireAuth(view, id, alice.id)).toBe('tecNO_AUTH');
  expect(authorizeMpToken(view, 0n, id, view.read(keylets.mptIssuance(id))!.Issuer!, 0, alice.id)).toBe(
    'tesSUCCESS',
  );
  expect(requireAuth(view, id, alice.id)).toBe('tesSUCCESS');
  expect(canTransfer(view, id, alice.id, bob.id)).toBe('tecNO_AUTH');
  view.peek(keylets.mptoken(id, alice.id))!.Flags! |= Lsf.lsfMPTLocked;
  expect([isFrozen(view, alice.id, id), isDeepFrozen(view, alice.id, id)]).toEqual([true, true]);
  expect(authorizeMpToken(view, 0n, id, bob.id, Tf.tfMPTUnauthorize)).toBe('tesSUCCESS');
  expect(root(bob).OwnerCount).toBe(0);
  root(bob).OwnerCount = 2;
  expect(authorizeMpToken(view, 1_599_999n, id, bob.id)).toBe('tecINSUFFICIENT_RESERVE');
  expect(authorizeMpToken(view, 1_600_000n, id, bob.id)).toBe('tesSUCCESS');
});

test('empty holdings', () => {
  const { rig, view, issuer, alice, usd, root } = setUp();
  expect(addEmptyHolding(view, alice.id, 1_199_999n, usd)).toBe('tecNO_LINE_INSUF_RESERVE');
  expect(addEmptyHolding(view, alice.id, 1_200_000n, usd)).toBe('tesSUCCESS');
  expect(addEmptyHolding(view, alice.id, 1_200_000n, usd)).toBe('tecDUPLICATE');
  expect(addEmptyHolding(view, issuer.id, 0n, usd)).toBe('tesSUCCESS');
  expect(root(alice).OwnerCount).toBe(1);
  expect(removeEmptyHolding(view, alice.id, usd)).toBe('tesSUCCESS');
  expect(removeEmptyHolding(view, alice.id, usd)).toBe('tecOBJECT_NOT_FOUND');
  expect(root(alice).OwnerCount).toBe(0);
  expect(rig.problems()).toEqual([]);
});

test('pseudo-accounts cannot be signed for and hold without reserve', () => {
  const { view } = setUp();
  const key = 'AB'.repeat(32);
  const made = createPseudoAccount(view, key, 'VaultID') as Entry;
  expect(made).toMatchObject({ VaultID: key, Sequence: 0, OwnerCount: 0 });
  expect(made.Flags).toBe(Lsf.lsfDisableMaster | Lsf.lsfDefaultRipple | Lsf.lsfDepositAuth);
  expect(isPseudoAccount(view, made.Account!)).toBe(true);
  expect(isPseudoAccount(view, made.Account!, ['AMMID'])).toBe(false);
  made.Balance = Amount.drops(3n);
  expect(xrpLiquid(view, made.Account!, 0).drops).toBe(3n);
  const second = createPseudoAccount(view, key, 'VaultID') as Entry;
  expect(second.Account).not.toBe(made.Account);
});

test('a pseudo-account may hold any MPT, whatever is required of other holders', () => {
  const flags = Lsf.lsfMPTRequireAuth | Lsf.lsfMPTCanTransfer;
  const { view, id, alice } = withMpt(flags);
  const pool = createPseudoAccount(view, 'A'.repeat(64), 'AMMID') as Entry;
  expect(requireAuth(view, id, pool.Account!)).toBe('tesSUCCESS');
  expect(requireAuth(view, id, pool.Account!, 'strong', 99)).toBe('tesSUCCESS');
  expect(requireAuth(view, id, alice.id)).toBe('tecNO_AUTH');
  expect(requireAuth(view, id, alice.id, 'strong', 99)).toBe('tecINTERNAL');
  const older = new EntryTable(view, {
    rules: rulesOf([...SANDBOX_RULES.names].filter((name) => name !== 'fixCleanup3_3_0')),
  });
  expect(requireAuth(older, id, pool.Account!)).toBe('tecNO_AUTH');
  expect(requireAuth(older, id, pool.Account!, 'weak')).toBe('tesSUCCESS');
});

test('credentials: domains and deposit authorisation, expired ones deleted', () => {
  const { view, issuer, alice, bob, root } = setUp();
  const type = 'C0FFEE';
  const index = keylets.credential(alice.id, issuer.id, type);
  const now = view.header.parentCloseTime;
  view.insert({
    LedgerEntryType: 'Credential',
    index,
    Flags: 0,
    Subject: alice.id,
    Issuer: issuer.id,
    CredentialType: type,
    Expiration: now,
    IssuerNode: dirInsert(view, keylets.ownerDirectory(issuer.id), index, describeOwnerDir(issuer.id))!,
    SubjectNode: dirInsert(view, keylets.ownerDirectory(alice.id), index, describeOwnerDir(alice.id))!,
  });
  const domain = keylets.permissionedDomain(bob.id, 1);
  const AcceptedCredentials = [{ Credential: { Issuer: issuer.id, CredentialType: type } }];
  view.insert({
    LedgerEntryType: 'PermissionedDomain',
    index: domain,
    Flags: 0,
    Owner: bob.id,
    Sequence: 1,
    AcceptedCredentials,
  });
  const credential = view.peek(index)!;
  expect(validDomain(view, domain, alice.id)).toBe('tecNO_AUTH');
  credential.Flags = Lsf.lsfAccepted;
  root(alice).OwnerCount = 1;
  expect(validDomain(view, domain, alice.id)).toBe('tesSUCCESS');
  expect([alice, bob, issuer].map(({ id }) => authorizedByDomain(view, domain, id))).toEqual([
    true,
    true,
    false,
  ]);

  root(bob).Flags = Lsf.lsfDepositAuth;
  const tx = {
    TransactionType: 'Payment',
    Account: alice.id,
    CredentialIDs: [index],
  } as unknown as TransactionFields;
  expect(checkDepositPreauth(view, tx, alice.id, bob.id, root(bob))).toBe('tecNO_PERMISSION');
  const kinds = sortedKinds([{ issuer: issuer.id, type }])!;
  const preauth = keylets.depositPreauthCredentials(bob.id, kinds);
  view.insert({
    LedgerEntryType: 'DepositPreauth',
    index: preauth,
    Flags: 0,
    Account: bob.id,
    OwnerNode: 0n,
  });
  expect(verifyDepositPreauth(view, tx, alice.id, bob.id, root(bob))).toBe('tesSUCCESS');

  credential.Expiration = now - 1;
  expect(validDomain(view, domain, alice.id)).toBe('tecEXPIRED');
  expect(verifyDepositPreauth(view, tx, alice.id, bob.id, root(bob))).toBe('tecEXPIRED');
  expect(view.read(index)).toBeUndefined();
  expect(root(alice).OwnerCount).toBe(0);
  expect(verifyValidDomain(view, domain, alice.id)).toBe('tecNO_PERMISSION');
});

/** Vaults: deposits, the value of shares, and permissions (XLS-65). */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { LARGE } from '../../../engine/codec/arithmetic/number.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;

const PRIVATE = 0x0001_0000;

/** An issuer of USD, an owner and two more holders of 5,000 USD each. */
class World {
  readonly rig = new Rig();
  readonly issuer: TestAccount;
  readonly owner: TestAccount;
  readonly bob: TestAccount;
  readonly cat: TestAccount;

  constructor(setup: readonly number[] = []) {
    const [issuer, owner, bob, cat] = this.rig.fund('issuer', 'owner', 'bob', 'cat') as TestAccount[];
    this.issuer = issuer!;
    this.owner = owner!;
    this.bob = bob!;
    this.cat = cat!;
    for (const SetFlag of [...setup, 8]) this.does(this.issuer, 'AccountSet', { SetFlag });
    for (const holder of [this.owner, this.bob, this.cat]) {
      this.does(holder, 'TrustSet', { LimitAmount: this.usd('1000000') });
      this.does(this.issuer, 'Payment', { Destination: holder.address, Amount: this.usd('5000') });
    }
  }

  usd(value: string): Json {
    return { currency: 'USD', issuer: this.issuer.address, value };
  }

  does(account: TestAccount, TransactionType: string, more: Json = {}): string {
    return this.rig.apply({ TransactionType, Account: account.address, ...more }).result;
  }

  /** Makes a vault. @returns its id. */
  vault(more: Json = {}): Hex {
    const id = keylets.vault(this.owner.id, this.rig.root(this.owner).Sequence as number);
    const Asset = { currency: 'USD', issuer: this.issuer.address };
    expect(this.does(this.owner, 'VaultCreate', { Asset, ...more })).toBe('tesSUCCESS');
    return id;
  }

  entry(id: Hex): Readonly<Entry> {
    return this.rig.ledger.read(id) as Entry;
  }

  shares(id: Hex, holder: TestAccount): bigint | undefined {
    const token = this.rig.ledger.read(keylets.mptoken(this.entry(id).ShareMPTID!, holder.id));
    return token && (token.MPTAmount ?? 0n);
  }

  outstanding(id: Hex): bigint {
    return this.rig.ledger.read(keylets.mptIssuance(this.entry(id).ShareMPTID!))?.OutstandingAmount ?? 0n;
  }

  deposit(id: Hex, by: TestAccount, value: string): string {
    return this.does(by, 'VaultDeposit', { VaultID: id, Amount: this.usd(value) });
  }

  withdraw(id: Hex, by: TestAccount, value: string, more: Json = {}): string {
    return this.does(by, 'VaultWithdraw', { VaultID: id, Amount: this.usd(value), ...more });
  }

  /** Inconsistencies of a vault's figures. */
  unsound(id: Hex): string[] {
    const vault = this.entry(id);
    const currency = `${'0'.repeat(24)}5553440000000000`;
    const line = this.rig.ledger.read(keylets.line(vault.Account!, this.issuer.id, currency)) as Entry;
    const balance = vault.Account! < this.issuer.id ? line.Balance! : line.Balance!.negate();
    const total = vault.AssetsTotal ?? LARGE.zero;
    const found: string[] = [];
    if (LARGE.compare(LARGE.of(balance), LARGE.of(total)) !== 0)
      found.push(`holds ${balance.text()}, says ${LARGE.text(total)}`);
    let sum = 0n;
    for (const holder of [this.owner, this.bob, this.cat]) sum += this.shares(id, holder) ?? 0n;
    if (sum !== this.outstanding(id)) found.push(`${sum} shares of ${this.outstanding(id)}`);
    if ((sum === 0n) !== total.isZero) found.push('shares without assets, or assets without shares');
    return [...found, ...this.rig.problems()];
  }
}

describe('making and changing', () => {
  test('a vault counts three for its owner, and is deleted with all its entries', () => {
    const world = new World();
    const { rig, owner, bob } = world;
    const before = rig.root(owner).OwnerCount as number;
    const entries = rig.entries().length;
    const id = world.vault({ Data: 'AA', AssetsMaximum: '1000' });
    expect(rig.root(owner).OwnerCount).toBe(before + 3);
    expect(world.entry(id).Scale).toBe(6);
    expect(rig.root({ ...owner, id: world.entry(id).Account! }).VaultID).toBe(id);
    expect(world.deposit(id, bob, '10')).toBe('tesSUCCESS');
    const remove = (by: TestAccount): string => world.does(by, 'VaultDelete', { VaultID: id });
    expect(remove(bob)).toBe('tecNO_PERMISSION');
    expect(remove(owner)).toBe('tecHAS_OBLIGATIONS');
    expect(world.withdraw(id, bob, '10')).toBe('tesSUCCESS');
    expect(world.shares(id, bob)).toBeUndefined();
    expect(remove(owner)).toBe('tesSUCCESS');
    expect(remove(owner)).toBe('tecNO_ENTRY');
    expect(rig.root(owner).OwnerCount).toBe(before);
    expect(rig.entries().length).toBe(entries);
    expect(rig.problems()).toEqual([]);
  });

  test('refusals', () => {
    const world = new World();
    const { owner, issuer, cat } = world;
    const USD = { currency: 'USD', issuer: issuer.address };
    const create = (more: Json): string => world.does(owner, 'VaultCreate', { Asset: USD, ...more });
    expect(create({ Asset: { currency: 'XRP' }, Scale: 1 })).toBe('temMALFORMED');
    expect(create({ Scale: 19 })).toBe('temMALFORMED');
    expect(create({ WithdrawalPolicy: 2 })).toBe('temMALFORMED');
    expect(create({ AssetsMaximum: '-1' })).toBe('temMALFORMED');
    expect(create({ DomainID: 'A'.repeat(64) })).toBe('temMALFORMED');
    expect(create({ DomainID: 'A'.repeat(64), Flags: PRIVATE })).toBe('tecOBJECT_NOT_FOUND');
    expect(create({ Flags: 1 })).toBe('temINVALID_FLAG');
    expect(create({ Asset: { currency: 'EUR', issuer: cat.address } })).toBe('terNO_RIPPLE');
    const id = world.vault();
    const share = { mpt_issuance_id: world.entry(id).ShareMPTID };
    expect(create({ Asset: share })).toBe('tecWRONG_ASSET');
    const set = (more: Json, by = owner): string => world.does(by, 'VaultSet', { VaultID: id, ...more });
    expect(set({})).toBe('temMALFORMED');
    expect(set({ Data: 'AB' }, cat)).toBe('tecNO_PERMISSION');
    expect(set({ DomainID: '0'.repeat(64) })).toBe('tecNO_PERMISSION');
    expect(world.deposit(id, cat, '100')).toBe('tesSUCCESS');
    expect(set({ AssetsMaximum: '99' })).toBe('tecLIMIT_EXCEEDED');
    expect(set({ AssetsMaximum: '150' })).toBe('tesSUCCESS');
    expect(world.deposit(id, cat, '51')).toBe('tecLIMIT_EXCEEDED');
    expect(world.deposit(id, cat, '50')).toBe('tesSUCCESS');
    expect(world.unsound(id)).toEqual([]);
  });
});

describe('deposits and withdrawals', () => {
  test('the first deposit sets a million shares a unit; rounding never favours the depositor', () => {
    const world = new World();
    const { bob, cat } = world;
    const id = world.vault();
    expect(world.deposit(id, bob, '100.0000005')).toBe('tesSUCCESS');
    expect(world.shares(id, bob)).toBe(100_000_000n);
    expect(LARGE.text(world.entry(id).AssetsTotal!)).toBe('100');
    expect(world.deposit(id, cat, '0.0000009')).toBe('tecPRECISION_LOSS');
    expect(world.deposit(id, cat, '6000')).toBe('tecINSUFFICIENT_FUNDS');
    expect(world.withdraw(id, cat, '1')).toBe('tecINSUFFICIENT_FUNDS');
    expect(world.withdraw(id, bob, '100.1')).toBe('tecINSUFFICIENT_FUNDS');
    expect(world.withdraw(id, bob, '40', { Destination: cat.address })).toBe('tesSUCCESS');
    expect(world.shares(id, bob)).toBe(60_000_000n);
    expect(world.unsound(id)).toEqual([]);
  });

  test("another account's trust limit applies, the sender's own does not", () => {
    const world = new World();
    const { bob, cat } = world;
    const id = world.vault();
    world.deposit(id, bob, '100');
    world.does(cat, 'TrustSet', { LimitAmount: world.usd('5010') });
    world.does(bob, 'TrustSet', { LimitAmount: world.usd('0') });
    expect(world.withdraw(id, bob, '11', { Destination: cat.address })).toBe('tecNO_LINE');
    expect(world.withdraw(id, bob, '10', { Destination: cat.address })).toBe('tesSUCCESS');
    expect(world.withdraw(id, bob, '20')).toBe('tesSUCCESS');
    expect(world.unsound(id)).toEqual([]);
  });

  test('a private vault accepts members of its domain', () => {
    const world = new World();
    const { rig, owner, issuer, bob } = world;
    const id = world.vault({ Flags: PRIVATE });
    expect(world.deposit(id, owner, '1')).toBe('tesSUCCESS');
    expect(world.deposit(id, bob, '1')).toBe('tecNO_AUTH');
    const kind = { Issuer: issuer.address, CredentialType: 'ABCD' };
    const domain = keylets.permissionedDomain(owner.id, rig.root(owner).Sequence as number);
    world.does(owner, 'PermissionedDomainSet', { AcceptedCredentials: [{ Credential: kind }] });
    expect(world.does(owner, 'VaultSet', { VaultID: id, DomainID: domain })).toBe('tesSUCCESS');
    expect(world.deposit(id, bob, '1')).toBe('tecNO_AUTH');
    world.does(issuer, 'CredentialCreate', { Subject: bob.address, CredentialType: 'ABCD' });
    world.does(bob, 'CredentialAccept', kind);
    expect(world.deposit(id, bob, '1')).toBe('tesSUCCESS');
    world.does(issuer, 'CredentialDelete', { Subject: bob.address, CredentialType: 'ABCD' });
    expect(world.deposit(id, bob, '1')).toBe('tecNO_AUTH');
    // A holder of shares may always withdraw.
    expect(world.withdraw(id, bob, '1')).toBe('tesSUCCESS');
    expect(world.unsound(id)).toEqual([]);
  });

  test('a frozen holder may not deposit, but may withdraw its own assets', () => {
    const world = new World();
    const { bob, cat, issuer } = world;
    const id = world.vault();
    world.deposit(id, bob, '100');
    const line = { LimitAmount: { currency: 'USD', issuer: bob.address, value: '0' } };
    expect(world.does(issuer, 'TrustSet', { ...line, Flags: 0x0010_0000 })).toBe('tesSUCCESS');
    expect(world.deposit(id, bob, '1')).toBe('tecFROZEN');
    expect(world.withdraw(id, bob, '1', { Destination: cat.address })).toBe('tecFROZEN');
    expect(world.withdraw(id, bob, '1')).toBe('tesSUCCESS');
    expect(world.does(issuer, 'TrustSet', { ...line, Flags: 0x0040_0000 })).toBe('tesSUCCESS');
    expect(world.withdraw(id, bob, '1')).toBe('tecFROZEN');
    expect(world.unsound(id)).toEqual([]);
  });

  test('the figures agree after any sequence of them', () => {
    const amount = fc.integer({ min: 1, max: 2_000_000_000 });
    const action = fc.tuple(
      fc.constantFrom('deposit', 'withdraw'),
      fc.integer({ min: 0, max: 2 }),
      amount,
      fc.integer({ min: 0, max: 9 }),
    );
    const seed = 20_260_721;
    console.log(`vault books: seed ${seed}`);
    fc.assert(
      fc.property(
        fc.array(action, { minLength: 3, maxLength: 14 }),
        fc.integer({ min: 0, max: 9 }),
        (actions, Scale) => {
          const world = new World();
          const id = world.vault({ Scale });
          const holders = [world.owner, world.bob, world.cat];
          for (const [what, who, digits, places] of actions) {
            const value = Amount.issued(
              `${'0'.repeat(24)}5553440000000000${world.issuer.id}`,
              BigInt(digits),
              -places,
            ).text();
            const holder = holders[who] as TestAccount;
            const result =
              what === 'deposit' ? world.deposit(id, holder, value) : world.withdraw(id, holder, value);
            expect(result.slice(0, 3)).toMatch(/tes|tec/);
            expect(['tecINVARIANT_FAILED', 'tecINTERNAL']).not.toContain(result);
          }
          expect(world.unsound(id)).toEqual([]);
        },
      ),
      { seed, numRuns: 25 },
    );
  });
});

describe('clawback', () => {
  test('the issuer takes back at most what there is', () => {
    const world = new World([16]);
    const { issuer, owner, bob, cat } = world;
    const id = world.vault();
    world.deposit(id, bob, '100');
    world.deposit(id, cat, '50');
    const claw = (by: TestAccount, holder: TestAccount, value?: string): string =>
      world.does(by, 'VaultClawback', {
        VaultID: id,
        Holder: holder.address,
        ...(value === undefined ? {} : { Amount: world.usd(value) }),
      });
    expect(claw(cat, bob, '1')).toBe('tecNO_PERMISSION');
    expect(claw(owner, bob)).toBe('tecNO_PERMISSION');
    expect(claw(issuer, bob, '10')).toBe('tesSUCCESS');
    expect(world.shares(id, bob)).toBe(90_000_000n);
    expect(claw(issuer, bob)).toBe('tesSUCCESS');
    expect(world.shares(id, bob)).toBeUndefined();
    expect(claw(issuer, bob)).toBe('tecPRECISION_LOSS');
    expect(LARGE.text(world.entry(id).AssetsTotal!)).toBe('50');
    expect(world.unsound(id)).toEqual([]);
  });

  test('not without permission to claw back', () => {
    const world = new World();
    const id = world.vault();
    world.deposit(id, world.bob, '100');
    const more = { VaultID: id, Holder: world.bob.address, Amount: world.usd('1') };
    expect(world.does(world.issuer, 'VaultClawback', more)).toBe('tecNO_PERMISSION');
  });
});

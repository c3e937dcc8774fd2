/** The changes of a vault transaction, with one figure altered afterwards: the invariants find each alteration. */
import { describe, expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { type Asset, issued, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { LARGE } from '../../../engine/codec/arithmetic/number.ts';
import { brokenInvariant } from '../../../sandbox/apply/invariants/index.ts';
import { transactionOfBlob } from '../../../sandbox/apply/transaction.ts';
import { applyTransaction } from '../../../sandbox/apply/transactor.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import type { Entry, TransactionFields } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;

const USD = `${'0'.repeat(24)}5553440000000000`;

/** An issuer that may claw back, and three holders of 5,000 USD each; a vault with 100 of each of two. */
class World {
  readonly rig = new Rig();
  readonly issuer: TestAccount;
  readonly owner: TestAccount;
  readonly bob: TestAccount;
  readonly cat: TestAccount;
  readonly asset: Asset;
  readonly id: string;

  constructor(readonly native: boolean) {
    const names = ['issuer', 'owner', 'bob', 'cat'];
    [this.issuer, this.owner, this.bob, this.cat] = this.rig.fund(...names) as [
      TestAccount,
      TestAccount,
      TestAccount,
      TestAccount,
    ];
    this.asset = native ? XRP : issued(USD, this.issuer.id);
    for (const SetFlag of [16, 8]) this.does(this.issuer, 'AccountSet', { SetFlag });
    for (const holder of [this.owner, this.bob, this.cat]) {
      this.does(holder, 'TrustSet', { LimitAmount: { ...this.usd('1000000') } });
      this.does(this.issuer, 'Payment', { Destination: holder.address, Amount: this.usd('5000') });
    }
    this.id = keylets.vault(this.owner.id, this.rig.root(this.owner).Sequence!);
    const Asset = native ? { currency: 'XRP' } : { currency: 'USD', issuer: this.issuer.address };
    this.does(this.owner, 'VaultCreate', { Asset });
    for (const by of [this.bob, this.cat]) this.does(by, 'VaultDeposit', this.of('100'));
    this.rig.close();
  }

  usd(value: string): Json {
    return { currency: 'USD', issuer: this.issuer.address, value };
  }

  of(value: string, more: Json = {}): Json {
    return { VaultID: this.id, Amount: this.native ? value : this.usd(value), ...more };
  }

  does(account: TestAccount, TransactionType: string, more: Json): void {
    expect(this.rig.apply({ TransactionType, Account: account.address, ...more }).result).toBe('tesSUCCESS');
  }

  holdingKey({ id }: Pick<TestAccount, 'id'>): string {
    return this.native ? keylets.account(id) : keylets.line(id, this.issuer.id, USD);
  }

  /** Adds to (or subtracts from) an account's balance of the asset. */
  gives(table: EntryTable, to: Pick<TestAccount, 'id'>, value: bigint): void {
    const entry = table.peek(this.holdingKey(to)) as Entry;
    const balance = entry.Balance as Amount;
    const sign = this.native || to.id < this.issuer.id ? 1n : -1n;
    entry.Balance = balance.add(Amount.of(balance.asset, sign * value, 0));
  }

  /** The invariant that is violated when `change` alters the result of the transaction. */
  broken(
    account: TestAccount,
    TransactionType: string,
    more: Json,
    change: (table: EntryTable) => void,
  ): string | undefined {
    const table = new EntryTable(this.rig.ledger);
    const blob = this.rig.signed({ TransactionType, Account: account.address, ...more });
    const transaction = transactionOfBlob(blob);
    const outcome = applyTransaction(table, transaction, { networkId: 0 });
    expect(outcome.result).toBe('tesSUCCESS');
    change(table);
    return brokenInvariant(table, transaction.fields as TransactionFields, 'tesSUCCESS', outcome.fee);
  }
}

describe.each([true, false])('a vault (of XRP: %p)', (native) => {
  const world = new World(native);
  const { bob, cat, owner, issuer } = world;
  const vaultOf = (table: EntryTable): Entry => table.peek(world.id) as Entry;
  const pseudo = { id: vaultOf(world.rig.ledger).Account! };
  const share = vaultOf(world.rig.ledger).ShareMPTID!;
  const tokens = (table: EntryTable, { id }: TestAccount): Entry =>
    table.peek(keylets.mptoken(share, id)) as Entry;

  const transactions: [name: string, by: TestAccount, type: string, more: Json][] = [
    ['deposit', bob, 'VaultDeposit', world.of('10')],
    ['withdrawal', bob, 'VaultWithdraw', world.of('10')],
    ['withdrawal to another', bob, 'VaultWithdraw', world.of('10', { Destination: owner.address })],
    ...(native
      ? []
      : ([
          ['clawback', issuer, 'VaultClawback', world.of('10', { Holder: bob.address })],
          ['withdrawal to the issuer', bob, 'VaultWithdraw', world.of('10', { Destination: issuer.address })],
        ] as [string, TestAccount, string, Json][])),
  ];
  const meddlings: [name: string, change: (table: EntryTable) => void][] = [
    ['its own account got more', (table) => world.gives(table, pseudo, 1n)],
    ['its own account got less', (table) => world.gives(table, pseudo, -1n)],
    [
      'total and available say more',
      (table) => {
        const vault = vaultOf(table);
        vault.AssetsTotal = LARGE.add(vault.AssetsTotal!, LARGE.of(1n));
        vault.AssetsAvailable = LARGE.add(vault.AssetsAvailable!, LARGE.of(1n));
      },
    ],
    [
      'available says less',
      (table) => {
        const vault = vaultOf(table);
        vault.AssetsAvailable = LARGE.sub(vault.AssetsAvailable!, LARGE.of(1n));
      },
    ],
    [
      'shares went to another',
      (table) => {
        tokens(table, bob).MPTAmount = tokens(table, bob).MPTAmount! - 1n;
        tokens(table, cat).MPTAmount = tokens(table, cat).MPTAmount! + 1n;
      },
    ],
  ];
  for (const [what, by, type, more] of transactions) {
    test(`${what} is sound`, () => {
      expect(world.broken(by, type, more, () => {})).toBeUndefined();
    });
    for (const [how, change] of meddlings) {
      test(`${what}, but ${how}`, () => {
        // New drops would violate another invariant first, so they are taken from the genesis account.
        const balanced = (table: EntryTable): void => {
          const before = table.read(world.holdingKey(pseudo))!.Balance!;
          change(table);
          const more = table.read(world.holdingKey(pseudo))!.Balance!.sub(before);
          const genesis = table.peek(keylets.account(world.rig.account('genesis').id)) as Entry;
          if (native) genesis.Balance = genesis.Balance!.sub(more);
        };
        expect(world.broken(by, type, more, balanced)).toBe('ValidVault');
      });
    }
  }

  test('settings do not move assets', () => {
    const set = { VaultID: world.id, AssetsMaximum: '1000000' };
    expect(world.broken(owner, 'VaultSet', set, () => {})).toBeUndefined();
    const took = (table: EntryTable): void => {
      world.gives(table, pseudo, 1n);
      world.gives(table, cat, -1n);
    };
    expect(world.broken(owner, 'VaultSet', set, took)).toBe('ValidVault');
  });

  test('a depositor pays what the vault receives', () => {
    const other = (table: EntryTable): void => {
      world.gives(table, bob, 1n);
      world.gives(table, cat, -1n);
    };
    expect(world.broken(bob, 'VaultDeposit', world.of('10'), other)).toBe('ValidVault');
    expect(world.broken(bob, 'VaultWithdraw', world.of('10'), other)).toBe('ValidVault');
  });
});

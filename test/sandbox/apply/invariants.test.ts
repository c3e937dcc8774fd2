/** Each invariant against hand-made changes that violate it, and against the same ledger unchanged. */
import { describe, expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../../engine/codec/arithmetic/asset.ts';
import { brokenInvariant } from '../../../sandbox/apply/invariants/index.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import type { Entry, TransactionFields } from '../../../sandbox/protocol/fields.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

const USD = '0000000000000000000000005553440000000000';

interface Scene {
  readonly table: EntryTable;
  readonly alice: Entry;
  readonly bob: Entry;
  readonly a: TestAccount;
  readonly b: TestAccount;
}

const add = (entry: Record<string, unknown>) => entry as unknown as Entry;
const key = (digit: string): string => digit.repeat(64);

/** Name of the invariant that `change` violates when `type` makes it and burns 10 drops of alice. */
function violated(change: (scene: Scene) => void, type = 'Payment', paid = 10n): string | undefined {
  const rig = new Rig();
  const [a, b] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
  rig.close();
  const table = new EntryTable(rig.ledger);
  const alice = table.peek(keylets.account(a.id)) as Entry;
  const bob = table.peek(keylets.account(b.id)) as Entry;
  alice.Balance = Amount.drops(alice.Balance!.drops - 10n);
  change({ table, alice, bob, a, b });
  const tx = {
    TransactionType: type,
    Account: a.id,
    Fee: Amount.drops(10n),
    Sequence: 1,
  } as TransactionFields;
  return brokenInvariant(table, tx, 'tesSUCCESS', paid);
}

const line = ({ a, b }: Scene, more: Record<string, unknown>): Entry => {
  const [low, high] = [a.id, b.id].sort() as [string, string];
  return add({
    LedgerEntryType: 'RippleState',
    index: keylets.line(a.id, b.id, USD),
    Flags: 0,
    Balance: Amount.zero(issued(USD, `${'0'.repeat(39)}1`)),
    LowLimit: Amount.zero(issued(USD, low)),
    HighLimit: Amount.zero(issued(USD, high)),
    ...more,
  });
};

const page = ({ a }: Scene, tokens: string[], more: Record<string, unknown> = {}): Entry =>
  add({
    LedgerEntryType: 'NFTokenPage',
    index: keylets.nftPageMax(a.id),
    NFTokens: tokens.map((NFTokenID) => ({ NFToken: { NFTokenID } })),
    ...more,
  });

const drops = (n: bigint) => Amount.drops(n);
const usd = (account: TestAccount, n: bigint) => Amount.issued(issued(USD, account.id), n, 0);

describe('invariants', () => {
  test('hold when only the fee is taken', () => {
    expect(violated(() => {})).toBeUndefined();
  });

  const cases: [name: string, change: (scene: Scene) => void, type?: string, paid?: bigint][] = [
    ['TransactionFeeCheck', () => {}, 'Payment', 11n],
    [
      'XRPNotCreated',
      ({ bob }) => {
        bob.Balance = drops(bob.Balance!.drops + 1n);
      },
    ],
    [
      'XRPNotCreated',
      ({ bob }) => {
        bob.Balance = drops(bob.Balance!.drops - 1n);
      },
    ],
    [
      'XRPBalanceChecks',
      ({ alice, bob }) => {
        bob.Balance = drops(bob.Balance!.drops + alice.Balance!.drops + 1n);
        alice.Balance = drops(-1n);
      },
    ],
    [
      'NoBadOffers',
      ({ table }) =>
        table.insert(
          add({ LedgerEntryType: 'Offer', index: key('1'), TakerPays: drops(1n), TakerGets: drops(2n) }),
        ),
    ],
    [
      'NoZeroEscrow',
      ({ table }) => table.insert(add({ LedgerEntryType: 'Escrow', index: key('1'), Amount: drops(0n) })),
    ],
    [
      'AccountRootsNotDeleted',
      ({ table, alice, bob }) => {
        alice.Balance = drops(alice.Balance!.drops + bob.Balance!.drops);
        bob.Balance = drops(0n);
        table.erase(bob.index);
      },
    ],
    [
      'AccountRootsDeletedClean',
      ({ table, alice, bob }) => {
        alice.Balance = drops(alice.Balance!.drops + bob.Balance!.drops);
        bob.Balance = drops(0n);
        bob.OwnerCount = 1;
        table.erase(bob.index);
      },
      'AccountDelete',
    ],
    [
      'ValidNewAccountRoot',
      ({ table }) =>
        table.insert(
          add({
            LedgerEntryType: 'AccountRoot',
            index: key('1'),
            Account: key('1').slice(24),
            Balance: drops(0n),
            Sequence: 1,
          }),
        ),
    ],
    [
      'NoXRPTrustLines',
      (scene) =>
        scene.table.insert(line(scene, { LowLimit: Amount.zero(issued('0'.repeat(40), scene.a.id)) })),
    ],
    [
      'NoDeepFreezeTrustLinesWithoutFreeze',
      (scene) => scene.table.insert(line(scene, { Flags: Lsf.lsfLowDeepFreeze })),
    ],
    ['ValidNFTokenPage', (scene) => scene.table.insert(page(scene, [])), 'NFTokenMint'],
    ['ValidNFTokenPage', (scene) => scene.table.insert(page(scene, [key('2'), key('1')])), 'NFTokenMint'],
    [
      'ValidNFTokenPage',
      (scene) =>
        scene.table.insert(page(scene, [key('1')], { PreviousPageMin: keylets.nftPageMin(scene.b.id) })),
      'NFTokenMint',
    ],
    [
      'NFTokenCountTracking',
      ({ alice }) => {
        alice.MintedNFTokens = 1;
      },
    ],
    ['NFTokenCountTracking', () => {}, 'NFTokenBurn'],
    [
      'ValidMPTIssuance',
      ({ table }) => table.insert(add({ LedgerEntryType: 'MPTokenIssuance', index: key('1') })),
    ],
    ['ValidMPTIssuance', () => {}, 'MPTokenAuthorize'],
    [
      'ValidPermissionedDomain',
      ({ table }) =>
        table.insert(
          add({ LedgerEntryType: 'PermissionedDomain', index: key('1'), AcceptedCredentials: [] }),
        ),
      'PermissionedDomainSet',
    ],
    [
      'ValidPermissionedDEX',
      ({ table, a, b }) =>
        table.insert(
          add({
            LedgerEntryType: 'Offer',
            index: key('1'),
            Flags: Lsf.lsfHybrid,
            TakerPays: usd(a, 1n),
            TakerGets: usd(b, 1n),
          }),
        ),
      'OfferCreate',
    ],
    [
      'ValidPermissionedDomain',
      ({ table }) =>
        table.insert(
          add({
            LedgerEntryType: 'PermissionedDomain',
            index: key('1'),
            AcceptedCredentials: [{ Credential: { Issuer: key('1').slice(24), CredentialType: 'AB' } }],
          }),
        ),
    ],
    ['ValidPermissionedDomain', () => {}, 'PermissionedDomainDelete'],
    [
      'ValidBookDirectory',
      ({ table }) =>
        table.insert(
          add({
            LedgerEntryType: 'DirectoryNode',
            index: key('1'),
            RootIndex: key('1'),
            ExchangeRate: 1n,
            Indexes: [],
          }),
        ),
    ],
    [
      'ValidBookDirectory',
      ({ table }) =>
        table.insert(
          add({ LedgerEntryType: 'DirectoryNode', index: key('1'), RootIndex: key('2'), Indexes: [] }),
        ),
    ],
    [
      'ValidAmounts',
      ({ table, a }) =>
        table.insert(
          add({
            LedgerEntryType: 'Offer',
            index: key('1'),
            TakerPays: usd(a, 1n),
            TakerGets: drops(10n ** 17n + 1n),
          }),
        ),
    ],
    [
      'ValidPseudoAccounts',
      ({ bob }) => {
        bob.Sequence = 0;
      },
    ],
    [
      'ObjectHasPseudoAccount',
      ({ table, a }) => {
        (table as unknown as { base: EntryTable }).base.insert(
          add({ LedgerEntryType: 'AMM', index: key('1'), Account: a.id }),
        );
        table.erase(key('1'));
      },
    ],
    [
      'AccountRootsDeletedClean',
      ({ table, alice, bob }) => {
        (table as unknown as { base: EntryTable }).base.insert(
          add({ LedgerEntryType: 'AMM', index: key('1'), Account: bob.Account }),
        );
        alice.Balance = drops(alice.Balance!.drops + bob.Balance!.drops);
        bob.Balance = drops(0n);
        bob.AMMID = key('1');
        table.erase(bob.index);
      },
      'AccountDelete',
    ],
    [
      'ValidMPTIssuance',
      ({ table }) =>
        table.insert(
          add({ LedgerEntryType: 'MPTokenIssuance', index: key('1'), ReferenceHolding: key('2') }),
        ),
      'MPTokenIssuanceCreate',
    ],
    ['ValidAMM', () => {}, 'AMMCreate'],
    ['ValidVault', ({ table }) => table.insert(add({ LedgerEntryType: 'Vault', index: key('1') }))],
  ];
  for (const [name, change, type, paid] of cases) {
    test(`${name} finds violations`, () => {
      expect(violated(change, type, paid)).toBe(name);
    });
  }
});

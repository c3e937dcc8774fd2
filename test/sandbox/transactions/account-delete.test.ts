/**
 * What an account may own when it is deleted, and what is deleted with it: rippled's `AccountDelete` removes entries that
 * do not affect others, and fails for the rest. Afterwards no entry of its own, no directory and no count is left.
 */
import { describe, expect, test } from 'bun:test';
import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { dirEntries } from '../../../sandbox/ledger/directory.ts';
import type { EntryType } from '../../../sandbox/protocol/fields.ts';
import { Asf, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;

/** `ledger index >= Sequence + 255` is required. */
const QUIET = 255;
const KIND = '4B5943';

class Leaving {
  readonly rig = new Rig();
  readonly leaver: TestAccount;
  readonly heir: TestAccount;
  readonly peer: TestAccount;

  constructor() {
    [this.leaver, this.heir, this.peer] = this.rig.fund('leaver', 'heir', 'peer') as [
      TestAccount,
      TestAccount,
      TestAccount,
    ];
    this.rig.close();
  }

  does(by: TestAccount, TransactionType: string, more: Json): void {
    const { result } = this.rig.apply({ TransactionType, Account: by.address, ...more });
    expect(result).toBe('tesSUCCESS');
  }

  /** Closes ledgers until the account may be deleted, minus `but` ledgers. */
  wait(but = 0): void {
    const enough = this.rig.root(this.leaver).Sequence! + QUIET - but;
    while (this.rig.ledger.header.index < enough) this.rig.close();
  }

  leave(more: Json = {}) {
    return this.rig.apply({
      TransactionType: 'AccountDelete',
      Account: this.leaver.address,
      Destination: this.heir.address,
      Fee: '200000',
      ...more,
    });
  }

  /** Keys in the account's directory. */
  listed(account = this.leaver): Hex[] {
    return [...dirEntries(this.rig.ledger, keylets.ownerDirectory(account.id))];
  }

  typesListed(): EntryType[] {
    return this.listed().map((key) => this.rig.ledger.read(key)!.LedgerEntryType);
  }
}

const oracle = (w: Leaving, pairs: number): Json => ({
  OracleDocumentID: pairs,
  Provider: 'AA',
  AssetClass: 'BB',
  LastUpdateTime: w.rig.ledger.header.closeTime + RIPPLE_EPOCH,
  PriceDataSeries: Array.from({ length: pairs }, (_, at) => ({
    PriceData: { BaseAsset: `AA${at}`, QuoteAsset: 'USD', AssetPrice: '1' },
  })),
});

const credential = (issuer: TestAccount, subject: TestAccount): Json => ({
  Account: issuer.address,
  Subject: subject.address,
  CredentialType: KIND,
});

/** Entries deleted with the account: how it gets them, their owner count, their type. */
const DELETED_WITH_ACCOUNT: Record<string, [own: (w: Leaving) => void, count: number, type: EntryType]> = {
  'a DID': [(w) => w.does(w.leaver, 'DIDSet', { URI: 'AA' }), 1, 'DID'],
  'an oracle of five pairs': [(w) => w.does(w.leaver, 'OracleSet', oracle(w, 5)), 1, 'Oracle'],
  'an oracle of six pairs, which counts twice': [
    (w) => w.does(w.leaver, 'OracleSet', oracle(w, 6)),
    2,
    'Oracle',
  ],
  'a signer list': [
    (w) =>
      w.does(w.leaver, 'SignerListSet', {
        SignerQuorum: 1,
        SignerEntries: [w.heir, w.peer].map(({ address }) => ({
          SignerEntry: { Account: address, SignerWeight: 1 },
        })),
      }),
    1,
    'SignerList',
  ],
  'leave to deposit, by account': [
    (w) => w.does(w.leaver, 'DepositPreauth', { Authorize: w.peer.address }),
    1,
    'DepositPreauth',
  ],
  'leave to deposit, by credentials': [
    (w) =>
      w.does(w.leaver, 'DepositPreauth', {
        AuthorizeCredentials: [{ Credential: { Issuer: w.peer.address, CredentialType: KIND } }],
      }),
    1,
    'DepositPreauth',
  ],
  'a credential it issued': [
    (w) => w.does(w.leaver, 'CredentialCreate', credential(w.leaver, w.peer)),
    1,
    'Credential',
  ],
  'a credential it accepted': [
    (w) => {
      w.does(w.peer, 'CredentialCreate', credential(w.peer, w.leaver));
      w.does(w.leaver, 'CredentialAccept', { Issuer: w.peer.address, CredentialType: KIND });
    },
    1,
    'Credential',
  ],
  'a credential it was offered': [
    (w) => w.does(w.peer, 'CredentialCreate', credential(w.peer, w.leaver)),
    0,
    'Credential',
  ],
  'a delegation it gave': [
    (w) =>
      w.does(w.leaver, 'DelegateSet', {
        Authorize: w.peer.address,
        Permissions: [{ Permission: { PermissionValue: 'Payment' } }],
      }),
    1,
    'Delegate',
  ],
  'a delegation it got': [
    (w) =>
      w.does(w.peer, 'DelegateSet', {
        Authorize: w.leaver.address,
        Permissions: [{ Permission: { PermissionValue: 'Payment' } }],
      }),
    0,
    'Delegate',
  ],
  'an offer': [
    (w) =>
      w.does(w.leaver, 'OfferCreate', {
        TakerGets: '5',
        TakerPays: { currency: 'USD', issuer: w.peer.address, value: '5' },
      }),
    1,
    'Offer',
  ],
};

/** Deletes the account, and checks that all entries it listed are deleted and shown in the metadata. */
function checkDeletion(w: Leaving): void {
  const { rig, leaver, heir, peer } = w;
  const keys = w.listed();
  const before = [rig.root(leaver).Balance!.drops, rig.root(heir).Balance!.drops] as const;
  const { result, metadata } = w.leave();
  expect(result).toBe('tesSUCCESS');
  const deleted = metadata!.AffectedNodes!.flatMap(({ DeletedNode }) => DeletedNode ?? []);
  const entries = deleted.filter(({ LedgerEntryType }) => LedgerEntryType !== 'DirectoryNode');
  expect(entries.map(({ LedgerIndex }) => LedgerIndex!).sort()).toEqual(
    [...keys, keylets.account(leaver.id)].sort(),
  );
  for (const key of keys) expect(rig.ledger.read(key)).toBeUndefined();
  expect(rig.ledger.read(keylets.ownerDirectory(leaver.id))).toBeUndefined();
  expect(rig.ledger.read(keylets.account(leaver.id))).toBeUndefined();
  expect(w.listed(peer)).toEqual([]);
  expect(rig.root(peer).OwnerCount).toBe(0);
  expect(metadata!.DeliveredAmount!.drops).toBe(before[0] - 200_000n);
  expect(rig.root(heir).Balance!.drops).toBe(before[0] + before[1] - 200_000n);
  rig.close();
  expect(rig.problems()).toEqual([]);
}

describe('deleted with the account is', () => {
  test.each(Object.entries(DELETED_WITH_ACCOUNT))('%s', (_name, [own, count, type]) => {
    const w = new Leaving();
    own(w);
    expect(w.rig.root(w.leaver).OwnerCount).toBe(count);
    expect(w.typesListed()).toEqual([type]);
    w.wait();
    checkDeletion(w);
  });

  test('all of it at once, on more than one page', () => {
    const w = new Leaving();
    w.does(w.leaver, 'TicketCreate', { TicketCount: 40 });
    // One delegation or credential between two accounts is enough.
    for (const [name, [own]] of Object.entries(DELETED_WITH_ACCOUNT))
      if (!/accepted|it got/.test(name)) own(w);
    expect(new Set(w.typesListed()).size).toBe(8);
    expect(w.listed().length).toBe(50);
    w.wait();
    checkDeletion(w);
  });
});

/** Entries that prevent the deletion. */
const PREVENTS_DELETION: Record<string, (w: Leaving) => void> = {
  'a trust line': (w) =>
    w.does(w.leaver, 'TrustSet', {
      LimitAmount: { currency: 'USD', issuer: w.peer.address, value: '5' },
    }),
  "another's trust line to it": (w) =>
    w.does(w.peer, 'TrustSet', {
      LimitAmount: { currency: 'USD', issuer: w.leaver.address, value: '5' },
    }),
  'a check it wrote': (w) => w.does(w.leaver, 'CheckCreate', { Destination: w.peer.address, SendMax: '5' }),
  'a check written to it': (w) =>
    w.does(w.peer, 'CheckCreate', { Destination: w.leaver.address, SendMax: '5' }),
  'an escrow': (w) =>
    w.does(w.leaver, 'EscrowCreate', {
      Destination: w.peer.address,
      Amount: '5',
      FinishAfter: w.rig.ledger.header.closeTime + 9,
    }),
  'a payment channel': (w) =>
    w.does(w.leaver, 'PaymentChannelCreate', {
      Destination: w.peer.address,
      Amount: '5',
      SettleDelay: 9,
      PublicKey: w.leaver.publicKey,
    }),
  'an MPT issuance': (w) => w.does(w.leaver, 'MPTokenIssuanceCreate', {}),
  'a permissioned domain': (w) =>
    w.does(w.leaver, 'PermissionedDomainSet', {
      AcceptedCredentials: [{ Credential: { Issuer: w.peer.address, CredentialType: KIND } }],
    }),
  'an NFT': (w) => w.does(w.leaver, 'NFTokenMint', { NFTokenTaxon: 0, Flags: Tf.tfTransferable }),
};

test.each(Object.entries(PREVENTS_DELETION))('%s prevents the deletion', (_name, own) => {
  const w = new Leaving();
  own(w);
  // Together with an entry that would be deleted.
  w.does(w.leaver, 'DIDSet', { URI: 'AA' });
  const listed = w.listed();
  w.wait();
  expect(w.leave().result).toBe('tecHAS_OBLIGATIONS');
  expect(w.listed()).toEqual(listed);
  expect(w.rig.problems()).toEqual([]);
});

test('the account may be deleted 255 ledgers after its sequence number', () => {
  const w = new Leaving();
  w.wait(1);
  expect(w.leave().result).toBe('tecTOO_SOON');
  w.wait(0);
  expect(w.leave().result).toBe('tesSUCCESS');
});

test('requirements of the destination', () => {
  const w = new Leaving();
  const unfunded = w.rig.account('nobody');
  const asks = (by: TestAccount, SetFlag: number): void => w.does(by, 'AccountSet', { SetFlag });
  asks(w.heir, Asf.asfRequireDest);
  asks(w.heir, Asf.asfDepositAuth);
  const refused = (more: Json = {}): string => {
    w.wait();
    return w.leave(more).result;
  };
  expect(w.leave({ Destination: w.leaver.address }).result).toBe('temDST_IS_SRC');
  expect(refused({ Destination: unfunded.address })).toBe('tecNO_DST');
  expect(refused()).toBe('tecDST_TAG_NEEDED');
  expect(refused({ DestinationTag: 0 })).toBe('tecNO_PERMISSION');
  w.does(w.heir, 'DepositPreauth', { Authorize: w.leaver.address });
  expect(refused({ DestinationTag: 0 })).toBe('tesSUCCESS');
});

test('a thousand entries are deleted, a thousand and one are too many', () => {
  const w = new Leaving();
  const offer = {
    TakerGets: '5',
    TakerPays: { currency: 'USD', issuer: w.peer.address, value: '5' },
  };
  w.does(w.leaver, 'TicketCreate', { TicketCount: 250 });
  for (let made = 250; made < 1001; made += 1) w.does(w.leaver, 'OfferCreate', offer);
  const first = w.rig.root(w.leaver).Sequence! - 1;
  w.wait();
  expect(w.leave().result).toBe('tefTOO_BIG');
  w.does(w.leaver, 'OfferCancel', { OfferSequence: first });
  w.wait();
  checkDeletion(w);
});

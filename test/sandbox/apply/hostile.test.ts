/**
 * Hostile bytes. Every blob is refused by the decoder with a FieldError, or encodes to the same bytes, and then gets a
 * result code; no other exception is thrown, and nothing takes long.
 */
import { describe, expect, test } from 'bun:test';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { transactionOfBlob } from '../../../sandbox/apply/transaction.ts';
import { applyTransaction } from '../../../sandbox/apply/transactor.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import { FieldError } from '../../../sandbox/protocol/field-table.ts';
import { isTec, resultCode } from '../../../sandbox/protocol/results.ts';
import { RULES } from '../../../sandbox/transactions/index.ts';
import { casesOf } from '../../cases.ts';
import { isGivenUp } from '../given-up.ts';
import { Rig, type TestAccount } from '../rig.ts';
import { drawsOf, seedOf } from '../seed.ts';

const seed = seedOf('hostile blobs');
const MUTATED = casesOf(15_000, 160_000);
const RANDOM = casesOf(15_000, 40_000);

const tally = new Map<string, number>();
let slowest = 0;

/** Decodes and applies one blob. @returns a result code, or `refused` for bytes that are not a transaction. */
function send(rig: Rig, blob: Uint8Array): string {
  const started = performance.now();
  let outcome = 'refused';
  try {
    const transaction = transactionOfBlob(blob);
    const table = new EntryTable(rig.ledger);
    const { result, applied } = applyTransaction(table, transaction, { networkId: 0 });
    expect(Number.isInteger(resultCode(result))).toBe(true);
    if (applied) expect(result === 'tesSUCCESS' || isTec(result)).toBe(true);
    else if ([...table.changes()].length > 0) throw new Error('changed without being applied');
    // A rule must detect invalid input before it throws.
    if (result === 'tefEXCEPTION' && !isGivenUp(rig.ledger, transaction.fields))
      throw new Error('a rule threw');
    outcome = result;
  } catch (error) {
    if (!(error instanceof FieldError)) throw new Error(`blob ${hexOf(blob)}`, { cause: error });
  }
  slowest = Math.max(slowest, performance.now() - started);
  tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
  return outcome;
}

const USD = (issuer: TestAccount, value: string) => ({ currency: 'USD', issuer: issuer.address, value });

/** A ledger with many kinds of entries, and valid transactions for it. */
function world(): { rig: Rig; blobs: Uint8Array[] } {
  const rig = new Rig();
  const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
  rig.close();
  const from = (account: TestAccount, TransactionType: string, more: Record<string, unknown> = {}) => ({
    TransactionType,
    Account: account.address,
    ...more,
  });
  rig.apply(from(bob, 'TrustSet', { LimitAmount: USD(alice, '1000') }));
  rig.apply(from(alice, 'Payment', { Destination: bob.address, Amount: USD(alice, '500') }));
  rig.apply(from(bob, 'OfferCreate', { TakerPays: '1000', TakerGets: USD(alice, '5') }));
  rig.close();
  const path = [
    [{ account: bob.address }, { currency: 'USD', issuer: alice.address }],
    [{ currency: 'XRP' }],
  ];
  const sequence = rig.root(alice).Sequence! + 1;
  const inner = from(alice, 'Payment', {
    Destination: bob.address,
    Amount: '1',
    Fee: '0',
    Sequence: sequence,
    Flags: 0x4000_0000,
    SigningPubKey: '',
  });
  const asset = { currency: 'USD', issuer: alice.address };
  const list = [
    from(alice, 'Payment', { Destination: bob.address, Amount: '5', Memos: [{ Memo: { MemoData: 'AB' } }] }),
    from(alice, 'Payment', {
      Destination: bob.address,
      Amount: USD(alice, '5'),
      SendMax: '500',
      Paths: path,
      Flags: 0x2_0000,
    }),
    from(alice, 'OfferCreate', { TakerPays: USD(alice, '5'), TakerGets: '2000' }),
    from(bob, 'OfferCancel', { OfferSequence: 4 }),
    from(bob, 'TrustSet', { LimitAmount: USD(alice, '7'), QualityIn: 5, Flags: 0x2_0000 }),
    from(alice, 'AccountSet', { Domain: 'ABCD', TransferRate: 1_100_000_000, TickSize: 5, SetFlag: 8 }),
    from(alice, 'SignerListSet', {
      SignerQuorum: 1,
      SignerEntries: [{ SignerEntry: { Account: bob.address, SignerWeight: 1 } }],
    }),
    from(alice, 'EscrowCreate', { Destination: bob.address, Amount: '5', FinishAfter: 900_000_000 }),
    from(alice, 'CheckCreate', { Destination: bob.address, SendMax: USD(alice, '5') }),
    from(alice, 'PaymentChannelCreate', {
      Destination: bob.address,
      Amount: '5',
      SettleDelay: 5,
      PublicKey: alice.publicKey,
    }),
    from(alice, 'NFTokenMint', { NFTokenTaxon: 1, URI: 'AB', TransferFee: 5, Flags: 8 }),
    from(alice, 'NFTokenCreateOffer', { NFTokenID: 'A'.repeat(64), Amount: '5', Owner: bob.address }),
    from(bob, 'AMMCreate', { Amount: USD(alice, '5'), Amount2: '5000', TradingFee: 5, Fee: '200000' }),
    from(bob, 'AMMDeposit', { Asset: { currency: 'XRP' }, Asset2: asset, Amount: '5', Flags: 0x8_0000 }),
    from(alice, 'OracleSet', {
      OracleDocumentID: 1,
      Provider: 'AB',
      AssetClass: 'CD',
      LastUpdateTime: 1_746_684_800,
      PriceDataSeries: [{ PriceData: { BaseAsset: 'XRP', QuoteAsset: 'USD', AssetPrice: '5', Scale: 2 } }],
    }),
    from(alice, 'MPTokenIssuanceCreate', { MaximumAmount: '100', TransferFee: 5, Flags: 0x20 }),
    from(alice, 'VaultCreate', { Asset: asset, Data: 'AB', AssetsMaximum: '100', Fee: '200000' }),
    from(alice, 'CredentialCreate', { Subject: bob.address, CredentialType: 'AB', URI: 'CD' }),
    from(alice, 'PermissionedDomainSet', {
      AcceptedCredentials: [{ Credential: { Issuer: bob.address, CredentialType: 'AB' } }],
    }),
    from(alice, 'DelegateSet', {
      Authorize: bob.address,
      Permissions: [{ Permission: { PermissionValue: 'Payment' } }],
    }),
    from(alice, 'Batch', {
      Flags: 0x1_0000,
      Fee: '100',
      RawTransactions: [
        { RawTransaction: inner },
        { RawTransaction: { ...inner, Amount: '2', Sequence: sequence + 1 } },
      ],
    }),
    from(alice, 'XChainCreateBridge', {
      XChainBridge: {
        LockingChainDoor: alice.address,
        LockingChainIssue: { currency: 'XRP' },
        IssuingChainDoor: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
        IssuingChainIssue: { currency: 'XRP' },
      },
      SignatureReward: '5',
    }),
  ];
  const blobs = list.map((json) => rig.signed(json));
  for (const [at, blob] of blobs.entries()) {
    const outcome = send(rig, blob);
    expect([list[at]!.TransactionType, outcome.startsWith('te')]).toEqual([list[at]!.TransactionType, true]);
  }
  return { rig, blobs };
}

/** One to four changes: bits, bytes, lengths, pieces cut out, doubled, moved, taken from another transaction. */
function mutated(blob: Uint8Array, other: Uint8Array, random: (below: number) => number): Uint8Array {
  let bytes = [...blob];
  for (let changes = 1 + random(4); changes > 0; changes -= 1) {
    const at = random(bytes.length || 1);
    const size = 1 + random(24);
    const piece = [...other.slice(random(other.length), random(other.length) + size)];
    switch (random(7)) {
      case 0:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
        break;
      case 1:
        bytes[at] = random(256);
        break;
      case 2:
        bytes.splice(at, size);
        break;
      case 3:
        bytes.splice(at, 0, ...bytes.slice(at, at + size));
        break;
      case 4:
        bytes.splice(at, 0, ...piece);
        break;
      case 5:
        bytes.splice(at, piece.length, ...piece);
        break;
      default:
        bytes = bytes.slice(0, at + 1);
    }
  }
  return Uint8Array.from(bytes);
}

describe('hostile bytes', () => {
  const { rig, blobs } = world();

  test(`${MUTATED} mutated transactions`, () => {
    const random = drawsOf(seed);
    for (let i = 0; i < MUTATED; i += 1)
      send(rig, mutated(blobs[random(blobs.length)]!, blobs[random(blobs.length)]!, random));
    expect(tally.get('refused')!).toBeGreaterThan(MUTATED / 4);
    console.log(
      [...tally]
        .sort((a, b) => b[1] - a[1])
        .map(([what, n]) => `${what} ${n}`)
        .join(', '),
    );
    expect(tally.get('tesSUCCESS')!).toBeGreaterThan(100);
    console.log(`slowest ${slowest.toFixed(1)} ms`);
  });

  test(`${RANDOM} random blobs`, () => {
    const random = drawsOf(seed ^ 0x5bd1e995);
    const types = RULES.size;
    for (let i = 0; i < RANDOM; i += 1) {
      const bytes = Uint8Array.from({ length: random(200) }, () => random(256));
      // Half of them begin like a transaction.
      if (i % 2 === 0 && bytes.length > 3) bytes.set([0x12, 0, random(types + 10)]);
      send(rig, bytes);
    }
  });
});

describe('shapes', () => {
  const { rig } = world();
  const alice = rig.account('alice');
  const account = `8114${alice.id}`;
  const start = `120003240000000468400000000000000A7300`;
  const sent = (hex: string): string => send(rig, bytesOf(hex));

  test('nesting that is unlimited, unclosed, or too deep', () => {
    for (const depth of [1, 5, 10, 11, 100, 5000]) {
      expect(sent(`${start}${account}${'F9EA'.repeat(depth)}`)).toBe('refused');
      for (const [open, close] of [
        ['F9EA', 'E1F1'],
        ['EA', 'E1'],
      ] as const) {
        const closed = sent(`${start}${account}${open.repeat(depth)}${close.repeat(depth)}`);
        expect(closed).toMatch(depth > 10 ? /^refused$/ : /^refused$|^tem/);
      }
      expect(sent(`F9EA`.repeat(depth))).toBe('refused');
    }
  });

  test('very long arrays', () => {
    const memo = 'EA7D01ABE1';
    for (const count of [100, 10_000, 100_000])
      expect(sent(`${start}${account}F9${memo.repeat(count)}F1`)).toMatch(/refused|temINVALID/);
    const signer = `E010732100${'00'.repeat(32)}7400${account}E1`;
    expect(sent(`${start}${account}F3${signer.repeat(5_000)}F1`)).toMatch(/^refused$|^te[ml]/);
  });

  test('fields repeated, out of order, unknown, empty, truncated', () => {
    expect(sent(`${start}${account}${account}`)).toBe('refused');
    expect(sent(`${start}68400000000000000A${account}`)).toBe('refused');
    expect(sent(`${account}${start}`)).toBe('refused');
    expect(sent(`${start}${account}00FFFF`)).toBe('refused');
    expect(sent(`${start}8100`)).toMatch(/refused|^te/);
    expect(sent(`${start}7700${account}`)).toMatch(/^te/);
    expect(sent('')).toBe('refused');
    for (let cut = 0; cut < start.length; cut += 2) expect(sent(start.slice(0, cut))).toBe('refused');
  });

  test('too many and too long paths', () => {
    const step = `01${alice.id}`;
    const payment = (paths: string) =>
      sent(
        `12000022000200002400000004614000000000000001684000000000000009${'69'}4000000000000005${'7300'}${account}8314${alice.id}0112${paths}00`,
      );
    for (const paths of [
      step.repeat(9),
      `${step}FF`.repeat(7) + step,
      `${step.repeat(1000)}`,
      `${step}FF`.repeat(10_000) + step,
      'FF',
      '',
      `${step}FFFF${step}`,
    ])
      expect(payment(paths)).toMatch(/^refused$|^te/);
  });

  test('lengths beyond the data, or the longest possible ones', () => {
    for (const prefix of ['C1', 'F0FF', 'F1FFFF', 'FEFFFF', 'FFFFFF', 'FED417'])
      expect(sent(`${start}77${prefix}AB`)).toBe('refused');
    const long = 918_744;
    expect(sent(`${start}77FED417${'AB'.repeat(long)}${account}`)).toMatch(/^refused$|^te/);
  });

  test('none of them took long', () => {
    expect(slowest).toBeLessThan(2_000);
  });
});

import { describe, test } from 'bun:test';
import fc from 'fast-check';
import { encode } from 'ripple-binary-codec';
import { casesOf } from '../../cases.ts';
import { type Fields, idHex } from './model.ts';
import { type Sample, sampleOf } from './recorded.ts';
import { interrupted, run } from './run.ts';

const ACCOUNTS = [
  'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B',
  'rMwjYedjc7qqtKYVLiAccJSmCwih4LnE2q',
  'rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq',
  'rsoLo2S1kiGeCcn6hCUXVrCpGMWLrRrLZz',
];
const CURRENCIES = ['USD', 'EUR', '524C555344000000000000000000000000000000'];
const DOMAIN = 'D0'.repeat(32);
const INDEX = '5A'.repeat(32);

interface Op {
  kind: 'account' | 'line' | 'offer' | 'pool' | 'issuance' | 'holding';
  remove: boolean;
  a: number;
  b: number;
  c: number;
  n: number;
  value: string;
  limit: boolean;
}

/** Decimal texts from tiny to huge, negative and zero among them. */
const value = fc
  .tuple(fc.integer({ min: -9_999_999, max: 9_999_999 }), fc.integer({ min: -30, max: 30 }), fc.boolean())
  .map(([m, e, zero]) => (zero ? '0' : `${m}e${e}`));

const op: fc.Arbitrary<Op> = fc.record({
  kind: fc.constantFrom(
    'account',
    'line',
    'line',
    'line',
    'offer',
    'offer',
    'pool',
    'issuance',
    'holding',
    'holding',
  ),
  remove: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  a: fc.nat(ACCOUNTS.length - 1),
  b: fc.nat(ACCOUNTS.length - 1),
  c: fc.nat(CURRENCIES.length - 1),
  n: fc.nat(3),
  value,
  limit: fc.boolean(),
});

/** Of lines: each end's, above and below face value, and one that says that there is none. */
const QUALITIES = [
  { LowQualityIn: 900_000_000, HighQualityOut: 1_020_000_000 },
  { HighQualityIn: 4_294_967_295, LowQualityOut: 1 },
  { HighQualityIn: 0 },
];

/** Keeps the existing entries, so that nodes are created, modified or deleted as in a ledger. */
class Script {
  readonly #existing = new Set<string>();

  node(o: Op): Record<string, Fields> {
    const { type, key, fields } = entryOf(o);
    const exists = this.#existing.has(`${type} ${key}`);
    // An entry never seen may come up as modified or deleted: state can begin anywhere.
    const kind = o.remove ? 'DeletedNode' : exists || o.n === 3 ? 'ModifiedNode' : 'CreatedNode';
    if (o.remove) this.#existing.delete(`${type} ${key}`);
    else this.#existing.add(`${type} ${key}`);
    const holder = kind === 'CreatedNode' ? 'NewFields' : 'FinalFields';
    const node = { LedgerEntryType: type, LedgerIndex: INDEX, [holder]: fields };
    return { [kind]: node };
  }
}

function entryOf(o: Op): { type: string; key: string; fields: Fields } {
  const a = ACCOUNTS[o.a]!;
  const other = ACCOUNTS[o.b === o.a ? (o.b + 1) % ACCOUNTS.length : o.b]!;
  const currency = CURRENCIES[o.c]!;
  const positive = o.value.replace('-', '');
  const flags = (o.n & 1 ? 0x00010000 : 0) | (o.n & 2 ? 0x00020000 : 0);
  switch (o.kind) {
    case 'account':
      return { type: 'AccountRoot', key: a, fields: accountFields(o, a) };
    case 'line': {
      const [low, high] = idHex(a) < idHex(other) ? [a, other] : [other, a];
      const balance = { currency, issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: o.value };
      const fields: Fields = {
        Balance: balance,
        LowLimit: { currency, issuer: low, value: o.limit ? '1000000' : '0' },
        HighLimit: { currency, issuer: high, value: o.n === 2 ? '5' : '0' },
      };
      if (flags) fields.Flags = flags;
      if (o.limit && o.n > 0) Object.assign(fields, QUALITIES[o.c % QUALITIES.length]);
      return { type: 'RippleState', key: `${low} ${high} ${currency}`, fields };
    }
    case 'offer':
      return { type: 'Offer', key: `${a} ${o.n + 1}`, fields: offerFields(o, a, other, currency) };
    case 'pool': {
      // The account of a pool is made for it alone, so its assets go with the account.
      const fields: Fields = {
        Account: a,
        Asset: o.a & 1 ? { currency: 'XRP' } : { currency: 'EUR', issuer: a },
        Asset2: { currency: 'USD', issuer: ACCOUNTS[(o.a + 1) % ACCOUNTS.length]! },
        LPTokenBalance: { currency: `03${'AB'.repeat(18)}0${o.a}`, issuer: a, value: positive },
      };
      if (o.n) fields.TradingFee = o.n * 100;
      return { type: 'AMM', key: a, fields };
    }
    case 'issuance': {
      const fields: Fields = { Issuer: a, Sequence: o.n + 1 };
      if (o.limit) fields.OutstandingAmount = String(12_345_678_901_234n * BigInt(o.b));
      if (o.c) fields.AssetScale = o.c;
      return { type: 'MPTokenIssuance', key: `${a} ${o.n + 1}`, fields };
    }
    case 'holding': {
      const id = `0000000${o.n + 1}B5F762798A53D543A014CAF8B297CFF8F2F937E8`;
      const fields: Fields = { Account: a, MPTokenIssuanceID: id };
      if (o.limit) fields.MPTAmount = String(BigInt(o.b) * 4_611_686_018_427_387n);
      if (o.c) fields.Flags = o.c;
      return { type: 'MPToken', key: `${a} ${id}`, fields };
    }
  }
}

function accountFields(o: Op, account: string): Fields {
  const fields: Fields = { Account: account, Sequence: o.n + 1 };
  if (o.limit) fields.Balance = String(20_000_000 * (o.b + 1));
  if (o.c) fields.Domain = `6578616D706C65${30 + o.b}`;
  if (o.b) fields.OwnerCount = o.b;
  if (o.n === 3) fields.AMMID = INDEX;
  return fields;
}

function offerFields(o: Op, account: string, other: string, currency: string): Fields {
  // Quality goes with the key, as on the ledger: a standing offer never changes its place.
  const quality = `5A0${o.n}000000000000`.slice(0, 16).padEnd(16, '0');
  const issued = { currency, issuer: other, value: o.value === '0' ? '1' : o.value };
  const drops = String(1000 * (o.b + 1));
  const fields: Fields = {
    Account: account,
    Sequence: o.n + 1,
    TakerPays: o.limit ? issued : drops,
    TakerGets: o.limit ? drops : issued,
    BookDirectory: `${'C0'.repeat(24)}${quality}`,
  };
  if (o.c === 1) fields.Expiration = 700_000_000 + o.b;
  if (o.c === 2) fields.DomainID = DOMAIN;
  if (o.c === 2 && o.b > 2) fields.Flags = 0x00040000;
  return fields;
}

const TX = encode({
  TransactionType: 'AccountSet',
  Account: ACCOUNTS[0]!,
  Sequence: 1,
  Fee: '10',
  SigningPubKey: '',
});

function samplesOf(ledgers: readonly (readonly Op[])[]): Sample[] {
  const script = new Script();
  return ledgers.map((ops, i) => {
    const nodes = ops.map((o) => script.node(o));
    const meta = encode({ AffectedNodes: nodes, TransactionIndex: 0, TransactionResult: 'tesSUCCESS' });
    return sampleOf(`random ${i}`, i + 1, 700_000_000 + i, [{ tx: TX, meta }]);
  });
}

describe('random changes', () => {
  const seed = Number(process.env.SEED ?? 20_261_121);
  test(`deletion, re-creation and id reuse agree with the model and survive a restart (SEED=${seed})`, () => {
    const ledgers = fc.array(fc.array(op, { minLength: 1, maxLength: 25 }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(ledgers, (script) => {
        const samples = samplesOf(script);
        run(samples, 1);
        interrupted(samples);
      }),
      { seed, numRuns: casesOf(60, 150) },
    );
  });
});

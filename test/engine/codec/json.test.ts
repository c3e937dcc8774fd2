import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { decode, encode, XrplDefinitions } from 'ripple-binary-codec';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { Definitions, type RawDefinitions, SHIPPED } from '../../../engine/codec/definitions.ts';
import { decodeObject, type JsonObject, Reader, ReaderError } from '../../../engine/codec/json.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { casesOf, sampled } from '../../cases.ts';
import { allBlobs, vectorCases } from './blobs.ts';

/** Of recorded rows one in so many is looked at in `npm test`. */
const EVERY = 4;

const blobs = corpusDir === undefined ? [] : allBlobs();
const REFERENCE_MS = 60_000; // the reference takes most of the time

/** The decoded blob, or the fact that it is refused. */
function outcome(read: () => unknown): { value?: unknown; refused: boolean } {
  try {
    return { value: read(), refused: false };
  } catch {
    return { refused: true };
  }
}

describe.if(corpusDir !== undefined)('recorded blobs', () => {
  test(
    'every blob equals the reference, or both refuse it',
    () => {
      const reader = new Reader();
      const differing: string[] = [];
      let equal = 0;
      for (const { from, hex } of sampled(blobs, EVERY)) {
        const expected = outcome(() => decode(hex));
        const got = outcome(() => reader.decode(bytesOf(hex)));
        if (expected.refused !== got.refused || !isDeepStrictEqual(expected.value, got.value))
          differing.push(from);
        else if (!expected.refused) equal++;
      }
      expect(differing).toEqual([]);
      expect(equal).toBeGreaterThan(casesOf(10_000 / EVERY / 2, 10_000));
      expect(reader.counters.readerFallbacks).toBeLessThan(100);
    },
    REFERENCE_MS,
  );

  test('recorded JSON of transactions and ledger entries', () => {
    let checked = 0;
    for (const c of vectorCases('codec_tx_and_state.json')) {
      if (typeof c.binary !== 'string' || c.kind === 'ledgerData') continue;
      expect(outcome(() => decodeObject(bytesOf(String(c.binary)))).value).toEqual(c.json);
      checked++;
    }
    expect(checked).toBeGreaterThan(150);
  });

  test('transactions of another kind of chain are refused; the error contains what was read', () => {
    const foreign = blobs.filter((b) => b.from.startsWith('tx_xahau'));
    expect(foreign.length).toBeGreaterThan(10);
    for (const { hex } of foreign) {
      if (!outcome(() => decode(hex)).refused) continue;
      const error = thrown(() => decodeObject(bytesOf(hex)));
      expect(error.fault).toBe('unknown');
      expect(Object.keys(error.partial).length).toBeGreaterThan(3);
    }
  });

  test('definitions recorded from a node, merged in, change nothing that is known', () => {
    const answers = JSON.parse(readFileSync(join(corpusDir!, 'responses/server_definitions.json'), 'utf8'));
    const reader = new Reader(SHIPPED.merged(answers[0].response as Partial<RawDefinitions>));
    for (const { hex } of blobs.filter((_, i) => i % 20 === 0)) {
      const expected = outcome(() => decodeObject(bytesOf(hex)));
      if (!expected.refused) expect(outcome(() => reader.decode(bytesOf(hex)))).toEqual(expected);
    }
    expect(reader.definitions.names.length).toBeGreaterThanOrEqual(SHIPPED.names.length);
  });

  test('Number fields as rippled and the reference write them', () => {
    let checked = 0;
    for (const c of vectorCases('codec_stnumber.json')) {
      const hex = `91${String(c.hex)}`; // Number is type 9, field 1
      const expected = outcome(() => decode(hex));
      if (expected.refused) continue;
      expect(decodeObject(bytesOf(hex))).toEqual(expected.value as JsonObject);
      checked++;
    }
    expect(checked).toBeGreaterThan(1000);
  });
});

describe('every field of the definitions', () => {
  const account = 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59';
  const values: Record<string, unknown[]> = {
    UInt8: [0, 255],
    UInt16: [0, 65535],
    UInt32: [0, 4294967295],
    UInt64: ['0', '123', '9007199254740993'],
    Int32: [-2147483648, -1, 2147483647],
    Hash128: ['00000000000000000000000000000000', '0123456789ABCDEF0123456789ABCDEF'],
    Hash160: ['0123456789ABCDEF0123456789ABCDEF01234567'],
    Hash192: ['0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF'],
    Hash256: ['0'.repeat(64), 'F'.repeat(64)],
    Blob: ['', 'AB', 'CD'.repeat(192), 'EF'.repeat(193), '01'.repeat(12481)],
    AccountID: [account, 'rrrrrrrrrrrrrrrrrrrrrhoLvTp'],
    Amount: [
      '0',
      '100000000000000000',
      {
        value: '-0.000000000000000000000000000000000000000000000000000000000000000000000000000000001',
        currency: 'USD',
        issuer: account,
      },
      { value: '9999999999999999', currency: '0158415500000000C1F76FF6ECB0BAC600000000', issuer: account },
      { value: '0', currency: '$^|', issuer: account },
      { value: '9223372036854775807', mpt_issuance_id: '0000012FFD9EE5DA93AC614B4DB94D7E0FCE415CA51BED47' },
    ],
    Issue: [
      { currency: 'XRP' },
      { currency: 'USD', issuer: account },
      { mpt_issuance_id: '0000012FFD9EE5DA93AC614B4DB94D7E0FCE415CA51BED47' },
    ],
    XChainBridge: [
      {
        LockingChainDoor: account,
        LockingChainIssue: { currency: 'XRP' },
        IssuingChainDoor: account,
        IssuingChainIssue: { currency: 'USD', issuer: account },
      },
    ],
    Currency: ['XRP', 'EUR', '0000000000000000000000005852500000000000'],
    Vector256: [[], ['A'.repeat(64), 'B'.repeat(64)]],
    PathSet: [[[{ account }, { currency: 'XRP' }], [{ currency: 'USD', issuer: account }]]],
    Number: ['0', '1', '-1.5', '1e-50', '123456789.123456789', '9e30000'],
    STObject: [{ Account: account, Memo: { MemoData: 'AB' } }],
    STArray: [[], [{ Memo: { MemoData: 'AB' } }, { Memo: { MemoType: 'CD' } }]],
  };

  test('decodes as the reference does', () => {
    const skipped = new Set([
      'ObjectEndMarker',
      'ArrayEndMarker',
      'TransactionType',
      'TransactionResult',
      'LedgerEntryType',
      'PermissionValue',
    ]);
    let checked = 0;
    for (const [name, row] of SHIPPED.raw.FIELDS) {
      if (!row.isSerialized || skipped.has(name) || !values[row.type]) continue;
      for (const value of values[row.type]!) {
        const encoded = outcome(() => encode({ [name]: value }));
        if (encoded.refused) continue; // FeeAmountDelta takes XRP only
        const hex = String(encoded.value);
        expect(decodeObject(bytesOf(hex))).toEqual(decode(hex) as JsonObject);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(700);
  });

  test('names of types, results, entries and permissions', () => {
    const named: [string, ReadonlyMap<number, string>][] = [
      ['TransactionType', SHIPPED.transactionTypes],
      ['TransactionResult', SHIPPED.transactionResults],
      ['LedgerEntryType', SHIPPED.entryTypes],
      ['PermissionValue', SHIPPED.permissions],
    ];
    for (const [field, names] of named)
      for (const name of names.values()) {
        const hex = encode({ [field]: name });
        expect(decodeObject(bytesOf(hex))).toEqual({ [field]: name });
      }
  });
});

describe('unusual blobs', () => {
  const flags = '2200000001';
  const unknownField = '20FE0000002A'; // UInt32, field 254
  const unknownType = '011D00'; // type 29, field 1

  test('an unknown field of a known type is skipped, reading continues', () => {
    const reader = new Reader();
    const error = thrown(() => reader.decode(bytesOf(`${flags + unknownField}7D01AB`)));
    expect(error.fault).toBe('unknown');
    expect(error.at).toBe(5);
    expect(error.partial).toEqual({ Flags: 1, MemoData: 'AB' });
    expect(reader.counters).toEqual({ unknownFields: 1, readerFallbacks: 1 });
  });

  test('an unknown type ends reading', () => {
    const error = thrown(() => decodeObject(bytesOf(flags + unknownType)));
    expect(error.fault).toBe('unknown');
    expect(error.partial).toEqual({ Flags: 1 });
  });

  test('truncation, bad headers and deep nesting are reported', () => {
    expect(thrown(() => decodeObject(bytesOf('220000'))).fault).toBe('truncated');
    expect(thrown(() => decodeObject(bytesOf('0001'))).fault).toBe('malformed');
    expect(thrown(() => decodeObject(bytesOf('EA'.repeat(50_000)))).fault).toBe('nesting');
    expect(thrown(() => decodeObject(bytesOf('F9EA'.repeat(50_000)))).fault).toBe('nesting');
  });

  test('definitions of a node newer than the package make its fields readable', () => {
    const newer: Partial<RawDefinitions> = {
      FIELDS: [
        ['Shiny', { nth: 254, isVLEncoded: false, isSerialized: true, isSigningField: true, type: 'UInt32' }],
        null as never, // malformed rows are ignored
        // Known definitions do not change: neither the name nor the code of a known field can be redefined.
        [
          'Destination',
          { nth: 253, isVLEncoded: false, isSerialized: true, isSigningField: true, type: 'UInt32' },
        ],
        [
          'Account2',
          { nth: 1, isVLEncoded: true, isSerialized: true, isSigningField: true, type: 'AccountID' },
        ],
      ],
      TRANSACTION_TYPES: { ShinySet: 4242, Payment: 4243, OtherPayment: 0 },
    };
    const merged = SHIPPED.merged(newer);
    const hex = `121092${flags}${unknownField}`;
    const expected = { TransactionType: 'ShinySet', Flags: 1, Shiny: 42 };
    const reader = new Reader(merged);
    expect(reader.decode(bytesOf(hex))).toEqual(expected);
    expect(reader.counters.readerFallbacks).toBe(0);
    const raw = merged.raw as unknown as ConstructorParameters<typeof XrplDefinitions>[0];
    expect(decode(hex, new XrplDefinitions(raw)) as JsonObject).toEqual(expected);
    expect(merged.transactionTypes.get(0)).toBe('Payment');
    expect(merged.transactionTypes.get(4243)).toBeUndefined();
    expect(merged.code('Destination')).toBe(SHIPPED.code('Destination'));
    expect(merged.code('Account2')).toBeUndefined();
    expect(SHIPPED.code('Shiny')).toBeUndefined();
    expect(new Definitions(merged.raw).names).toEqual(merged.names);
  });
});

function thrown(read: () => unknown): ReaderError {
  try {
    read();
  } catch (error) {
    if (error instanceof ReaderError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

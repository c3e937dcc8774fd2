import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { coreTypes, decode } from 'ripple-binary-codec';
import { decodeAccountID, encodeAccountID, isValidClassicAddress } from 'xrpl';
import { accountBytes, accountText } from '../../../engine/codec/base58.ts';
import {
  bytesOf,
  hexOf,
  lengthPrefixBytes,
  PREFIXED_LENGTH_MAX,
  readLengthPrefix,
  writeLengthPrefix,
} from '../../../engine/codec/bytes.ts';
import { currencyBytes, currencyName, currencyText, md5Of } from '../../../engine/codec/currency.ts';
import { HalfHasher, ledgerHash, sha512Half, transactionHash } from '../../../engine/codec/hash.ts';
import { readHeader, writeHeader } from '../../../engine/codec/header.ts';
import { AccountTexts } from '../../../engine/codec/texts.ts';
import { corpusDir, readLines } from '../../../support/corpus.ts';
import { vectorCases } from './blobs.ts';

const bytes20 = fc.uint8Array({ minLength: 20, maxLength: 20 });

describe('hex and lengths', () => {
  test('both ways, any offset', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(80), (bytes, skip) => {
        const at = Math.min(skip, bytes.length);
        const expected = Buffer.from(bytes.subarray(at)).toString('hex').toUpperCase();
        expect(hexOf(bytes, at)).toBe(expected);
        expect(bytesOf(expected.toLowerCase())).toEqual(bytes.slice(at));
      }),
    );
    for (const bad of ['0', '0g', 'é0', '  ']) expect(() => bytesOf(bad)).toThrow(RangeError);
    expect(() => hexOf(new Uint8Array(4), 2, 3)).toThrow(RangeError);
  });

  test('length prefixes, all boundaries', () => {
    const out = new Uint8Array(3);
    for (const length of [0, 1, 192, 193, 194, 12480, 12481, 12482, 500_000, PREFIXED_LENGTH_MAX]) {
      const written = writeLengthPrefix(out, 0, length);
      expect(lengthPrefixBytes(out[0]!)).toBe(written);
      expect(readLengthPrefix(out, 0, written)).toBe(length);
      expect(readLengthPrefix(out, 0, written - 1)).toBe(-1);
    }
    expect(() => writeLengthPrefix(out, 0, PREFIXED_LENGTH_MAX + 1)).toThrow(RangeError);
    expect(readLengthPrefix(Uint8Array.of(255, 0, 0), 0, 3)).toBe(-1);
  });
});

describe('addresses', () => {
  test('as ripple-address-codec, both ways', () => {
    fc.assert(
      fc.property(bytes20, fc.nat(20), (bytes, zeroed) => {
        bytes.fill(0, 0, zeroed); // leading zeros follow a special rule
        const text = encodeAccountID(bytes);
        expect(accountText(bytes)).toBe(text);
        expect(accountBytes(text)).toEqual(bytes);
      }),
      { numRuns: 1000 },
    );
  });

  test('refuses what the reference refuses', () => {
    const good = 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59';
    const alphabet = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz0OIlé';
    fc.assert(
      fc.property(fc.nat(good.length), fc.nat(alphabet.length - 1), fc.nat(2), (at, letter, cut) => {
        const text = good.slice(0, at) + alphabet[letter] + good.slice(at + cut);
        const valid = isValidClassicAddress(text);
        expect(accountBytes(text) !== undefined).toBe(valid);
        if (valid) expect(accountBytes(text)).toEqual(Uint8Array.from(decodeAccountID(text)));
      }),
      { numRuns: 1000 },
    );
    for (const text of ['', 'r', 'r'.repeat(35), 'r'.repeat(1000)])
      expect(accountBytes(text)).toBeUndefined();
  });

  test('a cache of few slots still gives the right text', () => {
    const cache = new AccountTexts(4);
    fc.assert(
      fc.property(fc.array(bytes20, { minLength: 1, maxLength: 30 }), (accounts) => {
        for (const bytes of [...accounts, ...accounts])
          expect(cache.text(bytes, new DataView(bytes.buffer, bytes.byteOffset, 20), 0)).toBe(
            encodeAccountID(bytes),
          );
      }),
    );
  });
});

describe('currencies', () => {
  const reference = (bytes: Uint8Array): string => new coreTypes.Currency!(bytes).toJSON() as string;

  test('text as the reference, for codes of every kind', () => {
    const standard = fc.uint8Array({ minLength: 3, maxLength: 3 }).map((code) => {
      const bytes = new Uint8Array(20);
      bytes.set(code, 12);
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(bytes20, standard), (bytes) => {
        const text = currencyText(bytes);
        expect(text).toBe(reference(bytes));
        expect(currencyBytes(text)).toEqual(bytes);
      }),
      { numRuns: 3000 },
    );
    for (let c = 0; c < 256; c++) {
      const bytes = new Uint8Array(20);
      bytes.set([c, 65, 65], 12);
      expect(currencyText(bytes)).toBe(reference(bytes));
    }
    expect(currencyText(new Uint8Array(20))).toBe('XRP');
    for (const bad of ['', 'US', 'USDT', 'U D', 'é$$', 'G'.repeat(40)])
      expect(currencyBytes(bad)).toBeUndefined();
  });

  test('readable names', () => {
    const named: [string, string][] = [
      ['XRP', 'XRP'],
      ['xrp', 'FakeXRP'],
      ['0000000000000000000000005852500000000000', 'FakeXRP'],
      ['5852500000000000000000000000000000000000', 'FakeXRP'],
      ['USD', 'USD'],
      ['524C555344000000000000000000000000000000', 'RLUSD'],
      ['0158415500000000C1F76FF6ECB0BAC600000000', 'XAU (-0.5% pa)'], // the example of the format's description
      ['03B20F3A7D26D33C6DA3503E5CCE3E67B102D4D2', '03B20F3A7D26D33C6DA3503E5CCE3E67B102D4D2'],
      ['FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF', 'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'],
      ['41E280AE42000000000000000000000000000000', 'AB'], // a direction override inside
    ];
    for (const [text, name] of named) expect(currencyName(text)).toBe(name);
  });

  test('token keys', () => {
    expect(md5Of('XRPL', 'XRP')).toBe('84e5efeb89c4eae8f68188982dc290d8');
    expect(md5Of('rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De', '524C555344000000000000000000000000000000')).toBe(
      '0dd550278b74cb6690fdae351e8e0df3',
    );
  });
});

describe('hashes', () => {
  test('a reused hasher is reset', () => {
    const hasher = new HalfHasher();
    const out = new Uint8Array(40);
    for (const text of ['', 'abc', 'x'.repeat(1000)]) {
      const input = new TextEncoder().encode(text);
      hasher.add(input).into(out, 4);
      expect<Uint8Array>(out.slice(4, 36)).toEqual(sha512Half(input));
      expect(hexOf(sha512Half(input))).toBe(
        new Bun.CryptoHasher('sha512').update(input).digest('hex').slice(0, 64).toUpperCase(),
      );
    }
  });

  test.if(corpusDir !== undefined)('recorded ledger headers hash to the recorded ledger hash', () => {
    const cases = vectorCases('ledger_headers.json');
    for (const c of cases) {
      const h = c.header as Record<string, string | number>;
      const header = writeHeader({
        index: Number(h.ledger_index),
        totalDrops: BigInt(h.total_coins ?? 0),
        parentHash: bytesOf(String(h.parent_hash)),
        transactionHash: bytesOf(String(h.transaction_hash)),
        accountHash: bytesOf(String(h.account_hash)),
        parentCloseTime: Number(h.parent_close_time),
        closeTime: Number(h.close_time),
        closeResolution: Number(h.close_time_resolution),
        closeFlags: Number(h.close_flags),
      });
      expect(hexOf(ledgerHash(header))).toBe(String(h.ledger_hash).toUpperCase());
      expect(writeHeader(readHeader(header))).toEqual(header);
    }
    expect(cases.length).toBeGreaterThan(50);
    expect(() => readHeader(new Uint8Array(117))).toThrow(RangeError);
  });

  test.if(corpusDir !== undefined)('recorded transactions hash to their recorded hash', () => {
    let checked = 0;
    for (const row of readLines('tx.jsonl.gz')) {
      if (typeof row.tx_blob !== 'string') continue;
      expect(hexOf(transactionHash(bytesOf(row.tx_blob)))).toBe(String(row.hash));
      checked++;
    }
    expect(checked).toBeGreaterThan(2000);
    expect(decode('2200000001')).toEqual({ Flags: 1 });
  });
});

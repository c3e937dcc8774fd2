/** Oracles: signatures of recorded transactions, the xrpl package, published vectors of rippled. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeForSigningClaim } from 'ripple-binary-codec';
import {
  encodeForMultiSigning,
  encodeForSigning,
  signPaymentChannelClaim,
  verifyPaymentChannelClaim,
  Wallet,
} from 'xrpl';
import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { accountOfKey, keyTypeOf } from '../../../engine/codec/public-keys.ts';
import { verify } from '../../../engine/codec/signatures.ts';
import { decodeTransaction, fromJson } from '../../../sandbox/protocol/encode.ts';
import {
  claimBytes,
  entropyOfPassphrase,
  genesis,
  keyPair,
  multiSigningBytes,
  sign,
  signingBytes,
} from '../../../sandbox/protocol/keys.ts';
import { corpusDir, readLines } from '../../../support/corpus.ts';

const PAYMENT = {
  TransactionType: 'Payment',
  Account: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  Destination: 'rrrrrrrrrrrrrrrrrrrrBZbvji',
  Amount: '1000000',
  Fee: '10',
  Sequence: 1,
} as const;

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe.skipIf(!corpusDir)('recorded transactions', () => {
  test('valid signatures are accepted, and refused after one field is changed', () => {
    const kinds = new Map<string, number>();
    for (const [i, { sig_ok, tx_blob, hash }] of readLines('tx.jsonl.gz').entries()) {
      if (sig_ok !== true || typeof tx_blob !== 'string') continue;
      const tx = decodeTransaction(bytesOf(tx_blob));
      const kind = keyTypeOf(tx.SigningPubKey!)!;
      const count = kinds.get(kind) ?? 0;
      // One secp256k1 signature costs as much as ten of ed25519.
      if (kind === 'secp256k1' && i % 3 !== 0) continue;
      kinds.set(kind, count + 1);
      expect({ hash, ok: verify(tx.SigningPubKey!, signingBytes(tx), tx.TxnSignature!) }).toEqual({
        hash,
        ok: true,
      });
      if (count < 50)
        expect(
          verify(tx.SigningPubKey!, signingBytes({ ...tx, Sequence: tx.Sequence + 1 }), tx.TxnSignature!),
        ).toBeFalse();
    }
    expect(kinds.get('ed25519')).toBeGreaterThan(50);
    expect(kinds.get('secp256k1')).toBeGreaterThan(300);
  });

  test('each signature of multi-signed transactions', () => {
    let seen = 0;
    for (const { tx_blob, network } of readLines('tx.jsonl.gz')) {
      if (network !== 'mainnet' || typeof tx_blob !== 'string') continue;
      const tx = decodeTransaction(bytesOf(tx_blob));
      for (const { Signer } of tx.Signers ?? []) {
        seen++;
        expect(
          verify(Signer!.SigningPubKey!, multiSigningBytes(tx, Signer!.Account!), Signer!.TxnSignature!),
        ).toBeTrue();
      }
    }
    expect(seen).toBeGreaterThan(5);
  });

  test('key derivation of rippled', () => {
    const cases = JSON.parse(readFileSync(join(corpusDir!, 'vectors/serialization.json'), 'utf8')).cases as {
      group: string;
      seed_hex: string;
      public_key_hex: string;
    }[];
    const derivations = cases.filter(
      ({ group, seed_hex }) => group === 'key_derivation_secp256k1' && seed_hex.length === 32,
    );
    expect(derivations.length).toBeGreaterThan(0);
    for (const { seed_hex, public_key_hex } of derivations)
      expect(keyPair(bytesOf(seed_hex), 'secp256k1').publicKey).toBe(public_key_hex);
  });
});

describe('against the xrpl package', () => {
  for (const type of ['ed25519', 'secp256k1'] as const) {
    const pair = keyPair(entropyOfPassphrase(`a test of ${type}`), type);
    const wallet = new Wallet(pair.publicKey, pair.privateKey);

    test(`${type}: the same address; each side accepts the other's signature`, () => {
      expect(addressOf(pair.account)).toBe(wallet.classicAddress);
      expect(Wallet.fromSeed(pair.seed).publicKey).toBe(pair.publicKey);
      expect(keyPair(pair.seed, type)).toEqual(pair);
      const tx = { ...PAYMENT, Account: wallet.classicAddress };
      const { tx_blob } = wallet.sign(tx);
      const signed = decodeTransaction(bytesOf(tx_blob));
      expect(verify(pair.publicKey, signingBytes(signed), signed.TxnSignature!)).toBeTrue();
      const signature = sign(signingBytes(signed), pair);
      expect(signature).toBe(signed.TxnSignature!);
    });

    test(`${type}: multi-signing`, () => {
      const { tx_blob } = wallet.sign({ ...PAYMENT }, true);
      const signed = decodeTransaction(bytesOf(tx_blob));
      const { SigningPubKey, TxnSignature, Account } = signed.Signers![0]!.Signer!;
      expect(Account).toBe(pair.account);
      expect(verify(SigningPubKey!, multiSigningBytes(signed, pair.account), TxnSignature!)).toBeTrue();
      expect(verify(SigningPubKey!, multiSigningBytes(signed, genesis().account), TxnSignature!)).toBeFalse();
    });

    test(`${type}: claims of payment channels`, () => {
      const channel = '5DB01B7FFED6B67E6B0414DED11E051D2EE2B7619CE0EAA6286D67A3A4D5BDB3';
      const theirs = signPaymentChannelClaim(channel, '1', pair.privateKey);
      expect(verify(pair.publicKey, claimBytes(channel, 1_000_000n), theirs)).toBeTrue();
      const ours = sign(claimBytes(channel, 2_000_000n), pair);
      expect(verifyPaymentChannelClaim(channel, '2', ours, pair.publicKey)).toBeTrue();
      expect(verify(pair.publicKey, claimBytes(channel, 1n), ours)).toBeFalse();
    });
  }

  test('the signed bytes', () => {
    const json = { ...PAYMENT, SigningPubKey: '', Memos: [{ Memo: { MemoData: 'AB' } }] };
    const tx = fromJson({ ...json, TxnSignature: 'AB' });
    expect(hexOf(signingBytes(tx))).toBe(encodeForSigning(json));
    expect(hexOf(multiSigningBytes(tx, genesis().account))).toBe(
      encodeForMultiSigning(json, PAYMENT.Account),
    );
    const channel = 'AB'.repeat(32);
    expect(hexOf(claimBytes(channel, 123n))).toBe(encodeForSigningClaim({ channel, amount: '123' }));
  });
});

describe('refused', () => {
  const message = new TextEncoder().encode('a message');

  test('the other half of a secp256k1 signature, and non-strict DER', () => {
    const pair = genesis();
    expect(addressOf(pair.account)).toBe('rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh');
    const good = sign(message, pair);
    expect(verify(pair.publicKey, message, good)).toBeTrue();
    const rLength = Number.parseInt(good.slice(6, 8), 16);
    const r = good.slice(4, 8 + 2 * rLength);
    const s = BigInt(`0x${good.slice(12 + 2 * rLength)}`);
    const high = (SECP256K1_ORDER - s).toString(16).toUpperCase();
    const body = `${r}0221${`00${high.padStart(64, '0')}`}`;
    const flipped = `30${(body.length / 2).toString(16)}${body}`;
    expect(verify(pair.publicKey, message, flipped)).toBeFalse();
    expect(verify(pair.publicKey, message, `${good}00`)).toBeFalse();
    expect(verify(pair.publicKey, message, good.slice(0, -2))).toBeFalse();
  });

  test('invalid keys and signatures', () => {
    const pair = keyPair(new Uint8Array(16), 'ed25519');
    const good = sign(message, pair);
    expect(verify(pair.publicKey, message, good)).toBeTrue();
    for (const [key, signature] of [
      [pair.publicKey, ''],
      [pair.publicKey, `${good}00`],
      [pair.publicKey, good.slice(2)],
      [pair.publicKey, `${good.slice(0, 126)}ZZ`],
      ['', good],
      [`05${pair.publicKey.slice(2)}`, good],
      [`02${'FF'.repeat(32)}`, good],
      [`ED${'FF'.repeat(32)}`, good],
    ] as const)
      expect(verify(key, message, signature)).toBeFalse();
    expect(keyTypeOf('ED')).toBeUndefined();
    expect(accountOfKey(pair.publicKey)).toBe(pair.account);
    expect(() => keyPair('no seed', 'ed25519')).toThrow();
  });
});

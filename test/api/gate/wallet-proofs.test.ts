/** Signatures of wallets: made by an unmodified public library, replayed, forged, stale, of other keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { deriveKeypair, generateSeed, sign } from 'ripple-keypairs';
import { Wallet } from 'xrpl';
import { VALID_MS, WalletProofs } from '../../../api/gate/wallet-proofs.ts';
import { verifyTexts } from '../../../engine/codec/signatures.ts';
import type { ApiError } from '../../../requests/errors.ts';
import { GateRig } from './gate-rig.ts';

const rig = new GateRig();
beforeAll(() => rig.open());
afterAll(() => rig.stop());

const ed = Wallet.generate();
const secp = Wallet.fromSeed(generateSeed({ algorithm: 'ecdsa-secp256k1' }), {
  algorithm: 'ecdsa-secp256k1' as never,
});

/** The order of the curve secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The other signature that the same key, message and nonce have: s becomes -s. */
function malleated(signature: string): string {
  const bytes = Buffer.from(signature, 'hex');
  const rLength = bytes[3]!;
  const r = bytes.subarray(4, 4 + rLength);
  const s = BigInt(`0x${bytes.subarray(6 + rLength).toString('hex')}`);
  let other = (ORDER - s).toString(16);
  if (other.length % 2) other = `0${other}`;
  if (Number.parseInt(other.slice(0, 2), 16) >= 0x80) other = `00${other}`;
  const body = Buffer.concat([
    Buffer.from([2, r.length]),
    r,
    Buffer.from([2, other.length / 2]),
    Buffer.from(other, 'hex'),
  ]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body])
    .toString('hex')
    .toUpperCase();
}

/** The status of a read of the wallet's keys, and of a write. 404 and 200: the signature was accepted. */
async function statuses(headers: () => Record<string, string>, wallet: Wallet) {
  rig.now += 5000;
  const read = await rig.ask('GET', `/keys/${wallet.classicAddress}`, headers());
  // What is signed again has another time.
  rig.now += 1;
  const write = await rig.ask('DELETE', `/keys/${wallet.classicAddress}/x`, headers());
  return [read.status, write.status];
}

describe.each([
  ['ed25519', ed],
  ['secp256k1', secp],
])('%s', (kind, wallet) => {
  const at = (ms: number) => rig.signed(wallet, { 'X-Timestamp': String(rig.now + ms) });
  const cases: [string, () => Record<string, string>, number][] = [
    ['as the library makes it', () => rig.signed(wallet), 404],
    ['with the digits of the other case', () => lower(rig.signed(wallet)), 404],
    ['five minutes old', () => at(-VALID_MS), 404],
    ['five minutes ahead', () => at(VALID_MS), 404],
    ['older', () => at(-VALID_MS - 1), 401],
    ['further ahead', () => at(VALID_MS + 1), 401],
    [
      'with another timestamp than was signed',
      () => ({ ...rig.signed(wallet), 'X-Timestamp': String(rig.now - 7) }),
      401,
    ],
    ['with seconds for milliseconds', () => at(-rig.now + Math.floor(rig.now / 1000)), 401],
    ['without a signature', () => without(rig.signed(wallet), 'X-Signature'), 401],
    ['without a wallet', () => without(rig.signed(wallet), 'X-Wallet'), 401],
    ['without a timestamp', () => without(rig.signed(wallet), 'X-Timestamp'), 401],
    [
      'without a key, of an account that has no transaction here',
      () => without(rig.signed(wallet), 'X-Public-Key'),
      401,
    ],
    [
      'with a key of another wallet',
      () => ({ ...rig.signed(wallet), 'X-Public-Key': Wallet.generate().publicKey }),
      401,
    ],
    [
      'of another wallet',
      () => ({ ...rig.signed(Wallet.generate()), 'X-Wallet': wallet.classicAddress }),
      401,
    ],
    ['with a bit changed', () => changedBit(rig.signed(wallet)), 401],
    [
      'with a key of another curve',
      () => ({ ...rig.signed(wallet), 'X-Public-Key': `04${'A'.repeat(64)}` }),
      401,
    ],
    [
      'with a key that is no point',
      () => ({ ...rig.signed(wallet), 'X-Public-Key': `02${'F'.repeat(64)}` }),
      401,
    ],
  ];

  test.each(cases)('%s', async (_, headers, status) => {
    // Failures of one address are limited: each case comes from another.
    rig.client = `10.0.${kind.length}.${cases.findIndex(([name]) => name === _)}`;
    expect(await statuses(headers, wallet)).toEqual([status, status]);
  });

  test('a signature that nothing was read with writes once, also after a restart, and then reads', async () => {
    rig.client = `10.1.0.${kind.length}`;
    rig.now += 5000;
    const headers = rig.signed(wallet);
    const read = () => rig.ask('GET', `/keys/${wallet.classicAddress}`, headers);
    const write = () => rig.ask('DELETE', `/keys/${wallet.classicAddress}/x`, headers);
    const both = await Promise.all([write(), write()]);
    expect(both.map(({ status }) => status).sort()).toEqual([401, 404]);
    await rig.restart(true);
    const { status, body } = await write();
    expect([status, body.error]).toEqual([401, 'This signature was used before: sign again']);
    expect([(await read()).status, (await read()).status]).toEqual([404, 404]);
  });

  test('a signature that was seen on a read writes nothing, also after a restart', async () => {
    rig.client = `10.1.1.${kind.length}`;
    rig.now += 5000;
    const headers = rig.signed(wallet);
    const read = () => rig.ask('GET', `/keys/${wallet.classicAddress}`, headers);
    const write = () => rig.ask('DELETE', `/keys/${wallet.classicAddress}/x`, headers);
    expect([(await read()).status, (await write()).status, (await read()).status]).toEqual([404, 401, 404]);
    await rig.restart(true);
    const { status, body } = await write();
    expect([status, body.error]).toEqual([401, 'This signature was used before: sign again']);
  });
});

test('the second signature of the same text, which anybody can make of the first, is refused', async () => {
  rig.client = '10.2.0.1';
  rig.now += 5000;
  const signed = rig.signed(secp);
  const forged = { ...signed, 'X-Signature': malleated(signed['X-Signature']!) };
  expect(malleated(forged['X-Signature'])).toBe(signed['X-Signature']!);
  expect((await rig.ask('GET', `/keys/${secp.classicAddress}`, forged)).status).toBe(401);
  // An ed25519 signature with the order of the curve added to its second half.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const own = rig.signed(ed);
  const bytes = Buffer.from(own['X-Signature']!, 'hex');
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  const spoilt = Buffer.concat([
    bytes.subarray(0, 32),
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(),
  ]);
  const again = { ...own, 'X-Signature': spoilt.toString('hex').toUpperCase() };
  expect((await rig.ask('GET', `/keys/${ed.classicAddress}`, again)).status).toBe(401);
});

test('a wallet that has given up its master key signs no more', async () => {
  rig.client = '10.2.0.2';
  rig.now += 5000;
  const one = Wallet.generate();
  const { accounts } = rig.engine.state;
  const { decodeAccountID } = await import('xrpl');
  const id = accounts.intern(decodeAccountID(one.classicAddress), 0);
  expect((await rig.ask('GET', `/keys/${one.classicAddress}`, rig.signed(one))).status).toBe(404);
  accounts.flags[id]! |= 0x00100000;
  expect((await rig.ask('GET', `/keys/${one.classicAddress}`, rig.signed(one))).status).toBe(401);
});

describe('floods', () => {
  const { privateKey } = deriveKeypair(generateSeed());
  const asking = (ip: string) => ({ engine: rig.engine, ip, isWrite: false, now: rig.now });
  const requestOf = (headers: Record<string, string>) => new Request('http://localhost/', { headers });
  const wrong = () => ({
    ...rig.signed(ed),
    'X-Signature': sign(Buffer.from(`x${Math.random()}`).toString('hex'), privateKey),
  });
  const codeOf = (promise: Promise<string>) =>
    promise.then(
      () => 'proved',
      (error: ApiError) => error.code,
    );

  test('of one address end at its failures of a minute, before anything is verified', async () => {
    let verified = 0;
    const proofs = new WalletProofs({
      verify: async (texts) => {
        verified += texts.length;
        return verifyTexts(texts);
      },
    });
    const codes: string[] = [];
    for (let i = 0; i < 200; i++)
      codes.push(await codeOf(proofs.prove(requestOf(wrong()), asking('1.1.1.1'))));
    expect([codes.filter((code) => code === 'unauthorized').length, verified]).toEqual([30, 30]);
    expect(codes.slice(30).every((code) => code === 'rate_limited')).toBe(true);
    expect(await codeOf(proofs.prove(requestOf(rig.signed(ed)), asking('2.2.2.2')))).toBe('proved');
  });

  test('are refused with the headers of that window alone', async () => {
    rig.client = '192.0.2.77';
    let refused = await rig.ask('GET', '/keys/x', wrong());
    for (let i = 0; i < 40 && refused.status !== 429; i++) {
      rig.now += 1000;
      refused = await rig.ask('GET', '/keys/x', { ...wrong(), 'X-Timestamp': String(rig.now) });
    }
    rig.client = '192.0.2.1';
    expect(refused.body).toMatchObject({ code: 'rate_limited', bucket: 'wrong signatures', window: 60 });
    expect(refused.headers.get('x-ratelimit-limit')).toBe('30');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(refused.body.retryAfter));
    expect(refused.headers.get('ratelimit')).toBe(`"wrong signatures";r=0;t=${refused.body.retryAfter}`);
    expect(refused.headers.get('ratelimit-policy')).toBe('"wrong signatures";q=30;w=60');
  });

  test('at once are refused beyond what may wait; all of those that wait are answered', async () => {
    const proofs = new WalletProofs({ verify: async (texts) => verifyTexts(texts) });
    const many = Array.from({ length: 2000 }, (_, at) =>
      codeOf(proofs.prove(requestOf(wrong()), asking(`3.3.${at >> 8}.${at & 255}`))),
    );
    const codes = await Promise.all(many);
    const waited = codes.filter((code) => code === 'unauthorized').length;
    expect(waited).toBeGreaterThanOrEqual(256);
    expect(waited + codes.filter((code) => code === 'unavailable').length).toBe(2000);
    const one = Array.from({ length: 20 }, () => codeOf(proofs.prove(requestOf(wrong()), asking('4.4.4.4'))));
    expect((await Promise.all(one)).filter((code) => code === 'unavailable')).toHaveLength(12);
  });
});

function without(headers: Record<string, string>, name: string) {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

function lower(headers: Record<string, string>) {
  return {
    ...headers,
    'X-Signature': headers['X-Signature']!.toLowerCase(),
    'X-Public-Key': headers['X-Public-Key']!.toLowerCase(),
  };
}

function changedBit(headers: Record<string, string>) {
  const bytes = Buffer.from(headers['X-Signature']!, 'hex');
  bytes[bytes.length >> 1]! ^= 1;
  return { ...headers, 'X-Signature': bytes.toString('hex').toUpperCase() };
}

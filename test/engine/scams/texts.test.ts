/** Names that look the same, and texts of strangers. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { encode } from 'ripple-binary-codec';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { memoText, plainText } from '../../../engine/codec/memos.ts';
import { hostIn, lures } from '../../../engine/scams/lures.ts';
import { isLure } from '../../../engine/scams/rules/fake-airdrops.ts';
import { skeleton } from '../../../engine/scams/skeleton.ts';
import { casesOf } from '../../cases.ts';

const hex = (text: string): string => Buffer.from(text).toString('hex').toUpperCase();

describe('skeletons', () => {
  // From the examples of UTS 39 and its confusables.txt.
  test.each([
    ['paypal', 'рауpаl'],
    ['scope', 'ѕсоре'],
    ['USDM', 'USDМ'],
    ['RLUSD', 'RLUЅD'],
    ['Solo', 'S0L0'],
    ['BITSTAMP', 'B1TSTАMP'],
    ['modern', 'modem'],
    ['CORE', 'CO\u200bRE'],
    ['xrp', 'ХRР'],
    ['gold', '𝗀𝗈𝗅𝖽'],
  ])('%s looks like %s', (one, other) => {
    expect(skeleton(other)).toBe(skeleton(one));
  });

  test.each([
    ['USDM', 'USDN'],
    ['CORE', 'CORES'],
    ['SOLO', 'SALO'],
    ['猫', '犬'],
  ])('%s does not look like %s', (one, other) => {
    expect(skeleton(other)).not.toBe(skeleton(one));
  });

  test('one of a skeleton is the same, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0x10ffff), { maxLength: 20 }), (codePoints) => {
        const text = String.fromCodePoint(...codePoints);
        expect(skeleton(skeleton(text))).toBe(skeleton(text));
      }),
      { numRuns: casesOf(100, 2000) },
    );
  });
});

describe('memos', () => {
  const blobOf = (Memos: object[]): Uint8Array =>
    bytesOf(
      encode({
        TransactionType: 'Payment',
        Account: 'rrrrrrrrrrrrrrrrrrrrBZbvji',
        Destination: 'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
        Amount: '1',
        Fee: '10',
        Sequence: 1,
        SigningPubKey: '',
        Memos,
      }),
    );
  /** Memos is the last field but its end: F9 begins it. */
  const read = (blob: Uint8Array): string => memoText(blob, blob.indexOf(0xf9, 60) + 1, blob.length);

  test('the data of each, without what is not seen', () => {
    const memos = [
      { Memo: { MemoType: hex('text/plain'), MemoData: hex('Claim\u202e now'), MemoFormat: hex('x') } },
      { Memo: { MemoData: hex(`at\nhttps://a.example/${'b'.repeat(300)}`) } },
      { Memo: { MemoType: hex('nothing else') } },
    ];
    expect(read(blobOf(memos))).toBe(`Claim now at https://a.example/${'b'.repeat(300)}`);
  });

  test('is cut between characters', () => {
    expect(plainText(`${'x'.repeat(1023)}🦊`)).toBe('x'.repeat(1023));
    expect(plainText(`${'x'.repeat(1022)}🦊`)).toBe(`${'x'.repeat(1022)}🦊`);
  });

  test('no bytes make it throw, or read behind the transaction', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(80), (bytes, at) => {
        expect(memoText(bytes, Math.min(at, bytes.length), bytes.length).length).toBeLessThanOrEqual(1024);
      }),
      { numRuns: casesOf(100, 2000) },
    );
    const cut = Uint8Array.of(0xea, 0x7d, 40, 65, 66);
    expect(memoText(cut, 0, cut.length)).toBe('');
  });
});

describe('lures', () => {
  test.each([
    ['Claim your 5,000 XRP reward now: https://xrp-rewards.example/claim', 'xrp-rewards.example'],
    ['You are eligible for our AIRDROP. Visit www.xrp-gift.site', 'xrp-gift.site'],
    ['free XRP at ripple-event.live!', 'ripple-event.live'],
    // Of recorded ledgers of the main network.
    ['🎁 You have been sent a free XRP GIFT worth $116,000! Visit - XAMAN.LA - to claim it.', 'xaman.la'],
  ])('%s', (text, host) => {
    expect([lures(text), hostIn(text)]).toEqual([true, host]);
  });

  // Of these `cher.com`, `ample.com` and `xrp.com` are somebody else's.
  test.each([
    ['Claim your reward: https://bücher.com/now', 'xn--bcher-kva.com'],
    ['Claim your reward: bu\u0308cher.com', 'xn--bcher-kva.com'],
    ['Claim your reward at www.ехample.com', new URL('http://ехample.com').hostname],
    ['Claim your reward at ｆｒｅｅ-xrp.com', 'free-xrp.com'],
    // Languages without blanks.
    ['領取奬勵free-xrp.com claim', 'free-xrp.com'],
    ['claim https://free-xrp.com領取', 'free-xrp.com'],
    ['Claim at https://www.free-xrp.com', 'free-xrp.com'],
    ['Claim at 𝐟𝐫𝐞𝐞-𝐱𝐫𝐩.𝐜𝐨𝐦', 'free-xrp.com'],
    ['Claim at free-xrp。com', 'free-xrp.com'],
  ])('%s names its whole host, as browsers resolve it', (text, host) => {
    expect([lures(text), hostIn(text)]).toEqual([true, host]);
  });

  test.each([
    'Сlаіm уоur XRP: https://wallet.example',
    'Rеwаrds for holders at wallet.example',
    'ΑIRDROP at wallet.example',
    '𝗖𝗹𝗮𝗶𝗺 at wallet.example',
    'ＡＩＲＤＲＯＰ at wallet.example',
    'ⓒⓛⓐⓘⓜ at wallet.example',
    'C1aim at wallet.example',
    'Ѕуnсhrоnіzе уоur wallet at wallet.example',
    'You’ve won! wallet.example',
  ])('%s lures in letters that look like others', (text) => {
    expect(lures(text)).toBe(true);
  });

  test.each([
    'invoice 4711',
    'оплата счета: https://shop.example/orders/1',
    'ευχαριστώ! https://shop.example/orders/1',
    'thanks! see you at https://shop.example/orders/1',
    'reward for week 12',
    // Of recorded ledgers of the main network.
    'Official StaykX Transaction: Transferring 2 $XRD3 as Additional Rewards for xRYO/STX -> xRYO',
    'CX1 Faucet 🎉',
    'Buy offer by xrp.cafe',
    'Initiated via $SENT market maker',
    'Claim #12',
    'ipfs://bafy/claim/1.json',
  ])('%s does not', (text) => {
    expect(lures(text)).toBe(false);
  });

  test('an NFT is a lure when it is a web page; files of projects are not', () => {
    expect(isLure('https://free-xrp.example/voucher/3')).toBe(true);
    expect(isLure('ipfs://bafybeigdyrzt/reward/3.json')).toBe(false);
    expect(isLure('https://blue-chip.example/meta/3')).toBe(false);
    expect(isLure('https://rewards.example/meta/3.json?v=1')).toBe(false);
  });

  test('time is bounded for texts made to be slow', () => {
    const started = performance.now();
    for (const text of [
      'a.'.repeat(512),
      'a-'.repeat(512),
      'https://'.repeat(128),
      `${'a'.repeat(1023)}.`,
      'ü.'.repeat(512),
    ])
      lures(`claim ${text}`);
    // Microseconds; with backtracking, longer than anyone waits. The bound is of a machine that others use.
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

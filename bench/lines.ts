/**
 * Millions of generated trust lines in the ledger's encoding, as pages of a state snapshot
 * (repeated `[32-byte index][u32 LE length][entry]`: the input of `Engine.loadEntries`).
 *
 * One entry of each kind is encoded by ripple-binary-codec; the others are that one with other account ids, currency and
 * balance written over it, which is 1,000 times faster. The distribution follows the main network: a fifth as many
 * accounts as lines, one token for 200 lines, half of all lines in the first hundredth of the tokens, balances of all
 * magnitudes, one line in ten empty. The same lines in every run; a few of them twice.
 */
import { encode } from 'ripple-binary-codec';
import { accountText } from '../engine/codec/base58.ts';

const LINES_A_PAGE = 2048;
/** Placeholders in the template for the bytes of a line. */
const LOW = new Uint8Array(20).fill(0xa1);
const HIGH = new Uint8Array(20).fill(0xb2);
const CURRENCY = 'XMR';
const CURRENCY_AT = 12;

interface Template {
  readonly bytes: Uint8Array;
  /** Raw words of the balance; the currency and issuer of each amount follow its raw words. */
  readonly balance: number;
  readonly low: number;
  readonly high: number;
  readonly flags: number;
}

/** A RippleState entry and the offsets of its parts. */
function lineTemplate(): Template {
  const bytes = Uint8Array.fromHex(
    encode({
      LedgerEntryType: 'RippleState',
      Flags: 0x00010000,
      PreviousTxnLgrSeq: 90_000_000,
      LowNode: '0',
      HighNode: '0',
      PreviousTxnID: 'C'.repeat(64),
      Balance: { currency: CURRENCY, issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: '1' },
      LowLimit: { currency: CURRENCY, issuer: accountText(LOW, 0), value: '1000000000' },
      HighLimit: { currency: CURRENCY, issuer: accountText(HIGH, 0), value: '0' },
    }),
  );
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const low = buffer.indexOf(LOW) - 28;
  const high = buffer.indexOf(HIGH) - 28;
  // Fields follow one another: Balance (62), LowLimit (66), HighLimit (67), each a field byte and 48 bytes.
  const balance = low - 49;
  if (bytes[balance - 1] !== 0x62 || bytes[low - 1] !== 0x66 || bytes[high - 1] !== 0x67)
    throw new Error('a RippleState entry has another layout than this file expects');
  return { bytes, balance, low, high, flags: buffer.indexOf(Buffer.from([0x22, 0, 1, 0, 0])) + 1 };
}

export interface LinesShape {
  /** Different holders. */
  readonly accounts?: number;
  readonly tokens?: number;
}

/** Pages of `lines` trust lines; three quarters of them of the first token where there are two. */
export function* linePages(
  lines: number,
  {
    accounts = Math.max(10, Math.floor(lines / 5)),
    tokens = Math.max(2, Math.floor(lines / 200)),
  }: LinesShape = {},
): Generator<Uint8Array> {
  const template = lineTemplate();
  const random = randomWords(1);
  const entryBytes = 36 + template.bytes.length;
  for (let first = 0; first < lines; first += LINES_A_PAGE) {
    const count = Math.min(LINES_A_PAGE, lines - first);
    const page = new Uint8Array(count * entryBytes);
    const view = new DataView(page.buffer);
    for (let i = 0; i < count; i++) {
      const at = i * entryBytes;
      for (let word = 0; word < 8; word++) view.setUint32(at + word * 4, random());
      view.setUint32(at + 32, template.bytes.length, true);
      page.set(template.bytes, at + 36);
      const issuer = random() & 1 ? random() % tokens : random() % Math.max(1, Math.floor(tokens / 100));
      const holder = tokens + (((first + i) * 7919) % accounts);
      writeLine(view, at + 36, template, issuer, holder, random);
    }
    yield page;
  }
}

function writeLine(
  view: DataView,
  at: number,
  template: Template,
  issuer: number,
  holder: number,
  random: () => number,
): void {
  const holderIsLow = accountOrder(holder) < accountOrder(issuer);
  const [low, high] = holderIsLow ? [holder, issuer] : [issuer, holder];
  for (const amount of [template.balance, template.low, template.high]) {
    // 'CAA' to 'CAZ', one an issuer.
    view.setUint8(at + amount + 8 + CURRENCY_AT, 0x43);
    view.setUint8(at + amount + 8 + CURRENCY_AT + 1, 0x41);
    view.setUint8(at + amount + 8 + CURRENCY_AT + 2, 0x41 + (issuer % 26));
  }
  writeAccount(view, at + template.low + 28, low);
  writeAccount(view, at + template.high + 28, high);
  const [limit, zero] = [template.low, template.high];
  if (!holderIsLow) {
    // The limit is on the holder's side.
    for (let i = 0; i < 8; i++) {
      view.setUint8(at + zero + i, view.getUint8(at + limit + i));
      view.setUint8(at + limit + i, i === 0 ? 0x80 : 0);
    }
  }
  view.setUint32(at + template.flags, holderIsLow ? 0x00010000 : 0x00020000);
  const empty = random() % 10 === 0;
  const exponent = 97 - 15 + (random() % 6);
  const sign = holderIsLow ? 0x40000000 : 0;
  view.setUint32(
    at + template.balance,
    empty ? 0x80000000 : (0x80000000 | sign | (exponent << 22) | 0x38d7f | (random() & 0x3000)) >>> 0,
  );
  view.setUint32(at + template.balance + 4, empty ? 0 : random());
}

/** First word of an account's id: spread, so that either side of a line may be the issuer. */
function accountOrder(account: number): number {
  return Math.imul(account + 1, 0x9e3779b1) >>> 0;
}

function writeAccount(view: DataView, at: number, account: number): void {
  view.setUint32(at, accountOrder(account));
  for (let word = 1; word < 5; word++)
    view.setUint32(at + word * 4, Math.imul(account + word, 0x85ebca6b) >>> 0);
}

/** xorshift32. */
function randomWords(seed: number): () => number {
  let word = seed;
  return () => {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    return word >>> 0;
  };
}

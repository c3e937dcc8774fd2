/** A made-up history of tokens with pools, a ledger a day, whose prices and pools are known beside the ledgers. */
import { extractChanges } from '../../../engine/codec/extract.ts';
import type { Prepared } from '../../../engine/ledger/prepare.ts';
import { packAny } from '../codec/packing.ts';
import { entryIndex, type Made, madeBlobs, person, poolNodes, taken } from '../market/made.ts';

export const FIRST_DAY = 9_600;
const DAY = 86_400;

/** What one token did. Days are numbered from FIRST_DAY. */
export interface MadeToken {
  readonly n: number;
  readonly issuer: string;
  readonly currency: string;
  readonly born: number;
  /** XRP a token, and drops in its pool, by day since its birth; 0 drops: no pool. A missing price: not traded that day. */
  readonly prices: readonly (number | undefined)[];
  readonly drops: readonly number[];
  /** It gives up the right to freeze. */
  readonly noFreeze: boolean;
}

export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Tokens born over some days; some collapse in price, some lose their pool, some are no longer traded. */
export function madeTokens(random: Random, tokens: number, days: number): MadeToken[] {
  return Array.from({ length: tokens }, (_, i): MadeToken => {
    const born = i < tokens / 2 ? Math.floor(random() * 10) : Math.floor(random() * days * 0.8);
    const life = days - born;
    const hasPool = random() < 0.8;
    const size = 10 ** (1 + random() * 4) * 1e6;
    const risky = random() < (size < 1e9 ? 0.6 : 0.15);
    const end = risky ? Math.floor(random() * Math.min(life, 80)) : life + 1;
    const byPool = hasPool && random() < 0.5;
    const quietFrom = random() < 0.2 ? 1 + Math.floor(random() * life) : life + 1;
    const prices: (number | undefined)[] = [];
    const drops: number[] = [];
    for (let day = 0; day < life; day++) {
      const crashed = day >= end;
      const price = 0.5 * (1 + 0.6 * random()) * (crashed && !byPool ? 0.02 + 0.1 * random() : 1);
      prices.push(day < quietFrom && (day === 0 || day === end || random() < 0.4) ? price : undefined);
      const before = drops.at(-1);
      // A pool whose XRP alone changes counts as traded in, at a price that the day's trade replaces.
      if (before !== undefined && (prices[day] === undefined || (day !== end && random() < 0.5)))
        drops.push(before);
      else drops.push(hasPool ? Math.round(size * (crashed && byPool ? 0.08 : 1 + 0.2 * random())) : 0);
    }
    const currency = `${'ABCDEFGHIJ'[Math.floor(i / 260) % 10]}${'ABCDEFGHIJ'[Math.floor(i / 26) % 10]}${String.fromCharCode(65 + (i % 26))}`;
    return { n: i, issuer: person(10 + i), currency, born, prices, drops, noFreeze: random() < 0.5 };
  });
}

const poolAccount = (n: number): string => person(130 + n);

/** The ledger of a day. @param before index and close time of the ledger before the first day */
export function ledgerOf(
  tokens: readonly MadeToken[],
  day: number,
  before = { index: 999, closeTime: (FIRST_DAY - 1) * DAY + 1000 },
): Prepared {
  const made: Made[] = [];
  for (const token of tokens) {
    const age = day - token.born;
    if (age < 0) continue;
    if (age === 0) made.push(birth(token));
    else if (token.drops[age]! !== token.drops[age - 1]!) made.push(poolChange(token, age));
    const price = token.prices[age];
    if (price !== undefined) made.push(trade(token, day, price));
  }
  return packedLedger(before.index + 1 + day, before.closeTime + (1 + day) * DAY, made);
}

function birth({ n, issuer, currency, drops, noFreeze }: MadeToken): Made {
  const root = {
    CreatedNode: {
      LedgerEntryType: 'AccountRoot',
      LedgerIndex: entryIndex(1000 + n),
      NewFields: {
        Account: issuer,
        Balance: '1000000000',
        Sequence: 1,
        ...(noFreeze && { Flags: 0x200000 }),
      },
    },
  };
  const pool =
    drops[0] === 0
      ? []
      : poolNodes(poolAccount(n), drops[0]!, { currency, issuer, value: '1000' }, 2000 + 10 * n);
  return {
    tx: { TransactionType: 'AccountSet', Account: issuer },
    nodes: [root, ...pool, holderLine(n, issuer, currency)],
  };
}

/** Another holder, who is not the creator. */
function holderLine(n: number, issuer: string, currency: string): object {
  const holder = person(1);
  const zero = { currency, value: '0' };
  return {
    CreatedNode: {
      LedgerEntryType: 'RippleState',
      LedgerIndex: entryIndex(6000 + n),
      NewFields: {
        Balance: { ...zero, issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: '500' },
        Flags: 0x10000,
        LowLimit: { ...zero, issuer: holder, value: '10000' },
        HighLimit: { ...zero, issuer },
      },
    },
  };
}

function poolChange({ n, drops }: MadeToken, age: number): Made {
  const account = poolAccount(n);
  return {
    tx: { TransactionType: 'AccountSet', Account: person(2) },
    nodes: [
      {
        ModifiedNode: {
          LedgerEntryType: 'AccountRoot',
          LedgerIndex: entryIndex(2002 + 10 * n),
          FinalFields: {
            Account: account,
            AMMID: entryIndex(2000 + 10 * n),
            Balance: `${drops[age]}`,
            Flags: 0,
            OwnerCount: 1,
            Sequence: 1,
          },
          PreviousFields: { Balance: `${drops[age - 1]}` },
        },
      },
    ],
  };
}

function trade({ n, issuer, currency }: MadeToken, day: number, price: number): Made {
  const amount = { currency, issuer, value: '10' };
  return taken(100_000 + day * 300 + n, person(3), `${Math.round(price * 10 * 1e6)}`, amount);
}

function packedLedger(index: number, closeTime: number, made: readonly Made[]): Prepared {
  const blobs = made.map(madeBlobs).map(({ tx, meta }) => ({
    tx: Uint8Array.fromHex(tx),
    meta: Uint8Array.fromHex(meta),
  }));
  const packed = packAny(blobs);
  packed.view.setUint32(40, index);
  packed.view.setBigUint64(44, 99_990_000_000_000_000n - BigInt(index));
  packed.view.setUint32(40 + 112, closeTime);
  return { packed, changes: extractChanges(packed, new Uint8Array(32 * made.length)) };
}

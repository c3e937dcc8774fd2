import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readSeries } from '../../../engine/state/oracles.ts';
import { State } from '../../../engine/state/state.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { recordedLedgers, recordedTransactions, type Sample } from './recorded.ts';
import { SMALL } from './run.ts';

/** What readers show of each token, book and pool, as text. */
function shown(state: State) {
  const { tokens, lines, books, pools } = state;
  const holders: string[] = ['']; // XRP changes with every ledger
  for (let token = 1; token < tokens.count; token++) {
    const rows = Array.from(
      lines.holders(token),
      (line) => `${line} ${lines.balanceRaw(line, token)} ${lines.flags[line]}`,
    );
    holders.push(`${JSON.stringify(rows.sort())} ${lines.supply(token).m} ${lines.holdersCount(token)}`);
  }
  const orders: string[] = [''];
  for (let book = 1; book < books.bookCount; book++) {
    orders.push(Array.from(books.offers(book), (o) => `${o} ${books.paysLo[o]} ${books.getsLo[o]}`).join());
  }
  const reserves: string[] = [''];
  for (let pool = 1; pool < pools.count; pool++) {
    const sides = [pools.reserveRaw(pool, 1), pools.reserveRaw(pool, 2), pools.lpBalanceRaw(pool)];
    reserves.push(`${sides} ${pools.fee(pool)} ${pools.exists(pool)}`);
  }
  return { holders, orders, reserves };
}

/** Everything that a ledger changed is in its changed sets; the sets are far from everything. */
function check(samples: readonly Sample[]): void {
  const state = new State(SMALL);
  let before = shown(state);
  for (const { packed, changes } of samples) {
    state.changed.clear();
    state.applyLedger(packed, changes);
    const after = shown(state);
    const missing = (now: string[], then: string[], changed: ReadonlySet<number>): number[] =>
      now.flatMap((text, id) => (text !== (then[id] ?? text) && !changed.has(id) ? [id] : []));
    const { holders, books, pools, tokens } = state.changed;
    expect(missing(after.holders, before.holders, holders)).toEqual([]);
    expect(missing(after.holders, before.holders, tokens)).toEqual([]);
    expect(missing(after.orders, before.orders, books)).toEqual([]);
    expect(missing(after.reserves, before.reserves, pools)).toEqual([]);
    before = after;
  }
}

describe('changed sets name everything that changed', () => {
  test('mainnet 2015', () => check(recordedLedgers('mainnet-1111961')));
  test.skipIf(!corpusDir)('mainnet 2019', () => check(recordedLedgers('mainnet-500625')));
  test.skipIf(!corpusDir)('pools and MPTs', () => {
    const isNew = (s: Sample): boolean => s.changes.words.some((word) => word === 0x79 || word === 0x7f);
    check(recordedTransactions().filter(isNew));
  });
});

describe('price series', () => {
  const seed = Number(process.env.SEED ?? 20_261_121);
  test(`any bytes are read without a fault (SEED=${seed})`, () => {
    const piece = fc.constantFrom(
      [0xe0, 0x20],
      [0x30, 0x17],
      [0x04, 0x10],
      [0x01, 0x1a],
      [0x02, 0x1a],
      [0xe1],
      [0xf1],
    );
    const bytes = fc.array(fc.oneof(piece, fc.array(fc.nat(255), { maxLength: 24 })), { maxLength: 30 });
    fc.assert(
      fc.property(bytes, (parts) => {
        const series = Uint8Array.from([0, ...parts.flat()]);
        for (const entry of readSeries(series, 1)) {
          for (const at of [entry.baseAt, entry.quoteAt])
            expect(at === 0 || at + 20 <= series.length).toBe(true);
        }
      }),
      { seed, numRuns: 500 },
    );
  });
});

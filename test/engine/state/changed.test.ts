import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { rawText } from '../../../engine/codec/amount.ts';
import { BalanceLogReader } from '../../../engine/state/balance-log.ts';
import { readSeries } from '../../../engine/state/oracles.ts';
import { State } from '../../../engine/state/state.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { canonical, exact } from '../market/brute.ts';
import type { Fields, JsonNode, Metadata } from './model.ts';
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

/** The changes of trust lines, seen from low, and of holdings of MPTs, as the state logs them. */
function logged({ accounts, changed, tokens }: State): string[] {
  const texts: string[] = [];
  const entry = new BalanceLogReader(changed.balances).restart();
  while (entry.next()) {
    if (!entry.isMoved) continue;
    const isMpt = entry.high === 0;
    const ends = isMpt
      ? [accounts.text(entry.low), tokens.mptId(entry.code)]
      : [accounts.text(entry.low), accounts.text(entry.high)];
    const amount = (hi: number, lo: number) => canonical(exact(rawText(isMpt ? 2 : 1, hi, lo)));
    const [before, after] = [amount(entry.beforeHi, entry.beforeLo), amount(entry.afterHi, entry.afterLo)];
    texts.push([entry.tx, ...ends, before, after].join(' '));
  }
  return texts;
}

/** The same by the metadata of one transaction. An MPT amount of zero is left out, before and after. */
function changesOf(meta: Metadata, tx: number): string[] {
  return meta.AffectedNodes.flatMap((affected) => {
    const [kind, node] = Object.entries(affected)[0]! as [string, JsonNode & { PreviousFields?: Fields }];
    const fields = node.NewFields ?? node.FinalFields;
    const previous = node.PreviousFields ?? {};
    if (!fields || !['RippleState', 'MPToken'].includes(node.LedgerEntryType)) return [];
    const isMpt = node.LedgerEntryType === 'MPToken';
    const ends = isMpt
      ? [fields.Account, fields.MPTokenIssuanceID]
      : [fields.LowLimit.issuer, fields.HighLimit.issuer];
    const final = isMpt ? (fields.MPTAmount ?? '0') : fields.Balance.value;
    const then = isMpt ? previous.MPTAmount : previous.Balance?.value;
    const before = canonical(exact(kind === 'CreatedNode' ? '0' : (then ?? final)));
    const after = canonical(exact(kind === 'DeletedNode' ? '0' : final));
    return before === after ? [] : [[tx, ...ends, before, after].join(' ')];
  });
}

describe('the log of balances', () => {
  const compare = (samples: readonly Sample[]): number => {
    const state = new State(SMALL);
    let changes = 0;
    for (const sample of samples) {
      state.applyLedger(sample.packed, sample.changes);
      const wanted = sample.metas.flatMap(changesOf);
      expect([sample.name, logged(state)]).toEqual([sample.name, wanted]);
      changes += wanted.length;
    }
    return changes;
  };
  test('has what each transaction changed, also where ledgers are missing', () => {
    const consecutive = recordedLedgers('mainnet-1111961');
    for (const every of [1, 2, 3])
      expect(compare(consecutive.filter((_, i) => i % every === 0))).toBeGreaterThan(0);
  });
  test.skipIf(!corpusDir)('has what each recorded transaction changed', () => {
    expect(compare(recordedTransactions())).toBeGreaterThan(250);
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

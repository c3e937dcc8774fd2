/** Kernels of tools about XRP, escrows, issuers, holders and risk, against plain recounts over random data. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runToEnd } from '../../../engine/event-loop.ts';
import { type Escrow, isReady, nextTime, unlockCalendar } from '../../../engine/metrics/escrow-calendar.ts';
import { fearGreed } from '../../../engine/metrics/fear-greed.ts';
import { holderCohorts } from '../../../engine/metrics/holder-cohorts.ts';
import { issuerAction } from '../../../engine/metrics/issuer-actions.ts';
import { walletRisk } from '../../../engine/metrics/wallet-risk.ts';
import { xrpDistribution } from '../../../engine/metrics/xrp-distribution.ts';

const seed = Number(process.env.SEED ?? 20_261_123);
const options = { seed, numRuns: 200 };

describe('the distribution of XRP', () => {
  const balance = fc.oneof(
    fc.integer({ min: -1, max: 20 }),
    fc.integer({ min: 0, max: 2e9 }),
    fc.constantFrom(999_999, 1_000_000, 9_999_999, 10_000_000, 1e17),
    fc.double({ min: 0, max: 1e17, noNaN: true }).map(Math.floor),
  );

  test('has the median of a sort, and the counts and sums of a filter', () => {
    fc.assert(
      fc.property(fc.array(balance, { maxLength: 200 }), (drops) => {
        const found = runToEnd(xrpDistribution(drops.length, (row) => drops[row]!));
        const there = drops.filter((one) => one >= 0).sort((a, b) => a - b);
        const n = there.length;
        const middle = (there[Math.floor((n - 1) / 2)]! + there[Math.floor(n / 2)]!) / 2 / 1e6;
        expect(found.median).toEqual(n === 0 ? undefined : middle);
        expect(found.accounts).toBe(n);
        const xrp = (ones: readonly number[]) => {
          const sum = ones.reduce((all, one) => all + BigInt(one), 0n);
          return Number(`${sum / 1_000_000n}.${`${sum % 1_000_000n}`.padStart(6, '0')}`);
        };
        for (const { from, to, accounts, total } of found.buckets) {
          const own = there.filter(
            (one) => one / 1e6 >= from && one / 1e6 < (to ?? Number.POSITIVE_INFINITY),
          );
          expect(accounts).toBe(own.length);
          expect(total).toBe(xrp(own));
        }
        expect(found.total).toBe(xrp(there));
      }),
      options,
    );
  });
});

describe('escrows', () => {
  const NOW = Date.UTC(2026, 0, 15);
  const DAY = 86_400_000;
  const time = fc.option(
    fc.integer({ min: -400, max: 1500 }).map((days) => NOW + days * DAY),
    { nil: undefined },
  );
  const escrow: fc.Arbitrary<Escrow> = fc.record({
    owner: fc.constant('A'),
    destination: fc.constant('B'),
    amount: fc.integer({ min: 1, max: 1000 }),
    finishAfter: time,
    cancelAfter: time,
    hasCondition: fc.boolean(),
  });

  test('are in the calendar by month, all that unlock later and no other', () => {
    fc.assert(
      fc.property(fc.array(escrow, { maxLength: 60 }), (escrows) => {
        const rows = unlockCalendar(escrows, NOW);
        const later = escrows.filter(({ finishAfter }) => (finishAfter ?? 0) >= NOW);
        expect(rows.reduce((sum, row) => sum + row.escrows, 0)).toBe(later.length);
        expect(rows.reduce((sum, row) => sum + row.amount, 0)).toBe(
          later.reduce((sum, row) => sum + row.amount, 0),
        );
        expect(rows.length).toBeLessThanOrEqual(24);
        expect(rows.map(({ month }) => month)).toEqual(rows.map(({ month }) => month).toSorted());
        for (const { month, amount } of rows.slice(0, 23)) {
          const [year, of] = month.split('-').map(Number);
          const inMonth = later.filter(({ finishAfter }) => {
            const at = new Date(finishAfter!);
            return at.getUTCFullYear() === year && at.getUTCMonth() + 1 === of;
          });
          expect(amount).toBe(inMonth.reduce((sum, row) => sum + row.amount, 0));
        }
      }),
      options,
    );
  });

  test('are ready between their two times', () => {
    const one = (finishAfter?: number, cancelAfter?: number): Escrow => ({
      owner: 'A',
      destination: 'B',
      amount: 1,
      finishAfter,
      cancelAfter,
      hasCondition: false,
    });
    expect(isReady(one(NOW + 1), NOW)).toBe(false);
    expect(isReady(one(NOW - 1), NOW)).toBe(true);
    expect(isReady(one(NOW - 2, NOW - 1), NOW)).toBe(false);
    expect(isReady(one(undefined, NOW + 1), NOW)).toBe(true);
    expect(nextTime(one(NOW + 5, NOW + 9), NOW)).toBe(NOW + 5);
    expect(nextTime(one(NOW - 5, NOW + 9), NOW)).toBe(NOW + 9);
    expect(nextTime(one(NOW - 5), NOW)).toBeUndefined();
  });
});

describe('fear and greed', () => {
  const days = (values: readonly number[]) =>
    values.map((marketcap, at) => ({ date: `day ${at}`, marketcap }));

  test('is neutral where nothing moves, greedy after a rise, afraid after a fall', () => {
    const flat = Array.from({ length: 40 }, () => 100);
    expect(fearGreed(days(flat))).toMatchObject({ value: 50, label: 'neutral', date: 'day 39' });
    const rise = fearGreed(days([...flat, 125]), 100)!;
    expect(rise.components).toMatchObject({ momentum: 100, breadth: 100 });
    const fall = fearGreed(days([...flat, 75]), 0)!;
    expect(fall.components).toMatchObject({ momentum: 0, breadth: 0 });
    expect(fall.value).toBeLessThan(20);
    expect(fall.label).toBe('extreme fear');
    expect(fearGreed(days(flat.slice(0, 7)))).toBeUndefined();
  });

  test('stays between 0 and 100, the mean of its components', () => {
    const values = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 8, maxLength: 50 });
    fc.assert(
      fc.property(values, fc.option(fc.integer({ min: 0, max: 100 })), (all, breadth) => {
        const found = fearGreed(days(all), breadth ?? undefined)!;
        const parts = Object.values(found.components);
        for (const one of parts) expect(one >= 0 && one <= 100).toBe(true);
        expect(found.value).toBeCloseTo(parts.reduce((sum, one) => sum + one, 0) / parts.length, 9);
      }),
      options,
    );
  });
});

describe('issuers', () => {
  const [ISSUER, HOLDER] = ['rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq', 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B'];
  const amount = (issuer: string) => ({ currency: 'USD', issuer, value: '5' });
  const limit = { LimitAmount: { ...amount(HOLDER), value: '0' } };

  test.each([
    ['issue', { TransactionType: 'Payment', Account: ISSUER, Destination: HOLDER }, HOLDER],
    ['redeem', { TransactionType: 'Payment', Account: HOLDER, Destination: ISSUER }, HOLDER],
    ['freeze', { TransactionType: 'TrustSet', Account: ISSUER, Flags: 0x100000, ...limit }, HOLDER],
    ['unfreeze', { TransactionType: 'TrustSet', Account: ISSUER, Flags: 0x200000, ...limit }, HOLDER],
    ['authorize', { TransactionType: 'TrustSet', Account: ISSUER, Flags: 0x10000, ...limit }, HOLDER],
    ['authorize', { TransactionType: 'MPTokenAuthorize', Account: ISSUER, Holder: HOLDER }, HOLDER],
    [
      'unauthorize',
      { TransactionType: 'MPTokenAuthorize', Account: ISSUER, Holder: HOLDER, Flags: 1 },
      HOLDER,
    ],
    ['clawback', { TransactionType: 'Clawback', Account: ISSUER, Amount: amount(HOLDER) }, HOLDER],
    ['clawback', { TransactionType: 'AMMClawback', Account: ISSUER, Holder: HOLDER }, HOLDER],
    ['clawback', { TransactionType: 'VaultClawback', Account: ISSUER, Holder: HOLDER }, HOLDER],
    ['clawback', { TransactionType: 'ConfidentialMPTClawback', Account: ISSUER, Holder: HOLDER }, HOLDER],
    ['clawback', { TransactionType: 'LoanBrokerCoverClawback', Account: ISSUER }, undefined],
    ['globalFreeze', { TransactionType: 'AccountSet', Account: ISSUER, SetFlag: 7 }, undefined],
    ['globalUnfreeze', { TransactionType: 'AccountSet', Account: ISSUER, ClearFlag: 7 }, undefined],
    ['disableMaster', { TransactionType: 'AccountSet', Account: ISSUER, SetFlag: 4 }, undefined],
    [
      'transferRate',
      { TransactionType: 'AccountSet', Account: ISSUER, TransferRate: 1_002_000_000 },
      undefined,
    ],
    [
      'lock',
      { TransactionType: 'MPTokenIssuanceSet', Account: ISSUER, Flags: 1, MPTokenIssuanceID: '00' },
      undefined,
    ],
    ['keys', { TransactionType: 'SetRegularKey', Account: ISSUER }, undefined],
  ] as const)('%s', (action, tx, holder) => {
    const effects = {
      delivered: amount(ISSUER),
      clawed: amount(ISSUER),
      isUnfreezing: action === 'unfreeze',
    };
    const found = issuerAction(tx as never, effects, ISSUER);
    expect([found?.action, found?.holder]).toEqual([action, holder]);
  });

  test('do nothing in payments of tokens of others, lines of their own, transactions of others', () => {
    const payment = { TransactionType: 'Payment', Account: ISSUER, Destination: HOLDER };
    expect(issuerAction(payment, { delivered: amount(HOLDER) }, ISSUER)).toBeUndefined();
    expect(issuerAction(payment, { delivered: '1000' }, ISSUER)).toBeUndefined();
    const mpt = { mpt_issuance_id: `00000001${'00'.repeat(20)}`, value: '5' };
    expect(issuerAction(payment, { delivered: mpt }, ISSUER)).toBeUndefined();
    expect(
      issuerAction({ TransactionType: 'TrustSet', Account: ISSUER, ...limit }, {}, ISSUER),
    ).toBeUndefined();
    // The owner of a vault ends its shares, which the vault issued.
    const ends = { TransactionType: 'VaultClawback', Account: ISSUER, Holder: HOLDER };
    expect(issuerAction(ends, { clawed: mpt }, ISSUER)).toBeUndefined();
    // Wallets close a line with a flag that ends freezes.
    const closing = { TransactionType: 'TrustSet', Account: ISSUER, Flags: 0x220000, ...limit };
    expect(issuerAction(closing, { isUnfreezing: false }, ISSUER)).toBeUndefined();
    expect(issuerAction({ TransactionType: 'AccountSet', Account: HOLDER }, {}, ISSUER)).toBeUndefined();
  });
});

describe('cohorts of holders', () => {
  test('hold every holder once, by age and by profit', () => {
    const NOW = 1e12;
    const holder = fc.record({
      account: fc.constant('A'),
      tokens: fc.integer({ min: 0, max: 100 }),
      profit: fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined }),
      firstTrade: fc.option(
        fc.integer({ min: 0, max: 200 }).map((days) => NOW - days * 86_400_000),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(fc.array(holder, { maxLength: 50 }), (holders) => {
        const { byAge, byProfit } = holderCohorts(holders, NOW);
        for (const groups of [byAge, byProfit]) {
          expect(groups.reduce((sum, one) => sum + one.holders, 0)).toBe(holders.length);
          expect(groups.reduce((sum, one) => sum + one.tokens, 0)).toBe(
            holders.reduce((sum, one) => sum + one.tokens, 0),
          );
        }
        const ahead = byProfit.find(({ cohort }) => cohort === 'ahead');
        expect(ahead?.holders ?? 0).toBe(holders.filter(({ profit }) => (profit ?? 0) > 0).length);
        const week = byAge.find(({ cohort }) => cohort === '2 to 7 days ago');
        expect(week?.holders ?? 0).toBe(
          holders.filter(({ firstTrade }) => {
            const days = (NOW - (firstTrade ?? Number.NaN)) / 86_400_000;
            return days > 1 && days <= 7;
          }).length,
        );
      }),
      options,
    );
  });
});

describe('the risk of an account', () => {
  const calm = {
    ageDays: 900,
    isFundedByExchange: true,
    created: 0,
    washTradingScore: 0,
    received: 5000,
    sent: 100,
    toExchanges: 0,
    transactions: 100,
    failedPct: 1,
  };

  test('is 0 where nothing is odd, and grows by the points of what is', () => {
    expect(walletRisk(calm)).toEqual({ score: 0, level: 'low', factors: [] });
    const odd = walletRisk({
      ageDays: 2,
      isFundedByExchange: false,
      created: 12,
      washTradingScore: 50,
      received: 1000,
      sent: 990,
      toExchanges: 600,
      transactions: 50,
      failedPct: 80,
    });
    expect(odd.factors.map(({ factor, points }) => [factor, points])).toEqual([
      ['new', 30],
      ['origin', 10],
      ['spawns', 15],
      ['wash trading', 15],
      ['passes on', 20],
      ['cash-out', 10],
      ['failures', 10],
    ]);
    expect([odd.score, odd.level]).toEqual([100, 'high']);
    expect(walletRisk({ ...calm, ageDays: 10, isFundedByExchange: false })).toMatchObject({
      score: 25,
      level: 'medium',
    });
    expect(walletRisk({ ...calm, ageDays: undefined, isFundedByExchange: undefined }).score).toBe(0);
  });
});

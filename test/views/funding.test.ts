/** Funding of offers: against what rippled answered to book_offers, and against a plain recount. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Decimal, decimalNumber, subDecimal } from '../../engine/codec/amount.ts';
import { corpusDir } from '../../support/corpus.ts';
import { fundedOffers, type OpenOffer } from '../../views/funding.ts';
import { quotient, ratioText, truncateDecimal } from '../../views/ratio.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}`);

type JsonAmount = string | { value: string };
interface JsonOffer {
  readonly Account: string;
  readonly TakerPays: JsonAmount;
  readonly TakerGets: JsonAmount;
  readonly owner_funds?: string;
  readonly taker_gets_funded?: JsonAmount;
  readonly taker_pays_funded?: JsonAmount;
}

/** Drops or token units: the unit does not matter here. */
function decimal(amount: JsonAmount): Decimal {
  const text = typeof amount === 'string' ? amount : amount.value;
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(
    text,
  )!;
  return { m: BigInt(`${sign}${whole}${fraction}`), e: Number(exponent) - fraction.length };
}

function recordedBooks(): { gets: JsonAmount & { issuer?: string }; offers: JsonOffer[] }[] {
  const all = JSON.parse(readFileSync(join(corpusDir!, 'responses', 'book_offers.json'), 'utf8')) as {
    response: { result?: { offers?: JsonOffer[] }; offers?: JsonOffer[] };
  }[];
  return all
    .map(({ response }) => response.result?.offers ?? response.offers ?? [])
    .filter((offers) => offers.some((offer) => offer.owner_funds !== undefined))
    .map((offers) => ({ gets: offers[0]!.TakerGets as never, offers }));
}

/** Issuers that charged for transfers when the books were recorded. */
const RATES: Record<string, Decimal> = { rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B: { m: 1002n, e: -3 } };
const PARITY: Decimal = { m: 1n, e: 0 };

describe.skipIf(!corpusDir)('against rippled', () => {
  test('funded amounts of recorded books', () => {
    let compared = 0;
    for (const { gets, offers } of recordedBooks()) {
      const owners = [...new Set(offers.map(({ Account }) => Account))];
      const shown = new Map<string, string>();
      for (const { Account, owner_funds } of offers) {
        if (owner_funds !== undefined && !shown.has(Account)) shown.set(Account, owner_funds);
      }
      const open: OpenOffer[] = offers.map((offer, at) => ({
        offer: at,
        account: owners.indexOf(offer.Account),
        pays: decimal(offer.TakerPays),
        gets: decimal(offer.TakerGets),
      }));
      const issuer = gets.issuer;
      const found = [
        ...fundedOffers(open, {
          transferRate: (issuer && RATES[issuer]) || PARITY,
          spendable: (account) => {
            if (owners[account] === issuer) return undefined;
            const funds = shown.get(owners[account]!);
            return funds === undefined ? undefined : decimal(funds);
          },
        }),
      ];
      const byOffer = new Map(found.map((row) => [row.offer, row]));
      offers.forEach((offer, at) => {
        if (!shown.has(offer.Account)) return;
        const expected = offer.taker_gets_funded;
        const mine = byOffer.get(at);
        const wanted = decimalNumber(decimal(expected ?? offer.TakerGets));
        const got = mine ? decimalNumber(mine.fundedGets) : 0;
        // The recorded amounts are rounded to 16 digits or whole drops.
        expect(Math.abs(got - wanted), `${at} ${offer.Account}`).toBeLessThanOrEqual(
          Math.max(1, wanted) * 1e-6,
        );
        compared++;
      });
    }
    expect(compared).toBeGreaterThan(100);
  });
});

describe('against a recount', () => {
  test('no owner delivers more than it has, nor more than the offer asks', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
    const offer = fc.record({ account: fc.nat(4), pays: amount, gets: amount });
    fc.assert(
      fc.property(
        fc.array(offer, { maxLength: 30 }),
        fc.array(fc.bigInt({ min: 0n, max: 10n ** 13n }), { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 1000, max: 1200 }),
        (rows, balances, rate) => {
          const open = rows.map((row, at) => ({
            offer: at,
            account: row.account,
            pays: { m: row.pays, e: 0 },
            gets: { m: row.gets, e: 0 },
          }));
          const transferRate = { m: BigInt(rate), e: -3 };
          const spendable = (account: number) => ({ m: balances[account]!, e: 0 });
          const funded = new Map(
            [...fundedOffers(open, { transferRate, spendable })].map((f) => [f.offer, f]),
          );
          // In thousandths of a unit, what each owner has left.
          const left = balances.map((balance) => balance * 1000n);
          for (const row of open) {
            const needed = row.gets.m * BigInt(rate);
            const own = left[row.account]!;
            const mine = funded.get(row.offer);
            if (own >= needed) {
              expect(mine?.fundedGets).toEqual(row.gets);
              expect(mine?.fundedPays).toEqual(row.pays);
              left[row.account] = own - needed;
              continue;
            }
            left[row.account] = 0n;
            if (own === 0n) {
              expect(mine).toBeUndefined();
              continue;
            }
            const exact = Number(own) / rate;
            expect(Math.abs(decimalNumber(mine!.fundedGets) - exact)).toBeLessThanOrEqual(exact * 1e-12);
            const share = (exact / Number(row.gets.m)) * Number(row.pays.m);
            expect(Math.abs(decimalNumber(mine!.fundedPays) - share)).toBeLessThanOrEqual(share * 1e-12);
          }
        },
      ),
      { seed, numRuns: 300 },
    );
  });

  test('an issuer is never short of its own token', () => {
    const open = [{ offer: 1, account: 1, pays: { m: 5n, e: 0 }, gets: { m: 9n, e: 30 } }];
    const funds = { transferRate: { m: 12n, e: -1 }, spendable: () => undefined };
    expect([...fundedOffers(open, funds)][0]!.fundedGets).toEqual({ m: 9n, e: 30 });
  });
});

describe('quotients', () => {
  test('are right to the last digit', () => {
    const whole = fc.bigInt({ min: 1n, max: 10n ** 18n });
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        const { m, e } = quotient({ m: a, e: 0 }, { m: b, e: 0 });
        expect(m.toString().replace(/0+$/, '').length).toBeLessThanOrEqual(17);
        // |a/b - q| <= half a unit in the 16th digit: 2 |a - q b| <= b * 10^(digits of q - 16 + e).
        const scale = e < 0 ? 10n ** BigInt(-e) : 1n;
        const q = e < 0 ? m : m * 10n ** BigInt(e);
        const error = a * scale - q * b;
        const digits = q.toString().length;
        const unit = 10n ** BigInt(Math.max(0, digits - 16));
        expect(2n * (error < 0n ? -error : error) <= b * unit).toBe(true);
      }),
      { seed, numRuns: 500 },
    );
  });

  test('read as plain decimals', () => {
    expect(ratioText({ m: 1n, e: 0 }, { m: 3n, e: 0 })).toBe('0.3333333333333333');
    expect(ratioText({ m: 2n, e: 0 }, { m: 3n, e: 0 })).toBe('0.6666666666666667');
    expect(ratioText({ m: 1n, e: 0 }, { m: 1n, e: 20 })).toBe('0.00000000000000000001');
    expect(ratioText({ m: 10n, e: 0 }, { m: 4n, e: 0 })).toBe('2.5');
  });

  test('cut towards zero', () => {
    expect(truncateDecimal({ m: 12_999n, e: -3 }, 2)).toEqual({ m: 1299n, e: -2 });
    expect(subDecimal(truncateDecimal({ m: 5n, e: 0 }, 2), { m: 5n, e: 0 }).m).toBe(0n);
  });
});

/** The largest holders of a token whose lines change at random, against a sort of all lines. */
import { expect, test } from 'bun:test';
import { runToEnd } from '../../../engine/event-loop.ts';
import { ASKED_LINES, FOLLOWED_LINES, LargestHolders, TOP } from '../../../engine/market/largest-holders.ts';
import type { MarketState } from '../../../engine/market/state-view.ts';
import { drawsOf } from '../../sandbox/seed.ts';

const seed = Number(process.env.SEED ?? 20_261_123);
const TOKEN = 1;
const ISSUER = 7;
const LINES = FOLLOWED_LINES + 500;
const LEDGERS = 400;
const CHANGES = 40;

/** Lines of one token, high issues it; `holders` are those in its list. */
class MadeLines {
  readonly highs = new Uint32Array(LINES * 2).fill(ISSUER);
  readonly balancesHi = new Uint32Array(LINES * 2);
  readonly balancesLo = new Uint32Array(LINES * 2);
  readonly values = new Float64Array(LINES * 2);
  readonly listed: number[] = [];
  readonly changed = { tokens: new Set<number>(), holders: new Set<number>(), holderLines: [] as number[] };
  passes = 0;

  readonly state = {
    tokens: { count: 2, kind: () => 1, issuer: () => ISSUER, assetScale: new Uint8Array(2) },
    lines: {
      highs: this.highs,
      balancesHi: this.balancesHi,
      balancesLo: this.balancesLo,
      holders: () => {
        this.passes++;
        return Uint32Array.from(this.listed);
      },
      lineCount: () => this.listed.length,
      heldNow: (line: number) => (this.listed.includes(line) ? this.values[line]! : 0),
    },
    changed: this.changed,
  } as unknown as MarketState;

  /** @param whole tokens, 0 to 9 */
  set(line: number, whole: number): void {
    this.values[line] = whole;
    const mantissa = BigInt(whole) * 10n ** 15n;
    this.balancesHi[line] = whole === 0 ? 0x80000000 : Number(0xc0000000n | (82n << 22n) | (mantissa >> 32n));
    this.balancesLo[line] = Number(mantissa & 0xffffffffn);
    this.changed.holders.add(TOKEN);
    this.changed.holderLines.push(TOKEN, line);
  }

  largest(): number[] {
    const all = this.listed.map((line) => this.values[line]!).filter((value) => value > 0);
    return all.sort((a, b) => b - a).slice(0, TOP);
  }
}

test.each([LINES, ASKED_LINES + 100])(`of %i lines follow what ledgers change (SEED=${seed})`, (lines) => {
  const draw = drawsOf(seed);
  const made = new MadeLines();
  for (let line = 1; line <= lines; line++) {
    made.listed.push(line);
    made.set(line, draw(10));
  }
  const largest = new LargestHolders(made.state);
  runToEnd(largest.rebuilding());
  expect([...largest.of(TOKEN)]).toEqual(made.largest());
  let next = lines + 1;
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    made.changed.holders.clear();
    made.changed.holderLines.length = 0;
    // Times in which the large leave, times in which they come, times in which lines come and go.
    const mood = Math.floor(ledger / 40) % 3;
    for (let i = 0; i < CHANGES; i++) {
      const line = made.listed[draw(made.listed.length)]!;
      if (mood === 0) made.set(made.listed.find((one) => made.values[one] === 9) ?? line, draw(9));
      else if (mood === 1) made.set(line, 9);
      else if (i % 2 === 0) {
        made.listed.push(next);
        made.set(next++, draw(10));
      } else {
        made.listed.splice(made.listed.indexOf(line), 1);
        made.set(line, 0);
      }
    }
    largest.apply();
    expect([...largest.of(TOKEN)]).toEqual(made.largest());
    expect([...largest.ofRow(TOKEN)]).toEqual(made.largest().slice(0, 10));
  }
});

test(`are found in a small token (SEED=${seed})`, () => {
  const draw = drawsOf(seed);
  for (const lines of [0, 1, TOP - 1, TOP, TOP + 1, 400]) {
    const made = new MadeLines();
    for (let line = 1; line <= lines; line++) {
      made.listed.push(line);
      made.set(line, draw(10));
    }
    const largest = new LargestHolders(made.state);
    runToEnd(largest.rebuilding());
    expect([...largest.of(TOKEN)]).toEqual(made.largest());
    expect(largest.workOf(TOKEN)).toBe(lines);
  }
});

test.each([LINES, ASKED_LINES + 100])(
  'look at all of %i lines only once, while holders trade places',
  (lines) => {
    const draw = drawsOf(seed);
    const made = new MadeLines();
    for (let line = 1; line <= lines; line++) {
      made.listed.push(line);
      made.set(line, 1 + draw(9));
    }
    const largest = new LargestHolders(made.state);
    runToEnd(largest.rebuilding());
    for (let ledger = 0; ledger < 50; ledger++) {
      made.changed.holderLines.length = 0;
      // As many hold each balance as before: as many are among the largest.
      for (let i = 0; i < CHANGES; i++) {
        const [one, other] = [1 + draw(lines), 1 + draw(lines)];
        const [before, after] = [made.values[one]!, made.values[other]!];
        made.set(one, after);
        made.set(other, before);
      }
      largest.apply();
      expect([...largest.of(TOKEN)]).toEqual(made.largest());
    }
    expect(made.passes).toBe(1);
    expect(largest.workOf(TOKEN)).toBe(lines === LINES ? 1024 : lines);
  },
);

for (const [kind, name] of [
  [1, 'a currency, with exponents of all sizes and lines of which either side holds'],
  [2, 'an MPT'],
] as const)
  test(`are found of ${name} (SEED=${seed})`, () => {
    const draw = drawsOf(seed);
    const made = new MadeLines();
    const expected: number[] = [];
    for (let line = 1; line <= 3000; line++) {
      made.listed.push(line);
      const lowHolds = draw(2) === 0;
      made.highs[line] = lowHolds || kind === 2 ? ISSUER : ISSUER + 1;
      const drawn = BigInt(draw(2 ** 31));
      const mantissa = kind === 2 ? drawn << BigInt(draw(30)) : 10n ** 15n + drawn * 4_000_000n;
      const exponent = BigInt(60 + draw(40));
      const positive = draw(8) > 0;
      // Seen from low; a negative balance is held by high.
      const sign = positive === lowHolds ? 1n << 62n : 0n;
      const raw = kind === 2 ? mantissa : (1n << 63n) | sign | (exponent << 54n) | mantissa;
      made.balancesHi[line] = Number(raw >> 32n);
      made.balancesLo[line] = Number(raw & 0xffffffffn);
      const value = kind === 2 ? Number(mantissa) : Number(`${mantissa}e${exponent - 97n}`);
      if ((kind === 2 || positive) && value > 0) expected.push(value);
    }
    const largest = new LargestHolders({
      ...made.state,
      tokens: { ...made.state.tokens, kind: () => kind },
    } as unknown as MarketState);
    const top = expected.sort((a, b) => b - a).slice(0, TOP);
    const found = largest.of(TOKEN);
    expect(found.length).toBe(TOP);
    for (const [i, value] of top.entries()) expect(Math.abs(found[i]! / value - 1)).toBeLessThan(1e-15);
  });

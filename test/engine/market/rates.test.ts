/** Fiat rates from anchors and oracles, and their history. */
import { describe, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { Fiat } from '../../../engine/market/figures.ts';
import { KNOWN_ANCHORS } from '../../../engine/market/known-anchors.ts';
import type { OracleSource } from '../../../engine/market/oracle-prices.ts';
import { ANCHOR_MAX_AGE } from '../../../engine/market/rates.ts';
import { recordedLedgers, sampleOf } from '../state/recorded.ts';
import { AnchorRig } from './anchor-rig.ts';
import { Rig } from './rig.ts';

const START = 800_000_000;
const RIPPLE_EPOCH = 946684800;
const RLUSD = 1;
const SNAPSWAP = 2;
const OTHER = 3;
const TOKENS = [
  { issuer: 'XRPL', currency: 'XRP' },
  { issuer: KNOWN_ANCHORS[0]!.issuer, currency: KNOWN_ANCHORS[0]!.currency },
  { issuer: 'rMwjYedjc7qqtKYVLiAccJSmCwih4LnE2q', currency: 'USD' },
  { issuer: 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B', currency: 'BTC' },
] as const;

function bench(oracles?: OracleSource) {
  const rig = new AnchorRig(TOKENS, oracles);
  return {
    rates: rig.rates,
    trade: rig.trade.bind(rig),
    settle: rig.settle.bind(rig),
    commit: rig.commit.bind(rig),
  };
}

describe('rates', () => {
  test('volume-weighted over anchors in 60 minutes, kept for a day, then unknown', async () => {
    const { rates, trade, settle, commit } = bench();
    settle(START);
    expect(rates.exch()).toEqual({});
    trade(RLUSD, START, 300, 100); // 3 XRP a dollar
    trade(RLUSD, START + 60, 100, 50); // 2 XRP a dollar
    trade(OTHER, START + 60, 1e6, 1); // no anchor
    trade(RLUSD, START + 60, 1e6, 1, false); // not against XRP
    trade(SNAPSWAP, START + 60, 1e6, 1); // stopped paying out in 2015
    settle(START + 60);
    expect(rates.xrpPer(Fiat.USD)).toBeCloseTo(400 / 150, 12);
    expect(rates.xrpPer(Fiat.EUR)).toBeUndefined();
    settle(START + 3600);
    expect(rates.xrpPer(Fiat.USD)).toBeCloseTo(2, 12);
    await commit(START + 3600);
    settle(START + 60 + ANCHOR_MAX_AGE - 1);
    expect(rates.xrpPer(Fiat.USD)).toBeCloseTo(2, 12);
    settle(START + 60 + ANCHOR_MAX_AGE);
    expect(rates.xrpPer(Fiat.USD)).toBeUndefined();
    expect(rates.at(Fiat.USD, START + 119)).toBeCloseTo(400 / 150, 12);
    expect(rates.at(Fiat.USD, START + 7000)).toBeCloseTo(2, 12);
    expect(rates.at(Fiat.USD, START - 120)).toBeUndefined();
    expect(rates.at(Fiat.USD, START + 2 * ANCHOR_MAX_AGE)).toBeUndefined();
    rates.feed = {
      name: 'test',
      version: 0,
      latest: (fiat) => (fiat === Fiat.USD ? { xrpPerUnit: 5, time: 0 } : undefined),
    };
    expect(rates.exch()).toEqual({ USD: 5 });
  });

  test('oracles count when anchors bear them out, or three owners agree', () => {
    let prices = [0.5, 0.52];
    let age = 10;
    const { rates, trade, settle } = bench({
      latest: (quote) =>
        quote === 'USD' || quote === 'EUR'
          ? prices.map((price, owner) => ({ owner, price, lastUpdate: START + RIPPLE_EPOCH - age }))
          : [],
    });
    settle(START);
    expect(rates.exch()).toEqual({});
    trade(RLUSD, START, 190, 100);
    settle(START);
    expect(rates.xrpPer(Fiat.USD)).toBeCloseTo(1 / 0.51, 12);
    prices = [5, 5.2];
    settle(START);
    expect(rates.xrpPer(Fiat.USD)).toBeCloseTo(1.9, 12);
    prices = [0.4, 0.5, 0.6];
    settle(START);
    expect(rates.xrpPer(Fiat.EUR)).toBeCloseTo(2, 12);
    age = 4000;
    settle(START);
    expect(rates.xrpPer(Fiat.EUR)).toBeUndefined();
  });

  test('recorded ledgers of January 2015: XRP was worth 1 to 2.5 US cents', () => {
    const rig = new Rig();
    for (const s of recordedLedgers('mainnet-1111')) rig.apply(s.packed, s.changes);
    const usd = 1 / rig.market.rates.xrpPer(Fiat.USD)!;
    expect(usd).toBeGreaterThan(0.01);
    expect(usd).toBeLessThan(0.025);
    // One dollar was about 118 yen and 6.2 yuan then.
    const { USD, JPY, CNY } = rig.market.rates.exch();
    if (JPY) expect(USD! / JPY).toBeWithin(100, 140);
    if (CNY) expect(USD! / CNY).toBeWithin(5, 8);
  });
});

describe('holders history', () => {
  const issuer = KNOWN_ANCHORS[0]!.issuer;
  const holder = ['rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq', 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B'];

  function lines(index: number, time: number, balances: readonly string[]) {
    const AffectedNodes = balances.map((value, i) => ({
      CreatedNode: {
        LedgerEntryType: 'RippleState',
        LedgerIndex: `${index}${i}`.padStart(64, '0'),
        NewFields: {
          Balance: {
            currency: 'USD',
            issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji',
            value: low(i) ? value : `-${value}`,
          },
          Flags: 65536,
          LowLimit: { currency: 'USD', issuer: low(i) ? holder[i] : issuer, value: low(i) ? '100' : '0' },
          HighLimit: { currency: 'USD', issuer: low(i) ? issuer : holder[i], value: low(i) ? '0' : '100' },
        },
      },
    }));
    const tx = encode({
      TransactionType: 'AccountSet',
      Account: holder[0],
      Fee: '10',
      Sequence: 1,
      SigningPubKey: '',
    });
    const meta = encode({ TransactionIndex: 0, TransactionResult: 'tesSUCCESS', AffectedNodes } as never);
    return sampleOf(`lines ${index}`, index, time, [{ tx, meta }]);
  }
  // Which side of the line the holder is does not matter to the balance it holds; both are tried.
  const low = (i: number): boolean => i === 0;

  test('a record at the first ledger of each hour for tokens that changed', async () => {
    const { unpackHolders } = await import('../../../engine/market/holders-history.ts');
    const rig = new Rig();
    const hour = Math.floor(START / 3600) * 3600;
    const feed = (index: number, time: number, balances: readonly string[]) => {
      const s = lines(index, time, balances);
      rig.apply(s.packed, s.changes);
    };
    feed(1, hour + 10, ['30', '10']);
    feed(2, hour + 3599, []);
    await rig.commit();
    const token = rig.state.tokens.find(issuer, 'USD')!;
    const read = () => {
      const found: [number, ReturnType<typeof unpackHolders>][] = [];
      rig.store.records('holders', [token], {}, (time, record) => {
        found.push([time, unpackHolders(record)]);
        return true;
      });
      return found;
    };
    expect(read()).toEqual([]);
    feed(3, hour + 3600, []);
    feed(4, hour + 3700, []);
    feed(5, hour + 7300, []);
    await rig.commit();
    const full = { length: 2, holders: 2, top10: 100, top20: 100, top50: 100, top100: 100, active24H: 0 };
    expect(read()).toEqual([[hour + 3600, full]]);
    const restarted = rig.restarted();
    expect(restarted.market.digest()).toBe(rig.market.digest());
  });

  test('shares are those of the largest, in percent of the supply', async () => {
    const { topShares } = await import('../../../engine/market/holders-history.ts');
    const balances = Array.from({ length: 400 }, (_, i) => Math.abs(Math.sin(i * 12.9898)) * 1000);
    const sum = balances.reduce((a, b) => a + b);
    const sorted = balances.toSorted((a, b) => b - a);
    const shares = topShares(sorted.slice(0, 100), sum);
    for (const [name, count] of [
      ['top10', 10],
      ['top20', 20],
      ['top50', 50],
      ['top100', 100],
    ] as const) {
      const share = (sorted.slice(0, count).reduce((a, b) => a + b) / sum) * 100;
      expect(shares[name]).toBeCloseTo(share, 9);
    }
  });
});

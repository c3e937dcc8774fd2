/** Six hours of the markets, read from the ledgers with the reference codec. */
import { describe, expect, test } from 'bun:test';
import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { dirEntries } from '../../../sandbox/ledger/directory.ts';
import { TRADERS } from '../../../sandbox/population/setup.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { EPOCH, type Json, type ReadTransaction, read, type Trade, tradesOf, World } from './world.ts';

const HOURS = 6;
const ROLES = ['USDM', 'COR', 'VLT', 'CROWD'];

const world = new World();
const { economy, agents } = world.population;
const poolOf = (name: string): string =>
  addressOf(world.network.closed.view().read(keylets.amm(economy.token(name).asset, XRP))!.Account!);
const all: ReadTransaction[] = [];
/** Price of the stablecoin in its pool in USD, with the oracles' price of XRP, ledger by ledger. */
const pegs: number[] = [];

function xrpOfPool(pool: string): { xrp: number; tokens: number } {
  const view = world.network.closed.view();
  const { asset } = economy.token('USDM');
  const amm = view.read(keylets.amm(asset, XRP))!.Account!;
  expect(addressOf(amm)).toBe(pool);
  const line = view.read(keylets.line(amm, economy.token('USDM').issuer.account, asset.slice(0, 40)))!;
  return {
    xrp: Number(view.read(keylets.account(amm))!.Balance!.drops) / 1e6,
    tokens: Math.abs(Number(line.Balance!.text())),
  };
}

let oracle = 0;
while (world.network.closed.closeTime < EPOCH + HOURS * 3_600) {
  const ledger = world.step();
  const read_ = read(ledger);
  all.push(...read_);
  for (const { tx, meta } of read_)
    if (tx.TransactionType === 'OracleSet' && meta.TransactionResult === 'tesSUCCESS') {
      const series = tx.PriceDataSeries as { PriceData: Json }[];
      const price = series.find(
        ({ PriceData }) => PriceData.BaseAsset === 'XRP' && PriceData.QuoteAsset === 'USD',
      );
      if (price)
        oracle = Number(BigInt(`0x${price.PriceData.AssetPrice}`)) / 10 ** (price.PriceData.Scale as number);
    }
  if (ledger.index > 20) {
    const { xrp, tokens } = xrpOfPool(poolOf('USDM'));
    pegs.push((xrp / tokens) * oracle);
  }
}

const tradesOfToken = (name: string): Trade[] =>
  all.flatMap((transaction) => tradesOf(transaction, economy.token(name).issuer.address, poolOf(name)));

describe('six hours of markets', () => {
  test('at least 99 percent of the transactions have the expected result', () => {
    expect(world.refused).toEqual([]);
    const meant = new Map(
      world.population.groundTruth.rows.map(({ hash, meant = 'tesSUCCESS' }) => [hash, meant]),
    );
    const unexpected = all.filter(
      ({ hash, meta }) => meta.TransactionResult !== (meant.get(hash) ?? 'tesSUCCESS'),
    );
    expect(unexpected.length / all.length).toBeLessThan(0.01);
    expect(all.length).toBeGreaterThan(HOURS * 60 * 5);
  });

  for (const name of ROLES)
    test(`${name} trades in every hour, in its book and its pool`, () => {
      const trades = tradesOfToken(name);
      const worth = economy.token(name);
      for (let hour = 1; hour < HOURS; hour++) {
        const mine = trades.filter(({ closeTime }) => Math.floor((closeTime - EPOCH) / 3_600) === hour);
        for (const venue of ['book', 'pool'] as const)
          expect(
            mine.filter((trade) => trade.venue === venue).length,
            `${name} hour ${hour} ${venue}`,
          ).toBeGreaterThan(0);
        const volume = mine.reduce((sum, { xrp }) => sum + xrp, 0);
        const average = mine.reduce((sum, { xrp, price }) => sum + xrp * price, 0) / volume;
        expect(Math.abs(average / economy.worth(worth, EPOCH + hour * 3_600 + 1_800) - 1)).toBeLessThan(
          name === 'VLT' ? 0.1 : 0.05,
        );
      }
      const prices = trades.filter(({ xrp }) => xrp > 1).map(({ price }) => price);
      expect(Math.max(...prices) / Math.min(...prices)).toBeGreaterThan(1.003);
    });

  test('the stablecoin keeps its peg within half a percent', () => {
    expect(pegs.length).toBeGreaterThan(330);
    for (const peg of pegs) expect(Math.abs(peg - 1)).toBeLessThan(0.005);
  });

  test('oracles publish at the expected interval and precision', () => {
    const { expected } = world.population.weeks.scenarios(0).find(({ id }) => id === 'oracle-prices')!;
    const [every, noise] = [Number(expected.everySeconds), Number(expected.noisePercent) / 100];
    const owners = agents.group('oracle', Number(expected.owners)).map(({ address }) => address);
    for (const owner of owners) {
      const posts = all.filter(({ tx }) => tx.TransactionType === 'OracleSet' && tx.Account === owner);
      expect(Math.abs(posts.length - (HOURS * 3_600) / every)).toBeLessThan(4);
      for (const { tx, closeTime } of posts) {
        const { PriceData } = (tx.PriceDataSeries as { PriceData: Json }[])[0]!;
        const price = Number(BigInt(`0x${PriceData.AssetPrice}`)) / 10 ** (PriceData.Scale as number);
        expect(Math.abs(price / economy.xrpUsd(closeTime) - 1)).toBeLessThan(noise + 1e-6);
      }
    }
  });

  test('books are two-sided, deep and not crossed', () => {
    const view = world.network.closed.view();
    for (const { base, quote, maker, spread } of economy.markets) {
      const best = (takerPays: string, takerGets: string): number | undefined => {
        const root = keylets.bookBase({ takerPays, takerGets });
        const page = view.successor(root, keylets.nextQualityBase(root));
        const key = page && view.read(page)?.Indexes?.[0];
        const offer = key === undefined ? undefined : view.read(key);
        if (offer === undefined) return undefined;
        const number = (amount: { isNative: boolean; mantissa: bigint; text(): string }) =>
          amount.isNative ? Number(amount.mantissa) / 1e6 : Number(amount.text());
        return number(offer.TakerPays!) / number(offer.TakerGets!);
      };
      const other = quote?.asset ?? XRP;
      const ask = best(other, base.asset)!;
      const bid = 1 / best(base.asset, other)!;
      expect(bid).toBeLessThan(ask);
      expect(ask / bid - 1).toBeLessThan(5 * spread);
      const page = view.read(keylets.ownerDirectory(maker.account))!;
      const offers = (page.Indexes ?? []).filter((key) => view.read(key)?.LedgerEntryType === 'Offer');
      expect(offers.length).toBeGreaterThanOrEqual(8);
      expect(offers.length).toBeLessThanOrEqual(12);
    }
  });

  test('offers that sell the base have the sell flag, by which clients distinguish the sides of a book', () => {
    const view = world.network.closed.view();
    const sides = new Map<string, boolean>();
    for (const { base, quote } of economy.markets) {
      const other = quote?.asset ?? XRP;
      sides.set(`${base.asset} for ${other}`, true).set(`${other} for ${base.asset}`, false);
    }
    let sell = 0;
    for (const agent of [...economy.markets.map(({ maker }) => maker), ...agents.group('trader', TRADERS)])
      for (const key of dirEntries(view, keylets.ownerDirectory(agent.account))) {
        const { LedgerEntryType, TakerGets, TakerPays, Flags = 0 } = view.read(key)!;
        if (LedgerEntryType !== 'Offer') continue;
        const sells = sides.get(`${TakerGets!.asset} for ${TakerPays!.asset}`);
        expect((Flags & Lsf.lsfSell) !== 0, `${agent.name} ${key}`).toBe(sells!);
        if (sells) sell++;
      }
    expect(sell).toBeGreaterThan(40);
  });

  test('no account runs out of XRP or collects ever more entries', () => {
    const view = world.network.closed.view();
    for (const [name, { account }] of agents.known()) {
      const root = view.read(keylets.account(account));
      if (root === undefined || name === 'genesis') continue;
      const spare = root.Balance!.drops - 1_000_000n - 200_000n * BigInt(root.OwnerCount ?? 0);
      expect(spare >= 0n, `${name} has ${root.Balance!.drops} drops for ${root.OwnerCount} objects`).toBe(
        true,
      );
      if (!/^(issuer|studio|nft)/.test(name)) expect(root.OwnerCount ?? 0).toBeLessThan(40);
    }
  });
});

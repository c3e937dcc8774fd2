/**
 * A week of a network of the default size, counted by brute force over its ledgers with the reference codec: tokens,
 * names, platforms, pools, books, MPTs, quiet tokens, domains and their files; and the scenarios that such a network has.
 */
import { describe, expect, test } from 'bun:test';
import { convertHexToString } from 'xrpl';
import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { Agents } from '../../../sandbox/population/agents.ts';
import type { Project } from '../../../sandbox/population/projects/project.ts';
import { Projects } from '../../../sandbox/population/projects/projects.ts';
import type { Scenario } from '../../../sandbox/population/scenario.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { seedOf } from '../seed.ts';
import { wholeLedgerProblems } from '../whole-ledger.ts';
import { ScenarioReader, sum } from './scenario-tests.ts';
import { LONGEST_STEP, WeekRun } from './week-run.ts';
import { EPOCH, type Json, type ReadTransaction, tokenChange, xrpChange } from './world.ts';

const seed = String(seedOf(import.meta.file, 1));
const isMine = ({ id }: Scenario): boolean => /^(launch-|cash-out-|project-)/.test(id);
/** Tokens that such a network has at least; the week is run so coarsely that the other scenarios issue fewer than they do. */
const TOKENS_MIN = 100;
const isTrade = (type: string): boolean => type === 'Payment' || type === 'OfferCreate';

/** The last scenario of projects ends, and the last project is launched, some hours before. */
const DAYS = 6.1;
/** Of the pools that are traded all the time, how many are near the worth; near: by this factor, as a logarithm. */
const NEAR_SHARE = 0.75;
const NEAR = 0.5;

const projects = new Projects({ agents: new Agents(seed), seed, size: 'default' });
const pooled = projects.all.filter(({ poolXrp }) => poolXrp > 0);
/** Pools created, by source tag (0: none), and the tags of trades. */
const created = new Map<number, number>();
const tradedWith = new Set<number>();
/** The XRP of each pool, and when it changed, seconds since the epoch. */
const balances = new Map<Project, bigint>();
const changes = new Map<Project, number[]>(pooled.map((project) => [project, []]));

function count(ledger: ClosedLedger): void {
  for (const { fields, metaFields } of ledger.transactions) {
    if (metaFields.TransactionResult !== 0) continue;
    const { TransactionType, SourceTag } = fields;
    if (TransactionType === 'AMMCreate') created.set(SourceTag ?? 0, (created.get(SourceTag ?? 0) ?? 0) + 1);
    else if (isTrade(TransactionType) && SourceTag !== undefined) tradedWith.add(SourceTag);
  }
  const view = ledger.view();
  for (const project of pooled) {
    const pool = view.read(keylets.amm(project.asset, XRP))?.Account;
    const drops = pool === undefined ? undefined : view.read(keylets.account(pool))!.Balance!.drops;
    if (drops === undefined || drops === balances.get(project)) continue;
    if (balances.has(project)) changes.get(project)!.push(ledger.closeTime - EPOCH);
    balances.set(project, drops);
  }
}

const weekRun = new WeekRun({ seed, week: 0, days: DAYS, size: 'default', only: isMine, onLedger: count });
const reader = new ScenarioReader(weekRun);
const { population, world } = weekRun;
const view = world.network.closed.view();
const entries: Readonly<Entry>[] = Array.from(world.network.closed.state.tree.items(), ({ entry }) => entry);
const rootOf = (account: string) => view.read(keylets.account(account))!;
const poolOf = ({ asset }: Project) => view.read(keylets.amm(asset, XRP))!.Account!;
const senderOf = ({ tx }: ReadTransaction): string => tx.Account as string;

describe('a week of the default size', () => {
  test('has more than a hundred tokens, with codes of three letters and of forty hex digits', () => {
    const codes = new Map<string, string>();
    for (const { LedgerEntryType, Balance, LowLimit, HighLimit } of entries) {
      if (LedgerEntryType !== 'RippleState' || Balance!.isZero) continue;
      const issuer = Balance!.signum > 0 ? HighLimit!.issuer : LowLimit!.issuer;
      const isPool = rootOf(issuer)?.AMMID !== undefined;
      if (!isPool) codes.set(Balance!.asset.slice(0, 40) + issuer, Balance!.asset.slice(0, 40));
    }
    const short = [...codes.values()].filter((code) => /^0{24}[0-9A-F]{6}0{10}$/.test(code));
    console.log(`${codes.size} tokens, ${short.length} of them with three letters`);
    expect(codes.size).toBeGreaterThan(TOKENS_MIN);
    expect(short.length).toBeGreaterThan(codes.size / 8);
    expect(short.length).toBeLessThan(codes.size * 0.6);
    expect(new Set(projects.all.map(({ name }) => name.name)).size).toBe(projects.all.length);
    expect(new Set(projects.all.map(({ name }) => name.ticker)).size).toBe(projects.all.length);
  });

  test('every project is complete: issued, with its pool, with the rights that its issuer keeps', () => {
    for (const project of projects.all) {
      const { issuer, creator, kind, blackholed, noFreeze, domain, poolXrp, lpBurned } = project;
      const root = rootOf(issuer.account);
      const has = (flag: number): boolean => ((root.Flags ?? 0) & flag) !== 0;
      if (kind === 'mpt') continue;
      expect(root.Domain === undefined ? undefined : convertHexToString(root.Domain)).toBe(domain);
      expect([has(Lsf.lsfDisableMaster), has(Lsf.lsfNoFreeze)]).toEqual([blackholed, noFreeze]);
      expect(view.read(keylets.account(creator.account))).toBeDefined();
      if (poolXrp === 0) continue;
      const lp = view.read(keylets.amm(project.asset, XRP))!.LPTokenBalance!.asset;
      const line = view.read(keylets.line(issuer.account, lp.slice(40), lp.slice(0, 40)));
      expect(line !== undefined && !line.Balance!.isZero).toBe(lpBurned);
    }
  });

  test('pools are opened through several platforms with different shares', () => {
    const tags = new Set(pooled.flatMap(({ platform }) => platform ?? []));
    expect(tags.size).toBeGreaterThanOrEqual(3);
    for (const tag of tags)
      expect(created.get(tag)!).toBeGreaterThanOrEqual(
        pooled.filter(({ platform }) => platform === tag).length,
      );
    const sizes = [...tags].map((tag) => created.get(tag)!).sort((a, b) => b - a);
    expect(sizes[0]!).toBeGreaterThan(2 * sizes.at(-1)!);
    expect(tradedWith.size).toBeGreaterThanOrEqual(4);
  });

  test('some tokens are traded until the end, others have been quiet for days; pools follow the worth', () => {
    const lasts = pooled.map((project) => ({ project, times: changes.get(project)! }));
    for (const { project, times: mine } of lasts)
      expect(Math.max(...mine, project.launchAt)).toBeLessThanOrEqual(project.quietAt + LONGEST_STEP);
    const quiet = lasts.filter(({ project }) => project.quietAt < (DAYS - 3) * 86_400);
    const busy = lasts.filter(({ times: mine }) => mine.length > 15 && mine.at(-1)! > (DAYS - 0.3) * 86_400);
    console.log(`${quiet.length} quiet for three days, ${busy.length} busy`);
    expect(quiet.length).toBeGreaterThan(4);
    expect(busy.length).toBeGreaterThan(4);
    const near = busy.filter(({ project }) => {
      const pool = poolOf(project);
      const line = view.read(keylets.line(pool, project.issuer.account, project.currency))!;
      const price = Number(rootOf(pool).Balance!.drops) / 1e6 / Math.abs(Number(line.Balance!.text()));
      return Math.abs(Math.log(price / project.worth(weekRun.now))) < NEAR;
    });
    expect(near.length / busy.length).toBeGreaterThanOrEqual(NEAR_SHARE);
  });

  test('books have from one level to five, and pools differ by a factor of ten', () => {
    const levels = new Set<number>();
    for (const project of projects.all.filter(({ book, quietAt }) => book && quietAt === Infinity)) {
      const offers = entries.filter(
        ({ LedgerEntryType, Account }) => LedgerEntryType === 'Offer' && Account === project.maker.account,
      );
      expect(offers.length).toBeLessThanOrEqual(2 * project.book!.levels);
      levels.add(Math.ceil(offers.length / 2));
    }
    expect(levels.size).toBeGreaterThanOrEqual(4);
    const xrp = pooled.map((project) => Number(rootOf(poolOf(project)).Balance!.drops) / 1e6);
    expect(Math.max(...xrp)).toBeGreaterThan(10 * Math.min(...xrp));
  });

  test('MPTs of several issuers have metadata and holders', () => {
    const issuers = new Set(
      projects.all.flatMap(({ kind, issuer }) => (kind === 'mpt' ? issuer.account : [])),
    );
    const made = entries.filter(
      ({ LedgerEntryType, Issuer }) => LedgerEntryType === 'MPTokenIssuance' && issuers.has(Issuer!),
    );
    expect(made.length).toBe(issuers.size);
    for (const { MPTokenMetadata } of made) {
      const { ticker, name, icon, asset_class } = JSON.parse(convertHexToString(MPTokenMetadata!)) as Json;
      expect([ticker, name, icon, asset_class].every((value) => typeof value === 'string')).toBe(true);
    }
    const held = entries.filter(
      ({ LedgerEntryType, MPTAmount = 0n }) => LedgerEntryType === 'MPToken' && MPTAmount > 0n,
    );
    expect(held.length).toBeGreaterThanOrEqual(issuers.size);
  });

  test('the domains of issuers serve files that name their token, a few serve none or that of another', () => {
    const states = new Map<string, number>();
    for (const { domain, toml, issuer, name, currency, kind } of projects.all) {
      if (domain === undefined) continue;
      states.set(toml, (states.get(toml) ?? 0) + 1);
      const text = world.network.tomlOf!(domain);
      expect(text === undefined).toBe(toml === 'none');
      if (text === undefined) continue;
      const { ISSUERS, TOKENS } = Bun.TOML.parse(text) as { ISSUERS: Json[]; TOKENS: Json[] };
      expect(ISSUERS[0]!.address === issuer.address).toBe(toml === 'own');
      expect(TOKENS[0]!.issuer).toBe(ISSUERS[0]!.address);
      expect(TOKENS[0]!.name).toBe(name.name);
      if (kind === 'token') expect([name.ticker, currency]).toContain(TOKENS[0]!.currency as string);
    }
    expect(states.get('own')!).toBeGreaterThan(40);
    expect(states.get('none')!).toBeGreaterThan(0);
    expect(world.network.tomlOf!('usdm.example')).toContain('asset_subclass = "stablecoin"');
    expect(world.network.tomlOf!('exchange-1.example')).toContain(
      population.agents.get('exchange:0').address,
    );
    expect(world.network.tomlOf!('nobody.example')).toBeUndefined();
  });

  test('the state is consistent, and the fixtures list the projects', () => {
    expect(wholeLedgerProblems(entries)).toEqual([]);
    const fixtures = population.fixtures() as Record<string, Json[] & Json>;
    expect(fixtures.projects!.length).toBe(projects.all.length);
    expect(fixtures.population!.size).toBe('default');
  });
});

const FEE_XRP = 12e-6;
const named = (kind: string) => weekRun.scenarios.filter((one) => isMine(one) && one.kind === kind);

describe('the scenarios of projects', () => {
  test('every row of the ground truth is in its ledger, with the expected result', () => {
    const rows = reader.all.filter(({ id }) => isMine({ id } as Scenario));
    expect(rows.length).toBeGreaterThan(100);
    for (const { hash, ledger, result, meant = 'tesSUCCESS', id, step } of rows) {
      expect({ result, id, step }).toEqual({ result: meant, id, step });
      expect(weekRun.transactions.get(hash)!.ledger).toBe(ledger);
    }
  });

  test('launches: the pool, the platform of creator and buyers, and as many purchases as expected', () => {
    const launches = named('launch');
    expect(launches.length).toBe(6);
    for (const { id, expected } of launches) {
      const [launch] = reader.transactions(id, 'launch');
      expect(launch!.tx.SourceTag).toBe(expected.sourceTag);
      expect(Number(launch!.tx.Amount2) / 1e6).toBeCloseTo(Number(expected.poolXrp), 5);
      const buys = reader.transactions(id, 'buys');
      expect(buys.length).toBe(Number(expected.purchases));
      expect(new Set(buys.map(senderOf)).size).toBe(Number(expected.buyers));
      for (const one of buys) {
        expect(one.tx.SourceTag).toBe(expected.sourceTag);
        expect(tokenChange(one, senderOf(one), reader.issuer(id))).toBeGreaterThan(0);
        expect(-xrpChange(one, senderOf(one)) - FEE_XRP).toBeCloseTo(Number(expected.xrpEach), 5);
      }
    }
  });

  test('cash-outs: the creator sells the expected amount, and its XRP arrives at the exchange with the tag', () => {
    const cashOuts = named('cash-out');
    expect(cashOuts.length).toBe(2);
    for (const { id, expected, accounts } of cashOuts) {
      const sells = reader.transactions(id, 'sells');
      expect(sells.length).toBe(Number(expected.clips));
      const { creator, exchange } = accounts as Record<string, { address: string }>;
      const sold = -reader.tokens(sells, creator!.address, reader.issuer(id));
      expect(Math.abs(sold / Number(expected.sold) - 1)).toBeLessThan(1e-6);
      const [deposit] = reader.transactions(id, 'deposits');
      expect([deposit!.tx.Destination, deposit!.tx.DestinationTag]).toEqual([
        exchange!.address,
        expected.destinationTag,
      ]);
      expect(xrpChange(deposit!, exchange!.address)).toBeCloseTo(reader.fact(id, 'deposited'), 5);
      expect(reader.fact(id, 'deposited')).toBeGreaterThan(reader.xrp(sells, creator!.address) * 0.9);
      expect(reader.fact(id, 'priceAfter')).toBeLessThan(reader.fact(id, 'priceBefore'));
    }
  });

  test('whales: spend what is expected, and the first sells all', () => {
    const whales = named('whale');
    expect(whales.length).toBe(3);
    for (const { id, expected } of whales) {
      const whale = reader.account(id, 'buyer');
      const buys = reader.transactions(id, 'buys');
      expect(buys.length).toBe(Number(expected.buys));
      expect(Math.abs(-reader.xrp(buys, whale) / Number(expected.xrp) - 1)).toBeLessThan(1e-6);
      const held = reader.tokens(buys, whale, reader.issuer(id));
      expect(Math.abs(held / reader.fact(id, 'held') - 1)).toBeLessThan(1e-6);
      const sells = reader.transactions(id, 'sells');
      expect(sells.length).toBe(Number(expected.sales));
      if (sells.length > 0)
        expect(Math.abs(-reader.tokens(sells, whale, reader.issuer(id)) / held - 1)).toBeLessThan(1e-6);
    }
  });

  test('rotators: each sells one token for another in one payment, as often as expected', () => {
    const { expected, accounts } = reader.scenario('project-rotation');
    const rotations = reader.transactions('project-rotation', 'rotates');
    const buys = reader.transactions('project-rotation', 'buys');
    for (const { address } of Object.values(accounts)) {
      const mine = rotations.filter((one) => senderOf(one) === address);
      expect(mine.length).toBe(Number(expected.rotationsEach));
      for (const one of mine) {
        const [from, to] = [one.tx.SendMax, one.tx.Amount] as [Json, Json];
        expect(tokenChange(one, address, from.issuer as string)).toBeLessThan(0);
        expect(tokenChange(one, address, to.issuer as string)).toBeGreaterThan(0);
        expect(-xrpChange(one, address)).toBeCloseTo(FEE_XRP, 6);
      }
    }
    expect(sum(buys.map((one) => -reader.xrp([one], senderOf(one))))).toBeCloseTo(
      Number(expected.traders) * Number(expected.boughtXrpEach),
      4,
    );
  });
});

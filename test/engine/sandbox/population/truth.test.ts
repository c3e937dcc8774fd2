/**
 * A week of scenarios and the catalogue: what the truth says is compared with what the ledgers say, read with the
 * reference codec. Between the moments of the scripts ledgers are a quarter of an hour apart, so that a week takes seconds.
 */
import { describe, expect, test } from 'bun:test';
import { validate } from 'xrpl';
import { AIRDROP_ENDS } from '../../../../engine/sandbox/population/holders.ts';
import type { Hex } from '../../../../engine/sandbox/protocol/asset.ts';
import type { EntryType } from '../../../../engine/sandbox/protocol/fields.ts';
import { RULES } from '../../../../engine/sandbox/transactions/index.ts';
import {
  EPOCH,
  isXrp,
  type Json,
  nodesOf,
  type ReadTransaction,
  read,
  STEP,
  tokenChange,
  World,
  xrpChange,
} from './world.ts';

const DAYS = 6.6;
const LONG_STEP = 900;
const AIRDROP_STEP = 180;

const world = new World();
const { population } = world;
const { truth, economy, people } = population;
const scenarios = population.weeks.scenarios(0);
const depeg = economy.depeg(0);

/** Close times that the scripts need, ascending, seconds since the epoch. */
const moments = [...scenarios, ...population.books]
  .flatMap(({ steps }) => steps.flatMap(({ at }) => [at, at + STEP]))
  .sort((a, b) => a - b);

const kept = new Map<string, ReadTransaction>();
let depegLow = 1;

/** Dollars for one stablecoin: what it goes for in the ledgers' trades for XRP, times XRP in dollars. */
function watchPeg(transactions: ReadTransaction[]): void {
  const { issuer } = economy.token('USDM');
  for (const transaction of transactions) {
    const price = economy.xrpUsd(transaction.closeTime);
    for (const { type, kind, fields, previous } of nodesOf(transaction)) {
      if (type !== 'Offer' || kind === 'created' || !previous.TakerGets || !previous.TakerPays) continue;
      const [gets, pays] = [fields.TakerGets, fields.TakerPays];
      const token = (isXrp(gets) ? pays : gets) as Json;
      if (isXrp(gets) === isXrp(pays) || token.issuer !== issuer.address) continue;
      const taken = (name: 'TakerGets' | 'TakerPays'): number => {
        const [before, after] = [previous[name], fields[name]];
        return isXrp(after)
          ? (Number(before) - Number(after)) / 1e6
          : Number((before as Json).value) - Number((after as Json).value);
      };
      const [xrp, tokens] = isXrp(gets)
        ? [taken('TakerGets'), taken('TakerPays')]
        : [taken('TakerPays'), taken('TakerGets')];
      if (tokens > 1) depegLow = Math.min(depegLow, (xrp / tokens) * price);
    }
  }
}

for (let next = 0; world.network.closed.closeTime < EPOCH + DAYS * 86_400; ) {
  const now = world.network.closed.closeTime - EPOCH;
  while (moments[next]! <= now) next++;
  const market = now >= depeg.from && now < depeg.to;
  const most = market ? STEP : now < AIRDROP_ENDS + LONG_STEP ? AIRDROP_STEP : LONG_STEP;
  const before = truth.rows.length;
  const ledger = world.step(now < 30 * STEP ? STEP : Math.min(most, (moments[next] ?? Infinity) - now));
  if (truth.rows.length > before || market) {
    const transactions = read(ledger);
    for (const transaction of transactions) kept.set(transaction.hash, transaction);
    if (market) watchPeg(transactions);
  }
}
truth.seen(world.network.closed);
world.flush();

const rowsOf = (id: string, step?: string) =>
  truth.rows.filter((row) => row.id === id && (step === undefined || row.step?.startsWith(step)));
const told = (id: string, step?: string): ReadTransaction[] =>
  rowsOf(id, step).map(({ hash }) => kept.get(hash)!);
const scenario = (id: string) => scenarios.find((one) => one.id === id)!;
const number = (id: string, name: string): number => Number(scenario(id).expected[name]);
const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
const address = (name: string): string => people.get(name).address;

describe('the truth', () => {
  test('every row is in the ledger it says, with the result it says and was meant to have', () => {
    expect(world.refused).toEqual([]);
    expect(truth.rows.length).toBeGreaterThan(600);
    for (const { hash, ledger, result, meant = 'tesSUCCESS', type, account, closeTime } of truth.rows) {
      const found = kept.get(hash)!;
      expect({ result, hash }).toEqual({ result: meant, hash });
      expect(found.meta.TransactionResult).toBe(meant);
      expect([found.ledger, found.closeTime, found.tx.TransactionType, found.tx.Account]).toEqual([
        ledger,
        closeTime!,
        type,
        account,
      ]);
    }
  });

  test('the catalogue has every type with success', () => {
    const done = new Set(
      truth.rows.flatMap(({ step, hash }) => {
        const found = kept.get(hash)!;
        return step === 'catalogue' && found.meta.TransactionResult === 'tesSUCCESS'
          ? [found.tx.TransactionType as string]
          : [];
      }),
    );
    expect([...done].sort()).toEqual([...RULES.keys()].sort());
    expect(done.size).toBe(62);
    // The reference library finds them well-formed as well, those types that it checks.
    for (const row of truth.rows.filter(({ step }) => step === 'catalogue')) {
      const { tx } = kept.get(row.hash)!;
      expect(() => validate(tx), `${row.id}: ${JSON.stringify(tx)}`).not.toThrow();
    }
  });

  test('the creator sells what is told, and the price falls as told', () => {
    const clips = told('creator-dump');
    const { creator } = scenario('creator-dump').accounts;
    const sold = -sum(clips.map((one) => tokenChange(one, creator!.address, address('issuer:MEME'))));
    expect(clips.length).toBe(number('creator-dump', 'clips'));
    expect(Math.abs(sold / number('creator-dump', 'sold') - 1)).toBeLessThan(1e-9);
    expect(sum(clips.map((one) => xrpChange(one, creator!.address)))).toBeGreaterThan(500);
    const { priceBefore, priceAfter } = truth.factsOf('creator-dump');
    expect(Number(priceAfter) / Number(priceBefore)).toBeLessThan(0.7);
  });

  test('snipers buy within two ledgers of the launch, the bundle is paid by one and buys', () => {
    const launch = rowsOf('meme-launch', 'launch')[0]!.ledger;
    const buys = told('snipers', 'buys');
    expect(buys.length).toBe(number('snipers', 'snipers'));
    for (const { ledger, tx } of buys) {
      expect(ledger - launch).toBeLessThanOrEqual(number('snipers', 'ledgersAfterLaunch'));
      expect(
        tokenChange(buys.find((one) => one.tx === tx)!, tx.Account as string, address('issuer:MEME')),
      ).toBeGreaterThan(0);
    }
    const funded = new Set(told('bundle', 'funds').map(({ tx }) => tx.Destination));
    expect(funded.size).toBe(number('bundle', 'wallets'));
    for (const { tx } of told('bundle', 'buys')) expect(funded.has(tx.Account)).toBe(true);
    expect(told('bundle', 'buys').length).toBe(funded.size);
  });

  test('the pool is emptied after the victims have bought', () => {
    const [out] = told('rug-pull', 'pool emptied');
    const gone = nodesOf(out!).filter(({ kind, type }) => kind === 'deleted' && type === 'AMM');
    expect(gone.length).toBe(1);
    const got = xrpChange(out!, address('creator:RUG'));
    const victims = told('rug-pull', 'victim buys');
    const paid = -sum(victims.map((one) => xrpChange(one, one.tx.Account as string)));
    expect(Math.abs(got - number('rug-pull', 'poolXrp') - paid)).toBeLessThan(1);
    const { creatorXrpBefore, creatorXrpAfter } = truth.factsOf('rug-pull');
    expect(Math.abs(Number(creatorXrpAfter) - Number(creatorXrpBefore) - got)).toBeLessThan(1e-6);
  });

  test('washers trade as often and as much as told, and end where they began', () => {
    const takes = told('wash-trading', 'takes');
    const [first, issuer] = [address('washer:0'), address('issuer:HYPE')];
    const moved = takes.map((one) => tokenChange(one, first, issuer));
    expect(takes.length).toBe(number('wash-trading', 'trades'));
    expect(sum(moved.map(Math.abs))).toBeCloseTo(number('wash-trading', 'volumeTokens'), 6);
    expect(sum(moved)).toBeCloseTo(number('wash-trading', 'netTokens'), 6);
    const fees = 12e-6;
    const volume = sum(
      takes.map((one) => -xrpChange(one, one.tx.Account as string) || 0).map((x) => (x > 0 ? x - fees : 0)),
    );
    expect(volume).toBeCloseTo(number('wash-trading', 'volumeXrp'), 3);
  });

  test('the whale spends and holds what is told', () => {
    const buys = told('whale', 'buys');
    const [whale, issuer] = [address('whale'), address('issuer:COR')];
    expect(buys.length).toBe(number('whale', 'clips'));
    const spent = -sum(buys.map((one) => xrpChange(one, whale)));
    expect(Math.abs(spent / number('whale', 'xrp') - 1)).toBeLessThan(0.001);
    const held = sum(buys.map((one) => tokenChange(one, whale, issuer)));
    expect(Math.abs(held / Number(truth.factsOf('whale').held) - 1)).toBeLessThan(1e-6);
  });

  test('in its hour the stablecoin trades as far below its peg as told', () => {
    expect(Math.abs(depegLow - number('depeg', 'low'))).toBeLessThan(0.006);
  });

  test('scams', () => {
    for (const { tx } of told('dust-spam')) {
      expect(tx.Amount).toBe('1');
      const [memo] = tx.Memos as { Memo: { MemoData: string } }[];
      expect(Buffer.from(memo!.Memo.MemoData, 'hex').toString()).toBe(
        String(scenario('dust-spam').expected.memo),
      );
    }
    const victims = told('impersonation', 'victim buys');
    for (const one of victims) {
      expect(tokenChange(one, one.tx.Account as string, address('issuer:fake-USDM'))).toBeGreaterThan(0);
      expect(
        Math.abs(xrpChange(one, one.tx.Account as string) + number('impersonation', 'xrpEach')),
      ).toBeLessThan(0.1);
    }
    expect(victims.length).toBe(number('impersonation', 'victims'));
    expect(told('fake-airdrop', 'mints').length).toBe(number('fake-airdrop', 'offers'));
    expect(told('fake-airdrop', 'victim takes').length).toBe(number('fake-airdrop', 'taken'));
    const drained = told('wallet-drainer', 'drained');
    expect(sum(drained.map((one) => xrpChange(one, address('drainer'))))).toBeCloseTo(
      number('wallet-drainer', 'xrp'),
      6,
    );
    expect(
      sum(drained.map((one) => tokenChange(one, address('drainer'), address('issuer:USDM')))),
    ).toBeCloseTo(number('wallet-drainer', 'usdm'), 6);
    for (const { tx } of drained) expect(tx.SigningPubKey).toBe(people.get('drainer').publicKey);
  });

  test('clawback', () => {
    const [taken] = told('clawback');
    expect(-tokenChange(taken!, address('holder:REG:1'), address('issuer:REG'))).toBe(
      number('clawback', 'amount'),
    );
    expect(Number(truth.factsOf('clawback').held)).toBe(number('clawback', 'left'));
  });

  test('NFTs: the drop is minted out, the wash sales cost what is told, rotators sell and buy', () => {
    const mints = told('nft-drop', 'mint');
    expect(mints.length).toBe(number('nft-drop', 'items'));
    expect(mints.at(-1)!.closeTime - mints[0]!.closeTime).toBeLessThan(3_600);
    expect(told('nft-drop', 'sale').length).toBe(number('nft-drop', 'items'));
    expect(new Set(told('nft-drop', 'sale').map(({ tx }) => tx.Account)).size).toBe(
      number('nft-drop', 'buyers'),
    );
    const sales = told('nft-wash', 'sale');
    expect(sales.length).toBe(number('nft-wash', 'sales'));
    const paid = -sum(sales.map((one) => xrpChange(one, one.tx.Account as string)));
    expect(Math.abs(paid - number('nft-wash', 'volumeXrp'))).toBeLessThan(0.01);
    const rotators = new Set(
      Object.values(scenario('nft-rotation').accounts).map((person) => person.address),
    );
    const sold = told('nft-rotation', 'sells');
    expect(sold.length).toBe(rotators.size);
    const buyers = new Set(told('nft-drop', 'sale').map(({ tx }) => tx.Account as string));
    for (const rotator of rotators) expect(buyers.has(rotator)).toBe(true);
    const [brokered] = told('nft-brokered', 'brokered');
    expect(xrpChange(brokered!, address('broker'))).toBeCloseTo(number('nft-brokered', 'brokerFee'), 3);
    expect(xrpChange(brokered!, address('brokered:1'))).toBeCloseTo(-number('nft-brokered', 'bid'), 3);
  });

  test('the fixtures tell it all', () => {
    const told = population.fixtures() as Record<string, Json[] & Json>;
    expect(JSON.parse(JSON.stringify(told))).toEqual(told);
    expect(told.catalogue!.length).toBe(sum(population.books.map(({ rows }) => rows.length)));
    expect(told.tokens!.map(({ role }) => role)).toEqual(['stablecoin', 'deep', 'volatile', 'crowd']);
    expect(told.tokens![3]!.holders).toBeGreaterThan(300);
    expect(told.collections!.map(({ items }) => Number(items) > 80)).toEqual([true, true]);
    const objects = Object.entries(told.objects!);
    expect(objects.map(([type]) => type)).toEqual(expect.arrayContaining(['Escrow', 'Check', 'PayChannel']));
    expect(objects.length).toBe(19);
    for (const [type, index] of objects)
      expect(world.network.closed.view().read(index as Hex)?.LedgerEntryType).toBe(type as EntryType);
    const hashes = (told.scenarios as Json[]).flatMap(({ transactions }) =>
      (transactions as Json[]).map(({ hash }) => hash as string),
    );
    for (const hash of hashes) expect(world.store.transaction(hash)).toBeDefined();
    expect(world.store.note('population')).toContain(hashes[0]!);
  });
});

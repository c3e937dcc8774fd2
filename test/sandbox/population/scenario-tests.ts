/** Tests of a week's scenarios: the ground truth is compared with figures computed from the ledgers' transactions. */
import { describe, expect, test } from 'bun:test';
import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import { issuerOf } from '../../../engine/codec/arithmetic/asset.ts';
import type { Facts, GroundTruthRow } from '../../../sandbox/population/ground-truth.ts';
import type { Scenario } from '../../../sandbox/population/scenario.ts';
import type { WeekRun } from './week-run.ts';
import { type Json, nodesOf, type ReadTransaction, tokenChange, xrpChange } from './world.ts';

/** One drop in XRP: the tolerance between facts and ledgers. */
const DROP = 1e-6;
const FEE_XRP = 12e-6;

export const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** @param share tolerance, as a fraction of the expected value */
function expectNear(value: number, expected: number, share: number): void {
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(Math.abs(expected) * share);
}

/** The transactions and figures of one week's scenarios, by the scenarios' names in week 0. */
export class ScenarioReader {
  readonly weekRun: WeekRun;
  /** A copy, because the ground truth of a week is dropped after KEPT_WEEKS. */
  readonly all: readonly GroundTruthRow[];
  readonly #facts: ReadonlyMap<string, Facts>;

  constructor(weekRun: WeekRun) {
    this.weekRun = weekRun;
    this.all = [...weekRun.groundTruth.rowsOf(weekRun.week)];
    this.#facts = new Map(weekRun.scenarios.map(({ id }) => [id, weekRun.groundTruth.factsOf(id)]));
  }

  scenario(name: string): Scenario {
    const found = this.weekRun.scenarios.find(({ id }) => id === name || id.endsWith(`/${name}`));
    if (found === undefined) throw new Error(`no scenario ${name}`);
    return found;
  }

  rows(name: string, label = '') {
    const { id } = this.scenario(name);
    return this.all.filter((row) => row.id === id && (row.step ?? '').startsWith(label));
  }

  transactions(name: string, label = ''): ReadTransaction[] {
    return this.rows(name, label).map(({ hash }) => this.weekRun.transactions.get(hash)!);
  }

  number(name: string, key: string): number {
    return Number(this.scenario(name).expected[key]);
  }

  fact(name: string, key: string): number {
    return Number(this.#facts.get(this.scenario(name).id)?.[key]);
  }

  account(name: string, role: string): string {
    return this.scenario(name).accounts[role]!.address;
  }

  /** The issuer of a scenario's token. */
  issuer(name: string): string {
    return addressOf(issuerOf(this.scenario(name).token!));
  }

  /** Change of an account's XRP by some transactions, without the fees it paid. */
  xrp(transactions: readonly ReadTransaction[], address: string): number {
    return sum(
      transactions.map((one) => {
        const change = xrpChange(one, address);
        return one.tx.Account === address ? change + Number(one.tx.Fee) / 1e6 : change;
      }),
    );
  }

  tokens(transactions: readonly ReadTransaction[], address: string, issuer: string): number {
    return sum(transactions.map((one) => tokenChange(one, address, issuer)));
  }
}

const senderOf = ({ tx }: ReadTransaction): string => tx.Account as string;

/** Declares all tests of a week's scenarios. */
export function testScenarios(reader: ScenarioReader): void {
  describe('the scenarios', () => {
    test('every row of the ground truth is in its ledger, with the expected result', () => {
      const { weekRun } = reader;
      // As in rippled, a payment ends like this when its path would deliver slightly more than the requested amount.
      const dust = weekRun.refused.filter((one) => one.endsWith('tefEXCEPTION'));
      expect(weekRun.refused.filter((one) => !dust.includes(one))).toEqual([]);
      expect(dust.length).toBeLessThan(4);
      expect(reader.all.length).toBeGreaterThan(1_000);
      for (const {
        hash,
        ledger,
        result,
        meant = 'tesSUCCESS',
        type,
        account,
        closeTime,
        id,
        step,
      } of reader.all) {
        const found = weekRun.transactions.get(hash)!;
        expect({ result, hash, id, step }).toEqual({ result: meant, hash, id, step });
        expect(found.meta.TransactionResult).toBe(meant);
        expect([found.ledger, found.closeTime, found.tx.TransactionType, found.tx.Account]).toEqual([
          ledger,
          closeTime!,
          type,
          account,
        ]);
      }
    });
    launches(reader);
    markets(reader);
    scams(reader);
    holders(reader);
    escrowsChecksChannels(reader);
    nfts(reader);
  });
}

function launches(reader: ScenarioReader): void {
  const { transactions, rows, number, fact, account, issuer } = queries(reader);

  test('the creator sells the expected amount, and the price falls', () => {
    const clips = transactions('creator-dump');
    const sold = -reader.tokens(clips, account('creator-dump', 'creator'), issuer('creator-dump'));
    expect(clips.length).toBe(number('creator-dump', 'clips'));
    expectNear(sold, number('creator-dump', 'sold'), 1e-6);
    expect(reader.xrp(clips, account('creator-dump', 'creator'))).toBeGreaterThan(500);
    expect(fact('creator-dump', 'priceAfter') / fact('creator-dump', 'priceBefore')).toBeLessThan(0.7);
    expect(fact('meme-launch', 'priceAfterFans')).toBeGreaterThan(1.2 * fact('meme-launch', 'priceAtLaunch'));
  });

  test('snipers buy within two ledgers of the launch; one account funds the bundle, which buys', () => {
    const launch = rows('meme-launch', 'launch')[0]!.ledger;
    const buys = transactions('snipers', 'buys');
    expect(buys.length).toBe(number('snipers', 'snipers'));
    for (const one of buys) {
      expect(one.ledger - launch).toBeLessThanOrEqual(number('snipers', 'ledgersAfterLaunch'));
      expect(tokenChange(one, senderOf(one), issuer('snipers'))).toBeGreaterThan(0);
      expectNear(-reader.xrp([one], senderOf(one)), number('snipers', 'xrpEach'), 1e-6);
    }
    const funded = new Set(transactions('bundle', 'funds').map(({ tx }) => tx.Destination));
    expect(funded.size).toBe(number('bundle', 'wallets'));
    for (const one of transactions('bundle', 'buys')) expect(funded.has(senderOf(one))).toBe(true);
    expect(transactions('bundle', 'buys').length).toBe(funded.size);
  });

  test('snipers sell with the recorded profit, insiders half of what the creator gave them', () => {
    const sells = transactions('sniper-exit');
    expect(sells.length).toBe(number('sniper-exit', 'traders'));
    sells.forEach((one, n) => {
      const got = fact('sniper-exit', `xrpAfter ${n + 1}`) - fact('sniper-exit', `xrpBefore ${n + 1}`);
      expect(Math.abs(xrpChange(one, account('sniper-exit', `sniper ${n + 1}`)) - got)).toBeLessThan(DROP);
      expect(got).toBeGreaterThan(number('sniper-exit', 'spentEach'));
    });
    const [each, half] = [number('insiders', 'tokensEach'), number('insiders', 'soldEach')];
    expect(transactions('insiders', 'given').length).toBe(number('insiders', 'insiders'));
    for (const one of transactions('insiders', 'given'))
      expect(tokenChange(one, account('insiders', 'creator'), issuer('insiders'))).toBe(-each);
    for (const one of transactions('insiders', 'sells'))
      expectNear(-tokenChange(one, senderOf(one), issuer('insiders')), half, 1e-6);
    expect(transactions('insiders', 'sells').length).toBe(number('insiders', 'insiders'));
  });

  test('a sandwich takes three consecutive ledgers, and its victim pays a higher price than the attacker', () => {
    const [front, victim, back] = ['front', 'victim', 'back'].map(
      (label) => transactions('sandwich', label)[0]!,
    ) as [ReadTransaction, ReadTransaction, ReadTransaction];
    expect([victim.ledger - front.ledger, back.ledger - victim.ledger]).toEqual([1, 1]);
    const [attacker, prey] = [account('sandwich', 'attacker'), account('sandwich', 'victim')];
    const price = (one: ReadTransaction, who: string) =>
      reader.xrp([one], who) / tokenChange(one, who, issuer('sandwich'));
    expect(Math.abs(price(victim, prey))).toBeGreaterThan(Math.abs(price(front, attacker)));
    expectNear(-reader.xrp([front], attacker), number('sandwich', 'attackerXrp'), 1e-6);
    expectNear(-reader.xrp([victim], prey), number('sandwich', 'victimXrp'), 1e-6);
    const gain = xrpChange(front, attacker) + xrpChange(back, attacker);
    expect(Math.abs(fact('sandwich', 'xrpAfter') - fact('sandwich', 'xrpBefore') - gain)).toBeLessThan(
      3 * DROP,
    );
  });

  test('the pool is emptied after the victims have bought', () => {
    const [out] = transactions('rug-pull', 'pool emptied');
    const gone = nodesOf(out!).filter(({ kind, type }) => kind === 'deleted' && type === 'AMM');
    expect(gone.length).toBe(1);
    const got = xrpChange(out!, account('rug-pull', 'creator'));
    const victims = transactions('rug-pull', 'victim buys');
    const paid = -sum(victims.map((one) => xrpChange(one, senderOf(one))));
    expect(victims.length).toBe(number('rug-pull', 'victims'));
    expect(Math.abs(got - number('rug-pull', 'poolXrp') - paid)).toBeLessThan(1);
    const difference = fact('rug-pull', 'creatorXrpAfter') - fact('rug-pull', 'creatorXrpBefore');
    expect(Math.abs(difference - got)).toBeLessThan(DROP);
  });

  test('an isolated pool: its fee is the mean of the votes, and its balances change by swaps and deposits as expected', () => {
    const [vote] = transactions('pool-life', 'votes');
    const amm = nodesOf(vote!).find(({ type }) => type === 'AMM')!;
    const slots = amm.fields.VoteSlots as { VoteEntry: { TradingFee?: number; VoteWeight: number } }[];
    const weight = sum(slots.map(({ VoteEntry }) => VoteEntry.VoteWeight));
    const mean =
      sum(slots.map(({ VoteEntry }) => (VoteEntry.TradingFee ?? 0) * VoteEntry.VoteWeight)) / weight;
    expect(amm.fields.TradingFee).toBe(fact('pool-life', 'feeAfter'));
    expect(Math.abs(mean - fact('pool-life', 'feeAfter'))).toBeLessThanOrEqual(1);
    expect(slots.map(({ VoteEntry }) => VoteEntry.TradingFee ?? 0)).toContain(
      number('pool-life', 'feeVoted'),
    );
    const swaps = [...transactions('pool-life', 'buys'), ...transactions('pool-life', 'sells')];
    expect(swaps.length).toBe(number('pool-life', 'swaps'));
    const swapper = account('pool-life', 'swapper');
    expectNear(
      -reader.xrp(transactions('pool-life', 'buys'), swapper),
      number('pool-life', 'boughtXrp'),
      1e-6,
    );
    const left = fact('pool-life', 'poolXrpAfter') - fact('pool-life', 'poolXrpBefore');
    expect(Math.abs(left + reader.xrp(swaps, swapper))).toBeLessThan(SWAP_ROUNDING);
    expect(left).toBeGreaterThan(0);
    const [bid] = transactions('pool-life', 'bids');
    const slot = nodesOf(bid!).find(({ type }) => type === 'AMM')!.fields.AuctionSlot as Json;
    expect(slot.Account).toBe(account('pool-life', 'creator'));
    const provider = account('pool-life', 'provider');
    const earned = xrpChange(transactions('pool-life', 'withdraws')[0]!, provider);
    expect(earned).toBeGreaterThan(number('pool-life', 'depositXrp'));
  });
}

const SWAP_ROUNDING = 1e-4;

function markets(reader: ScenarioReader): void {
  const { transactions, number, fact, account, issuer } = queries(reader);

  test('wash traders make the expected trades and volume, and end with their initial balance', () => {
    const takes = transactions('wash-trading', 'takes');
    const first = account('wash-trading', 'first');
    const moved = takes.map((one) => tokenChange(one, first, issuer('wash-trading')));
    expect(takes.length).toBe(number('wash-trading', 'trades'));
    expect(sum(moved.map(Math.abs))).toBeCloseTo(number('wash-trading', 'volumeTokens'), 6);
    expect(sum(moved)).toBeCloseTo(number('wash-trading', 'netTokens'), 6);
    const paid = takes.map((one) => Math.abs(xrpChange(one, senderOf(one)) + FEE_XRP));
    expectNear(sum(paid), number('wash-trading', 'volumeXrp'), 1e-6);
  });

  test('the whale spends and holds the expected amounts, and sells all', () => {
    const buys = transactions('whale', 'buys');
    const whale = account('whale', 'buyer');
    expect(buys.length).toBe(number('whale', 'clips'));
    expectNear(-reader.xrp(buys, whale), number('whale', 'xrp'), 1e-6);
    const held = reader.tokens(buys, whale, issuer('whale'));
    expectNear(held, fact('whale', 'held'), 1e-6);
    const sells = transactions('whale-exit', 'sells');
    expect(sells.length).toBe(number('whale-exit', 'clips'));
    expectNear(-reader.tokens(sells, whale, issuer('whale')), held, 1e-6);
    const got = fact('whale-exit', 'xrpAfter') - fact('whale-exit', 'xrpBefore');
    expect(Math.abs(sum(sells.map((one) => xrpChange(one, whale))) - got)).toBeLessThan(100 * DROP);
  });

  test('without its peg the stablecoin trades at the expected discount', () => {
    const pegs = [...reader.weekRun.pegs].sort((a, b) => a - b);
    expect(pegs.length).toBeGreaterThan(15);
    expect(Math.abs(pegs[pegs.length >> 1]! - number('depeg', 'low'))).toBeLessThan(0.006);
  });

  test('traders sell one token and buy another within minutes', () => {
    const agents = Object.values(reader.scenario('token-rotation').accounts);
    expect(agents.length).toBe(number('token-rotation', 'traders'));
    for (const { address } of agents) {
      const of = (label: string) =>
        transactions('token-rotation', label).filter((one) => senderOf(one) === address);
      const [bought, sold, taken] = ['buys first', 'sells first', 'buys second'].map(
        (label) => of(label)[0]!,
      ) as [ReadTransaction, ReadTransaction, ReadTransaction];
      const cor = reader.weekRun.population.economy.token('COR').issuer.address;
      expectNear(-reader.xrp([bought], address), number('token-rotation', 'boughtXrpEach'), 1e-6);
      expectNear(-tokenChange(sold, address, cor), tokenChange(bought, address, cor), 1e-6);
      expect(tokenChange(taken, address, issuer('token-rotation'))).toBeGreaterThan(0);
      expectNear(-reader.xrp([taken], address), number('token-rotation', 'rotatedXrpEach'), 1e-6);
      expect(taken.closeTime - sold.closeTime).toBeLessThanOrEqual(300);
    }
  });

  test('bots sign with their source tag, and make the expected trades and volume', () => {
    const trades = [...transactions('bots', 'buys'), ...transactions('bots', 'sells')];
    expect(trades.length).toBe(number('bots', 'trades'));
    for (const { tx } of trades) expect(tx.SourceTag).toBe(number('bots', 'sourceTag'));
    expect(new Set(trades.map(senderOf)).size).toBe(number('bots', 'traders'));
    const spent = transactions('bots', 'buys').map((one) => -reader.xrp([one], senderOf(one)));
    expectNear(sum(spent), number('bots', 'boughtXrp'), 1e-6);
  });
}

function scams(reader: ScenarioReader): void {
  const { transactions, number, account, issuer } = queries(reader);

  test('dust with a phishing memo, and an impersonated stablecoin', () => {
    for (const { tx } of transactions('dust-spam')) {
      expect(tx.Amount).toBe('1');
      const [memo] = tx.Memos as { Memo: { MemoData: string } }[];
      const text = Buffer.from(memo!.Memo.MemoData, 'hex').toString();
      expect(text).toBe(String(reader.scenario('dust-spam').expected.memo));
    }
    expect(transactions('dust-spam').length).toBe(number('dust-spam', 'payments'));
    const victims = transactions('impersonation', 'victim buys');
    for (const one of victims) {
      expect(tokenChange(one, senderOf(one), issuer('impersonation'))).toBeGreaterThan(0);
      expect(Math.abs(xrpChange(one, senderOf(one)) + number('impersonation', 'xrpEach'))).toBeLessThan(0.1);
    }
    expect(victims.length).toBe(number('impersonation', 'victims'));
  });

  test('unsolicited NFTs, and a drained wallet', () => {
    expect(transactions('fake-airdrop', 'mints').length).toBe(number('fake-airdrop', 'offers'));
    expect(transactions('fake-airdrop', 'victim takes').length).toBe(number('fake-airdrop', 'taken'));
    expect(transactions('fake-airdrop', 'victim burns').length).toBe(number('fake-airdrop', 'taken'));
    const drained = transactions('wallet-drainer', 'drained');
    const { thief } = reader.scenario('wallet-drainer').accounts;
    expect(sum(drained.map((one) => xrpChange(one, thief!.address)))).toBeCloseTo(
      number('wallet-drainer', 'xrp'),
      6,
    );
    const taken = reader.tokens(drained, thief!.address, issuer('wallet-drainer'));
    expect(taken).toBeCloseTo(number('wallet-drainer', 'usdm'), 6);
    for (const { tx } of drained) expect(tx.SigningPubKey).toBe(thief!.publicKey);
  });

  test('clawback', () => {
    const [taken] = transactions('clawback');
    const clawed = account('clawback', 'clawed');
    expect(-tokenChange(taken!, clawed, issuer('clawback'))).toBe(number('clawback', 'amount'));
    expect(reader.fact('clawback', 'held')).toBe(number('clawback', 'left'));
  });
}

/** Gini coefficient by its definition: half the mean absolute difference of all pairs, over the mean. */
function giniByPairs(amounts: readonly number[]): number {
  const differences = amounts.flatMap((a) => amounts.map((b) => Math.abs(a - b)));
  return sum(differences) / (2 * amounts.length * sum(amounts));
}

function holders(reader: ScenarioReader): void {
  const { transactions, number, issuer } = queries(reader);

  test('a token gains the expected holders, and half of them leave', () => {
    const token = issuer('holder-wave');
    const held = new Map<string, number>();
    for (const one of transactions('holder-wave', 'comes'))
      held.set(senderOf(one), tokenChange(one, senderOf(one), token));
    expect([...held.values()].filter((amount) => amount > 0).length).toBe(number('holder-wave', 'came'));
    for (const one of transactions('holder-wave', 'goes')) {
      expectNear(-tokenChange(one, senderOf(one), token), held.get(senderOf(one))!, 1e-9);
      held.delete(senderOf(one));
    }
    expect(held.size).toBe(number('holder-wave', 'came') - number('holder-wave', 'went'));
    const removed = transactions('holder-wave', 'line removed').filter((one) =>
      nodesOf(one).some(({ kind, type }) => kind === 'deleted' && type === 'RippleState'),
    );
    expect(removed.length).toBe(number('holder-wave', 'linesRemoved'));
    expect(number('holder-wave', 'went') - removed.length).toBe(number('holder-wave', 'emptyLines'));
  });

  test('a token has the expected distribution, and the expected supply after a burn and an issue', () => {
    const issues = transactions('distribution', 'issue');
    const amounts = issues.map((one) =>
      tokenChange(one, one.tx.Destination as string, issuer('distribution')),
    );
    const supply = sum(amounts);
    expect(amounts.length).toBe(number('distribution', 'holders'));
    expect(supply).toBe(number('distribution', 'supply'));
    expect(giniByPairs(amounts)).toBeCloseTo(number('distribution', 'gini'), 5);
    const shares = amounts.map((amount) => (100 * amount) / supply).sort((a, b) => b - a);
    expect(sum(shares.map((share) => share ** 2))).toBeCloseTo(number('distribution', 'hhi'), 4);
    expect(sum(shares.slice(0, 10))).toBeCloseTo(number('distribution', 'top10'), 4);
    const changes = transactions('supply-change').map((one) => {
      const holder = one.tx.Account === issuer('distribution') ? one.tx.Destination : one.tx.Account;
      return tokenChange(one, holder as string, issuer('distribution'));
    });
    expect(changes).toEqual([-number('supply-change', 'burnt'), number('supply-change', 'issued')]);
    expect(number('supply-change', 'supplyBefore')).toBe(supply);
    expect(supply + sum(changes)).toBe(number('supply-change', 'supplyAfter'));
  });
}

function escrowsChecksChannels(reader: ScenarioReader): void {
  const { transactions, number, account } = queries(reader);

  test('escrows are finished one by one, and the last is cancelled', () => {
    const { escrows, lockedXrp } = reader.scenario('vesting').expected;
    const locks = transactions('vesting', 'locks');
    expect(locks.length).toBe(Number(escrows));
    expect(-reader.xrp(locks, account('vesting', 'payer'))).toBeCloseTo(Number(lockedXrp), 6);
    const released = reader.xrp(transactions('vesting', 'released'), account('vesting', 'payee'));
    expect(released).toBeCloseTo(number('vesting', 'releasedXrp'), 6);
    const returned = reader.xrp(transactions('vesting', 'goes back'), account('vesting', 'payer'));
    expect(returned).toBeCloseTo(number('vesting', 'returnedXrp'), 6);
  });

  test('checks are cashed or cancelled, a payment channel pays', () => {
    const writes = transactions('checks', 'writes');
    expect(writes.length).toBe(number('checks', 'checks'));
    expect(sum(writes.map(({ tx }) => Number(tx.SendMax) / 1e6))).toBe(number('checks', 'writtenXrp'));
    const cashes = transactions('checks', 'cashes');
    expect(cashes.length).toBe(number('checks', 'cashed'));
    expect(reader.xrp(cashes, account('checks', 'taker'))).toBeCloseTo(number('checks', 'cashedXrp'), 6);
    const ended = [...transactions('checks', 'tears up'), ...transactions('checks', 'clears away')];
    expect(ended.length).toBe(number('checks', 'notCashed'));
    const claims = transactions('channel', 'pays');
    expect(claims.length).toBe(number('channel', 'claims'));
    expect(reader.xrp(claims, account('channel', 'payee'))).toBeCloseTo(number('channel', 'paidXrp'), 6);
    const [closed] = transactions('channel', 'closes');
    const rest = number('channel', 'openedXrp') - number('channel', 'paidXrp');
    expect(reader.xrp([closed!], account('channel', 'payer'))).toBeCloseTo(rest, 6);
  });

  test('a merchant is paid with and without tags, and a large amount is transferred', () => {
    const paid = transactions('merchant', 'pays');
    expect(paid.length).toBe(number('merchant', 'payments'));
    expect(paid.filter(({ tx }) => tx.DestinationTag !== undefined).length).toBe(
      number('merchant', 'tagged'),
    );
    expect(new Set(paid.map(senderOf)).size).toBe(number('merchant', 'distinctSenders'));
    expect(reader.xrp(paid, account('merchant', 'merchant'))).toBeCloseTo(number('merchant', 'xrp'), 6);
    const moved = reader.xrp(transactions('large-transfer'), account('large-transfer', 'to'));
    expect(moved).toBeCloseTo(number('large-transfer', 'xrp'), 6);
  });

  test('failed transactions have their result code', () => {
    expect(transactions('failures').length).toBe(number('failures', 'failed'));
    for (const { meta } of transactions('failures')) expect(meta.TransactionResult).toStartWith('tec');
  });
}

function nfts(reader: ScenarioReader): void {
  const { transactions, number, account } = queries(reader);

  test('all NFTs of the drop are sold, wash sales have the expected volume, rotators sell and buy', () => {
    const mints = transactions('nft-drop', 'mint');
    expect(mints.length).toBe(number('nft-drop', 'items'));
    expect(mints.at(-1)!.closeTime - mints[0]!.closeTime).toBeLessThan(3_600);
    const bought = transactions('nft-drop', 'sale');
    expect(bought.length).toBe(number('nft-drop', 'items'));
    expect(new Set(bought.map(senderOf)).size).toBe(number('nft-drop', 'buyers'));
    const sales = transactions('nft-wash', 'sale');
    expect(sales.length).toBe(number('nft-wash', 'sales'));
    const paid = -sum(sales.map((one) => xrpChange(one, senderOf(one))));
    expect(Math.abs(paid - number('nft-wash', 'volumeXrp'))).toBeLessThan(0.01);
    const rotators = Object.values(reader.scenario('nft-rotation').accounts).map(({ address }) => address);
    expect(transactions('nft-rotation', 'sells').length).toBe(rotators.length);
    const buyers = new Set(bought.map(senderOf));
    for (const rotator of rotators) expect(buyers.has(rotator)).toBe(true);
    const [brokered] = transactions('nft-brokered', 'brokered');
    expect(xrpChange(brokered!, account('nft-brokered', 'broker'))).toBeCloseTo(
      number('nft-brokered', 'brokerFee'),
      3,
    );
    expect(xrpChange(brokered!, account('nft-brokered', 'buyer'))).toBeCloseTo(
      -number('nft-brokered', 'bid'),
      3,
    );
  });

  test('the floor is the lowest listing, before the sales and after', () => {
    const prices = new Map<string, number>();
    for (const { tx } of transactions('nft-floor', 'lists'))
      prices.set(tx.NFTokenID as string, Number(tx.Amount) / 1e6);
    const least = () => Math.min(...prices.values());
    expect(prices.size).toBe(number('nft-floor', 'listed'));
    expect([least(), Math.max(...prices.values())]).toEqual([
      number('nft-floor', 'floor'),
      number('nft-floor', 'dearest'),
    ]);
    const gone = (one: ReadTransaction): string =>
      nodesOf(one).find(({ kind, type }) => kind === 'deleted' && type === 'NFTokenOffer')!.fields
        .NFTokenID as string;
    const sales = transactions('nft-floor', 'sale');
    expect(sales.length).toBe(number('nft-floor', 'sold'));
    expect(-sum(sales.map((one) => reader.xrp([one], senderOf(one))))).toBeCloseTo(
      number('nft-floor', 'soldXrp'),
      6,
    );
    for (const one of [...sales, ...transactions('nft-floor', 'delists')]) prices.delete(gone(one));
    expect(prices.size).toBe(number('nft-floor', 'listedAfter'));
    expect(least()).toBe(number('nft-floor', 'floorAfter'));
  });
}

/** The methods of a reader as functions. */
function queries(reader: ScenarioReader) {
  return {
    transactions: (name: string, label?: string) => reader.transactions(name, label),
    rows: (name: string, label?: string) => reader.rows(name, label),
    number: (name: string, key: string) => reader.number(name, key),
    fact: (name: string, key: string) => reader.fact(name, key),
    account: (name: string, role: string) => reader.account(name, role),
    issuer: (name: string) => reader.issuer(name),
  };
}

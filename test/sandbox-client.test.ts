/** The public `xrpl` package, unmodified, on the embedded network: money, books, pools and paths, in numbers worked out by hand. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { AccountSetAsfFlags, type Client, getBalanceChanges, type Wallet } from 'xrpl';
import { type Answer, amount, ClientRig, drops, FEE, GENESIS } from './sandbox-client-rig.ts';

let rig: ClientRig;
let client: Client;

beforeAll(async () => {
  rig = await ClientRig.open();
  client = rig.client;
});
afterAll(() => rig.close());

const setDefaultRipple = { TransactionType: 'AccountSet', SetFlag: AccountSetAsfFlags.asfDefaultRipple };
const trust = (LimitAmount: Answer) => ({ TransactionType: 'TrustSet', LimitAmount });
const pay = (to: Wallet, Amount: unknown, more: Answer = {}) => ({
  TransactionType: 'Payment',
  Destination: to.address,
  Amount,
  ...more,
});
const offer = (TakerPays: unknown, TakerGets: unknown, more: Answer = {}) => ({
  TransactionType: 'OfferCreate',
  TakerPays,
  TakerGets,
  ...more,
});

/** An issuer, and holders with so much of the currency and 1,000 XRP each. */
async function issued(currency: string, ...values: readonly number[]): Promise<[Wallet, ...Wallet[]]> {
  const [issuer, ...holders] = await rig.funded(1_000, ...values.map(() => 1_000));
  await rig.does(issuer!, setDefaultRipple);
  for (const [i, holder] of holders.entries()) {
    await rig.submit(holder, trust(amount(currency, issuer!, 1_000_000)));
    if (values[i]! > 0) await rig.does(issuer!, pay(holder, amount(currency, issuer!, values[i]!)));
  }
  return [issuer!, ...holders];
}

describe('XRP', () => {
  test('the client knows the network', () => {
    expect(client.networkID).toBe(52_168);
    expect(client.isConnected()).toBe(true);
  });

  test('fundWallet pays what was asked for', async () => {
    const [host] = rig.sandbox.url.replace('ws://', '').split('/');
    const funding = client.fundWallet(null, {
      faucetHost: host!,
      faucetProtocol: 'http',
      amount: '250',
    } as never);
    const closing = setInterval(() => void rig.accept(), 200);
    const { wallet, balance } = await funding;
    clearInterval(closing);
    expect(balance).toBe(250);
    expect(await client.getXrpBalance(wallet.address)).toBe(250);
    const again = await rig.does(wallet, pay(GENESIS, drops(100)));
    expect(again.meta.delivered_amount).toBe(drops(100));
    expect(await client.getXrpBalance(wallet.address)).toBe(150 - FEE / 1e6);
  });

  test('autofill fills in what the network asks for', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    const filled = (await client.autofill({ Account: ann!.address, ...pay(ben!, '1') } as never)) as Answer;
    const { account_data } = await rig.ask('account_info', { account: ann!.address });
    expect(filled).toMatchObject({ Fee: '12', NetworkID: 52_168, Sequence: account_data.Sequence });
    expect(filled.LastLedgerSequence).toBe((await client.getLedgerIndex()) + 20);
  });

  test('a payment moves its amount, burns its fee, and is all that changed', async () => {
    const [ann, ben] = await rig.funded(100, 50);
    const before = (await rig.ask('ledger', { ledger_index: 'validated' })).ledger;
    const { meta, ledger_index } = await rig.does(ann!, pay(ben!, drops(7.5)));
    expect(await rig.xrp(ann!)).toBe(92_500_000 - FEE);
    expect(await rig.xrp(ben!)).toBe(57_500_000);
    const changes = getBalanceChanges(meta).map(({ account, balances }) => [account, balances[0]]);
    expect(Object.fromEntries(changes)).toEqual({
      [ann!.address]: { currency: 'XRP', value: '-7.500012' },
      [ben!.address]: { currency: 'XRP', value: '7.5' },
    });
    expect(meta.AffectedNodes).toHaveLength(2);
    const { ledger } = await rig.ask('ledger', { ledger_index });
    expect(ledger.parent_hash).toBe(before.ledger_hash);
    expect(BigInt(before.total_coins) - BigInt(ledger.total_coins)).toBe(BigInt(FEE));
    expect(await client.getBalances(ben!.address)).toEqual([{ currency: 'XRP', value: '57.5' }]);
  });

  test('reserves: what an account must keep it cannot pay', async () => {
    const [ann, ben] = await rig.funded(10, 10);
    // Of 10 XRP the base reserve of 1 XRP stays, though the fee may come out of it; with a trust line 0.2 XRP more.
    await rig.does(ann!, pay(ben!, '9000001'), 'tecUNFUNDED_PAYMENT');
    await rig.does(ann!, trust(amount('USD', ben!, 5)));
    const left = 10_000_000 - 2 * FEE - 1_200_000;
    await rig.does(ann!, pay(ben!, String(left + 1)), 'tecUNFUNDED_PAYMENT');
    await rig.does(ann!, pay(ben!, String(left - FEE)));
    expect(await rig.xrp(ann!)).toBe(1_200_000 - FEE);
  });

  test('submitAndWait comes back with the validated transaction', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    const closing = setInterval(() => void rig.accept(), 100);
    const { result } = await client.submitAndWait(
      { Account: ann!.address, ...pay(ben!, drops(1)) } as never,
      { wallet: ann! },
    );
    clearInterval(closing);
    expect(result).toMatchObject({ validated: true, meta: { TransactionResult: 'tesSUCCESS' } });
    expect(await rig.xrp(ben!)).toBe(101_000_000);
  });
});

describe('issued currencies and books', () => {
  test('trust, issue, pay on with a transfer fee', async () => {
    const [issuer, ann, ben] = await issued('USD', 500, 20);
    await rig.does(issuer, { TransactionType: 'AccountSet', TransferRate: 1_005_000_000 });
    const usd = (value: number) => amount('USD', issuer, value);
    // 100 arrive, 100.5 leave: without room for the half nothing does.
    await rig.does(ann!, pay(ben!, usd(100)), 'tecPATH_PARTIAL');
    const { meta } = await rig.does(ann!, pay(ben!, usd(100), { SendMax: usd(101) }));
    expect(meta.delivered_amount).toEqual(usd(100));
    expect(await rig.holds(ann!, 'USD', issuer)).toBe('399.5');
    expect(await rig.holds(ben!, 'USD', issuer)).toBe('120');
    const { obligations } = await rig.ask('gateway_balances', {
      account: issuer.address,
      ledger_index: 'validated',
    });
    expect(obligations).toEqual({ USD: '519.5' });
    // The metadata shows what a partial payment delivers: 201 / 1.005 = 200.
    const partial = await rig.does(
      ann!,
      pay(ben!, usd(1_000), { SendMax: usd(201), Flags: { tfPartialPayment: true } }),
    );
    expect(partial.meta.delivered_amount).toEqual(usd(200));
    expect(await rig.holds(ann!, 'USD', issuer)).toBe('198.5');
  });

  test('offers cross at the price of the older one; the book shows the remainder', async () => {
    const [issuer, ann, ben] = await issued('EUR', 500, 0.5);
    const eur = (value: number | string) => amount('EUR', issuer, value);
    await rig.does(ann!, offer(drops(50), eur(100), { Flags: { tfSell: true } }));
    const annBefore = await rig.xrp(ann!);
    const benBefore = await rig.xrp(ben!);
    // Ben bids 0.625 XRP and gets it at Ann's 0.5: 40 EUR for 20 XRP; nothing of that bid is left.
    const { meta } = await rig.does(ben!, offer(eur(40), drops(25)));
    expect(await rig.xrp(ann!)).toBe(annBefore + 20_000_000);
    expect(await rig.xrp(ben!)).toBe(benBefore - 20_000_000 - FEE);
    expect(await rig.holds(ann!, 'EUR', issuer)).toBe('460');
    expect(await rig.holds(ben!, 'EUR', issuer)).toBe('40.5');
    expect(
      meta.AffectedNodes.some(({ CreatedNode }: Answer) => CreatedNode?.LedgerEntryType === 'Offer'),
    ).toBe(false);
    await rig.does(ben!, offer(eur(10), drops(4)));
    const { buy, sell } = await client.getOrderbook(
      { currency: 'XRP' },
      { currency: 'EUR', issuer: issuer.address },
    );
    // The client sorts by whether an offer was made to sell.
    const amounts = (rows: typeof buy) => rows.map((row) => [row.Account, row.TakerGets, row.TakerPays]);
    expect(amounts(sell)).toEqual([[ann!.address, eur(60), drops(30)]]);
    expect(amounts(buy)).toEqual([[ben!.address, drops(4), eur(10)]]);
    expect(sell[0]).toMatchObject({ quality: '500000', owner_funds: '460' });
    const { offers } = await rig.ask('account_offers', { account: ben!.address, ledger_index: 'validated' });
    expect(offers).toHaveLength(1);
    expect(offers[0]).toMatchObject({ taker_gets: drops(4), taker_pays: eur(10), quality: '0.0000025' });
    await rig.does(ben!, { TransactionType: 'OfferCancel', OfferSequence: offers[0].seq });
    expect(
      (await rig.ask('account_offers', { account: ben!.address, ledger_index: 'validated' })).offers,
    ).toEqual([]);
  });

  test('fill or kill, immediate or cancel, freeze', async () => {
    const [issuer, ann, ben] = await issued('GBP', 100, 100);
    const gbp = (value: number) => amount('GBP', issuer, value);
    await rig.does(ann!, offer(drops(10), gbp(10)));
    await rig.does(ben!, offer(gbp(20), drops(20), { Flags: { tfFillOrKill: true } }), 'tecKILLED');
    await rig.does(ben!, offer(gbp(20), drops(20), { Flags: { tfImmediateOrCancel: true } }));
    expect(await rig.holds(ben!, 'GBP', issuer)).toBe('110');
    expect((await rig.ask('account_offers', { account: ben!.address })).offers).toEqual([]);
    await rig.does(issuer, { ...trust(amount('GBP', ann!, 0)), Flags: { tfSetFreeze: true } });
    await rig.does(ann!, pay(ben!, gbp(1)), 'tecPATH_DRY');
    await rig.does(issuer, { TransactionType: 'AccountSet', SetFlag: AccountSetAsfFlags.asfGlobalFreeze });
    await rig.does(ben!, pay(ann!, gbp(1)), 'tecPATH_DRY');
    await rig.does(ben!, pay(issuer, gbp(10)));
    expect(await rig.holds(ben!, 'GBP', issuer)).toBe('100');
  });
});

describe('pools and paths', () => {
  test('a pool is made, swapped against, voted on and emptied', async () => {
    const [issuer, ann, ben] = await issued('POL', 5_000, 1);
    const pol = (value: number | string) => amount('POL', issuer, value);
    const annBefore = await rig.xrp(ann!);
    const made = await rig.does(ann!, {
      TransactionType: 'AMMCreate',
      Amount: drops(500),
      Amount2: pol(2_000),
      TradingFee: 500,
    });
    // A pool costs one owner reserve, 0.2 XRP, instead of a fee.
    expect(made.tx_json.Fee).toBe('200000');
    expect(await rig.xrp(ann!)).toBe(annBefore - 500_200_000);
    const pool = { asset: { currency: 'XRP' }, asset2: { currency: 'POL', issuer: issuer.address } };
    const first = (await rig.ask('amm_info', { ...pool, ledger_index: 'validated' })).amm;
    // sqrt(500,000,000 drops * 2,000) = 1,000,000
    expect(first).toMatchObject({ amount: drops(500), amount2: pol(2_000), trading_fee: 500 });
    expect(first.lp_token.value).toBe('1000000');
    // 100 out: 500,000,000 * 2,000 / 1,900 - 500,000,000 = 26,315,789.47, by 0.995 = 26,448,029.62 drops in
    const benBefore = await rig.xrp(ben!);
    const swap = await rig.does(ben!, pay(ben!, pol(100), { SendMax: drops(100) }));
    expect(swap.meta.delivered_amount).toEqual(pol(100));
    expect(await rig.xrp(ben!)).toBe(benBefore - 26_448_030 - FEE);
    expect(await rig.holds(ben!, 'POL', issuer)).toBe('101');
    const second = (await rig.ask('amm_info', { ...pool, ledger_index: 'validated' })).amm;
    expect(second).toMatchObject({ amount: '526448030', amount2: pol(1_900) });
    const assets = { Asset: pool.asset, Asset2: pool.asset2 };
    await rig.does(ann!, { TransactionType: 'AMMVote', ...assets, TradingFee: 600 });
    expect((await rig.ask('amm_info', { ...pool, ledger_index: 'validated' })).amm.trading_fee).toBe(600);
    const LPTokenOut = { ...first.lp_token, value: '10000' };
    await rig.does(ben!, {
      TransactionType: 'AMMDeposit',
      ...assets,
      LPTokenOut,
      Flags: { tfLPToken: true },
    });
    const third = (await rig.ask('amm_info', { ...pool, ledger_index: 'validated' })).amm;
    // One in a hundred: 5,264,480.3 drops, rounded in the pool's favour, and 19 POL.
    expect(third).toMatchObject({ amount: '531712511', amount2: pol(1_919) });
    expect(third.lp_token.value).toBe('1010000');
    for (const owner of [ben!, ann!])
      await rig.does(owner, { TransactionType: 'AMMWithdraw', ...assets, Flags: { tfWithdrawAll: true } });
    expect((await rig.refused('amm_info', pool)).error).toBe('actNotFound');
    expect(Number(await rig.holds(ann!, 'POL', issuer)) + Number(await rig.holds(ben!, 'POL', issuer))).toBe(
      5_001,
    );
  });

  test('a path over two books is found, and paid along', async () => {
    const [euros, ann, maker] = await issued('EUR', 300, 0);
    const [dollars, seller, bob] = await issued('USD', 400, 0);
    const eur = (value: number) => amount('EUR', euros, value);
    const usd = (value: number) => amount('USD', dollars, value);
    await rig.does(maker!, offer(eur(100), drops(200)));
    await rig.does(seller!, offer(drops(200), usd(100)));
    const wanted = {
      source_account: ann!.address,
      destination_account: bob!.address,
      destination_amount: usd(10),
    };
    const { alternatives } = await rig.ask('ripple_path_find', { ...wanted, ledger_index: 'validated' });
    const best = (alternatives as Answer[]).find(({ source_amount }) => source_amount.currency === 'EUR')!;
    // 10 USD = 20 XRP = 10 EUR
    expect(best.source_amount).toMatchObject({ currency: 'EUR', value: '10' });
    expect(alternatives.find(({ source_amount }: Answer) => source_amount === drops(20))).toBeDefined();
    const { meta } = await rig.does(
      ann!,
      pay(bob!, usd(10), { SendMax: eur(10.5), Paths: best.paths_computed }),
    );
    expect(meta.delivered_amount).toEqual(usd(10));
    expect(await rig.holds(ann!, 'EUR', euros)).toBe('290');
    expect(await rig.holds(bob!, 'USD', dollars)).toBe('10');
    expect(await rig.holds(maker!, 'EUR', euros)).toBe('10');
    // As a stream: the first answer at once, another with each ledger, until it is closed.
    const updates: Answer[] = [];
    client.on('path_find', (update) => updates.push(update as unknown as Answer));
    const started = await rig.ask('path_find', { subcommand: 'create', ...wanted });
    expect(started.alternatives.length).toBeGreaterThan(0);
    await rig.does(ann!, pay(bob!, drops(1)));
    while (updates.length === 0) await Bun.sleep(10);
    expect(updates[0]).toMatchObject({ type: 'path_find', destination_amount: usd(10) });
    expect((await rig.ask('path_find', { subcommand: 'close' })).closed).toBe(true);
    client.removeAllListeners('path_find');
  });

  test('an offer is taken from book and pool, each as long as it is the better', async () => {
    const [issuer, ann, maker, ben] = await issued('MIX', 2_000, 500, 0);
    const asset = (value: number) => amount('MIX', issuer, value);
    await rig.does(ann!, {
      TransactionType: 'AMMCreate',
      Amount: drops(500),
      Amount2: asset(500),
      TradingFee: 0,
    });
    await rig.does(maker!, offer(drops(110), asset(100)));
    await rig.does(ben!, pay(ben!, asset(120), { SendMax: drops(200) }));
    // The pool gives until its price is the book's 1.1: 500 * sqrt(1.1) = 524.4 XRP in it, 476.7 MIX. The book gives its
    // 100, or as much of it as is asked for; the whole is 120.
    expect(await rig.holds(ben!, 'MIX', issuer)).toBe('120');
    const { amm } = await rig.ask('amm_info', {
      asset: { currency: 'XRP' },
      asset2: { currency: 'MIX', issuer: issuer.address },
      ledger_index: 'validated',
    });
    const [xrp, pooled] = [Number(amm.amount) / 1e6, Number(amm.amount2.value)];
    expect(xrp * pooled).toBeGreaterThanOrEqual(250_000);
    expect(xrp * pooled).toBeLessThan(250_001);
    expect(xrp / pooled).toBeCloseTo(1.1, 4);
    expect(Number(await rig.holds(maker!, 'MIX', issuer))).toBeCloseTo(500 - (120 - (500 - pooled)), 9);
  });
});

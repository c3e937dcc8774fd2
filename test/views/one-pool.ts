/** An embedded network with one pool, and an engine and routes that follow it. */
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { follow } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';
import type { TestAccount } from '../sandbox/rig.ts';

const RIPPLES = 8;
const FEE = '2000000';
/** Of AMMWithdraw: all LP tokens, which closes the pool of the only provider. */
const WITHDRAWS_ALL = 0x00020000;
/** Of OfferCreate: what does not trade at once is dropped. */
const AT_ONCE = 0x00020000;
/** Of AMMDeposit. */
const ONE_ASSET = 0x00080000;

/** A pool of 100 XRP and 700 USD, just made by the holder. @param fee in units of 1/100000 */
export async function onePool(fee: number) {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const { get } = asker(new Network({ engine }));
  const [issuer, holder] = rig.fund(['issuer', 'holder']) as [TestAccount, TestAccount];
  const usd = { currency: 'USD', issuer: issuer.address };
  const assets = { Asset: usd, Asset2: { currency: 'XRP' } };
  await follow(engine, rig.network.closed);
  const after = async (seconds: number): Promise<void> => {
    rig.time += seconds;
    await follow(engine, rig.close());
  };
  const send = (account: TestAccount, json: Record<string, unknown>): Promise<void> => {
    rig.submit(account, json);
    return after(0);
  };
  const make = (drops: string): Promise<void> => {
    const Amount = { ...usd, value: '700' };
    return send(holder, { TransactionType: 'AMMCreate', Amount, Amount2: drops, TradingFee: fee, Fee: FEE });
  };
  /** The holder buys 10 USD, without a ledger. */
  const submitSwap = () =>
    rig.submit(holder, {
      TransactionType: 'OfferCreate',
      TakerPays: { ...usd, value: '10' },
      TakerGets: '5000000',
      Flags: AT_ONCE,
    });
  const swap = (): Promise<void> => {
    submitSwap();
    return after(0);
  };
  /** @param swapsBefore in the same ledger */
  const close = ({ swapsBefore = false } = {}): Promise<void> => {
    if (swapsBefore) submitSwap();
    return send(holder, { TransactionType: 'AMMWithdraw', ...assets, Flags: WITHDRAWS_ALL });
  };
  /** The issuer provides XRP, too. */
  const deposit = (drops: string): Promise<void> =>
    send(issuer, { TransactionType: 'AMMDeposit', ...assets, Amount: drops, Flags: ONE_ASSET });
  /** The holder trusts the pool for its LP tokens, so that the line stays when it holds none. */
  const trustShares = (): Promise<void> => {
    const { accounts, tokens, pools } = engine.state;
    const token = pools.lpToken(1);
    const issuer = accounts.text(tokens.issuers[token]!);
    const LimitAmount = { currency: tokens.currencyText(token), issuer, value: '1000000' };
    return send(holder, { TransactionType: 'TrustSet', LimitAmount });
  };
  const row = async (): Promise<Json> => {
    await get('/amm?status=all');
    return (await get(`/token/${usd.issuer}-USD`)).body.token;
  };
  await send(issuer, { TransactionType: 'AccountSet', SetFlag: RIPPLES });
  await send(holder, { TransactionType: 'TrustSet', LimitAmount: { ...usd, value: '1000000' } });
  const Amount = { ...usd, value: '9000' };
  await send(issuer, { TransactionType: 'Payment', Destination: holder.address, Amount });
  await make('100000000');
  return { issuer, holder, get, make, swap, close, deposit, trustShares, row, after };
}

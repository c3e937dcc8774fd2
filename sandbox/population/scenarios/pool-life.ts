/** A pool in which only the agents of this scenario trade, so that fees, LP tokens and votes have known figures. */

import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { HOUR } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import { poolOf } from '../arbitrage.ts';
import { type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import { amountOf, numberOf, type SimulationStep, type TransactionTemplate } from '../simulation-step.ts';
import { buy, LAUNCH_TAKES, launch, sell, tokenOf } from './market-actions.ts';

const BEGIN = 6 * HOUR;
const SUPPLY = 1_000_000;
const POOL_SHARE = 0.9;
const POOL_XRP = 2_000;
const FEE = 1_000;
const VOTED = 400;
const DEPOSIT_XRP = 500;
const SWAPS = 20;
const SWAP_XRP = 50;
const OPEN = LAUNCH_TAKES / 60;
const SWAPS_BEGIN = 24 * 60;
const SWAP_EVERY = 60;
const END = 3 * 24 * 60;

export function poolLife(context: ScenarioContext): Scenario[] {
  const { actors } = context;
  const issuer = actors.get('issuer:PAIR');
  const creator = actors.get('creator:PAIR');
  const provider = actors.get('provider:PAIR');
  const swapper = actors.get('swapper:PAIR');
  const asset = tokenOf(issuer, context.ticker('PAIR'));
  const poolXrp = context.varied('pool-life', POOL_XRP);
  const both = { Asset: asset, Asset2: XRP };
  const amm = (step: SimulationStep) => step.view.read(keylets.amm(asset, XRP));
  const fee = (step: SimulationStep) => amm(step)?.TradingFee ?? 0;
  const xrpOfPool = (step: SimulationStep) => poolOf(step, asset, XRP)?.quote ?? 0;
  const slot = (step: SimulationStep): TransactionTemplate | undefined => {
    const shares = amm(step)?.LPTokenBalance;
    return (
      shares && { TransactionType: 'AMMBid', ...both, BidMin: amountOf(shares.asset, numberOf(shares) / 100) }
    );
  };
  const builder = new ScenarioBuilder(context, 'pool-life', BEGIN);
  builder
    .scheduleAll(
      launch({
        id: builder.id,
        at: BEGIN,
        asset,
        issuer,
        creator,
        supply: SUPPLY,
        share: POOL_SHARE,
        poolXrp,
        poolFee: FEE,
        blackhole: false,
      }),
    )
    .fund(OPEN, [provider], DEPOSIT_XRP + 20)
    .fund(OPEN, [swapper], 5 * SWAP_XRP)
    .trust(OPEN + 2, [provider, swapper], asset)
    .fact(OPEN + 10, 'feeBefore', fee)
    .fact(OPEN + 10, 'providerXrpBefore', (step) => step.xrp(provider))
    .send(OPEN + 10, 'deposits', provider, {
      TransactionType: 'AMMDeposit',
      ...both,
      Amount: amountOf(XRP, DEPOSIT_XRP),
      Flags: Tf.tfSingleAsset,
    })
    .send(OPEN + 20, 'votes', provider, { TransactionType: 'AMMVote', ...both, TradingFee: VOTED })
    .fact(OPEN + 30, 'feeAfter', fee)
    .send(OPEN + 40, 'bids', creator, slot)
    .fact(SWAPS_BEGIN, 'poolXrpBefore', xrpOfPool);
  for (let n = 0; n < SWAPS; n++)
    builder.schedule(SWAPS_BEGIN + n * SWAP_EVERY, (step) =>
      n % 2 === 0
        ? buy(step, swapper, asset, SWAP_XRP, builder.annotate('buys'))
        : sell(step, swapper, asset, step.holds(swapper.account, asset), builder.annotate('sells')),
    );
  builder
    .fact(END, 'poolXrpAfter', xrpOfPool)
    .send(END, 'withdraws', provider, {
      TransactionType: 'AMMWithdraw',
      ...both,
      Flags: Tf.tfOneAssetWithdrawAll,
      Amount: amountOf(XRP, 0),
    })
    .fact(END + 3, 'providerXrpAfter', (step) => step.xrp(provider));
  return [
    builder.build({
      kind: 'pool',
      about: 'A pool with two providers: a vote lowers its fee, its slot is bid for, twenty swaps pay fees',
      accounts: { issuer, creator, provider, swapper },
      token: asset,
      minutes: END + 3,
      expected: {
        poolXrp,
        depositXrp: DEPOSIT_XRP,
        feeVoted: VOTED,
        swaps: SWAPS,
        boughtXrp: (SWAPS / 2) * SWAP_XRP,
      },
    }),
  ];
}

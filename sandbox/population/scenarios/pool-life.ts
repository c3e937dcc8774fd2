/** A pool that nobody else trades in, so that its fees, its shares and its votes can be counted to the end. */
import { HOUR } from '../../../engine/ripple-time.ts';
import { XRP } from '../../protocol/asset.ts';
import { Tf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import { poolOf } from '../arbitrage.ts';
import { Plot, type Scenario, type Stage } from '../script.ts';
import { amountOf, numberOf, type Turn, type Wish } from '../turn.ts';
import { buy, LAUNCH_TAKES, launch, sell, tokenOf } from './deals.ts';

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

export function poolLife(stage: Stage): Scenario[] {
  const { cast } = stage;
  const issuer = cast.get('issuer:PAIR');
  const creator = cast.get('creator:PAIR');
  const provider = cast.get('provider:PAIR');
  const swapper = cast.get('swapper:PAIR');
  const asset = tokenOf(issuer, stage.ticker('PAIR'));
  const poolXrp = stage.varied('pool-life', POOL_XRP);
  const both = { Asset: asset, Asset2: XRP };
  const amm = (turn: Turn) => turn.view.read(keylets.amm(asset, XRP));
  const fee = (turn: Turn) => amm(turn)?.TradingFee ?? 0;
  const xrpOfPool = (turn: Turn) => poolOf(turn, asset, XRP)?.quote ?? 0;
  const slot = (turn: Turn): Wish | undefined => {
    const shares = amm(turn)?.LPTokenBalance;
    return (
      shares && { TransactionType: 'AMMBid', ...both, BidMin: amountOf(shares.asset, numberOf(shares) / 100) }
    );
  };
  const plot = new Plot(stage, 'pool-life', BEGIN);
  plot
    .steps(
      launch({
        id: plot.id,
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
    .fact(OPEN + 10, 'providerXrpBefore', (turn) => turn.xrp(provider))
    .say(OPEN + 10, 'deposits', provider, {
      TransactionType: 'AMMDeposit',
      ...both,
      Amount: amountOf(XRP, DEPOSIT_XRP),
      Flags: Tf.tfSingleAsset,
    })
    .say(OPEN + 20, 'votes', provider, { TransactionType: 'AMMVote', ...both, TradingFee: VOTED })
    .fact(OPEN + 30, 'feeAfter', fee)
    .say(OPEN + 40, 'bids', creator, slot)
    .fact(SWAPS_BEGIN, 'poolXrpBefore', xrpOfPool);
  for (let n = 0; n < SWAPS; n++)
    plot.act(SWAPS_BEGIN + n * SWAP_EVERY, (turn) =>
      n % 2 === 0
        ? buy(turn, swapper, asset, SWAP_XRP, plot.noted('buys'))
        : sell(turn, swapper, asset, turn.holds(swapper.account, asset), plot.noted('sells')),
    );
  plot
    .fact(END, 'poolXrpAfter', xrpOfPool)
    .say(END, 'withdraws', provider, {
      TransactionType: 'AMMWithdraw',
      ...both,
      Flags: Tf.tfOneAssetWithdrawAll,
      Amount: amountOf(XRP, 0),
    })
    .fact(END + 3, 'providerXrpAfter', (turn) => turn.xrp(provider));
  return [
    plot.told({
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

/**
 * All scenarios of a week. The analytics of a market, and the scenarios with a known result for them:
 *
 *     new tokens, launches, gainers          meme-launch, pool-life, rug-pull
 *     losers, creator's activity and flow    creator-dump, insiders, rug-pull
 *     snipers, sandwiches, bundles, ancestry snipers, sandwich, bundle
 *     wash trading of tokens and of NFTs     wash-trading, nft-wash
 *     whales on either side                  whale, whale-exit
 *     profit of traders, rotations           sniper-exit; token-rotation, nft-rotation
 *     platforms by source tag, bots          bots
 *     holders gained and lost, empty lines   holder-wave
 *     Gini, HHI, top holders; supply, burns  distribution; supply-change
 *     issuers' actions: freeze, clawback     freeze, clawback, meme-launch (blackholed in the first week)
 *     scams, by category                     dust-spam, impersonation, fake-airdrop, wallet-drainer
 *     pools: fees, votes, slot, LP positions pool-life; liquidity taken out: rug-pull
 *     pegs, oracles                          depeg, oracle-prices
 *     collections, drops, floors, listings   nft-drop, nft-floor
 *     marketplaces and their brokers         nft-brokered
 *     escrows, checks, channels              vesting, checks, channel
 *     payments: tags, large ones, MPTs       merchant, large-transfer, mpt-payments
 *     what fails, and why                    failures
 *
 * In networks with projects (size.ts):
 *
 *     platforms by share, quiet tokens       launch-comet to launch-halo
 *     cash-outs at exchanges                 cash-out-comet, cash-out-gecko
 *     whales of small tokens, rotations      project-whale-1 to -3; project-rotation
 *
 * Every type of transaction has its example in the catalogue. Not covered, because ledgers do not contain it: social mentions, traits of NFTs (their metadata is stored elsewhere).
 */
import { WEEK } from '../../../engine/ripple-time.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { escrowsChecksChannels } from './escrows-checks-channels.ts';
import { failures } from './failures.ts';
import { memeToken, rugPull } from './launches.ts';
import { depeg, washTrading, whale } from './manipulation.ts';
import { newcomers } from './newcomers.ts';
import { nftFloor } from './nft-floor.ts';
import { nftScenarios } from './nfts.ts';
import { paymentScenarios, permanentAgentScenarios } from './payments.ts';
import { poolLife } from './pool-life.ts';
import { projectTraders } from './project-traders.ts';
import { regulated } from './regulated.ts';
import { scams } from './scams.ts';
import { supply } from './supply.ts';
import { traderBehaviour } from './trader-behaviour.ts';

type BuildScenarios = (context: ScenarioContext) => Scenario[];

/**
 * The scenarios of one group depend on each other: all of them begin later by the same time. The name of a group enters
 * the random numbers (`ScenarioContext.shift`): another name would change the ledgers of every week but the first.
 */
const GROUPS: Readonly<Record<string, BuildScenarios>> = {
  memeToken,
  rugPull,
  washTrading,
  whale,
  scams,
  regulated,
  nfts: (context) => [...nftScenarios(context), nftFloor(context)],
  dealings: traderBehaviour,
  supply,
  promises: escrowsChecksChannels,
  paymentStories: paymentScenarios,
  poolLife,
  failures,
  newcomers,
  projectTraders,
};

const later = (scenario: Scenario, seconds: number): Scenario => ({
  ...scenario,
  from: scenario.from + seconds,
  to: scenario.to + seconds,
  actions: scenario.actions.map(({ at, run }) => ({ at: at + seconds, run })),
  watches: (scenario.watches ?? []).map(({ from, to, run }) => ({
    from: from + seconds,
    to: to + seconds,
    run,
  })),
});

/** Times are seconds since the epoch. */
export function scenarios(context: ScenarioContext): Scenario[] {
  const begin = context.week * WEEK;
  return [
    ...Object.entries(GROUPS).flatMap(([name, build]) =>
      build(context).map((scenario) => later(scenario, begin + context.shift(name))),
    ),
    ...[...permanentAgentScenarios(context), ...depeg(context)].map((scenario) => later(scenario, begin)),
  ];
}

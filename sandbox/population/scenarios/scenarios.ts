/**
 * All stories of a week. What is asked of a market, and the story that has a true answer to it:
 *
 *     new tokens, launches, gainers          meme-launch, pool-life, rug-pull
 *     losers, creator's activity and flow    creator-dump, insiders, rug-pull
 *     snipers, sandwiches, bundles, ancestry snipers, sandwich, bundle
 *     wash trading of tokens and of NFTs     wash-trading, nft-wash
 *     whales on either side                  whale, whale-exit
 *     profit of traders, rotations           sniper-exit; token-rotation, nft-rotation
 *     platforms by source tag, bots          bots
 *     holders who come and go, empty lines   holder-wave
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
 * Every type of transaction has its example in the catalogue. Not told by any ledger, and so by no story: exchanges'
 * names, social mentions, traits of NFTs (their metadata lies elsewhere).
 */
import { WEEK } from '../../../engine/ripple-time.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { escrowsChecksChannels } from './escrows-checks-channels.ts';
import { failures } from './failures.ts';
import { memeToken, rugPull } from './launches.ts';
import { depeg, washTrading, whale } from './manipulation.ts';
import { nftFloor } from './nft-floor.ts';
import { nftScenarios } from './nfts.ts';
import { paymentScenarios, permanentAgentScenarios } from './payments.ts';
import { poolLife } from './pool-life.ts';
import { regulated } from './regulated.ts';
import { scams } from './scams.ts';
import { supply } from './supply.ts';
import { traderBehaviour } from './trader-behaviour.ts';

type Tell = (context: ScenarioContext) => Scenario[];

/** Those of one row hang together: they come as much later as one another. */
const STORIES: Readonly<Record<string, Tell>> = {
  memeToken,
  rugPull,
  washTrading,
  whale,
  scams,
  regulated,
  nfts: (context) => [...nftScenarios(context), nftFloor(context)],
  traderBehaviour,
  supply,
  escrowsChecksChannels,
  paymentScenarios,
  poolLife,
  failures,
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
    ...Object.entries(STORIES).flatMap(([name, tell]) =>
      tell(context).map((scenario) => later(scenario, begin + context.shift(name))),
    ),
    ...[...permanentAgentScenarios(context), ...depeg(context)].map((scenario) => later(scenario, begin)),
  ];
}

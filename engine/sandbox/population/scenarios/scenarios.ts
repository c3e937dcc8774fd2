/** All stories of a week, with a truth that analytics are to find. */
import { type Scenario, type Stage, WEEK } from '../script.ts';
import { dealings } from './dealings.ts';
import { failures } from './failures.ts';
import { memeToken, rugPull } from './launches.ts';
import { depeg, washTrading, whale } from './manipulation.ts';
import { nftFloor } from './nft-floor.ts';
import { nftStories } from './nfts.ts';
import { paymentStories, standingStories } from './payments.ts';
import { poolLife } from './pool-life.ts';
import { promises } from './promises.ts';
import { regulated } from './regulated.ts';
import { scams } from './scams.ts';
import { supply } from './supply.ts';

type Tell = (stage: Stage) => Scenario[];

/** Those of one row hang together: they come as much later as one another. */
const STORIES: Readonly<Record<string, Tell>> = {
  memeToken,
  rugPull,
  washTrading,
  whale,
  scams,
  regulated,
  nfts: (stage) => [...nftStories(stage), nftFloor(stage)],
  dealings,
  supply,
  promises,
  paymentStories,
  poolLife,
  failures,
};

const later = (scenario: Scenario, seconds: number): Scenario => ({
  ...scenario,
  from: scenario.from + seconds,
  to: scenario.to + seconds,
  steps: scenario.steps.map(({ at, act }) => ({ at: at + seconds, act })),
  watches: (scenario.watches ?? []).map(({ from, to, act }) => ({
    from: from + seconds,
    to: to + seconds,
    act,
  })),
});

/** Times are seconds since the epoch. */
export function scenarios(stage: Stage): Scenario[] {
  const begin = stage.week * WEEK;
  return [
    ...Object.entries(STORIES).flatMap(([name, tell]) =>
      tell(stage).map((scenario) => later(scenario, begin + stage.shift(name))),
    ),
    ...[...standingStories(stage), ...depeg(stage)].map((scenario) => later(scenario, begin)),
  ];
}

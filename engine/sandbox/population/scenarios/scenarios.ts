/** All scenarios: stories with a truth that analytics are to find. */
import type { Scenario, Stage } from '../script.ts';
import { failures } from './failures.ts';
import { memeToken, rugPull } from './launches.ts';
import { depeg, washTrading, whale } from './manipulation.ts';
import { nftStories } from './nfts.ts';
import { regulated } from './regulated.ts';
import { scams } from './scams.ts';

const STORIES: readonly ((stage: Stage) => Scenario[])[] = [
  memeToken,
  rugPull,
  washTrading,
  whale,
  depeg,
  scams,
  regulated,
  nftStories,
  failures,
];

export const scenarios = (stage: Stage): Scenario[] => STORIES.flatMap((tell) => tell(stage));

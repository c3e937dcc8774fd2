/** Collectors never sell, burn or give away an NFT that a scenario has reserved for a buyer, for any seed. */
import { expect, test } from 'bun:test';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { collectors } from '../../../sandbox/population/collectors.ts';
import { SimulationStep } from '../../../sandbox/population/simulation-step.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { seedOf } from '../seed.ts';
import { EarlierStore, STEP, World } from './world.ts';

const seed = String(seedOf(import.meta.file));
const WEEK_RUN = 3;
const SETUP = 30;
const STRIDE = 900;
/** Minutes after the scenario begins at which all of its NFTs are minted and none is sold. */
const WAITING = 15;
const TRIES = 3_000;

test('an NFT that is listed for one buyer is neither sold to another, nor burnt, nor given away', () => {
  const world = new World({ seed, store: new EarlierStore(WEEK_RUN, seed) });
  const { network, population } = world;
  const { agents, economy, groundTruth, weeks } = population;
  const now = () => network.closed.closeTime - groundTruth.epoch;
  const scenario = weeks.scenarios(WEEK_RUN).find(({ kind }) => kind === 'nft-rotation')!;
  world.until(SETUP);
  while (now() < scenario.from) world.step(Math.min(STRIDE, scenario.from - now()));
  while (now() < scenario.from + WAITING * 60) world.step(STEP);

  const parent = network.closed;
  const stepOf = (randomSeed: string) =>
    new SimulationStep({
      parent,
      closeTime: parent.closeTime + STEP,
      agents,
      economy,
      seed: randomSeed,
      epoch: groundTruth.epoch,
      networkId: network.networkId,
      groundTruth,
    });
  const step = stepOf(seed);
  const offers = (nft: string) =>
    [keylets.nftSellOffers(nft), keylets.nftBuyOffers(nft)].flatMap((root) =>
      step.entriesIn(root, 'NFTokenOffer'),
    );
  const reserved = step
    .nfts(agents.get('studio').account)
    .filter((nft) => offers(nft).some(({ Destination }) => Destination !== undefined));
  expect(reserved.length).toBe(6);
  const names = [...reserved, ...reserved.flatMap((nft) => offers(nft).map(({ index }) => index))];
  for (let n = 0; n < TRIES; n++) {
    const attempt = stepOf(`${seed}/${n}`);
    collectors(attempt);
    for (const { blob } of attempt.transactions)
      for (const name of names) expect(hexOf(blob), `${seed}/${n}`).not.toContain(name);
  }
});

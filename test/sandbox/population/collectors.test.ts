/** Collectors leave alone what their scenarios' people are waiting for, whatever the seed makes of their day. */
import { expect, test } from 'bun:test';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { collectors } from '../../../sandbox/population/collectors.ts';
import { SimulationStep } from '../../../sandbox/population/simulation-step.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { seedOf } from '../seed.ts';
import { EarlierStore, STEP, World } from './world.ts';

const seed = String(seedOf(import.meta.file));
const WEEK_TOLD = 3;
const SETUP = 30;
const STRIDE = 900;
/** Minutes after the story has begun at which all of its NFTs are minted and none is bought. */
const WAITING = 15;
const TRIES = 3_000;

test('an NFT that is listed for somebody is neither sold to another, nor burnt, nor given away', () => {
  const world = new World({ seed, store: new EarlierStore(WEEK_TOLD, seed) });
  const { network, population } = world;
  const { agents, economy, groundTruth, weeks } = population;
  const now = () => network.closed.closeTime - groundTruth.epoch;
  const story = weeks.scenarios(WEEK_TOLD).find(({ kind }) => kind === 'nft-rotation')!;
  world.until(SETUP);
  while (now() < story.from) world.step(Math.min(STRIDE, story.from - now()));
  while (now() < story.from + WAITING * 60) world.step(STEP);

  const parent = network.closed;
  const stepOf = (random: string) =>
    new SimulationStep({
      parent,
      closeTime: parent.closeTime + STEP,
      agents,
      economy,
      seed: random,
      epoch: groundTruth.epoch,
      networkId: network.networkId,
      groundTruth,
    });
  const step = stepOf(seed);
  const offers = (nft: string) =>
    [keylets.nftSellOffers(nft), keylets.nftBuyOffers(nft)].flatMap((root) =>
      step.entriesIn(root, 'NFTokenOffer'),
    );
  const promised = step
    .nfts(agents.get('studio').account)
    .filter((nft) => offers(nft).some(({ Destination }) => Destination !== undefined));
  expect(promised.length).toBe(6);
  const names = [...promised, ...promised.flatMap((nft) => offers(nft).map(({ index }) => index))];
  for (let n = 0; n < TRIES; n++) {
    const tried = stepOf(`${seed}/${n}`);
    collectors(tried);
    for (const { blob } of tried.transactions)
      for (const name of names) expect(hexOf(blob), `${seed}/${n}`).not.toContain(name);
  }
});

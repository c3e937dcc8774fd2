/** The same seed gives the same ledgers, across restarts; another seed gives others. */
import { describe, expect, test } from 'bun:test';
import { deriveAddress, deriveKeypair, generateSeed, verify } from 'ripple-keypairs';
import { WEEK } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../sandbox/ledger/memory-store.ts';
import { agentOf } from '../../../sandbox/population/agents.ts';
import { exponential, logarithm, RandomStream, Walk } from '../../../sandbox/population/random.ts';
import { EPOCH, World } from './world.ts';

const LAST = 230;
/** Ledgers before that: with the first transactions, and with the first rows of the catalogue. */
const CHECKED = 60;
const EARLY = 150;
/** Computed with version 0.3.0. */
const BEGINS_IN_WEEK_3 = {
  'meme-launch': 2218,
  'rug-pull': 4092,
  'wash-trading': 3433,
  whale: 4609,
  'dust-spam': 2529,
  freeze: 1835,
  'nft-drop': 3604,
  'token-rotation': 5116,
  distribution: 1378,
  vesting: 780,
  merchant: 7526,
  'pool-life': 479,
  failures: 193,
  depeg: 8580,
};

/** A store as versions before sizes wrote it. */
class FirstStore extends MemoryStore {
  override text(name: string): string | undefined {
    const stored = { seed: 'of an older network', epoch: EPOCH, rows: [], facts: {} };
    return super.text(name) ?? (name === 'population' ? JSON.stringify(stored) : undefined);
  }
}

describe('the ledgers of a population', () => {
  const whole = new World();
  const checked = whole.until(CHECKED).hash;
  const early = whole.until(EARLY).hash;
  const hash = whole.until(LAST).hash;

  test('are the same again, across a restart and with other commits', () => {
    const store = new MemoryStore();
    const first = new World({ store, commitEvery: 7 });
    first.until(131);
    first.flush();
    expect(store.head()?.index).toBe(131);
    // An existing network keeps its seed.
    const second = new World({ store, commitEvery: 1, seed: 'not asked for' });
    expect(second.until(LAST).hash).toBe(hash);
    expect(second.population.groundTruth.rows.length).toBeGreaterThan(30);
    expect(
      second.population.groundTruth.rows.every(
        ({ result, ledger }) => result !== undefined || ledger >= LAST,
      ),
    ).toBe(true);
  });

  test('made after the last commit are the same when made again', () => {
    const store = new MemoryStore();
    const first = new World({ store, commitEvery: 40 });
    first.until(125); // ends without a flush: the ledgers of the last commit are kept, the others lost
    const kept = store.head()!.index;
    expect(kept).toBeLessThan(125);
    const second = new World({ store });
    expect(second.network.closed.index).toBe(kept);
    expect(second.until(EARLY).hash).toBe(early);
  });

  test('are those of version 0.3.0, so that a network created with it continues', () => {
    expect(hash).toBe('F94798935A3565F84C1D4D07F5CBDB379B04E1098737845620C6E48B02C0519A');
    // One scenario of each group: the minute of week 3 at which it begins.
    const { weeks } = new World().population;
    const minutes = new Map(weeks.scenarios(3).map(({ id, from }) => [id, (from - 3 * WEEK) / 60]));
    for (const [id, minute] of Object.entries(BEGINS_IN_WEEK_3))
      expect(minutes.get(`week-3/${id}`), id).toBe(minute);
  });

  test('of a network with projects are the same again across a restart, which knows its size from the store', () => {
    const last = 75;
    const whole = new World({ size: 'default' });
    const { hash } = whole.until(last);
    expect(hash).not.toBe(new World().until(last).hash);
    const store = new MemoryStore();
    const first = new World({ store, size: 'default', commitEvery: 7 });
    first.until(52);
    first.flush();
    const second = new World({ store, size: 'small' });
    expect(second.population.groundTruth.size).toBe('default');
    expect(second.until(last).hash).toBe(hash);
    // In between, projects were launched.
    expect(
      second.population.projects.all.filter(({ launchAt }) => launchAt < 52 * 60).length,
    ).toBeGreaterThan(5);
  });

  test('of a network whose store names no size are those of the smallest', () => {
    const store = new FirstStore();
    const { groundTruth, projects } = new World({ store, size: 'large' }).population;
    expect([groundTruth.size, groundTruth.seed, projects.all.length]).toEqual([
      'small',
      'of an older network',
      0,
    ]);
  });

  test('differ with another seed', () => {
    expect(new World({ seed: 'another' }).until(CHECKED).hash).not.toBe(checked);
  });

  test('contain only valid signatures', () => {
    const world = new World();
    while (world.network.closed.index < CHECKED) world.step(60, false);
    expect(world.refused).toEqual([]);
    expect(world.network.closed.hash).toBe(checked);
  });
});

test('keys equal those of the reference library', () => {
  for (let i = 0; i < 5; i++) {
    const entropy = crypto.getRandomValues(new Uint8Array(16));
    const { publicKey } = deriveKeypair(generateSeed({ entropy, algorithm: 'ed25519' }));
    const agent = agentOf('somebody', entropy);
    expect(agent.publicKey).toBe(publicKey);
    expect(agent.address).toBe(deriveAddress(publicKey));
    expect(verify('C0FFEE', agent.sign(Uint8Array.of(0xc0, 0xff, 0xee)), publicKey)).toBe(true);
  }
});

describe('random numbers', () => {
  test('exponential and logarithm agree with Math', () => {
    for (let x = -8; x <= 8; x += 0.137) {
      expect(Math.abs(exponential(x) / Math.exp(x) - 1)).toBeLessThan(1e-13);
      expect(Math.abs(logarithm(Math.exp(x)) - x)).toBeLessThan(1e-11);
    }
  });

  test('are uniform, and skewed within the given span', () => {
    const random = new RandomStream('a test');
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 20_000; i++) counts[random.below(10)]!++;
    for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(200);
    for (let i = 0; i < 2_000; i++) {
      const skewed = random.skewed(6);
      expect(skewed).toBeGreaterThanOrEqual(1 / 6.001);
      expect(skewed).toBeLessThanOrEqual(6.001);
    }
  });

  test('a walk is smooth, varies, and stays within its amplitudes', () => {
    const walk = new Walk('a test', [
      [3_600, 0.02],
      [86_400, 0.1],
    ]);
    let [low, high] = [0, 0];
    for (let time = 0; time < 30 * 86_400; time += 60) {
      const at = walk.at(time);
      [low, high] = [Math.min(low, at), Math.max(high, at)];
      expect(Math.abs(at - walk.at(time + 60))).toBeLessThan(0.002);
    }
    expect(low).toBeGreaterThan(-0.12);
    expect(high).toBeLessThan(0.12);
    expect(high - low).toBeGreaterThan(0.08);
  });
});

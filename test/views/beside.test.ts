/** What stands beside the rows of tokens, against a count of what the engine holds, before and after a restart. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '../../engine/engine.ts';
import { DAY } from '../../engine/ripple-time.ts';
import { AccountFlag } from '../../engine/state/accounts.ts';
import { Views } from '../../views/views.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { type Followed, follow, pass, restart } from '../flows-world.ts';

let followed: Followed;

beforeAll(async () => {
  followed = follow('beside');
  await pass(followed, DAY + 7200, 900);
});

async function rows(engine: Engine): Promise<Json[]> {
  const { body } = await asker(engine).get('/tokens?limit=100');
  expect(body.total).toBeLessThanOrEqual(100);
  return body.tokens;
}

/** Offers that pay or get each token, of all rows in the table. */
function offersOf({ state }: Engine): Map<string, number> {
  const { books, tokens } = state;
  const counts = new Map<string, number>();
  for (let row = 1; row < books.table.count; row++) {
    if (books.find(books.accounts[row]!, books.sequences[row]!) !== row) continue;
    for (const token of [books.paysTokens[row]!, books.getsTokens[row]!])
      counts.set(tokens.md5(token), (counts.get(tokens.md5(token)) ?? 0) + 1);
  }
  return counts;
}

describe.each([
  ['after its ledgers', () => {}],
  ['after a restart', () => restart(followed)],
])('%s', (_, prepare) => {
  beforeAll(prepare);

  test('a row is the row of streams with more members', async () => {
    const { tokens } = new Views(followed.engine);
    await tokens.listReady('vol24hxrp');
    for (const row of await rows(followed.engine)) {
      const kept = JSON.parse(tokens.rowText(tokens.resolve(row.md5)!));
      expect(row).toMatchObject(kept);
      expect(row._id).toBe(row.md5);
      expect(kept).not.toHaveProperty('_id');
    }
  });

  test('places are those of the list by volume, whatever the list is sorted by', async () => {
    const byVolume = await rows(followed.engine);
    expect(byVolume.map(({ id }) => id)).toEqual(byVolume.map((_, i) => i + 1));
    const { body } = await asker(followed.engine).get('/tokens?limit=100&sort=holders&order=asc');
    const place = new Map(byVolume.map(({ md5, id }) => [md5, id]));
    for (const { md5, id } of body.tokens) expect(id).toBe(place.get(md5));
    const alone = (await asker(followed.engine).get(`/token/${byVolume[3].md5}`)).body.token;
    expect(alone.id).toBe(4);
    expect((await asker(followed.engine).get('/token/XRP')).body.token).not.toHaveProperty('id');
  });

  test('differences of prices are those of the changes in percent', async () => {
    const priced = (await rows(followed.engine)).filter(({ pro24h }) => pro24h !== undefined);
    expect(priced.length).toBeGreaterThan(5);
    for (const row of priced) {
      const now = Number(row.exch);
      for (const [difference, percent] of [
        ['p5m', 'pro5m'],
        ['p1h', 'pro1h'],
        ['p24h', 'pro24h'],
        ['p7d', 'pro7d'],
      ] as const) {
        const before = now - row[difference];
        // Percentages have four decimals.
        expect(Math.abs((now / before - 1) * 100 - row[percent])).toBeLessThan(1e-4);
      }
      expect(row.marketcap24h / (row.p24h * Number(row.amount) || 1)).toBeCloseTo(row.p24h === 0 ? 0 : 1, 9);
    }
  });

  test('offers, and tokens of one creator, are counted', async () => {
    const { engine } = followed;
    const found = await rows(engine);
    const offers = offersOf(engine);
    expect(offers.size).toBeGreaterThan(5);
    for (const row of found) expect(row.offers).toBe(offers.get(row.md5) ?? 0);
    const { creators } = engine.flows;
    for (const { creator, creatorTokenCount } of found.filter(({ tokenType }) => tokenType !== 'lp'))
      expect(creatorTokenCount).toBe(creators.tokensOf(engine.state.accounts.findText(creator)!).length);
  });

  test('days of creation count every token once', async () => {
    const { engine } = followed;
    const { body } = await asker(engine).get('/tokens?limit=1');
    const { state } = engine;
    let dated = 0;
    for (let token = 1; token < state.tokens.count; token++)
      if (state.tokens.createdAt(token) > 0 && state.tokens.tokenType(token) !== 'lp') dated++;
    expect(body.tokenCreation).toHaveLength(30);
    const counts: number[] = body.tokenCreation.map(({ totalTokens }: Json) => totalTokens);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(dated);
    expect(dated).toBeGreaterThan(5);
  });

  test("the creator's last action is the newest of its events", async () => {
    const ask = asker(followed.engine);
    let seen = 0;
    for (const { md5 } of await rows(followed.engine)) {
      const { token } = (await ask.get(`/token/${md5}`)).body;
      const { events } = (await ask.get(`/creator-activity/${md5}?limit=1`)).body;
      expect(token.creatorLastAction?.hash).toBe(events[0]?.hash);
      if (events.length === 0) continue;
      seen++;
      expect(token.creatorLastAction).toMatchObject({ side: events[0].side, time: events[0].time });
    }
    expect(seen).toBeGreaterThan(3);
  });
});

test('the exchange that activated a creator is named by its domain, else by its address', async () => {
  const { engine } = followed;
  const { accounts } = engine.state;
  const before = await rows(engine);
  const funderOf = ({ creator }: Json) => engine.traders.funders.of(accounts.findText(creator)!);
  const row = before.find((one) => funderOf(one) > 0 && one.creatorExchange === undefined)!;
  const funder = funderOf(row);
  accounts.flags[funder]! |= AccountFlag.requireDestTag;
  const { body } = await asker(engine).get(`/token/${row.md5}`);
  expect(body.token.creatorExchange).toBe(accounts.domain(funder) ?? accounts.text(funder));
});

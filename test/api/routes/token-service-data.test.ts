/** Fields of tokens that do not follow from ledgers: the admin's marks, and views. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Json } from './ask.ts';
import { TokenWrites } from './token-writes.ts';

describe('what the admin says of tokens', () => {
  const rig = new TokenWrites();
  const post = (body: object, by = rig.admin, id = rig.md5) =>
    rig.post('metadata', body, rig.headersOf(by), id);

  beforeAll(() => rig.start());
  afterAll(() => rig.stop());
  beforeEach(() => {
    rig.now += 60_000;
  });

  test('is shown at once in token, list and trust lines, and removed again', async () => {
    expect(await rig.shown()).not.toHaveProperty('verified');
    const marks = { verified: 2, kyc: true, xVerified: true };
    expect((await post(marks)).body.updated.sort()).toEqual(['kyc', 'verified', 'xVerified']);
    expect(await rig.shown()).toMatchObject(marks);
    const { md5 } = rig;
    const row = (await rig.get('/tokens?limit=100')).tokens.find((one: Json) => one.md5 === md5);
    expect(row).toMatchObject(marks);
    rig.now += 3000;
    await post({ verified: 0, kyc: false, xVerified: false });
    for (const name of Object.keys(marks)) expect(await rig.shown()).not.toHaveProperty(name);
  });

  test('is nobody else’s to say', async () => {
    for (const mark of [{ verified: 1 }, { kyc: true }, { xVerified: true }, { verified: 0 }]) {
      expect((await post({ ...mark, user: 'Eve' }, rig.wallet)).status).toBe(403);
      expect((await rig.shown()).user).not.toBe('Eve');
    }
    expect((await post({ user: 'Ann' }, rig.wallet)).status).toBe(200);
  });

  test('sorts lists: the highest tier first, those without last', async () => {
    const other = rig.engine.state.tokens.md5(rig.other);
    await post({ verified: 4, kyc: true });
    await post({ verified: 1, xVerified: true }, rig.admin, other);
    const ids = async (sort: string): Promise<string[]> =>
      (await rig.get(`/tokens?sort=${sort}&limit=2`)).tokens.map((one: Json) => one.md5);
    expect(await ids('verified')).toEqual([other, rig.md5]);
    expect((await ids('kyc'))[0]).toBe(rig.md5);
    expect((await ids('xVerified'))[0]).toBe(other);
    rig.now += 60_000;
    await post({ verified: 1 });
    await post({ verified: 2 }, rig.admin, other);
    expect(await ids('verified')).toEqual([rig.md5, other]);
  });

  test('sorts lists: described tokens first, as soon as they are', async () => {
    const other = rig.engine.state.tokens.md5(rig.other);
    const first = async (): Promise<string> =>
      (await rig.get('/tokens?sort=description&limit=1')).tokens[0].md5;
    await post({ description: 'Of another one' }, rig.admin, other);
    expect(await first()).toBe(other);
    rig.now += 60_000;
    await post({ description: '' }, rig.admin, other);
    await post({ description: 'Of this one' });
    expect(await first()).toBe(rig.md5);
    expect((await rig.get(`/token/${rig.md5}?desc=yes`)).token.description).toBe('Of this one');
    rig.now += 60_000;
    await post({ description: '' });
  });

  test('are tags of platforms, which the owner cannot remove', async () => {
    expect((await post({ tags: ['FirstLedger'] }, rig.wallet)).status).toBe(403);
    expect((await post({ tags: ['FirstLedger'] })).status).toBe(200);
    rig.now += 3000;
    expect((await post({ tags: ['Games'] }, rig.wallet)).status).toBe(200);
    expect((await rig.shown()).tags).toEqual(expect.arrayContaining(['FirstLedger', 'Games']));
    rig.now += 3000;
    await post({ tags: [] });
    expect((await rig.shown()).tags).not.toContain('FirstLedger');
  });

  test('stays after a restart', async () => {
    await rig.restart();
    expect((await rig.shown()).verified).toBe(1);
    expect((await rig.get('/tokens?sort=verified&limit=1')).tokens[0].md5).toBe(rig.md5);
  });
});

describe('views of tokens', () => {
  const rig = new TokenWrites();
  beforeAll(() => rig.start());
  afterAll(() => rig.stop());

  const viewsOf = async (md5: string): Promise<number> => {
    rig.client = 'one that has looked at all of them';
    return (await rig.get(`/token/${md5}`)).token.views24h;
  };

  test('are counted once for each client, kept answers included, and shown from the next ledger on', async () => {
    const [first, second] = [rig.md5, rig.engine.state.tokens.md5(rig.other)];
    const paths = [`/token/${first}`, `/token/${first}?skip_metrics=true`, `/token/${first.toUpperCase()}`];
    for (const client of ['a', 'b', 'c'])
      for (const path of [...paths, ...paths]) {
        rig.client = client;
        expect((await rig.get(path)).token.views24h).toBe(0);
      }
    rig.client = 'd';
    await rig.get(`/token/${second}`);
    await rig.fetch(`/v1/token/${second}`, { method: 'HEAD' });
    await rig.get('/token/unknown');
    await rig.get('/tokens');
    await rig.ledger(4);
    for (const name of ['views24h', 'nginxScore', 'views']) {
      const rows = (await rig.get(`/tokens?sortBy=${name}&sortType=desc&limit=3`)).tokens;
      expect(rows.map((one: Json) => [one.md5, one.views24h])).toEqual([
        [first, 3],
        [second, 1],
        [rows[2].md5, 0],
      ]);
      const least = (await rig.get(`/tokens?sortBy=${name}&sortType=asc&limit=1`)).tokens;
      expect(least[0].views24h).toBe(0);
    }
    expect([await viewsOf(first), await viewsOf(second)]).toEqual([3, 1]);
  });

  test('are in the rows that streams send after the ledger', async () => {
    const changed: number[][] = [];
    rig.engine.onLedger((event) => {
      changed.push([...rig.network.views.tokens.changed.rows(event)]);
    });
    rig.client = 'another';
    await rig.get(`/token/${rig.md5}`);
    await rig.ledger(4);
    expect(changed.at(-1)).toContain(rig.token);
    const text = JSON.parse(rig.network.views.tokens.rowText(rig.token));
    expect(text.views24h).toBe(5);
    const { texts } = rig.network.views.tokens;
    expect(texts.call(rig.network.views.tokens, rig.token, ['views24h']).get('views24h')).toBe('5');
  });

  test('are over after a day', async () => {
    await rig.ledger(25 * 3600);
    expect(await viewsOf(rig.md5)).toBe(0);
    const { tokens } = await rig.get('/tokens?sort=views24h&limit=1');
    expect(tokens[0].views24h).toBe(0);
  });
});

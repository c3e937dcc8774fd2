/** POST /token/{md5}/metadata: who may write, what is accepted, where it is shown, and that it stays. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'ripple-keypairs';
import { Wallet } from 'xrpl';
import { createApi } from '../../../api/app.ts';
import { type LmdbPlatformStore, openPlatformStore } from '../../../data/platform-store.ts';
import { accountBytes } from '../../../engine/codec/base58.ts';
import { Engine } from '../../../engine/engine.ts';
import { AccountFlag } from '../../../engine/state/accounts.ts';
import type { Collection } from '../../../platform/store.ts';
import { TOKEN_METADATA } from '../../../platform/token-metadata.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { quiet } from '../../live-rig.ts';
import { World } from '../../sandbox/population/world.ts';
import { applyAll } from '../../views/world.ts';
import type { Json } from './ask.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-metadata-'));
const open = () =>
  openPlatformStore({ dir, network: 0, collections: [TOKEN_METADATA as Collection<unknown>] });

describe('the metadata of a token', () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  let platform: LmdbPlatformStore;
  let network: Network;
  let now = 1_800_000_000_000;
  let api: ReturnType<typeof createApi>;
  const wallet = Wallet.generate();
  /** Of the wallet. */
  let account = 0;
  let [token, other] = [0, 0];
  const md5 = () => engine.state.tokens.md5(token);

  beforeAll(async () => {
    const world = new World({ seed: 'metadata' });
    for (let i = 0; i < 6; i++) await applyAll(engine, [world.step(600).packed()]);
    await engine.drain();
    const { tokens, accounts } = engine.state;
    // Every issuer of the population has a domain on the ledger.
    accounts.domain = () => undefined;
    const listed = Array.from({ length: tokens.count - 1 }, (_, i) => i + 1).filter(
      (id) => engine.market.totals.isListed(id) && tokens.tokenType(id) === 'trustline',
    );
    token = listed[0]!;
    other = listed.find((id) => tokens.issuer(id) !== tokens.issuer(token))!;
    platform = await open();
    account = accounts.intern(accountBytes(wallet.classicAddress)!, 0);
    begin();
  });
  afterAll(async () => {
    await platform.close();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => {
    now += 60_000;
  });

  function begin(): void {
    network = new Network({ engine });
    network.tokenData.attach(platform);
    // The population keeps its keys to itself: an account with the test's key stands for the creator.
    const { figures } = network.views.tokens;
    const { creator } = figures;
    figures.creator = (id) => (id === token ? account : creator.call(figures, id));
    api = createApi({ mounts: [Mount.of(network)], log: quiet, now: () => now });
  }

  function headersOf(by: Wallet, changed: Record<string, string> = {}): Record<string, string> {
    const timestamp = String(now);
    const message = Buffer.from(`${by.classicAddress}:${timestamp}`).toString('hex');
    return {
      'X-Wallet': by.classicAddress,
      'X-Timestamp': timestamp,
      'X-Public-Key': by.publicKey,
      'X-Signature': sign(message, by.privateKey),
      ...changed,
    };
  }

  async function post(body: object, headers = headersOf(wallet), id = md5()) {
    const init = { method: 'POST', body: JSON.stringify(body), headers };
    const response = await api.fetch(new Request(`http://localhost/v1/token/${id}/metadata`, init));
    return { status: response.status, body: (await response.json()) as Json, headers: response.headers };
  }

  async function shown(id = md5()): Promise<Json> {
    const response = await api.fetch(new Request(`http://localhost/v1/token/${id}?desc=yes`));
    return ((await response.json()) as Json).token;
  }

  const get = async (path: string): Promise<Json> =>
    (await api.fetch(new Request(`http://localhost/v1${path}`))).json();

  test('is shown at once in the token and in lists, cached answers included', async () => {
    expect((await shown()).whitepaper).toBeUndefined();
    expect((await get('/tokens?tag=harvest-moon')).count).toBe(0);
    const { status, body } = await post({
      user: 'Ann',
      domain: 'Example.COM',
      whitepaper: 'https://example.com/paper.pdf',
      description: 'First line\nsecond\u202e line\u0000',
      social: { twitter: '@ann', website: 'https://example.com', discord: '' },
      tags: ['Harvest Moon', 'harvest  moon', 'Games'],
      linkedCollections: ['rabc:12', 'my-slug'],
    });
    expect([status, body.success]).toEqual([200, true]);
    expect(body.updated.sort()).toEqual(
      ['description', 'domain', 'linkedCollections', 'social', 'tags', 'user', 'whitepaper'].sort(),
    );
    const after = await shown();
    expect(after).toMatchObject({
      domain: 'example.com',
      whitepaper: 'https://example.com/paper.pdf',
      social: { twitter: 'ann', website: 'https://example.com/' },
    });
    expect(after.tags).toEqual(expect.arrayContaining(['Harvest Moon', 'Games']));
    const whole = await get(`/token/${md5()}?desc=yes`);
    expect(JSON.stringify(whole)).toContain('First line\\nsecond line');
    const tagged = await get('/tokens?tag=harvest-moon');
    expect(tagged.tokens.map((one: Json) => one.md5)).toEqual([md5()]);
    expect((await get('/tags')).tags).toContain('Harvest Moon');
  });

  test('keeps what is not sent, says what changed, and removes what is blank', async () => {
    expect((await post({ user: 'Ann', tags: ['Games'] })).body.updated).toEqual(['tags']);
    expect((await get('/tokens?tag=harvest-moon')).count).toBe(0);
    now += 3000;
    expect((await post({ whitepaper: ' ', tags: [] })).body.updated.sort()).toEqual(['tags', 'whitepaper']);
    const after = await shown();
    expect(after.whitepaper).toBeUndefined();
    expect(after.tags).not.toContain('Games');
    expect(after.domain).toBe('example.com');
  });

  test('stays after a restart', async () => {
    await platform.close();
    platform = await open();
    begin();
    expect((await shown()).social).toEqual({ twitter: 'ann', website: 'https://example.com/' });
  });

  test('is written by issuer or creator alone', async () => {
    const stranger = Wallet.generate();
    expect((await post({ user: 'Eve' }, headersOf(stranger))).status).toBe(403);
    const { tokens } = engine.state;
    expect((await post({ user: 'Eve' }, headersOf(wallet), tokens.md5(other))).status).toBe(403);
    expect((await post({ user: 'Eve' }, headersOf(wallet), '0'.repeat(32))).status).toBe(404);
    expect((await post({ user: 'Eve' }, headersOf(wallet), 'XRP')).status).toBe(404);
    expect((await shown()).user).toBe('Ann');
  });

  test('needs a signature of the last 5 minutes by the key of the wallet', async () => {
    const stranger = Wallet.generate();
    const good = headersOf(wallet);
    const late = String(now - 5 * 60_000 - 1);
    const signedLate = sign(
      Buffer.from(`${wallet.classicAddress}:${late}`).toString('hex'),
      wallet.privateKey,
    );
    const wrong: Record<string, string>[] = [
      {},
      ...Object.keys(good).map((name) =>
        Object.fromEntries(Object.entries(good).filter(([key]) => key !== name)),
      ),
      { ...good, 'X-Signature': headersOf(stranger)['X-Signature']! },
      { ...good, 'X-Signature': `${good['X-Signature']!.slice(0, -2)}00` },
      { ...good, 'X-Signature': 'zz' },
      { ...good, 'X-Public-Key': stranger.publicKey },
      { ...good, 'X-Public-Key': `02${'F'.repeat(64)}` },
      { ...good, 'X-Timestamp': String(now - 1000) },
      { ...good, 'X-Timestamp': late, 'X-Signature': signedLate },
      { ...headersOf(stranger), 'X-Wallet': wallet.classicAddress },
    ];
    for (const headers of wrong) expect((await post({ user: 'Eve' }, headers)).status).toBe(401);
    expect((await shown()).user).toBe('Ann');
    const secp = Wallet.fromSeed('snoPBrXtMeMyMHUVTgbuqAfg1SUTb');
    expect((await post({ user: 'Eve' }, headersOf(secp))).status).toBe(403);
    const { flags } = engine.state.accounts;
    flags[account]! |= AccountFlag.disableMaster;
    expect((await post({ user: 'Eve' })).status).toBe(401);
    flags[account]! &= ~AccountFlag.disableMaster;
  });

  test('is written once in 3 seconds, and of two at once by one', async () => {
    const both = await Promise.all([post({ user: 'Bob' }), post({ user: 'Cat' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 429]);
    const { headers, body } = both.find(({ status }) => status === 429)!;
    expect([headers.get('Retry-After'), body.retryAfter]).toEqual(['3', 3]);
    now += 2999;
    expect((await post({ user: 'Dan' })).status).toBe(429);
    now += 1;
    expect((await post({ user: 'Ann' })).status).toBe(200);
  });

  test('is checked: what others would be shown is refused', async () => {
    const refusals: [object, number][] = [
      [{ domain: 'no domain' }, 400],
      [{ domain: 'http://a.example' }, 400],
      [{ whitepaper: 'javascript:alert(1)' }, 400],
      [{ whitepaper: 'https://user:pass@example.com/' }, 400],
      [{ social: ['x'] }, 400],
      [{ social: { myspace: 'https://example.com' } }, 400],
      [{ social: { website: 'file:///etc/passwd' } }, 400],
      [{ social: { website: 1 } }, 400],
      [{ tags: ['<b>'] }, 400],
      [{ tags: ['x'.repeat(33)] }, 400],
      [{ tags: ['FirstLedger'] }, 403],
      [{ tags: ['first ledger'] }, 403],
      [{ linkedCollections: ['a/b'] }, 400],
    ];
    for (const [body, status] of refusals) expect([body, (await post(body)).status]).toEqual([body, status]);
    const many = Array.from({ length: 20 }, (_, i) => `Tag ${i}`);
    expect((await post({ tags: many, description: 'x'.repeat(5000) })).status).toBe(200);
    expect((await shown()).tags.filter((tag: string) => tag.startsWith('Tag '))).toHaveLength(15);
    const { description } = platform.get(TOKEN_METADATA, [md5()])!;
    expect(description).toHaveLength(2000);
  });

  test('leaves the domain to the ledger where the issuer has one there', async () => {
    const { accounts } = engine.state;
    accounts.domain = () => 'ledger.example';
    expect((await post({ domain: 'other.example' })).status).toBe(409);
    accounts.domain = () => undefined;
  });

  test('cannot be written where nothing is kept', async () => {
    const unkept = new Network({ engine });
    unkept.views.tokens.figures.creator = () => account;
    const bare = createApi({ mounts: [Mount.of(unkept)], log: quiet, now: () => now });
    const init = { method: 'POST', body: '{"user":"x"}', headers: headersOf(wallet) };
    const response = await bare.fetch(new Request(`http://localhost/v1/token/${md5()}/metadata`, init));
    expect(response.status).toBe(503);
  });
});

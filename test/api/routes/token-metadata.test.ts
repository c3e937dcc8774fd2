/** POST /token/{md5}/metadata: who may write, what is accepted, where it is shown, and that it stays. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { sign } from 'ripple-keypairs';
import { Wallet } from 'xrpl';
import { AccountFlag } from '../../../engine/state/accounts.ts';
import { TOKEN_METADATA } from '../../../platform/token-metadata.ts';
import { Document } from '../document.ts';
import type { Json } from './ask.ts';
import { TokenWrites } from './token-writes.ts';

describe('the metadata of a token', () => {
  const rig = new TokenWrites();
  const { engine, wallet } = rig;
  const post = (body: object, headers?: Record<string, string>, id?: string) =>
    rig.post('metadata', body, headers, id);
  const shown = () => rig.shown();
  const get = (path: string) => rig.get(path);
  const headersOf = (by: Wallet) => rig.headersOf(by);

  beforeAll(() => rig.start());
  afterAll(() => rig.stop());
  beforeEach(() => {
    rig.now += 60_000;
  });

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
    const whole = await rig.fetch(`/v1/token/${rig.md5}?desc=yes`);
    expect(await whole.clone().text()).toContain('First line\\nsecond line');
    const document = new Document(await get('/openapi.json'));
    const operation = document.operations.find(({ path }) => path === '/token/{id}')!;
    expect(await document.faults(operation, whole, false)).toEqual([]);
    const tagged = await get('/tokens?tag=harvest-moon');
    expect(tagged.tokens.map((one: Json) => one.md5)).toEqual([rig.md5]);
    expect((await get('/tags')).tags).toContain('Harvest Moon');
  });

  test('keeps what is not sent, says what changed, and removes what is blank', async () => {
    expect((await post({ user: 'Ann', tags: ['Games'] })).body.updated).toEqual(['tags']);
    expect((await get('/tokens?tag=harvest-moon')).count).toBe(0);
    rig.now += 3000;
    expect((await post({ whitepaper: ' ', tags: [] })).body.updated.sort()).toEqual(['tags', 'whitepaper']);
    const after = await shown();
    expect(after.whitepaper).toBeUndefined();
    expect(after.tags).not.toContain('Games');
    expect(after.domain).toBe('example.com');
  });

  test('stays after a restart', async () => {
    await rig.restart();
    expect((await shown()).social).toEqual({ twitter: 'ann', website: 'https://example.com/' });
  });

  test('is written by issuer or creator alone', async () => {
    const stranger = Wallet.generate();
    expect((await post({ user: 'Eve' }, headersOf(stranger))).status).toBe(403);
    const { tokens } = engine.state;
    expect((await post({ user: 'Eve' }, headersOf(wallet), tokens.md5(rig.other))).status).toBe(403);
    expect((await post({ user: 'Eve' }, headersOf(wallet), '0'.repeat(32))).status).toBe(404);
    expect((await post({ user: 'Eve' }, headersOf(wallet), 'XRP')).status).toBe(404);
    expect((await shown()).user).toBe('Ann');
  });

  test('needs a signature of the last 5 minutes by the key of the wallet', async () => {
    const stranger = Wallet.generate();
    const good = headersOf(wallet);
    const late = String(rig.now - 5 * 60_000 - 1);
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
      // The last byte of a signature is below 0x11.
      { ...good, 'X-Signature': `${good['X-Signature']!.slice(0, -2)}7F` },
      { ...good, 'X-Signature': 'zz' },
      { ...good, 'X-Public-Key': stranger.publicKey },
      { ...good, 'X-Public-Key': `02${'F'.repeat(64)}` },
      { ...good, 'X-Timestamp': String(rig.now - 1000) },
      { ...good, 'X-Timestamp': late, 'X-Signature': signedLate },
      { ...headersOf(stranger), 'X-Wallet': wallet.classicAddress },
    ];
    for (const headers of wrong) expect((await post({ user: 'Eve' }, headers)).status).toBe(401);
    expect((await shown()).user).toBe('Ann');
    const secp = Wallet.fromSeed('snoPBrXtMeMyMHUVTgbuqAfg1SUTb');
    expect((await post({ user: 'Eve' }, headersOf(secp))).status).toBe(403);
    const { flags } = engine.state.accounts;
    flags[rig.account]! |= AccountFlag.disableMaster;
    expect((await post({ user: 'Eve' })).status).toBe(401);
    flags[rig.account]! &= ~AccountFlag.disableMaster;
  });

  test('is written once in 3 seconds, and of two at once by one', async () => {
    const both = await Promise.all([post({ user: 'Bob' }), post({ user: 'Cat' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 429]);
    const { headers, body } = both.find(({ status }) => status === 429)!;
    expect([headers.get('Retry-After'), body.retryAfter]).toEqual(['3', 3]);
    rig.now += 2999;
    expect((await post({ user: 'Dan' })).status).toBe(429);
    rig.now += 1;
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
    const { description } = rig.platform.get(TOKEN_METADATA, [rig.md5])!;
    expect(description).toHaveLength(2000);
  });

  test('leaves the domain to the ledger where the issuer has one there', async () => {
    const { accounts } = engine.state;
    accounts.domain = () => 'ledger.example';
    expect((await post({ domain: 'other.example' })).status).toBe(409);
    accounts.domain = () => undefined;
  });

  test('cannot be written where nothing is kept', async () => {
    const { status } = await rig.post('metadata', { user: 'x' }, undefined, undefined, rig.apiOf());
    expect(status).toBe(503);
  });
});

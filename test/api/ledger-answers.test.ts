/** `ledger_index` and `min_ledger` of market answers. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createApi } from '../../api/app.ts';
import { addsLedgerIndex, isOfLedger } from '../../api/ledger-answers.ts';
import { routes } from '../../api/routes/index.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { emptyLedger, LoggedErrors } from './fixture.ts';

const FIRST = 1000;
const engine = new Engine({ store: new MemoryStore(), log: new LoggedErrors() });
const network = new Network({ engine });
const api = createApi({ mounts: [Mount.of(network)], log: new LoggedErrors() });
let next = FIRST;

async function applyNext(): Promise<void> {
  const packed = emptyLedger(next, 800_000_000 + next * 4);
  next++;
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
}

async function get(path: string): Promise<Record<string, unknown> & { status: number; etag: string | null }> {
  const response = await api.fetch(new Request(`http://localhost/v1${path}`));
  const body = (await response.json()) as Record<string, unknown>;
  return { ...body, status: response.status, etag: response.headers.get('etag') };
}

beforeAll(applyNext);

test('every row of sections 4.1 and 4.2 shows its ledger, added or its own, but for what is a bare list', () => {
  for (const row of routes) {
    const isMarket = (row.section === '4.1' || row.section === '4.2') && !row.bare;
    expect([row.path, isOfLedger(row)]).toEqual([row.path, isMarket]);
    const own = Object.hasOwn((row.response.properties as object | undefined) ?? {}, 'ledger_index');
    expect([row.path, addsLedgerIndex(row)]).toEqual([row.path, isMarket && !own]);
  }
});

describe('ledger_index', () => {
  test('is that of the newest ledger, of a kept answer too, and leaves the ETag', async () => {
    const before = await get('/tokens/slugs');
    expect(before.ledger_index).toBe(next - 1);
    expect((await get('/tokens/slugs')).ledger_index).toBe(next - 1);
    await applyNext();
    const after = await get('/tokens/slugs');
    expect(after.ledger_index).toBe(next - 1);
    expect(after.etag).toBe(before.etag);
  });

  test('stays when other members are selected', async () => {
    expect(await get('/tokens/slugs?fields=count')).toMatchObject({ count: 0, ledger_index: next - 1 });
  });
});

describe('min_ledger', () => {
  test('does not wait for what has been applied, nor for what is no index', async () => {
    for (const value of [next - 1, 0, 1, -5, 'abc', '1e9', ''])
      expect(await get(`/tokens/slugs?min_ledger=${value}`)).toMatchObject({
        status: 200,
        ledger_index: next - 1,
      });
  });

  test('waits for a ledger, with either spelling, in GET and POST', async () => {
    const wanted = next + 1;
    let answered = 0;
    const post = new Request(`http://localhost/v1/search?min_ledger=${wanted}`, {
      method: 'POST',
      body: '{"search":"abc"}',
    });
    const answers = [
      get(`/tokens/slugs?min_ledger=${wanted}`),
      get(`/stats?minLedger=${wanted}`),
      get(`/sparkline/batch?md5s=${'0'.repeat(32)}&min_ledger=${wanted}`),
      Promise.resolve(api.fetch(post)).then((response) => response.json()),
    ].map((answer) =>
      answer.then((body) => {
        answered++;
        return body as Record<string, unknown>;
      }),
    );
    await applyNext();
    await Bun.sleep(20);
    expect(answered).toBe(0);
    await applyNext();
    for (const body of await Promise.all(answers))
      expect(body).toMatchObject({ success: true, ledger_index: wanted });
  });

  test('passes over an answer that is kept for seconds and of an earlier ledger', async () => {
    const path = `/sparkline/batch?md5s=${'1'.repeat(32)}`;
    const kept = (await get(path)).ledger_index;
    await applyNext();
    expect((await get(path)).ledger_index).toBe(kept);
    expect((await get(`${path}&min_ledger=${next - 1}`)).ledger_index).toBe(next - 1);
  });
});

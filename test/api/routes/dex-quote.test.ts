/** POST /dex/quote over recorded ledgers: the form of requests, of older clients too, and what is refused. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '../../../engine/engine.ts';
import { runWorld } from '../../views/world.ts';
import { asker, type Json } from './ask.ts';

describe('/dex/quote', () => {
  let engine: Engine;
  let ask: ReturnType<typeof asker>;
  let base: { source_account: string; destination_token: string };
  let issue: { currency: string; issuer: string };

  beforeAll(async () => {
    engine = await runWorld();
    ask = asker(engine);
    const { books, tokens, accounts } = engine.state;
    // The book that gives most offers for XRP.
    let best = 0;
    for (let book = 1; book < books.bookCount; book += 1)
      if (books.bookPays(book) === 0 && (best === 0 || books.size(book) > books.size(best))) best = book;
    const token = books.bookGets(best);
    const source_account = accounts.text(books.accounts[books.offers(best)[0]!]!);
    base = { source_account, destination_token: tokens.md5(token) };
    issue = { currency: tokens.currencyText(token), issuer: tokens.issuerText(token) };
  });

  const post = (body: object) => ask.post('/dex/quote', body);

  async function quoted(body: object): Promise<Json> {
    const answer = await post(body);
    expect(answer.status).toBe(200);
    expect(answer.body.status).toBe('success');
    return answer.body.quote;
  }

  test('exact output costs, to a last digit, what exact input of that much gives', async () => {
    const out = await quoted({ ...base, destination_value: '1' });
    expect(out.destination_amount).toEqual({ ...issue, value: '1' });
    const back = await quoted({ ...base, source_value: out.source_amount.value });
    expect(Number(back.destination_amount.value)).toBeGreaterThan(1 - 1e-9);
    expect(Number(back.destination_amount.value)).toBeLessThan(1 + 1e-3);
  });

  test('older clients name amounts and currencies', async () => {
    const now = await quoted({ ...base, destination_value: '1', slippage: 0.01 });
    const { source_account } = base;
    const before = await quoted({
      source_account,
      destination_amount: { ...issue, value: '1' },
      source_currencies: [{ currency: 'XRP' }],
      slippage: 0.01,
    });
    expect(before).toEqual(now);
    expect(Number(now.minimum_received)).toBeCloseTo(0.99, 9);
  });

  test('routes with XRP at an end need no paths', async () => {
    const { paths, paths_count } = await quoted({ ...base, source_value: '10' });
    expect([paths, paths_count]).toEqual([[], 1]);
  });

  test('alternatives go another way than what is shown before them, or give more', async () => {
    const { tokens, books } = engine.state;
    let shown = 0;
    const traded = new Set<number>();
    for (let book = 1; book < books.bookCount; book += 1)
      if (books.size(book) > 0) traded.add(books.bookGets(book));
    for (const token of [...traded].slice(0, 150))
      for (const source_value of ['0.5', '40']) {
        const { status, body } = await post({ ...base, destination_token: tokens.md5(token), source_value });
        if (status !== 200) continue;
        const way = ({ route }: Json) => JSON.stringify(route.map((one: Json) => one.tokens));
        const given = (one: Json) => Number(one.destination_amount.value);
        const all = [body.quote, ...body.alternatives];
        for (const [i, one] of all.entries())
          for (const before of all.slice(0, i))
            if (way(before) === way(one)) expect(given(one)).toBeGreaterThan(given(before));
        shown += body.alternatives.length;
      }
    expect(shown).toBeGreaterThan(0);
  });

  test('refuses what is no swap', async () => {
    const refusals: readonly [object, number][] = [
      [{ ...base }, 400],
      [{ destination_token: base.destination_token, source_value: '1' }, 400],
      [{ ...base, source_value: '0' }, 400],
      [{ ...base, source_value: '-1' }, 400],
      [{ ...base, source_value: 'many' }, 400],
      [{ ...base, source_value: '1e99' }, 400],
      [{ ...base, source_value: '1', destination_value: '1' }, 400],
      [{ ...base, source_value: '1', destination_amount: { ...issue, value: '1' } }, 400],
      [{ ...base, destination_value: '1', destination_amount: { ...issue, value: '1' } }, 400],
      [{ ...base, destination_value: '1e99' }, 400],
      [{ ...base, destination_value: '1e999999999' }, 400],
      [{ ...base, destination_value: '1e-999999999' }, 400],
      [{ ...base, source_account: 'nobody', source_value: '1' }, 400],
      [{ ...base, destination_account: 'nobody', source_value: '1' }, 400],
      [{ ...base, source_token: base.destination_token, source_value: '1' }, 400],
      [{ ...base, destination_token: '0'.repeat(32), source_value: '1' }, 404],
      [{ source_account: base.source_account, destination_amount: { value: '1' } }, 400],
    ];
    for (const [body, status] of refusals)
      expect([JSON.stringify(body), (await post(body)).status]).toEqual([JSON.stringify(body), status]);
    // It may name the token of an exact input.
    const { source_account } = base;
    const named = { source_account, destination_amount: issue, source_value: '1' };
    expect((await post(named)).body.quote).toEqual((await post({ ...base, source_value: '1' })).body.quote);
  });

  test('an account that no ledger named has nothing, and needs a trust line', async () => {
    const { body } = await post({ ...base, source_account: 'rrrrrrrrrrrrrrrrrrrrBZbvji', source_value: '1' });
    expect(body.requiresTrustline).toEqual(issue);
    expect(body.quote.warnings.map(({ code }: Json) => code)).toContain('insufficient_balance');
  });
});

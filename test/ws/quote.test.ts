/** `/ws/quote`: the first frame, and one after each ledger that changed it, against POST /dex/quote. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { HOUR } from '../../engine/ripple-time.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { follow, pass } from '../flows-world.ts';
import { Faults, rig } from './rig.ts';

const STEP = 600;
const LEDGERS = 12;
const log = new Faults();
const engine = new Engine({ store: new MemoryStore(), log });
const network = new Network({ engine });
const { open, stop, faults } = rig(network);
const ask = asker(network);
const followed = { ...follow('pools'), engine };
let swap: Record<string, string>;

/** What POST /dex/quote answers; a quote of null where it has none. */
async function answer(sent = swap): Promise<Json> {
  const { status, body } = await ask.post('/dex/quote', sent);
  if (status === 404) return { quote: null, requiresTrustline: null, alternatives: [] };
  const { quote, requiresTrustline, alternatives, ledger_index } = body;
  return { quote, requiresTrustline, alternatives, ledger_index };
}

const contentOf = ({ quote, requiresTrustline, alternatives }: Json) =>
  JSON.stringify({ quote, requiresTrustline, alternatives });

beforeAll(async () => {
  await pass(followed, 4 * HOUR, STEP);
  const { pools, accounts, tokens } = engine.state;
  const withXrp = Array.from({ length: pools.count - 1 }, (_, i) => i + 1).filter(
    (pool) => pools.exists(pool) && pools.asset1(pool) === 0,
  );
  const traded = (pool: number) => engine.market.accountCounts.trades(pools.accounts[pool]!);
  const [busiest] = withXrp.sort((a, b) => traded(b) - traded(a));
  const token = pools.asset2(busiest!);
  swap = {
    source_account: accounts.text(tokens.issuer(pools.asset2(withXrp.at(-1)!))),
    destination_token: `${tokens.issuerText(token)}-${tokens.currencyText(token)}`,
    source_value: '25',
  };
});

afterAll(async () => {
  await stop();
  expect([...log.messages, ...faults.messages]).toEqual([]);
});

test('the quote, and again after each ledger that changed it', async () => {
  const client = await open(`/ws/quote?${new URLSearchParams(swap)}`);
  let last = await answer();
  expect(last.quote).not.toBeNull();
  expect(await client.next()).toEqual({ type: 'initial', ...last });
  let changes = 0;
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    const packed = followed.world.step(STEP).packed();
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
    const now = await answer();
    if (contentOf(now) === contentOf(last)) continue;
    expect(await client.next()).toEqual({ e: 'quote', E: expect.any(Number), ...now });
    last = now;
    changes++;
  }
  expect(changes).toBeGreaterThan(2);
});

/** r-addresses of the accounts that a ledger creates. */
const createdBy = (packed: PackedLedger): string[] =>
  Array.from({ length: packed.count }, (_, i): Json => decode(Buffer.from(packed.meta(i)).toString('hex')))
    .flatMap(({ AffectedNodes }) => AffectedNodes)
    .filter(({ CreatedNode }) => CreatedNode?.LedgerEntryType === 'AccountRoot')
    .map(({ CreatedNode }) => CreatedNode.NewFields.Account);

test('who pays may be created after the subscription', async () => {
  const ledgers = Array.from({ length: LEDGERS }, () => followed.world.step(STEP).packed());
  const { accounts } = engine.state;
  const address = ledgers.flatMap(createdBy).find((one) => accounts.findText(one) === undefined);
  const sent = { ...swap, source_account: address!, source_value: '1' };
  const client = await open(`/ws/quote?${new URLSearchParams(sent)}`);
  let last = await answer(sent);
  expect(await client.next()).toEqual({ type: 'initial', ...last });
  const hasFunds = ({ quote }: Json) =>
    !quote.warnings.some(({ code }: Json) => code === 'insufficient_balance');
  expect(hasFunds(last)).toBe(false);
  for (const packed of ledgers) {
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
    const now = await answer(sent);
    if (contentOf(now) === contentOf(last)) continue;
    expect(await client.next()).toEqual({ e: 'quote', E: expect.any(Number), ...now });
    last = now;
  }
  expect(hasFunds(last)).toBe(true);
});

test('who joins others gets what they have, though its own search began a ledger earlier', async () => {
  const { quotes } = network.views;
  const sent = { ...swap, source_value: '26' };
  const path = `/ws/quote?${new URLSearchParams(sent)}`;
  const first = await open(path);
  const { type: _, ...before } = await first.next();
  const gate = Promise.withResolvers<void>();
  const { swap: search } = quotes;
  quotes.swap = async (request) => {
    const found = await search.call(quotes, request);
    await gate.promise;
    return found;
  };
  const second = await open(path);
  await Bun.sleep(50);
  quotes.swap = search;
  let now = before;
  while (contentOf(now) === contentOf(before)) {
    const packed = followed.world.step(STEP).packed();
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
    now = await answer(sent);
  }
  expect(await first.next()).toMatchObject(now);
  gate.resolve();
  expect(await second.next()).toEqual({ type: 'initial', ...now });
});

test('a search that fails is reported, whoever asks is told, and the next ledger is searched again', async () => {
  const { quotes } = network.views;
  const { swap: search } = quotes;
  const sent = { ...swap, source_value: '27' };
  const path = `/ws/quote?${new URLSearchParams(sent)}`;
  const client = await open(path);
  const { type: _, ...before } = await client.next();
  quotes.swap = () => Promise.reject(new Error('a fault of ours'));
  expect((await (await open(path)).closed).code).toBe(1011);
  const step = async () => {
    const packed = followed.world.step(STEP).packed();
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
  };
  await step();
  client.send({ type: 'ping' });
  await client.next(({ type }) => type === 'pong');
  quotes.swap = search;
  const reported = faults.messages.splice(0);
  for (const part of ['a stream failed: ', 'a job of a stream failed: '])
    expect(reported.some((one) => one.startsWith(part) && one.includes('a fault of ours'))).toBe(true);
  let now = before;
  while (contentOf(now) === contentOf(before)) {
    await step();
    now = await answer(sent);
  }
  expect(contentOf(await client.next())).toBe(contentOf(now));
  client.socket.close();
});

test('what cannot be quoted closes with the code of its kind', async () => {
  const { source_account, destination_token, source_value } = swap as Record<string, string>;
  const good = { source_account, destination_token, source_value };
  for (const [sent, code] of [
    [{ ...good, source_account: undefined }, 4021],
    [{ ...good, destination_token: undefined }, 4021],
    [{ ...good, source_value: undefined }, 4021],
    [{ ...good, source_value: 'many' }, 4025],
    [{ ...good, source_value: '0' }, 4025],
    [{ ...good, destination_value: '1' }, 4025],
    [{ ...good, source_account: 'nonsense' }, 4020],
    // The last character does not fit the others.
    [{ ...good, destination_account: 'rrrrrrrrrrrrrrrrrrrrBZbvjj' }, 4020],
    [{ ...good, destination_token: 'nonsense' }, 4020],
    [{ ...good, destination_token: 'rrrrrrrrrrrrrrrrrrrrBZbvji-USD' }, 4021],
    [{ ...good, source_token: destination_token }, 4025],
  ] as const) {
    const query = new URLSearchParams(
      Object.entries(sent).filter(([, value]) => value !== undefined) as never,
    );
    const client = await open(`/ws/quote?${query}`);
    expect([query.toString(), (await client.closed).code]).toEqual([query.toString(), code]);
  }
});

/** What the rows of section 4.3 say of accounts, against what the embedded network's node says of the same ledger. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import type { Source } from '../../../engine/ledger/source.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { casesOf } from '../../cases.ts';
import { type Ask, askerOf } from '../../embedded.ts';
import { quietLog as quiet } from '../../engine/ledger/quiet.ts';
import { World } from '../../sandbox/population/world.ts';
import { asker, type Json } from './ask.ts';

const seed = Number(process.env.SEED ?? 7_301);
console.log(`seed ${seed} (repeat with SEED=${seed})`);

/** Ledgers between two comparisons, an hour apart, and how many comparisons. */
const LEDGERS = 16;
const TIMES = casesOf(3, 12);
const STEP = 1200;
/** Accounts compared each time. */
const SAMPLE = 60;

const engine = new Engine({ store: new MemoryStore(), log: quiet });
const world = new World({ seed: `accounts ${seed}` });
const node: Ask = askerOf(world.network);
const source = {
  request: async ({ command, ...params }: { command: string } & JsonObject) => {
    try {
      return node(command, params);
    } catch (fault) {
      return { status: 'error', error: (fault as { token?: string }).token ?? 'unknown' };
    }
  },
} as unknown as Source;
const network = new Network({ engine, source });
const ask = asker(network);
const status = async (path: string): Promise<number> => (await ask.get(path)).status;
const get = async (path: string): Promise<Json> => {
  const { status, body } = await ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

async function step(): Promise<void> {
  for (let i = 0; i < LEDGERS; i++) {
    const packed = new PackedLedger(world.step(STEP).packed().bytes);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  }
  await engine.drain();
  world.flush();
}

/** Members of the root of an account of the ledger itself, of which one names what it is of. */
const OWN_TO_LEDGER = ['AMMID', 'VaultID', 'LoanBrokerID'];
/** Of those that existed when they were compared, members that were seen. */
const ownToLedger = new Set<string>();

/** Addresses of accounts that exist: those with the most entries, those of the ledger itself, and others. */
function sample(): string[] {
  const { accounts } = engine.state;
  const ids = Array.from({ length: accounts.count - 1 }, (_, i) => i + 1).filter((id) => accounts.exists(id));
  const most = ids.toSorted((a, b) => accounts.ownerCount[b]! - accounts.ownerCount[a]!).slice(0, SAMPLE / 2);
  const others = ids.filter((id, i) => i % Math.ceil((ids.length * 2) / SAMPLE) === 0 && !most.includes(id));
  const chosen = [...most, ...others].map((id) => accounts.text(id));
  const roots = all('ledger_data', 'state', { ...validated, type: 'account' });
  const found = OWN_TO_LEDGER.flatMap((name) => roots.find((root) => root[name] !== undefined) ?? []);
  return [...new Set([...chosen, ...found.map(({ Account }) => Account as string)])];
}

/** All of a list of the node's. */
function all(command: string, list: string, params: JsonObject): Json[] {
  const rows: Json[] = [];
  let marker: unknown;
  do {
    const answer = node(command, {
      ...params,
      limit: 400,
      ...(marker !== undefined && { marker }),
    } as JsonObject);
    rows.push(...(answer[list] as Json[]));
    ({ marker } = answer);
  } while (marker !== undefined);
  return rows;
}

/** Index of the FeeSettings entry. */
const FEE_SETTINGS = '4BC50C9B0D8515D3EAAE1E74B29A95804346C491EE1A95BF25E4AAB854A6A651';
const validated = { ledger_index: 'validated' };

beforeAll(step);

describe('after each of several hours', () => {
  for (let time = 0; time < TIMES; time++)
    test(`${time + 1}: balances, lines and offers are the node's`, async () => {
      if (time > 0) await step();
      for (const account of sample()) {
        await sameBalance(account);
        await sameLines(account);
        await sameOffers(account);
      }
      expect(ownToLedger).toContain('AMMID');
    });
});

async function sameBalance(account: string): Promise<void> {
  const { account_data: root } = node('account_info', { account, ...validated }) as Json;
  const { node: fees } = node('ledger_entry', { index: FEE_SETTINGS, ...validated }) as Json;
  const named = OWN_TO_LEDGER.find((name) => root[name] !== undefined);
  if (named !== undefined) ownToLedger.add(named);
  // The ledger asks for no reserve of its own accounts (rippled `xrpLiquid`).
  const reserve =
    named === undefined
      ? BigInt(fees.ReserveBaseDrops) + BigInt(fees.ReserveIncrementDrops) * BigInt(root.OwnerCount)
      : 0n;
  const above = BigInt(root.Balance) - reserve;
  const spendable = above > 0n ? above : 0n;
  const answer = await get(`/account/balance/${account}`);
  expect(answer).toMatchObject({
    account,
    balanceDrops: root.Balance,
    total: Number(root.Balance) / 1e6,
    reserveDrops: String(reserve),
    spendableDrops: String(spendable),
    balance: Number(spendable) / 1e6,
    ownerCount: root.OwnerCount,
    sequence: root.Sequence,
    flags: root.Flags,
  });
  const info = await get(`/account/info/${account}`);
  expect(info.account_data).toEqual(root);
  const { took: _, ...live } = await get(`/account/info/live/${account}`);
  expect(info).toMatchObject(live);
  expect([live.balance, live.account_data.Flags, live.flags]).toEqual([root.Balance, root.Flags, root.Flags]);
  expect(await get(`/account/balance/${account}?simple=true`)).toMatchObject({
    balance: answer.balance,
    total: answer.total,
  });
}

const key = (currency: string, issuer: string) => `${currency} ${issuer}`;

async function sameLines(account: string): Promise<void> {
  const lines = all('account_lines', 'lines', { account, ...validated });
  const held = lines.filter(
    ({ balance, limit }) => Number(balance) > 0 || (balance === '0' && limit !== '0'),
  );
  const expected = new Map(held.map((row) => [key(row.currency, row.account), row]));
  const rows: Json[] = [];
  for (let offset = 0; ; offset += 50) {
    const page = await get(`/trustlines/${account}?includeZero=true&limit=50&offset=${offset}`);
    rows.push(...page.lines);
    expect(page.accountActive).toBe(true);
    if (rows.length >= page.total) break;
  }
  const trusted = rows.filter(
    ({ limit, currency, issuer }) => limit !== undefined && expected.has(key(currency, issuer)),
  );
  expect([account, trusted.length]).toEqual([account, expected.size]);
  for (const row of trusted) {
    const { balance, limit } = expected.get(key(row.currency, row.issuer))!;
    expect([Number(row.balance), Number(row.limit)]).toEqual([Number(balance), Number(limit)]);
  }
  const withoutZero = await get(`/trustlines/${account}?limit=1`);
  expect(withoutZero.total).toBe(rows.filter(({ balance }) => Number(balance) > 0).length);
  const raw = await get(`/trustlines/${account}?format=raw&includeZero=true&limit=50`);
  const entries = all('account_objects', 'account_objects', { account, type: 'state', ...validated });
  for (const { _id, ...entry } of raw.lines)
    if (entry.LedgerEntryType === 'RippleState')
      expect(entries).toContainEqual(expect.objectContaining({ ...entry, Flags: entry.Flags }));
}

async function sameOffers(account: string): Promise<void> {
  const offers = all('account_offers', 'offers', { account, ...validated });
  const rows: Json[] = [];
  for (let offset = 0; ; offset += 50) {
    const page = await get(`/account/offers/${account}?limit=50&offset=${offset}`);
    rows.push(...page.offers);
    if (rows.length >= page.total) break;
  }
  const shown = (amount: Json) =>
    typeof amount === 'string'
      ? ['XRP', 'XRPL', Number(amount) / 1e6]
      : amount.mpt_issuance_id
        ? [amount.mpt_issuance_id, undefined, Number(amount.value)]
        : [amount.currency, amount.issuer, Number(amount.value)];
  const found = rows.map((row) => ({
    seq: row.seq,
    flags: row.flags,
    gets: [row.gets.currency, row.gets.issuer, Number(row.gets.value)],
    pays: [row.pays.currency, row.pays.issuer, Number(row.pays.value)],
  }));
  const expected = offers.map((offer) => ({
    seq: offer.seq,
    flags: offer.flags,
    gets: shown(offer.taker_gets),
    pays: shown(offer.taker_pays),
  }));
  expect(found).toEqual(expected.toSorted((a, b) => b.seq - a.seq));
}

describe('rows that the node answers', () => {
  test('have its members', async () => {
    const [account] = sample();
    const pairs: [string, string, JsonObject][] = [
      [`/account/trustlines/${account}?limit=20`, 'account_lines', { account: account!, limit: 20 }],
      [`/account/currencies/${account}`, 'account_currencies', { account: account! }],
      [`/account/gateway/${account}`, 'gateway_balances', { account: account!, strict: true }],
      [`/account/nfts/${account}?limit=20`, 'account_nfts', { account: account!, limit: 20 }],
      [
        `/account/objects/${account}?limit=20&type=offer`,
        'account_objects',
        { account: account!, limit: 20, type: 'offer' },
      ],
      [`/account/channels/${account}?limit=20`, 'account_channels', { account: account!, limit: 20 }],
      [
        `/account/noripple/${account}?role=user`,
        'noripple_check',
        { account: account!, role: 'user', limit: 200, transactions: true },
      ],
      [
        `/account/deposit-authorized?source=${account}&destination=${account}`,
        'deposit_authorized',
        { source_account: account!, destination_account: account! },
      ],
    ];
    for (const [path, command, params] of pairs) {
      const { success, attribution, took, ...answer } = await get(path);
      const { status, ...expected } = node(command, { ...params, ...validated });
      // Nodes say how long a page may be where there is another one.
      const { limit } = params;
      const isList = limit !== undefined && command !== 'noripple_check';
      expect([path, answer]).toEqual([path, { ...expected, ...(isList && { limit }) }]);
    }
    const { objects } = await get(`/account/checks/${account}`);
    expect(objects).toEqual(
      all('account_objects', 'account_objects', { account: account!, type: 'check', ...validated }),
    );
  });

  test('page by its markers, and hand its errors on', async () => {
    const account = sample().find(
      (one) => all('account_objects', 'account_objects', { account: one, ...validated }).length > 10,
    )!;
    const rows: Json[] = [];
    let marker = '';
    do {
      const answer = await get(`/account/objects/${account}?limit=10&marker=${encodeURIComponent(marker)}`);
      expect(answer.account_objects.length).toBeLessThanOrEqual(10);
      rows.push(...answer.account_objects);
      marker = answer.marker ?? '';
    } while (marker !== '');
    expect(rows).toEqual(all('account_objects', 'account_objects', { account, ...validated }));
    const { result } = await get('/account/objects/rrrrrrrrrrrrrrrrrrrrrhoLvTp');
    expect(result.status).toBe('error');
  });

  test('of a node that answers something else: 503', async () => {
    const hostile = { request: async () => ({ lines: 'none', account: 7 }) } as unknown as Source;
    const { get: askHostile } = asker(new Network({ engine, source: hostile }));
    expect((await askHostile(`/account/trustlines/${sample()[0]}`)).status).toBe(503);
    const long = { request: async () => ({ lines: Array(5000).fill({}) }) } as unknown as Source;
    const { body } = await asker(new Network({ engine, source: long })).get(
      `/account/trustlines/${sample()[0]}?limit=10`,
    );
    expect(body.lines.length).toBe(10);
  });
});

describe('assets that can be none', () => {
  const currencies = ['USDM', '524C55534400000000000000000000000000000', 'US D'];

  test('are refused in a pair: nothing of them can be held', async () => {
    const [holder, issuer] = sample();
    const pair = (query: object) =>
      status(`/account/balance/pair/${holder}?${new URLSearchParams({ ...query })}`);
    for (const curr2 of currencies)
      expect([curr2, await pair({ curr2, issuer2: issuer })]).toEqual([curr2, 400]);
    for (const issuer2 of ['', 'XRPL', 'bad'])
      expect([issuer2, await pair({ curr2: 'USD', issuer2 })]).toEqual([issuer2, 400]);
    for (const query of [
      {},
      { curr1: 'xrp' },
      { curr1: 'XRP', issuer1: 'XRPL', curr2: 'USD', issuer2: issuer },
      { curr2: 'AB'.repeat(24) },
    ])
      expect([query, await pair(query)]).toEqual([query, 200]);
  });

  test('are refused as a trust line', async () => {
    const [holder, issuer] = sample();
    for (const currency of currencies)
      expect(await status(`/account/trustline/${holder}/${issuer}/${encodeURIComponent(currency)}`)).toBe(
        400,
      );
    expect(await get(`/account/trustline/${holder}/${issuer}/ZZZ`)).toMatchObject({ hasTrustline: false });
  });
});

describe('paging', () => {
  test('offers: a limit that is out of range resets, and the offset snaps', async () => {
    const [account] = sample();
    expect(await get(`/account/offers/${account}?limit=51`)).toMatchObject({ limit: 10, offset: 0 });
    expect(await get(`/account/offers/${account}?limit=0`)).toMatchObject({ limit: 10 });
    expect(await get(`/account/offers/${account}?limit=4&offset=11`)).toMatchObject({ limit: 4, offset: 8 });
  });

  test('lines: more of them only by value, and the most valuable first', async () => {
    const [account] = sample();
    expect((await get(`/trustlines/${account}?limit=2000`)).limit).toBe(50);
    const byValue = await get(`/trustlines/${account}?limit=2000&sort_by_value=true`);
    expect(byValue.limit).toBe(2000);
    const values = byValue.lines.map(({ value }: Json) => value);
    expect(values).toEqual(values.toSorted((a: number, b: number) => b - a));
    const second = await get(`/trustlines/${account}?limit=1&offset=1&sort_by_value=true`);
    expect(second.lines).toEqual(byValue.lines.slice(1, 2));
  });
});

test('trades since a time are those of that time, and all later ones', async () => {
  let compared = 0;
  for (const account of sample()) {
    const { trades } = await get(`/account/recent-trades/${account}?limit=100`);
    const time = trades[Math.floor(trades.length / 2)]?.time;
    if (time === undefined || trades.length === 100) continue;
    const shown = await get(`/account/recent-trades/${account}?limit=100&since=${time}`);
    expect(shown.trades).toEqual(trades.filter((trade: Json) => trade.time >= time));
    compared += shown.count;
  }
  expect(compared).toBeGreaterThan(5);
});

test('rank counts the accounts with more', async () => {
  const { accounts } = engine.state;
  const ids = Array.from({ length: accounts.count - 1 }, (_, i) => i + 1).filter((id) => accounts.exists(id));
  for (const id of [ids[0]!, ids.at(-1)!, ids[Math.floor(ids.length / 2)]!]) {
    const more = ids.filter((one) => accounts.balanceDrops(one) > accounts.balanceDrops(id)).length;
    expect((await get(`/account/balance/${accounts.text(id)}?rank=true`)).rank).toBe(more + 1);
  }
});

test('shares of pools: LP tokens of all holders have all of the pool', async () => {
  const { accounts, lines, pools, tokens } = engine.state;
  const pool = Array.from({ length: pools.count - 1 }, (_, i) => i + 1).find(
    (one) => pools.exists(one) && lines.holdersCount(pools.lpToken(one)) > 1,
  )!;
  const lpToken = pools.lpToken(pool);
  let share = 0;
  for (const line of lines.holders(lpToken).slice()) {
    const address = accounts.text(lines.holderAccount(line, lpToken));
    const { positions, result } = await get(`/lp-positions/${address}`);
    expect(result).toBe('success');
    const position = positions[accounts.text(pools.accounts[pool]!)];
    if (!position) continue;
    share += position.poolShare;
    expect(position.currentLpBalance).toBe(tokens.text(lpToken, ...lines.balanceRaw(line, lpToken)));
    if (position.holdValueXrp !== null)
      expect(position.ilPercent).toBeCloseTo((position.poolValueXrp / position.holdValueXrp - 1) * 100, 2);
  }
  expect(share).toBeCloseTo(100, 4);
});

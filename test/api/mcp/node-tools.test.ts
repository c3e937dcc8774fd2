/** Tools that ask the node, or read the whole state, over the embedded network, against its own ledger. */
import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { Source } from '../../../engine/ledger/source.ts';
import { unixMs } from '../../../engine/ripple-time.ts';
import { Network } from '../../../views/network.ts';
import { casesOf } from '../../cases.ts';
import { type Embedded, embedded } from '../../embedded.ts';
import { type Asker, asker, type Json } from '../routes/ask.ts';
import { answerSizeTests } from './answer-sizes.ts';
import { clusterTests } from './cluster-cases.ts';
import { cutListTests } from './cut-lists.ts';
import { argumentsOf, misfitsOf } from './drawn.ts';
import { escrowTests } from './escrow-cases.ts';
import { nftTests } from './nft-cases.ts';
import { poolTests } from './pool-cases.ts';
import { promptTests } from './prompt-steps.ts';
import { everyPage, type Listed, valuesOf } from './served.ts';
import { sumTests } from './sum-cases.ts';
import { wrongValueTests } from './wrong-values.ts';

/** Hours of the population: escrows, frozen lines, tokens taken back. */
const LEDGERS = 400;

const seed = Number(process.env.SEED ?? 20_261_124);

let net: Embedded;
let service: Asker;
let entries: JsonObject[];
let tools: Listed[];
let values: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  net = await embedded(LEDGERS);
  const source = {
    range: () => undefined,
    latest: () => undefined,
    request: async ({ command, ...params }: { command: string } & JsonObject) => {
      try {
        return net.ask(command, params);
      } catch (error) {
        return { status: 'error', error: (error as { token?: string }).token ?? 'refused' };
      }
    },
  } as unknown as Source;
  service = asker(new Network({ engine: net.engine, source }));
  tools = await everyPage(async (params) => (await rpc('tools/list', params)).result);
  values = valuesOf(await known());
  entries = [];
  for (let marker: unknown; ; ) {
    const asked = { ledger_index: 'validated', limit: 2000, ...(marker !== undefined && { marker }) };
    const page = net.ask('ledger_data', asked as JsonObject);
    entries.push(...(page.state as JsonObject[]));
    marker = page.marker;
    if (marker === undefined) break;
  }
});

const rpc = async (method: string, params: object): Promise<Json> =>
  (await service.post('/mcp', { jsonrpc: '2.0', id: 1, method, params })).body;

const ask = async (name: string, sent: object): Promise<Json> =>
  (await rpc('tools/call', { name, arguments: sent })).result;

/** A token that is traded, one of its traders, and what that one sent last. */
async function known() {
  const { tokens } = (await service.get('/tokens?sort=vol24hxrp&limit=1')).body;
  const { md5 } = tokens[0];
  const { data } = (await service.get('/token/analytics/traders?sort=totalVolume&limit=1')).body;
  const account = data[0].address;
  const { hash } = (await service.get(`/account/tx/${account}?limit=1`)).body.txs[0];
  const { collections } = (await service.get('/nft/collections?limit=1')).body;
  return { md5, account, hash, index: '', slug: collections[0]?.slug };
}

/** What a tool answers. */
async function answer(name: string, sent: object): Promise<Json> {
  const { isError, content, structuredContent } = await ask(name, sent);
  if (isError) throw new Error(content[0].text);
  return structuredContent;
}

const ofType = (type: string) => entries.filter(({ LedgerEntryType }) => LedgerEntryType === type);

describe('escrows', () => escrowTests({ net: () => net, ofType, answer }));

test('amendments are those of the node', async () => {
  const { features } = net.ask('feature', {}) as { features: Record<string, JsonObject> };
  const rows = Object.values(features);
  const found = await answer('get_validators', { history: true, locations: true });
  const enabled = rows.filter((row) => row.enabled === true);
  expect(found.enabled).toBe(enabled.length);
  expect(found.enabledNames.toSorted()).toEqual(enabled.map(({ name }) => String(name)).toSorted());
  expect(found.amendments).toHaveLength(rows.length - enabled.length);
  expect(Object.keys(found.notShown)).toEqual(['locations']);
  const { name } = enabled[0]!;
  expect((await answer('get_validators', { amendment: name })).amendments).toMatchObject([
    { name, enabled: true },
  ]);
  expect(answer('get_validators', { amendment: 'none' })).rejects.toThrow('no such amendment');
});

test('the distribution of XRP is that of all accounts', async () => {
  const balances = ofType('AccountRoot')
    .map(({ Balance }) => Number(Balance))
    .sort((a, b) => a - b);
  const found = await answer('get_xrp_distribution', {
    min_xrp: 1000,
    inactive_years: 1,
    list: true,
    limit: 3,
  });
  const n = balances.length;
  expect(found.accounts).toBe(n);
  // Whole drops: each of the amounts is, and so is their sum.
  const xrp = (ones: readonly number[]) => ones.reduce((sum, one) => sum + one, 0) / 1e6;
  for (const { from, to, total } of found.buckets.slice(0, 5))
    expect(total).toBe(xrp(balances.filter((one) => one >= from * 1e6 && one < to * 1e6)));
  expect(found.xrp).toBeCloseTo(xrp(balances), 0);
  // Members named total are counts of what a list was cut from: XRP must not be read as one.
  expect(found.total).toBeUndefined();
  expect(found.median).toBe((balances[Math.floor((n - 1) / 2)]! + balances[Math.floor(n / 2)]!) / 2e6);
  expect(found.above.accounts).toBe(balances.filter((one) => one >= 1000e6).length);
  expect(found.inactive.known.accounts).toBe(0);
  expect(found.largest.map(({ balance }: Json) => Math.round(Number(balance)))).toEqual(
    balances
      .slice(-3)
      .reverse()
      .map((drops) => Math.round(drops / 1e6)),
  );
  const { labels } = await answer('get_xrp_distribution', { by_label: true });
  expect(labels.length).toBeGreaterThan(0);
});

test('freezes and clawbacks of issuers are all those of the ledgers', async () => {
  const sent = net.ledgers.flatMap(({ transactions }) =>
    transactions.map(({ hashText }) => net.ask('tx', { transaction: hashText })),
  );
  const txOf = (row: JsonObject) => row.tx_json as JsonObject;
  const isDone = ({ meta }: JsonObject) => (meta as JsonObject).TransactionResult === 'tesSUCCESS';
  const frozen = sent.filter((row) => {
    const { TransactionType, Flags } = txOf(row);
    return isDone(row) && TransactionType === 'TrustSet' && (Number(Flags) & 0x0050_0000) !== 0;
  });
  const taken = sent.filter((row) => isDone(row) && txOf(row).TransactionType === 'Clawback');
  for (const [action, rows] of [
    ['freeze', frozen],
    ['clawback', taken],
  ] as const) {
    const issuers = new Set(rows.map((row) => String(txOf(row).Account)));
    const found: string[] = [];
    for (const account of issuers)
      for (const { hash } of (await answer('get_issuer_actions', { account, action, limit: 200 })).actions)
        found.push(hash);
    expect(found.toSorted()).toEqual(rows.map(({ hash }) => String(hash)).toSorted());
  }
  console.log(`${frozen.length} lines frozen, ${taken.length} clawbacks`);
});

test('what happened on the network is what a recount of its transactions says', async () => {
  // One breakdown a call: long lists of several would be cut to fit.
  const found: Json = {};
  for (const more of [
    { created_by: true },
    { large_transfers: true, limit: 10 },
    { failed_senders: true },
    { daily: true },
    { dex_by_hour: true },
  ])
    Object.assign(found, await answer('get_network_activity', { hours: 24, limit: 100, ...more }));
  // The network is younger than a day: what was before is not known.
  expect(found.truncated).toBe(true);
  expect((await answer('get_network_activity', { hours: 0.2 })).truncated).toBeUndefined();
  const closed = net.ledgers.filter(({ closeTime }) => {
    const time = unixMs(closeTime);
    return time >= Date.parse(found.from) && time <= Date.parse(found.until);
  });
  expect(closed.length).toBe(found.ledgers);
  const rows = closed
    .flatMap(({ transactions }) =>
      transactions.map(({ hashText }) => net.ask('tx', { transaction: hashText })),
    )
    .map((row) => ({ hash: row.hash, tx: row.tx_json as Json, meta: row.meta as Json }))
    .filter(({ tx }) => tx.Account !== 'rrrrrrrrrrrrrrrrrrrrrhoLvTp');
  const done = rows.filter(({ meta }) => meta.TransactionResult === 'tesSUCCESS');
  const paid = done.filter(({ tx }) => tx.TransactionType === 'Payment');
  const inXrp = paid.filter(({ meta }) => typeof meta.delivered_amount === 'string');
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  expect([found.transactions, found.failed]).toEqual([rows.length, rows.length - done.length]);
  expect(found.fees).toBeCloseTo(sum(rows.map(({ tx }) => Number(tx.Fee))) / 1e6, 6);
  expect(found.payments.count).toBe(paid.length);
  expect(found.payments.xrp).toBeCloseTo(
    sum(inXrp.map(({ meta }) => Number(meta.delivered_amount))) / 1e6,
    3,
  );
  const types = Map.groupBy(rows, ({ tx }) => tx.TransactionType);
  for (const { type, count } of found.types) expect([type, count]).toEqual([type, types.get(type)?.length]);
  const created = sum(
    done.map(
      ({ meta }) =>
        meta.AffectedNodes.filter(({ CreatedNode }: Json) => CreatedNode?.LedgerEntryType === 'AccountRoot')
          .length,
    ),
  );
  expect(sum(found.created_by.map(({ accounts }: Json) => accounts))).toBe(created);
  const sent = inXrp
    .filter(({ tx }) => tx.Account !== tx.Destination)
    .sort((a, b) => Number(b.meta.delivered_amount) - Number(a.meta.delivered_amount));
  expect(found.large_transfers.map(({ xrp }: Json) => xrp)).toEqual(
    sent.slice(0, 10).map(({ meta }) => Number(meta.delivered_amount) / 1e6),
  );
  expect(found.large_transfers[0].hash).toBe(sent[0]!.hash);
  expect(sum(found.failed_senders.map(({ failed }: Json) => failed))).toBe(found.failed);
  expect(sum(found.daily.map(({ transactions }: Json) => transactions))).toBe(found.transactions);
  const took = ({ meta }: (typeof rows)[number]) =>
    meta.AffectedNodes.some(({ ModifiedNode, DeletedNode }: Json) => {
      const node = ModifiedNode ?? DeletedNode;
      return node?.LedgerEntryType === 'Offer' && node.PreviousFields?.TakerPays !== undefined;
    });
  expect(found.trades).toBeGreaterThanOrEqual(done.filter(took).length);
  expect(sum(found.dex_by_hour.map(({ trades }: Json) => trades))).toBe(found.trades);
  console.log(
    `${rows.length} transactions, ${found.trades} trades, ${done.filter(took).length} of them of offers`,
  );
});

test('a census counts the entries of the newest ledger', async () => {
  const { census } = await answer('get_network_activity', { hours: 0.1, census: true });
  expect(ofType('MPToken').length).toBeGreaterThan(0);
  expect([census.accounts, census.trustLines, census.offers]).toEqual(
    ['AccountRoot', 'RippleState', 'Offer'].map((type) => ofType(type).length),
  );
});

test('until a date means until its end, in every tool that takes a time', async () => {
  const last = unixMs(net.ledgers.at(-1)!.closeTime);
  const until = new Date(last).toISOString().slice(0, 10);
  const dated = tools.filter(({ inputSchema }) => 'until' in inputSchema.properties);
  expect(dated.length).toBeGreaterThan(4);
  for (const { name, inputSchema } of dated) {
    const named = inputSchema.required ?? ['id'].filter((one) => one in inputSchema.properties);
    const sent = Object.fromEntries(named.map((one) => [one, values[one]]));
    const found = await answer(name, { ...sent, until });
    expect(found, name).toEqual(await answer(name, { ...sent, until: `${until}T23:59:59.999Z` }));
    const lists = Object.values(found).filter((one) => Array.isArray(one)) as Json[][];
    // Attacks are few, and none need be of this token.
    if (name !== 'find_sandwich_attacks') expect(lists.flat().length, name).toBeGreaterThan(0);
  }
});

test('what a sale loses is counted from the price of a small one, whatever sizes are asked for', async () => {
  const { id } = values;
  const { sizes } = await answer('get_exit_liquidity', { id, xrp_sizes: [100, 1000, 5000, 20_000] });
  const sold = sizes.filter(({ possible }: Json) => possible);
  expect(sold.at(-1).belowBestPct).toBeGreaterThan(sold[0].belowBestPct);
  for (const one of sold)
    expect((await answer('get_exit_liquidity', { id, xrp_sizes: [one.xrp] })).sizes).toEqual([one]);
});

test('the oldest tokens of a search are among those that it finds, and all that have the name', async () => {
  const { tokens } = (await service.get('/tokens?sort=holders&limit=5')).body;
  for (const { md5, issuer, currency, name, domain } of tokens)
    for (const query of [md5, issuer, `${issuer}-${currency}`, name, domain ?? name]) {
      const { pagination, tokens: all } = (await service.post('/search', { search: query, limit: 100 })).body;
      const found = await answer('search_tokens', { query });
      expect([found.total, found.tokens.length], query).toEqual([pagination.total, Math.min(20, all.length)]);
      const { tokens: named } = (await service.get(`/tokens?filter=${query}&limit=100`)).body;
      const created = new Map([...all, ...named].map((one: Json) => [one.md5, one.dateon]));
      const oldest = await answer('search_tokens', { query, oldest: true });
      expect(oldest.total, query).toBe(created.size);
      expect(oldest.tokens.map(({ dateon }: Json) => dateon)).toEqual(
        [...created.values()].sort((a, b) => a - b).slice(0, 20),
      );
    }
});

test('the candle of a time is the one that has it', async () => {
  const { id } = values;
  for (const resolution of ['5', '60', 'D']) {
    const { ohlc } = (await service.get(`/ohlc/${id}?resolution=${resolution}`)).body;
    expect(ohlc.length).toBeGreaterThan(resolution === 'D' ? 0 : 2);
    for (const [i, candle] of ohlc.entries())
      for (const at of [candle[0], (ohlc[i + 1]?.[0] ?? candle[0] + 1) - 1])
        expect((await answer('get_ohlc', { id, resolution, at })).ohlc).toEqual([candle]);
  }
});

test('tokens by relative strength are in the order of the timeframe, and show it', async () => {
  const { tokens } = await answer('get_rsi', { timeframe: '15m', order: 'asc' });
  const shown = tokens.map(({ rsi15m }: Json) => rsi15m);
  expect(shown.length).toBeGreaterThan(3);
  expect(shown.every((one: unknown) => typeof one === 'number')).toBe(true);
  expect(shown).toEqual(shown.toSorted((a: number, b: number) => a - b));
});

test('a summary counts the types of the transactions of an account, and with how many others they were', async () => {
  const { account } = values;
  const { types } = await answer('get_account_transactions', { account, summary: true });
  const { transactions } = net.ask('account_tx', { account, limit: 200 } as JsonObject) as Json;
  const counts = new Map<string, { count: number; others: Set<string> }>();
  for (const { tx_json } of transactions) {
    const { TransactionType: type, Account, Destination } = tx_json;
    const found = counts.get(type) ?? { count: 0, others: new Set() };
    counts.set(type, found);
    found.count++;
    for (const one of [Account, Destination]) if (one !== undefined && one !== account) found.others.add(one);
  }
  const shown = types.map(({ type, count, accounts }: Json) => [type, count, accounts]);
  expect(shown.sort()).toEqual(
    Array.from(counts, ([type, { count, others }]) => [type, count, others.size]).sort(),
  );
});

test('transactions of a time are found however many others the account has', async () => {
  const sorted: number[] = [];
  const { sort } = Array.prototype;
  Array.prototype.sort = function (this: unknown[], ...how) {
    sorted.push(this.length);
    return sort.apply(this, how);
  };
  const most = await answer('get_network_activity', { hours: 24, most_transactions: true, limit: 1 }).finally(
    () => {
      Array.prototype.sort = sort;
    },
  );
  // There may be a hundred thousand senders: they are not put in order to show one.
  expect(most.senders).toBeGreaterThan(20);
  expect(sorted.filter((length) => length >= most.senders)).toEqual([]);
  const { account } = most.most_transactions[0];
  const asked = { account, limit: 2000, ledger_index_min: 1, ledger_index_max: -1, forward: true };
  const all = (net.ask('account_tx', asked as JsonObject) as Json).transactions as Json[];
  // More than a page of the route on either side.
  expect(all.length).toBeGreaterThan(500);
  const middle = all.slice(all.length / 2 - 3, all.length / 2 + 3);
  const [since, until] = [middle[0]!, middle.at(-1)!].map(({ close_time_iso }) => close_time_iso);
  const inTime = all.filter(({ close_time_iso: time }) => time >= since && time <= until);
  for (const order of ['oldest', 'newest']) {
    const found = await answer('get_account_transactions', { account, since, until, order });
    const hashes = inTime.map(({ hash }) => hash);
    if (order === 'newest') hashes.reverse();
    expect(found.transactions.map(({ hash }: Json) => hash)).toEqual(hashes);
    expect(found.hasMore).toBe(false);
  }
});

test('what issuers made of MPTs is in tokens, as what there is of them', async () => {
  const { tokens } = (await service.get('/tokens?token_type=mpt')).body;
  let compared = 0;
  for (const { issuer: account, mptIssuanceID: id, amount, assetScale } of tokens) {
    const { actions, supply } = await answer('get_issuer_actions', { account, supply: true, limit: 200 });
    const made = supply.find(({ currency }: Json) => currency === id);
    // Shares of vaults are not made by payments.
    if (!made) continue;
    const { issued, net } = made;
    const clawed = actions
      .filter(({ action, currency }: Json) => action === 'clawback' && currency === id)
      .reduce((sum: number, one: Json) => sum + Number(one.amount), 0);
    expect([id, Number(net) - clawed]).toEqual([id, Number(amount)]);
    const { transactions } = await answer('get_account_transactions', { account, types: ['Payment'] });
    const paid = transactions
      .filter(({ account: other, delivered }: Json) => other === undefined && String(delivered).endsWith(id))
      .reduce((sum: number, { delivered }: Json) => sum + Number(delivered.split(' ')[0]), 0);
    expect([id, paid]).toEqual([id, Number(issued)]);
    if (assetScale > 0) compared++;
  }
  expect(compared).toBeGreaterThan(0);
});

test('a call in the background is answered with a job, which has the same answer later', async () => {
  const [{ Account: account }] = ofType('Escrow') as [JsonObject];
  const direct = await answer('get_payment_flows', { account });
  const { job, state } = await answer('get_payment_flows', { account, background: true });
  expect(state).toBe('running');
  for (;;) {
    const found = await answer('get_job', { job });
    if (found.state === 'running') continue;
    expect(found).toMatchObject({ state: 'done', tool: 'get_payment_flows', answer: direct });
    break;
  }
  expect(answer('get_job', { job: 'x' })).rejects.toThrow('no such job');
});

test('pools are those with at least the liquidity that is asked for', async () => {
  const { pools } = (await service.get('/amm?limit=100&sort=liquidity')).body;
  const amounts: number[] = pools.map((pool: Json) => pool.apy24h.liquidity);
  const middle = amounts[2]!;
  expect(middle).toBeLessThan(amounts[0]!);
  const found = await answer('get_amm_pools', { min_liquidity: middle, sort: 'liquidity', limit: 100 });
  expect(found.pools.map((pool: Json) => pool.apy24h.liquidity)).toEqual(
    amounts.filter((one) => one >= middle),
  );
});

test('every holder is in one group of each kind, and risk has points for what it counts', async () => {
  const { tokens } = (await service.get('/tokens?sort=holders&limit=1')).body;
  const { md5 } = tokens[0];
  const found = await answer('get_holder_cohorts', { id: md5 });
  const sum = (rows: Json[]) => rows.reduce((all: number, row: Json) => all + row.holders, 0);
  expect(found.compared).toBeGreaterThan(5);
  expect([sum(found.byAge), sum(found.byProfit)]).toEqual([found.compared, found.compared]);
  for (const { profit } of [...found.byAge, ...found.byProfit])
    expect(profit).toBe(Number(profit.toFixed(6)));
  const { holders, clustered } = await answer('get_holder_clusters', { id: md5, all_holders: true });
  const largest = await answer('get_holder_clusters', { id: md5, top: 1000 });
  // Fewer hold it than are looked at: both are the same holders.
  expect(found.holders).toBeLessThan(1000);
  expect([holders, clustered]).toEqual([largest.holders, largest.clustered]);
  const { selected } = await answer('get_holder_cohorts', { id: md5, profit: 'ahead' });
  const ahead = found.byProfit.find(({ cohort }: Json) => cohort === 'ahead');
  expect(selected).toBe(ahead?.holders ?? 0);
  for (const { account } of found.largest.slice(0, 5)) {
    const { score, factors } = await answer('get_wallet_risk', { account });
    const points = factors.reduce((all: number, one: Json) => all + one.points, 0);
    expect(score).toBe(Math.min(100, points));
  }
});

describe('holders', () =>
  clusterTests({
    ofType,
    answer,
    engine: () => net.engine,
    ledgers: () => net.ledgers.map(({ index }) => index),
    get: async (path) => (await service.get(path)).body,
  }));

test('any arguments that the schemas allow are answered as the schemas say, or refused with what to do', async () => {
  for (const tool of tools) {
    await fc.assert(
      fc.asyncProperty(argumentsOf(tool, values), async (sent) => {
        const { content, structuredContent, isError } = await ask(tool.name, sent);
        expect(content[0].text, `${tool.name} ${JSON.stringify(sent)}`).not.toContain(
          'Internal server error',
        );
        expect(isError === true).toBe(structuredContent === undefined);
        expect(misfitsOf(tool, structuredContent), `${tool.name} ${JSON.stringify(sent)}`).toEqual([]);
      }),
      { numRuns: casesOf(1, 25), seed },
    );
  }
}, 600_000);

describe('NFTs', () =>
  nftTests({ answer, get: async (path) => (await service.get(path)).body, values: () => values }));

test('tokens of issuers with a setting are those whose issuer has its flag', async () => {
  const of = async (sent: object) =>
    (await answer('get_tokens_by_category', { min_marketcap: 0, min_holders: 0, limit: 100, ...sent }))
      .tokens;
  const flags = new Map(ofType('AccountRoot').map(({ Account, Flags }) => [Account, Number(Flags)]));
  const all: Json[] = await of({ rank_by: 'holders' });
  expect(all.map(({ holders }) => holders)).toEqual(all.map(({ holders }) => holders).sort((a, b) => b - a));
  for (const [issuer_setting, flag] of [
    ['clawback', 0x80000000],
    ['default_ripple', 0x00800000],
  ] as const) {
    const found = (await of({ issuer_setting })).map(({ md5 }: Json) => md5).toSorted();
    const expected = all.filter(({ issuer }) => ((flags.get(issuer) ?? 0) & flag) !== 0);
    expect(found).toEqual(expected.map(({ md5 }) => md5).toSorted());
  }
});

describe('pools and owners', () => {
  const get = async (path: string): Promise<Json> => (await service.get(path)).body;
  poolTests({ ofType, answer, get, node: (command, params) => net.ask(command, params) });
});

const asked = { tools: () => tools, values: () => values, ask };
describe('answers', () => answerSizeTests(asked));
describe('lists', () => cutListTests(asked));
describe('sums', () => sumTests({ values: () => values, answer }));
describe('errors', () => wrongValueTests(asked));
describe('prompts', () =>
  promptTests({ ...asked, request: async (method, params) => (await rpc(method, params)).result }));

/** Transactions and earlier holdings of accounts, against what the embedded network's node says, and said then. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Json as CodecJson, JsonObject } from '../../../engine/codec/json.ts';
import { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import type { Source } from '../../../engine/ledger/source.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { casesOf } from '../../cases.ts';
import { type Ask, askerOf } from '../../embedded.ts';
import { quietLog as quiet } from '../../engine/ledger/quiet.ts';
import { PrunedMemory } from '../../pruned-memory.ts';
import { World } from '../../sandbox/population/world.ts';
import { accountTxNodes } from './account-tx-nodes.ts';
import { asker, type Json } from './ask.ts';

const seed = Number(process.env.SEED ?? 7_301);
console.log(`seed ${seed} (repeat with SEED=${seed})`);

const LEDGERS = casesOf(60, 220);
const STEP = 600;
/** Accounts of which every holding is recorded after every ledger. */
const SAMPLE = casesOf(40, 200);
/** Ledgers whose snapshots are read. */
const SNAPSHOTS = casesOf(5, 200);

interface Holding {
  readonly drops: string | undefined;
  readonly tokens: ReadonlyMap<string, number>;
}

/** What a program without the index would have left. */
class EarlierStore extends MemoryStore {
  isEarlier = true;

  override batch() {
    const batch = super.batch();
    if (!this.isEarlier) return batch;
    const { value } = batch;
    batch.accountTransaction = () => undefined;
    batch.value = (name, ...rest) =>
      name === 'account index from' ? undefined : value.call(batch, name, ...rest);
    return batch;
  }
}

const store = new MemoryStore();
const engine = new Engine({ store, log: quiet });
const world = new World({ seed: `account history ${seed}` });
const node: Ask = askerOf(world.network);
const network = new Network({ engine });
const ask = asker(network);
/** By ledger and address: what the columns had when it was the newest. */
const recorded = new Map<number, Map<string, Holding>>();

const get = async (path: string): Promise<Json> => {
  const { status, body } = await ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

function holdings(): Map<string, Holding> {
  const { accounts, lines, tokens } = engine.state;
  const all = new Map<string, Holding>();
  const every = Math.max(1, Math.floor(accounts.count / SAMPLE));
  const held = new Map<number, Map<string, number>>();
  for (let line = 1; line < lines.table.count; line++) {
    const token = lines.lows[line] === 0 ? 0 : lines.heldToken(line);
    if (token === 0) continue;
    const holder = lines.holderAccount(line, token);
    const own = held.get(holder) ?? new Map<string, number>();
    // Not `balanceNumber`, which may be off in the last digit.
    const balance = tokens.text(token, ...lines.balanceRaw(line, token));
    own.set(`${tokens.currencyText(token)} ${tokens.issuerText(token)}`, Number(balance));
    held.set(holder, own);
  }
  for (let id = 1; id < accounts.count; id += every)
    all.set(accounts.text(id), {
      drops: accounts.exists(id) ? String(accounts.balanceDrops(id)) : undefined,
      tokens: held.get(id) ?? new Map(),
    });
  return all;
}

beforeAll(async () => {
  for (let i = 0; i < LEDGERS; i++) {
    const packed = new PackedLedger(world.step(STEP).packed().bytes);
    // Every third stays in memory for a while.
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), i % 3 !== 0);
    recorded.set(packed.ledgerIndex, holdings());
  }
  world.flush();
}, 300_000);

/** Addresses with the most transactions, and others. */
function sample(): string[] {
  const { accounts } = engine.state;
  const every = Math.max(1, Math.floor(accounts.count / 30));
  return Array.from({ length: 30 }, (_, i) => 1 + i * every)
    .filter((id) => id < accounts.count)
    .map((id) => accounts.text(id));
}

/** All of an account's, in the node's order; none of ledgers before the first that was read here. */
function nodeTransactions(account: string, forward = false): Json[] {
  const rows: Json[] = [];
  const first = engine.ledgerRanges()[0]![0];
  let marker: CodecJson | undefined;
  do {
    const params = { account, forward, limit: 400, ledger_index_min: first, ledger_index_max: -1 };
    const answer = node('account_tx', { ...params, ...(marker !== undefined && { marker }) } as JsonObject);
    rows.push(...(answer.transactions as Json[]));
    ({ marker } = answer);
  } while (marker !== undefined);
  return rows;
}

const { asRippled, asClio } = accountTxNodes(node, nodeTransactions);

async function pages(account: string, query: string): Promise<Json[]> {
  const rows: Json[] = [];
  let marker: unknown = null;
  do {
    const sent = marker ? `&marker=${encodeURIComponent(JSON.stringify(marker))}` : '';
    const page = await get(`/account/tx/${account}?${query}${sent}`);
    expect(page.count).toBe(page.txs.length);
    expect(page.hasMore).toBe(page.marker !== null);
    rows.push(...page.txs);
    ({ marker } = page);
  } while (marker);
  return rows;
}

describe('/account/tx', () => {
  test('is account_tx, member by member, in both directions and at every page size', async () => {
    let compared = 0;
    for (const account of sample()) {
      const newest = nodeTransactions(account);
      const rows = await pages(account, 'limit=200');
      for (const [i, row] of rows.entries()) expect(row).toMatchObject(newest[i]);
      expect([account, rows.length]).toEqual([account, newest.length]);
      const hashes = newest.map(({ hash }) => hash);
      for (const limit of [1, 7])
        if (newest.length < 60)
          expect((await pages(account, `limit=${limit}`)).map(({ hash }) => hash)).toEqual(hashes);
      const oldest = await pages(account, 'limit=50&forward=true');
      expect(oldest.map(({ hash }) => hash)).toEqual(nodeTransactions(account, true).map(({ hash }) => hash));
      compared += newest.length;
    }
    expect(compared).toBeGreaterThan(200);
  });

  test('by type, and between ledgers', async () => {
    const account = sample().toSorted((a, b) => nodeTransactions(b).length - nodeTransactions(a).length)[0]!;
    const all = nodeTransactions(account);
    const types = [...new Set(all.map(({ tx_json }) => tx_json.TransactionType as string))];
    for (const type of types) {
      const rows = await pages(account, `limit=20&types=${type}`);
      const expected = all.filter(({ tx_json }) => tx_json.TransactionType === type);
      expect(rows.map(({ hash }) => hash)).toEqual(expected.map(({ hash }) => hash));
    }
    expect((await get(`/account/tx/${account}?types=NoSuchType`)).txs).toEqual([]);
    const [from, to] = [all.at(-1)!.ledger_index + 1, all[0]!.ledger_index - 1];
    const rows = await pages(account, `limit=20&ledgerMin=${from}&ledgerMax=${to}`);
    const expected = all.filter(({ ledger_index: at }) => at >= from && at <= to);
    expect(rows.map(({ hash }) => hash)).toEqual(expected.map(({ hash }) => hash));
  });

  let asked = 0;
  test.each([
    ['', asRippled],
    ['&ledgerMin=1', asRippled],
    ['&forward=true', asRippled],
    // Several nodes, of which any may answer.
    ['', (command: JsonObject) => (asked++ % 2 === 0 ? asRippled(command) : asClio(command))],
    ['&forward=true', (command: JsonObject) => (asked++ % 2 === 0 ? asClio(command) : asRippled(command))],
  ])(
    'what is older than the ledgers here comes from the node, without a seam %p %p',
    async (more, request) => {
      const source = { request, range: () => ({ first: 2, last: 1e6 }) } as unknown as Source;
      const { late } = await lateEngine();
      const middle = late.ledgerRanges()[0]![0];
      const seamless = asker(new Network({ engine: late, source }));
      let seams = 0;
      for (const account of sample()) {
        if (late.state.accounts.findText(account) === undefined) continue;
        const all = nodeTransactions(account).filter(({ ledger_index: at }) => at >= 2);
        const later = all.filter(({ ledger_index: at }) => at >= middle).length;
        // 9 a page, and pages of which one ends just where the ledgers here do.
        for (const limit of new Set([9, later > 0 && later < 200 ? later : 9])) {
          const rows: Json[] = [];
          let marker: unknown = null;
          do {
            const sent = marker ? `&marker=${encodeURIComponent(JSON.stringify(marker))}` : '';
            const { body } = await seamless.get(`/account/tx/${account}?limit=${limit}${more}${sent}`);
            rows.push(...body.txs);
            ({ marker } = body);
          } while (marker);
          if (more === '&forward=true') rows.reverse();
          expect(rows.map(({ hash }) => hash)).toEqual(all.map(({ hash }) => hash));
        }
        if (later > 0 && later < all.length) seams++;
      }
      expect(seams).toBeGreaterThan(0);
    },
  );

  test('what is pruned while a page is read comes from the node, or is said to be missing', async () => {
    const source = { request: asRippled, range: () => ({ first: 2, last: 1e6 }) } as unknown as Source;
    const account = sample().toSorted((a, b) => nodeTransactions(b).length - nodeTransactions(a).length)[0]!;
    const all = nodeTransactions(account).filter(({ ledger_index: at }) => at >= 2);
    for (const forward of [false, true]) {
      const { late, pruned } = await lateEngine();
      const own = late.ledgerRanges()[0]![0];
      const limit = all.filter(({ ledger_index: at }) => at >= own).length;
      const path = `/account/tx/${account}?limit=${limit}&forward=${forward}&ledgerMin=${own}`;
      pruned.prunedTo = own + 8;
      const { txs, completeFrom } = (await asker(new Network({ engine: late, source })).get(path)).body;
      const expected = all.slice(0, limit).map(({ hash }) => hash);
      expect(txs.map(({ hash }: Json) => hash)).toEqual(forward ? expected.reverse() : expected);
      expect(completeFrom).toBeUndefined();
      const alone = (await asker(new Network({ engine: late })).get(`/account/tx/${account}?limit=200`)).body;
      expect([alone.count < limit, alone.hasMore, alone.completeFrom]).toEqual([true, false, pruned.oldest]);
      const since = await asker(late).get(`/account/tx/${account}?ledgerMin=${pruned.oldest}`);
      expect(since.body.completeFrom).toBeUndefined();
    }
  });

  test.each([
    ['rippled', asRippled],
    ['Clio', asClio],
  ])(
    'what is pruned between two pages comes from the node, each transaction once: %s',
    async (_, request) => {
      const source = { request, range: () => ({ first: 2, last: 1e6 }) } as unknown as Source;
      const account = sample().toSorted(
        (a, b) => nodeTransactions(b).length - nodeTransactions(a).length,
      )[0]!;
      const all = nodeTransactions(account).filter(({ ledger_index: at }) => at >= 2);
      for (const forward of [false, true]) {
        const { late, pruned } = await lateEngine();
        const seamless = asker(new Network({ engine: late, source }));
        const own = late.ledgerRanges()[0]![0];
        const path = `/account/tx/${account}?limit=5&forward=${forward}&ledgerMin=${own}`;
        const rows: Json[] = [];
        let marker: Json = null;
        do {
          const sent = marker ? `&marker=${encodeURIComponent(JSON.stringify(marker))}` : '';
          const { body } = await seamless.get(path + sent);
          rows.push(...body.txs);
          ({ marker } = body);
          // The ledger that the first page ended in goes before the second one is asked for.
          pruned.oldest = rows.at(-1).ledger_index + (forward ? 1 : 2);
          pruned.prunedTo = pruned.oldest;
        } while (marker);
        const expected = all.filter(({ ledger_index: at }) => at >= own).map(({ hash }) => hash);
        expect(rows.map(({ hash }) => hash)).toEqual(forward ? expected.reverse() : expected);
        expect(rows.length).toBeGreaterThan(5);
      }
    },
  );

  test('refuses a marker that is none', async () => {
    for (const marker of ['{"ledger":1}', '[]', '{"ledger":-1,"seq":0}', '"x"'])
      expect((await ask.get(`/account/tx/${sample()[0]}?marker=${encodeURIComponent(marker)}`)).status).toBe(
        400,
      );
  });
});

/** Its oldest ledgers are pruned when one is read. */
class ReadPruned extends PrunedMemory {
  prunedTo = 0;

  override ledger(index: number): Uint8Array | undefined {
    this.oldest = this.prunedTo;
    return super.ledger(index);
  }
}

/** An engine with the later half of the ledgers, few of them in memory. */
async function lateEngine() {
  const pruned = new ReadPruned();
  const late = new Engine({ store: pruned, log: quiet, batch: { recentLedgers: 2 } });
  const [first, last] = engine.ledgerRanges()[0]!;
  for (let index = first + Math.floor(LEDGERS / 2); index <= last; index++) {
    const packed = engine.ledgerBytes(index)!;
    await late.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  }
  await late.drain();
  return { late, pruned };
}

describe('the index', () => {
  test('of a store without it is filled backwards from its ledgers, to the same', async () => {
    const own = new EarlierStore();
    const first = new Engine({ store: own, log: quiet });
    const [from, to] = engine.ledgerRanges()[0]!;
    for (let index = from; index < to; index++) {
      const packed = engine.ledgerBytes(index)!;
      await first.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
    }
    await first.drain();
    own.isEarlier = false;
    const opened = new Engine({ store: own, log: quiet });
    opened.restore();
    expect(opened.accountIndex.from).toBe(to);
    const packed = engine.ledgerBytes(to)!;
    while (opened.accountIndex.fillStep());
    await opened.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
    await opened.drain();
    expect(opened.accountIndex.from).toBe(from);
    const walk = { from: 0, to: 0xffffffff, newestFirst: true };
    for (let id = 1; id < engine.state.accounts.count; id++)
      expect([...opened.accountIndex.of(id, walk)]).toEqual([...engine.accountIndex.of(id, walk)]);
  });
});

describe('/account/snapshot', () => {
  test('is what was recorded when the ledger was the newest', async () => {
    const indices = [...recorded.keys()].filter((_, i) => i % Math.floor(LEDGERS / SNAPSHOTS) === 0);
    let held = 0;
    for (const index of [...indices, [...recorded.keys()].at(-1)!])
      for (const [account, { drops, tokens }] of recorded.get(index)!) {
        const { exists, xrp, tokens: shown } = await get(`/account/snapshot/${account}?ledger=${index}`);
        expect([account, index, exists, xrp]).toEqual([
          account,
          index,
          drops !== undefined,
          Number(drops ?? 0) / 1e6,
        ]);
        const rows = shown.map((one: Json) => [`${one.currency} ${one.issuer}`, Number(one.balance)]).sort();
        expect(rows).toEqual([...tokens].sort());
        held += rows.length;
      }
    expect(held).toBeGreaterThan(20);
  }, 300_000);

  test('of a ledger that is not stored: 404', async () => {
    expect((await ask.get(`/account/snapshot/${sample()[0]}?ledger=900000`)).status).toBe(404);
    expect((await ask.get(`/account/snapshot/${sample()[0]}`)).status).toBe(400);
  });
});

test('a profile counts what the node has', async () => {
  for (const account of sample().slice(0, 8)) {
    const all = nodeTransactions(account);
    const profile = await get(`/account-tx-explain/${account}`);
    expect(profile.transactions).toBe(all.length);
    expect(profile.sent).toBe(all.filter(({ tx_json }) => tx_json.Account === account).length);
    for (const [type, count] of Object.entries(profile.types))
      expect(all.filter(({ tx_json }) => tx_json.TransactionType === type).length).toBe(count as number);
    expect(profile.recent.length).toBe(Math.min(20, all.length));
    expect(profile.txCount).toBe(all.length);
    expect(profile.topAddresses.map(({ address, interactions }: Json) => [address, interactions])).toEqual(
      profile.partners.map(({ account: partner, count }: Json) => [partner, count]),
    );
  }
});

/** Balances of an account before and after a transaction, from its metadata: XRP in drops by '', lines by currency and issuer. */
function balancesOf(account: string, { AffectedNodes: nodes }: Json): Map<string, [number, number]> {
  const found = new Map<string, [number, number]>();
  for (const wrapped of nodes) {
    const [[action, node]] = Object.entries(wrapped) as [[string, Json]];
    const now = node.FinalFields ?? node.NewFields ?? {};
    const was = action === 'CreatedNode' ? undefined : { ...now, ...node.PreviousFields };
    if (node.LedgerEntryType === 'AccountRoot' && now.Account === account)
      found.set('', [Number(was?.Balance ?? 0), Number(now.Balance ?? 0)]);
    if (node.LedgerEntryType !== 'RippleState') continue;
    const [low, high] = [now.LowLimit.issuer, now.HighLimit.issuer];
    if (low !== account && high !== account) continue;
    const sign = low === account ? 1 : -1;
    const [before, after] = [was?.Balance.value ?? 0, now.Balance.value].map((value) => sign * Number(value));
    if (before! < 0 || after! < 0) continue;
    found.set(`${now.Balance.currency} ${low === account ? high : low}`, [before!, after!]);
  }
  return found;
}

test('an analysis is of what the node has of the newest 200', async () => {
  let [trades, held] = [0, 0];
  const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  for (const account of sample().slice(0, 12)) {
    const all = nodeTransactions(account);
    const newest = all.slice(0, 200);
    const { analysis, stats, period, disclaimer } = await get(`/account-tx-explain/${account}`);
    const own = newest.filter(({ tx_json }) => tx_json.Account === account);
    const done = own.filter(({ meta }) => meta.TransactionResult === 'tesSUCCESS');
    expect(stats.analysed).toBe(newest.length);
    expect(stats.successRate).toBe(own.length === 0 ? null : (done.length * 100) / own.length);
    const fees = own.reduce((sum, { tx_json }) => sum + Number(tx_json.Fee), 0);
    expect(Math.round(stats.totalFees * 1e6)).toBe(fees);
    let drops = 0;
    let traded = 0;
    const tokens = new Map<string, number>();
    for (const { tx_json: tx, meta } of newest) {
      const moves = Array.from(balancesOf(account, meta), ([asset, [before, after]]) => {
        const fee = asset === '' && tx.Account === account ? Number(tx.Fee) : 0;
        if (asset === '') drops += after - before;
        else tokens.set(asset, (tokens.get(asset) ?? 0) + after - before);
        return after - before + fee;
      });
      const isBoth = moves.some((move) => move > 0) && moves.some((move) => move < 0);
      if (isBoth && !tx.TransactionType.startsWith('AMM')) traded++;
    }
    expect([account, stats.xrpNet, isNear(stats.xrpNet, drops / 1e6)]).toEqual([account, stats.xrpNet, true]);
    expect([account, stats.tradeCount]).toEqual([account, traded]);
    expect(stats.swapCount).toBeLessThanOrEqual(traded);
    for (const { md5, currency, issuer, net } of stats.tokens) {
      const wanted = tokens.get(`${currency} ${issuer}`);
      // MPTs are not in the recount.
      if (wanted === undefined) continue;
      expect([currency, issuer, net, isNear(Number(net), wanted)]).toEqual([currency, issuer, net, true]);
      expect(md5).toMatch(/^[0-9a-f]{32}$/);
      held++;
    }
    trades += traded;
    expect(['low', 'medium', 'high']).toContain(analysis.riskLevel);
    expect(JSON.stringify(analysis)).not.toMatch(/undefined|NaN|null/);
    expect(analysis.headline).toContain(
      `it sent ${all.filter(({ tx_json }) => tx_json.Account === account).length}`,
    );
    expect(period).toMatch(/^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/);
    expect(disclaimer.length).toBeGreaterThan(40);
  }
  expect(trades).toBeGreaterThan(0);
  expect(held).toBeGreaterThan(0);
});

test('a transaction in words says who did what, and whether it failed', async () => {
  const seen = new Set<string>();
  const tagged = new Set<string>();
  for (const account of sample())
    for (const { hash, tx_json: tx, meta, ledger_index } of nodeTransactions(account)) {
      const kind = `${tx.TransactionType} ${meta.TransactionResult}`;
      if (seen.has(kind)) continue;
      seen.add(kind);
      const told = await get(`/tx-explain/${hash}`);
      expect(told).toMatchObject({ hash, ledger_index, account: tx.Account, type: tx.TransactionType });
      expect(told.text).toStartWith(`${tx.Account} `);
      expect(told.text).not.toMatch(/undefined|null|\[object/);
      expect(told).toMatchObject({ summary: told.text, extracted: { type: tx.TransactionType } });
      tagged.add(`${tx.SourceTag !== undefined} ${told.extracted.platform !== null}`);
      expect(told.text.includes('It failed')).toBe(meta.TransactionResult !== 'tesSUCCESS');
      if (kind === 'Payment tesSUCCESS' && tx.Account !== tx.Destination)
        expect(told.text).toContain(` to ${tx.Destination}`);
    }
  expect(seen.size).toBeGreaterThan(5);
  expect([...tagged]).not.toContain('false true');
  expect((await ask.get(`/tx-explain/${'0'.repeat(64)}`)).status).toBe(404);
  expect((await ask.get('/tx-explain/x')).status).toBe(400);
});

test('ancestry: who created the account, by its first transaction', async () => {
  const { accounts } = engine.state;
  let found = 0;
  for (let id = 1; id < accounts.count; id += 5) {
    if (!accounts.exists(id)) continue;
    const address = accounts.text(id);
    const { ancestors } = (await ask.get(`/account/ancestry/${address}?direction=up`)).body;
    if (ancestors.length === 0) continue;
    const [first] = nodeTransactions(address, true);
    expect(first.tx_json.Account).toBe(ancestors[0].address);
    found++;
    const parent = (await ask.get(`/account/ancestry/${ancestors[0].address}?direction=down&limit=200`)).body;
    if (parent.stats.childrenCount <= 200)
      expect(parent.children.map((one: Json) => one.address)).toContain(address);
  }
  expect(found).toBeGreaterThan(5);
});

test('ancestry: tokens have the market cap that their own rows have', async () => {
  const { accounts } = engine.state;
  let found = 0;
  for (let id = 1; id < accounts.count; id++) {
    if (!accounts.exists(id)) continue;
    const { tokens } = (await ask.get(`/account/ancestry/${accounts.text(id)}?include_tokens=true`)).body;
    for (const { md5, marketcap } of tokens) {
      const { token } = await get(`/token/${md5}`);
      expect([md5, marketcap]).toEqual([md5, token.marketcap]);
      if (marketcap > 0) found++;
    }
  }
  expect(found).toBeGreaterThan(0);
});

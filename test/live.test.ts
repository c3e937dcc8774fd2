/**
 * The whole service on a network that misbehaves: fake nodes close ledgers at a fixed rate while faults are
 * switched on in turn, clients listen on every stream and poll REST. The oracle is the chain itself, a replay of it without
 * any network, and the history the service holds afterwards.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexOf } from '../engine/codec/bytes.ts';
import type { Service } from '../service/service.ts';
import {
  ask,
  endpointsUp,
  type Frame,
  Listener,
  Network,
  RecordingLog,
  serve,
  type Undisturbed,
  undisturbed,
  until,
} from './live-rig.ts';

/** Ledgers closed before the service starts, and in all. */
const OPENING = 20;
const LEDGERS = 150;
const TRANSACTIONS = 60;
const EVERY_MS = 60;

/** Every ledger frame in order, without what a second connection repeats. */
function ledgersOf(frames: readonly Frame[]): Frame[] {
  return frames.filter((frame) => frame.e === 'ledger' && frame.type !== 'initial');
}

function expectChain(frames: readonly Frame[], { chain }: Undisturbed, from: number): void {
  let next = from;
  for (const frame of frames) {
    const ledger = chain[next - chain[0]!.ledgerIndex]!;
    expect(frame).toMatchObject({
      ledger_index: next,
      ledger_hash: hexOf(ledger.hash),
      ledger_time: ledger.closeTime,
      txn_count: ledger.count,
      validated: true,
    });
    next++;
  }
}

/** prevSeq of each frame is the seq of the one before. */
function expectUnbroken(frames: readonly Frame[]): void {
  let seq = frames[0]!.seq;
  for (const frame of frames.slice(1)) {
    // An ack and a snapshot give the position of the new subscription.
    if (frame.type === 'subscribed' || frame.snapshot) seq = frame.seq;
    if (frame.prevSeq === undefined) continue;
    expect(frame.prevSeq).toBe(seq);
    expect(frame.seq).toBeGreaterThan(seq);
    seq = frame.seq;
  }
}

/** Trades of the stream are those of /v1/history, each once. */
async function expectHistory(service: Service, md5: string, frames: readonly Frame[]): Promise<number> {
  const [initial, ...rest] = frames;
  expect(rest.filter((frame) => frame.e === 'gap')).toEqual([]);
  const received = [...initial!.trades.toReversed(), ...rest.flatMap((frame) => frame.trades)];
  const ids = received.map((trade: Frame) => trade._id);
  expect(new Set(ids).size).toBe(ids.length);
  const { data } = await ask(service, `/v1/history?md5=${md5}&type=all&limit=1000`);
  const since = data.filter((trade: Frame) => ids.includes(trade._id) || trade.ledger > received[0].ledger);
  expect(received.toReversed()).toEqual(since);
  return rest.flatMap((frame) => frame.trades).length;
}

describe('a network that misbehaves', () => {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-live-'));
  const log = new RecordingLog();
  let expected: Undisturbed;
  let network: Network;
  let service: Service;
  const at: Record<string, Listener> = {};
  let polls = 0;
  let polling: Promise<void> | undefined;

  const health = () => ask(service, '/health');
  const caughtUp = () => until(() => service.engine.head?.index === network.newest, 'the newest ledger');

  /** Requests on REST until it is stopped: every answer is 200, the newest ledger never goes back. */
  async function poll(until: () => boolean): Promise<void> {
    let newest = 0;
    while (!until()) {
      const { ledger } = await health();
      expect(ledger.index).toBeGreaterThanOrEqual(newest);
      newest = ledger.index;
      const list = await ask(service, '/v1/tokens?limit=20');
      expect(list.tokens.length).toBeGreaterThan(0);
      await ask(service, `/v1/history?md5=${expected.tokens[1]}&limit=10`);
      polls++;
      await Bun.sleep(40);
    }
  }

  let stopPolling = false;

  beforeAll(async () => {
    expected = await undisturbed(LEDGERS, TRANSACTIONS, OPENING);
    network = new Network(expected.chain, 4, OPENING);
    service = await serve(join(dir, 'store'), network.urls, log);
    await until(async () => (await health()).ready, 'readiness');
    await caughtUp();
    const [, token = ''] = expected.tokens;
    const { currency, issuer } = expected.issue;
    at.ledger = await Listener.open(service, '/ws/ledger');
    at.sync = await Listener.open(service, '/ws/sync');
    at.some = await Listener.open(service, '/ws/sync', {
      type: 'subscribe',
      tokens: expected.tokens.slice(0, 5),
    });
    at.top = await Listener.open(service, '/ws/sync', { type: 'subscribe', filter: { topN: 10 } });
    at.token = await Listener.open(service, `/ws/token/${token}`);
    at.delta = await Listener.open(service, `/ws/token/${token}?fields=trading&delta=true`);
    at.ohlc = await Listener.open(service, `/ws/ohlc/${token}?vs_currency=XRP`);
    at.history = await Listener.open(service, `/ws/history/${token}?type=all&limit=100`);
    at.xrpHistory = await Listener.open(service, `/ws/history/${expected.tokens[0]}?type=all&limit=100`);
    at.holders = await Listener.open(service, `/ws/holders/${token}?limit=20`);
    const pair = `base_currency=XRP&quote_currency=${currency}&quote_issuer=${issuer}`;
    at.orderbook = await Listener.open(service, `/ws/orderbook?${pair}&limit=100`);
    polling = poll(() => stopPolling);
  });

  afterAll(async () => {
    stopPolling = true;
    await polling?.catch(() => {});
    for (const listener of Object.values(at)) listener.close();
    await service?.stop();
    await network?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('an announcement that is lost is found with the next one', async () => {
    const lost = network.newest + 1;
    for (const node of network.nodes) node.faults.silentAbout.add(lost);
    await network.close(1, 150);
    expect(service.engine.head!.index).toBe(lost - 1);
    await network.close(1, 0);
    await until(() => service.engine.head!.index === lost + 1, 'both ledgers');
    expect(service.engine.counters.gapsRepaired).toBeGreaterThan(0);
  });

  test('announcements out of order and repeated change nothing', async () => {
    for (const { faults } of network.nodes) faults.reorder = true;
    await network.close(6, EVERY_MS);
    for (const { faults } of network.nodes) Object.assign(faults, { reorder: false, duplicates: 3 });
    await network.close(6, EVERY_MS);
    for (const { faults } of network.nodes) faults.duplicates = 0;
    await caughtUp();
  });

  test('one endpoint stale, one that never answers and whose sockets drop', async () => {
    const [hung, stale] = network.nodes;
    stale!.faults.stale = true;
    hung!.faults.hangOnLedgers = true;
    await network.close(4, EVERY_MS);
    hung!.faults.hangOnLedgers = false;
    for (let i = 0; i < 2; i++) {
      hung!.dropSockets();
      await network.close(2, EVERY_MS);
    }
    await caughtUp();
    stale!.faults.stale = false;
  });

  test.each([
    [3, 'hash', { falsify: 'hash' }],
    [2, 'blob', { falsify: 'blob' }],
    [1, 'garbage', { garbage: '{"id":' }],
  ] as const)(
    'endpoint %d answers with a false %s: another one is asked, nothing of it is used',
    async (node, _, fault) => {
      const faulty = network.nodes[node]!;
      const name = new URL(faulty.url).host;
      await until(() => endpointsUp(service).includes(name), `endpoint ${node}`);
      const asked = faulty.requests.ledger ?? 0;
      // The others do not have the ledger yet, so that this node is asked.
      const others = network.nodes.filter((other) => other !== faulty);
      for (const { faults } of others) faults.missing.add(network.newest + 1);
      Object.assign(faulty.faults, fault);
      const before = log.lines.length;
      const caught = () =>
        log.lines.slice(before).some((line) => line.includes('sent false data') && line.includes(name));
      await network.close(1, EVERY_MS);
      await until(caught, `false data of endpoint ${node}, ${faulty.requests.ledger! - asked} requests`);
      for (const { faults } of others) faults.missing.clear();
      await network.close(2, EVERY_MS);
      await caughtUp();
    },
  );

  test('readiness falls when every endpoint is gone, and rises when one is back', async () => {
    // The recorded ledgers are years old; readiness needs only that the source is alive.
    expect(await health()).toMatchObject({
      ready: true,
      status: 'healthy',
      services: { rippled: { status: 'up' } },
    });
    for (const node of network.nodes) await node.stop();
    await until(async () => !(await health()).ready, 'readiness to fall');
    expect((await health()).services.rippled.status).toBe('down');
    await network.close(8, EVERY_MS);
    for (const node of network.nodes) node.restart();
    await caughtUp();
    await until(async () => (await health()).ready, 'readiness');
    await network.close(3, EVERY_MS);
    await caughtUp();
  });

  test('every stream delivered everything once and in order', async () => {
    await Bun.sleep(150);
    const { ledger, sync, some, top, token, delta, history, xrpHistory, orderbook, holders, ohlc } =
      at as Record<string, Listener>;
    const first = ledger!.frames[0]!.ledger_index;
    expect(ledger!.frames.filter((frame) => frame.e === 'gap')).toEqual([]);
    const ledgers = ledgersOf(ledger!.frames);
    expectChain(ledgers, expected, first + 1);
    expect(ledgers.at(-1)!.ledger_index).toBe(network.newest);
    for (const stream of [sync, some, top]) expectUnbroken(stream!.frames);
    for (const stream of [token, delta]) expectUnbroken(stream!.frames);
    expect(await expectHistory(service, expected.tokens[1]!, history!.frames)).toBeGreaterThan(0);
    expect(await expectHistory(service, expected.tokens[0]!, xrpHistory!.frames)).toBeGreaterThan(100);
    const row = { ...token!.frames.at(-1)!.token };
    const built = Object.assign({}, ...delta!.frames.map((frame) => frame.token));
    for (const [name, value] of Object.entries(built)) if (value !== null) expect(row[name]).toEqual(value);
    expect(orderbook!.frames[0]!.type).toBe('snapshot');
    expect(holders!.frames[0]!.type).toBe('initial');
    expect(ohlc!.frames[0]!.type).toBe('initial');
    for (const listener of Object.values(at)) expect(listener.code).toBeUndefined();
  });

  test('/metrics shows the store, the endpoints and the streams', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    for (const node of network.nodes)
      expect(text).toMatch(new RegExp(`millrace_endpoint_up{endpoint="${new URL(node.url).host}"} [01]\n`));
    expect(text).toMatch(/millrace_store_file_bytes \d{5,}\n/);
    expect(text).toMatch(/millrace_store_family_rows{family="ledgers"} \d+\n/);
    expect(text).toMatch(/millrace_store_batches_total \d+\n/);
    expect(text).toMatch(/millrace_domain_column_bytes{domain="market"} \d{5,}\n/);
    expect(text).toMatch(/millrace_store_readers \d+\n/);
    expect(text).toMatch(/millrace_store_free_bytes \d+\n/);
    expect(text).toMatch(/millrace_store_disk_free_bytes \d{5,}\n/);
    expect(text).toMatch(/millrace_store_written_bytes_total \d{5,}\n/);
    // Not known after seconds.
    expect(text).not.toMatch(/bytes_per_day|disk_full_seconds/);
    const { disk } = (await (await fetch(`${service.url}/health`)).json()) as { disk: object };
    expect(Object.keys(disk)).toEqual(['fileBytes', 'usedBytes', 'freeBytes', 'diskFreeBytes']);
    expect(text).toMatch(/millrace_stream_connections{stream="\/ws\/sync"} 3\n/);
    const kinds = text.split('\n').filter((line) => line.startsWith('# TYPE'));
    expect(new Set(kinds).size).toBe(kinds.length);
  });

  test('a restart in mid-stream continues; at the end the state equals a replay without a network', async () => {
    stopPolling = true;
    await polling;
    expect(polls).toBeGreaterThan(20);
    const last = service.engine.head!.index;
    const [stopped] = await Promise.all([service.stop(), network.close(5, EVERY_MS)]);
    expect(stopped).toBeUndefined();
    for (const listener of Object.values(at)) expect(listener.code).toBe(1001);
    service = await serve(join(dir, 'store'), network.urls, log);
    expect(service.engine.head!.index).toBeGreaterThanOrEqual(last);
    await caughtUp();
    at.ledger = await Listener.open(service, '/ws/ledger');
    const from = at.ledger.frames[0]!.ledger_index;
    await network.close(LEDGERS, 20);
    await caughtUp();
    await until(() => at.ledger!.frames.at(-1)!.ledger_index === network.newest, 'the last frame');
    expectChain(ledgersOf(at.ledger.frames), expected, from + 1);
    expect(await service.engine.digestWithHistory()).toBe(expected.digest);
    expect(log.faults).toEqual([]);
    expect(log.lines.filter((line) => line.startsWith('ERROR'))).toEqual([]);
  });
});

import { describe, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { hashes } from 'xrpl';
import { NodeSource } from '../../engine/ledger/node-source.ts';
import type { SnapshotPage } from '../../engine/ledger/source.ts';
import { FakeNode } from '../../support/fake-node.ts';
import { NodeSocketThread } from '../../workers/node-sockets.ts';
import { PageRequests } from '../../workers/page-requests.ts';
import { quietLog, SHORT, seeded, testClock } from '../engine/ledger/quiet.ts';
import { makeChain } from '../ledgers.ts';

const markerOf = (page: number): string => page.toString(16).toUpperCase().padStart(64, '0');

/** The request for a page (from 1 on), as a source writes it. */
const request = (page: number, id: number): string =>
  JSON.stringify({ command: 'ledger_data', ...(page > 1 && { marker: markerOf(page - 1) }), id });
const answer = (page: number, id: number, last = false): string =>
  JSON.stringify({ id, result: { state: [], ...(!last && { marker: markerOf(page) }) } });

function rig() {
  const [sent, delivered, dropped]: string[][] = [[], [], []];
  const pages = new PageRequests({
    send: (text) => sent!.push(text),
    deliver: (text) => delivered!.push(text),
    drop: (text) => dropped!.push(text),
  });
  return { pages, sent: sent!, delivered: delivered!, dropped: dropped! };
}

describe('requests for pages in the thread of the socket', () => {
  test('send the next request before an answer is delivered, and each one once', () => {
    const { pages, sent, delivered } = rig();
    pages.request(7, request(1, 7));
    expect(pages.receive(answer(1, 7))).toBe(true);
    expect(sent).toEqual([request(1, 7), request(2, 8)]);
    expect(delivered).toEqual([answer(1, 7)]);
    pages.request(8, request(2, 8));
    expect(pages.receive(answer(2, 8, true))).toBe(true);
    expect(sent).toEqual([request(1, 7), request(2, 8)]);
    expect(delivered).toEqual([answer(1, 7), answer(2, 8, true)]);
  });

  test('are one ahead at most: an early answer is kept until it is requested', () => {
    const { pages, sent, delivered } = rig();
    pages.request(7, request(1, 7));
    pages.receive(answer(1, 7));
    expect(pages.receive(answer(2, 8))).toBe(true);
    expect(sent.length).toBe(2);
    expect(delivered).toEqual([answer(1, 7)]);
    pages.request(8, request(2, 8));
    expect(sent).toEqual([request(1, 7), request(2, 8), request(3, 9)]);
    expect(delivered).toEqual([answer(1, 7), answer(2, 8)]);
  });

  test('of another snapshot do not get an early answer of one before', () => {
    for (const isAnswered of [false, true]) {
      const { pages, sent, delivered, dropped } = rig();
      pages.request(7, request(1, 7));
      pages.receive(answer(1, 7));
      if (isAnswered) pages.receive(answer(2, 8));
      // Id 8 is left out by the source.
      pages.request(9, request(5, 9));
      expect(sent.at(-1)).toBe(request(5, 9));
      pages.receive(answer(5, 9));
      expect(delivered).toEqual([answer(1, 7), answer(5, 9)]);
      expect(dropped).toEqual(isAnswered ? [answer(2, 8)] : []);
      expect(sent.at(-1)).toBe(request(6, 10));
      // What comes too late is not one of them.
      if (!isAnswered) expect(pages.receive(answer(2, 8))).toBe(false);
    }
  });

  test('with another text than expected are sent', () => {
    const { pages, sent } = rig();
    pages.request(7, request(1, 7));
    pages.receive(answer(1, 7));
    pages.request(8, request(4, 8));
    expect(sent.at(-1)).toBe(request(4, 8));
  });

  test('take nothing that is not theirs', () => {
    const { pages, delivered } = rig();
    expect(pages.receive(answer(1, 7))).toBe(false);
    pages.request(7, request(1, 7));
    for (const other of ['', '{"type":"ledgerClosed"}', answer(1, 6)])
      expect(pages.receive(other)).toBe(false);
    expect(delivered).toEqual([]);
  });

  test('keep a bounded number of requests that are never answered', () => {
    const { pages, sent } = rig();
    for (let i = 0; i < 40; i++) pages.request(100 + 2 * i, request(i + 1, 100 + 2 * i));
    expect(sent.length).toBe(40);
    expect(pages.receive(answer(1, 100))).toBe(false);
    expect(pages.receive(answer(40, 178))).toBe(true);
  });
});

test('a snapshot over a socket in another thread requests each page once, also after an interruption', async () => {
  const entries = Array.from({ length: 900 }, (_, i) => ({
    LedgerEntryType: 'Amendments',
    Flags: i,
    index: markerOf(i + 1),
  }));
  const state = entries.map(({ index, ...fields }) => ({ index, data: encode(fields as never) }));
  const ledgers = makeChain({ count: 3, accountHash: hashes.hashStateTree(entries as never) });
  const node = new FakeNode({ ledgers, state, pageEntries: 100 });
  const source = new NodeSource({
    urls: [node.url],
    clock: testClock,
    random: seeded(4),
    log: quietLog,
    limits: SHORT,
    sockets: new NodeSocketThread(SHORT),
  });
  await source.open();
  const requested = (): number => node.requests.ledger_data ?? 0;
  let seen = 0;
  for await (const page of (await source.snapshot({ index: 1001 })).pages) seen += page.entries;
  expect(seen).toBe(900);
  expect(requested()).toBe(9);

  let resume: SnapshotPage['resume'];
  for await (const page of (await source.snapshot({ index: 1001 })).pages) {
    resume = page.resume;
    break;
  }
  let rest = 0;
  for await (const page of (await source.snapshot(resume!.ref, resume)).pages) rest += page.entries;
  expect(rest).toBe(800);
  // Those of the reader that left: its page, the pages ahead of it, and one more of the thread.
  expect(requested() - 9 - 8).toBeLessThanOrEqual(1 + SHORT.pagesAhead + 1);
  expect(source.endpoints[0]).toMatchObject({ up: true, faults: 0 });
  await source.close();
  await node.stop();
});

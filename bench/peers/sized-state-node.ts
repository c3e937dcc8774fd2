/**
 * A node on a loopback port that has the state of the sized network and gives it in pages, which it makes when they are
 * requested: `sized-state-node <share> <ms of delay before each answer>`. It closes a ledger without transactions every
 * 4 s, as nodes do: one that is silent is left for another connection. Lines in: `pages`, `stop` (it closes no more).
 * Lines out: `node <url>`, `pages <requested so far>`, `stopped`.
 */
import { createInterface } from 'node:readline';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { sealLedger } from '../../support/chain.ts';
import { FakeNode } from '../../support/fake-node.ts';
import type { StatePage } from '../../support/stand-in-node.ts';
import { Entries, LARGEST_ENTRY } from '../size/entries.ts';
import { baseLedger } from '../size/ledgers.ts';
import { SizedNetwork } from '../size/network.ts';
import { stateRoot } from '../size/root.ts';
import { cacheFolder } from '../size/store.ts';

/** What nodes give at most to whom is no admin. */
const PAGE_ENTRIES = 2048;
const INTERVAL_MS = 4_000;
/** Three hours. */
const LEDGERS = 2_700;

const [share = '0.01', delay = '0'] = process.argv.slice(2);
const entries = new Entries(new SizedNetwork(Number(share)));
const root = stateRoot(entries, cacheFolder({ share: Number(share) }));
const packed = new Uint8Array(LARGEST_ENTRY);

function pageOf(marker: string | undefined, most: number): StatePage {
  const from = marker === undefined ? 0 : entries.positionAfter(Uint8Array.fromHex(marker));
  const to = Math.min(entries.count, from + most);
  const state = [];
  for (let position = from; position < to; position++) {
    const end = entries.writePacked(position, packed, 0);
    state.push({ index: upperHex(0, 32), data: upperHex(36, end) });
  }
  return { state, marker: to < entries.count ? state.at(-1)!.index : undefined };
}

const upperHex = (from: number, to: number): string => packed.subarray(from, to).toHex().toUpperCase();

/** The ledger of the state, and those that close while it is taken. */
function ledgersOf(first: PackedLedger): PackedLedger[] {
  const ledgers = [first];
  while (ledgers.length < LEDGERS) {
    const { ledgerIndex, hash, closeTime } = ledgers.at(-1)!;
    ledgers.push(
      sealLedger({
        index: ledgerIndex + 1,
        parentHash: hash,
        closeTime: closeTime + INTERVAL_MS / 1000,
        transactions: [],
        accountHash: root,
      }),
    );
  }
  return ledgers;
}

const ledgers = ledgersOf(baseLedger(root));
const node = new FakeNode({ ledgers, closed: 1, pageEntries: PAGE_ENTRIES, pageOf });
node.faults.delay = Number(delay);
const closing = setInterval(() => node.advance(), INTERVAL_MS);
console.log(`node ${node.url}`);
for await (const line of createInterface({ input: process.stdin }))
  if (line === 'pages') console.log(`pages ${node.requests.ledger_data ?? 0}`);
  else if (line === 'stop') {
    clearInterval(closing);
    console.log('stopped');
  }

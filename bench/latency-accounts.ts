/**
 * From a ledger's last byte to the last balance frame, as in latency.ts: ACCOUNTS accounts are watched, each by a socket of its
 * own. `bun bench/latency-accounts.ts`.
 */
import { encode } from 'ripple-binary-codec';
import { accountText } from '../engine/codec/base58.ts';
import type { Engine } from '../engine/engine.ts';
import { corpusDir } from '../support/corpus.ts';
import { bestP99, LATENCY_LEDGERS, type LatencyRig, withRig } from './latency.ts';
import { againstReference } from './reference-load.ts';

const ACCOUNTS = 5000;

/** Entries as pages of a ledger's state have them: index, length, bytes. */
const INDEX_BYTES = 32;
const LENGTH_BYTES = 4;

/** Accounts that recorded ledgers do not name, so that there are enough. */
function addAccounts(engine: Engine, count: number): void {
  for (let n = 1; n <= count; n++) {
    const id = new Uint8Array(20).fill(n & 0xff);
    new DataView(id.buffer).setUint32(0, n);
    const root = {
      LedgerEntryType: 'AccountRoot',
      Account: accountText(id),
      Balance: '50000000',
      Flags: 0,
      OwnerCount: 0,
      Sequence: 1,
      PreviousTxnID: '0'.repeat(64),
      PreviousTxnLgrSeq: 1,
    };
    const bytes = Uint8Array.fromHex(encode(root));
    const page = new Uint8Array(INDEX_BYTES + LENGTH_BYTES + bytes.length);
    const view = new DataView(page.buffer);
    view.setUint32(0, n);
    view.setUint32(INDEX_BYTES, bytes.length, true);
    page.set(bytes, INDEX_BYTES + LENGTH_BYTES);
    engine.loadEntries(page);
  }
}

/** All that recorded ledgers name, and so many others that there are ACCOUNTS. */
function streams({ network: { engine } }: LatencyRig): string[] {
  const { accounts } = engine.state;
  const existing = () =>
    Array.from({ length: accounts.count - 1 }, (_, i) => i + 1).filter((id) => accounts.exists(id));
  const recorded = existing().length;
  addAccounts(engine, Math.max(0, ACCOUNTS - recorded));
  const watched = existing().slice(0, ACCOUNTS);
  console.log(`${watched.length} accounts, ${recorded} of recorded ledgers`);
  return watched.map((id) => `/ws/account/balance/${accounts.text(id)}`);
}

if (import.meta.main) {
  if (corpusDir) {
    const p99 = await withRig(ACCOUNTS, LATENCY_LEDGERS, (rig) => {
      const paths = streams(rig);
      return bestP99(rig, ACCOUNTS, () => paths);
    });
    console.log(`figures ${JSON.stringify([againstReference('latency.accounts', p99)])}`);
  } else console.log('figures []');
}

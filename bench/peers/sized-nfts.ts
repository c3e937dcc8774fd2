/**
 * Makes a store of so many NFTs under the first ledger of an archive, or opens one and says what it takes.
 * `sized-nfts make <dir> <archive> <nfts> <offers> <collections> <known>` -> `made`, with ids and slugs of some NFTs and
 * collections, the largest first; metadata of the first `known` ones is there;
 * `sized-nfts open <dir>` -> `opened <anonymous and shared bytes of the process>`.
 */
import { readFileSync } from 'node:fs';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { ArchiveReader } from '../../engine/ledger/archive.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { collectionSlug } from '../../views/nfts/collection-ids.ts';
import { writeContents } from '../size/nft-contents.ts';
import { fillingNfts, nftIdText } from '../size/nfts.ts';

const SHOWN_NFTS = 200;
const SHOWN_COLLECTIONS = 40;
const [act = '', dir = '', archive = '', ...numbers] = process.argv.slice(2);
const log = { debug() {}, info() {}, warn: console.error, error: console.error };
const store = await openStore({ dir, network: 0 });
const engine = new Engine({ store, log });
if (act === 'make') await make();
else {
  engine.restore();
  Bun.gc(true);
  console.log(`opened ${ownBytes()}`);
}
await store.close();
process.exit(0);

async function make(): Promise<void> {
  const [nfts = 0, offers = 0, collections = 1, known = 0] = numbers.map(Number);
  const reader = ArchiveReader.open(archive);
  const packed = reader.read(reader.last!)!;
  reader.close();
  const base = prepared(packed, prepare(packed.bytes));
  if (base.fault) throw new Error(base.fault);
  const ref = { index: packed.ledgerIndex, hash: packed.hash };
  for (const _ of fillingNfts(engine, { nfts, offers, collections }, packed.closeTime))
    await engine.saveSnapshot(ref, { ref, marker: '', tree: new Uint8Array(0) });
  await engine.finishSnapshot(base, ref);
  const rows = Array.from(
    { length: Math.min(nfts, SHOWN_NFTS) },
    (_, i) => 1 + Math.floor((i * nfts) / SHOWN_NFTS),
  );
  const shown = Array.from(
    { length: Math.min(engine.nfts.collections.count - 1, SHOWN_COLLECTIONS) },
    (_, i) => i + 1,
  );
  await writeContents(engine, dir, shown.slice(0, known));
  const ids = rows.map((row) => nftIdText(engine, row));
  const slugs = shown.map((row) => collectionSlug(engine.nfts.collections, row));
  console.log(
    `made ${JSON.stringify({ ids, slugs, existing: engine.nfts.nfts.existing, offers: engine.nfts.offers.table.count - 1 })}`,
  );
}

/** Memory that is not a mapped file. */
function ownBytes(): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024;
}

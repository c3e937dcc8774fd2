/** Fills an empty store with `lines` trust lines under the first ledger of an archive: `fill-lines <dir> <archive> <lines>`. */
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { ArchiveReader } from '../../engine/ledger/archive.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { linePages } from '../lines.ts';

const [dir = '', archive = '', lines = '0'] = process.argv.slice(2);
const log = { debug() {}, info() {}, warn: console.error, error: console.error };
const store = await openStore({ dir, network: 0 });
const engine = new Engine({ store, log });
for (const page of linePages(Number(lines))) engine.loadEntries(page);
const reader = ArchiveReader.open(archive);
const packed = reader.read(reader.last!)!;
const base = prepared(packed, prepare(packed.bytes));
if (base.fault) throw new Error(base.fault);
await engine.finishSnapshot(base, { index: packed.ledgerIndex, hash: packed.hash });
reader.close();
await store.close();
console.log(`filled ${engine.state.lines.existing}`);
process.exit(0);

/**
 * Metadata against what the network recorded: entries before and after are rebuilt from recorded nodes, our builder is
 * run on the change, and its nodes must be the recorded ones byte for byte.
 */
import { describe, expect, test } from 'bun:test';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { writeMetadata } from '../../../sandbox/ledger/metadata.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import { rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import { encodeFields, fromJson, toJson } from '../../../sandbox/protocol/encode.ts';
import type { Entry, EntryType, Fields } from '../../../sandbox/protocol/fields.ts';
import { corpusDir, readLines } from '../../../support/corpus.ts';
import { MapView } from '../map-view.ts';

type Json = Record<string, unknown>;
const HASH = 'A'.repeat(64);
const INDEX = 99_000_000;
const HEADER = { index: INDEX, parentHash: '0'.repeat(64), parentCloseTime: 0, closeTime: 0, totalDrops: 0n };
const FEES = { base: 10n, reserve: 1n, increment: 1n };

/** Records that were edited after the network made them: an old value equal to the new one; nodes out of order. */
const EDITED: ReadonlySet<unknown> = new Set([
  'FB9F697C4C9C7E8248BA63E7EDB4435B3CC12AF0BF426E618B184B76B7F94D28',
  '50BB0CC6EFC4F5EF9954E654D3230D4480DC83907A843C736B28420C7F02F774',
]);

interface Node {
  readonly kind: 'CreatedNode' | 'ModifiedNode' | 'DeletedNode';
  readonly fields: Fields & { LedgerEntryType: EntryType; LedgerIndex: string };
}

interface Change {
  readonly before?: Entry;
  readonly after?: Entry;
}

const entryOf = (node: Node, fields: Fields): Entry =>
  ({ ...fields, LedgerEntryType: node.fields.LedgerEntryType, index: node.fields.LedgerIndex }) as Entry;

function previousOf({ fields }: Node): Fields {
  const { PreviousTxnID, PreviousTxnLgrSeq } = fields;
  return PreviousTxnID === undefined ? {} : { PreviousTxnID, PreviousTxnLgrSeq };
}

/** The entry before and after, as far as the node shows. */
function changeOf(node: Node): Change {
  const { NewFields, FinalFields, PreviousFields } = node.fields;
  if (node.kind === 'CreatedNode') return { after: entryOf(node, { ...NewFields }) };
  const final = { ...FinalFields, ...previousOf(node) };
  const after = entryOf(node, final);
  const before = entryOf(node, { ...final, ...PreviousFields });
  if (PreviousFields && Object.keys(PreviousFields).length === 0) {
    // A field was added; the node does not show which one, and it makes no difference.
    const added = Object.keys(FinalFields ?? {}).find((name) => name !== 'RootIndex' && name !== 'Flags');
    delete (before as unknown as Json)[added as string];
  }
  if (!PreviousFields && node.kind === 'ModifiedNode' && node.fields.LedgerEntryType === 'DirectoryNode') {
    before.Indexes = [HASH];
    after.Indexes = [];
  }
  return { before, after };
}

/** Metadata for the changes in `nodes`, from our builder. */
function rebuilt(nodes: readonly Node[], threadedPages: boolean): Fields {
  const rules = threadedPages
    ? SANDBOX_RULES
    : rulesOf([...SANDBOX_RULES.names].filter((name) => name !== 'fixPreviousTxnID'));
  const changes = nodes.map((node) => ({ node, ...changeOf(node) }));
  const table = new EntryTable(
    new MapView(
      HEADER,
      rules,
      FEES,
      false,
      changes.flatMap(({ before }) => (before ? [before] : [])),
    ),
  );
  for (const { node, after } of changes) {
    const key = node.fields.LedgerIndex;
    if (node.kind === 'CreatedNode') table.insert(after as Entry);
    else if (node.fields.FinalFields) {
      const entry = table.peek(key) as Entry;
      for (const name in entry) if (!(name in (after as Entry))) delete (entry as unknown as Json)[name];
      Object.assign(entry, after);
      if (node.kind === 'DeletedNode') table.erase(key);
    }
  }
  return writeMetadata(table, { hash: HASH, ledgerIndex: INDEX, index: 0, resultCode: 0 });
}

const nodesOf = (meta: Fields): Node[] =>
  (meta.AffectedNodes ?? []).map((element) => {
    const kind = Object.keys(element)[0] as Node['kind'];
    return { kind, fields: element[kind] as Node['fields'] };
  });

/** Entries that were written without a change: the node has no old values, and the rebuilt change would be empty. */
const rewritten = ({ kind, fields }: Node): boolean =>
  kind === 'ModifiedNode' &&
  fields.FinalFields !== undefined &&
  fields.PreviousFields === undefined &&
  fields.LedgerEntryType !== 'DirectoryNode' &&
  fields.LedgerEntryType !== 'NFTokenPage';

function compare(file: string): { tried: number; skipped: number; different: string[] } {
  const different: string[] = [];
  let tried = 0;
  let skipped = 0;
  for (const line of readLines(file)) {
    let meta: Fields;
    if (EDITED.has(line.hash)) continue;
    try {
      meta = fromJson({ AffectedNodes: (line.meta as Json).AffectedNodes });
    } catch {
      skipped += 1;
      continue;
    }
    const nodes = nodesOf(meta);
    if (nodes.some(rewritten)) {
      skipped += 1;
      continue;
    }
    tried += 1;
    const pages = nodes.some(
      ({ fields }) => fields.LedgerEntryType === 'DirectoryNode' && fields.PreviousTxnID,
    );
    const results = [rebuilt(nodes, pages), rebuilt(nodes, !pages)].map(({ AffectedNodes }) => ({
      AffectedNodes,
    }));
    const wanted = hexOf(encodeFields(meta));
    if (results.some((result) => hexOf(encodeFields(result)) === wanted)) continue;
    different.push(
      `${line.ledger_index ?? line.source} ${line.hash ?? ''} ${JSON.stringify(toJson(results[0] as Fields))}`,
    );
  }
  return { tried, skipped, different };
}

describe.skipIf(!corpusDir)('metadata as the network recorded it', () => {
  for (const file of ['tx.jsonl.gz', 'meta_only.jsonl.gz']) {
    test(file, () => {
      const { tried, skipped, different } = compare(file);
      console.log(`${file}: ${tried} tried, ${tried - different.length} equal, ${skipped} not rebuildable`);
      if (process.env.SHOW) console.log(different.slice(0, Number(process.env.SHOW)).join('\n'));
      expect(different.length).toBe(0);
      expect(tried).toBeGreaterThan(1000);
    });
  }
});

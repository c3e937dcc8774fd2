/**
 * Compares every cell of the change set with the reference: the reference decodes the whole blob to JSON, and also reads
 * the single value at the cell's offset. Both must be equal, and a cell must be 0 exactly when the JSON has no such field.
 */

import { describe, expect, test } from 'bun:test';
import { DEFAULT_DEFINITIONS, decode } from 'ripple-binary-codec';
import { BinaryParser } from 'ripple-binary-codec/dist/serdes/binary-parser';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import * as columns from '../../../engine/codec/changes.ts';
import { Changes, EntryType, Node, NodeAction, RESULT_UNREAD, Tx } from '../../../engine/codec/changes.ts';
import { extractChanges, extractEntries } from '../../../engine/codec/extract.ts';
import { transactionHash } from '../../../engine/codec/hash.ts';
import { SHIPPED_LAYOUT } from '../../../engine/codec/layout.ts';
import { type PackedLedger, packLedger } from '../../../engine/codec/packed.ts';
import { corpusDir, ledgerFiles, readLedger, readLines } from '../../../support/corpus.ts';
import { statePage } from '../../../support/state-page.ts';
import { casesOf, sampled } from '../../cases.ts';
import { encodedObject, type Recorded, recordedEntries, recordedTransactions } from './blobs.ts';
import { type Blobs, packAny } from './packing.ts';

/** Of recorded rows one in so many is looked at in `npm test`. */
const EVERY = 4;

type Fields = Record<string, unknown>;
type Ordinals = Readonly<Record<string, { readonly ordinal: number } | undefined>>;
interface ReferenceType {
  fromParser(parser: BinaryParser): { toJSON(definitions: unknown, name: string): unknown };
}
interface ReferenceField {
  readonly type: { readonly name: string };
  readonly associatedType: ReferenceType;
}
const reference = DEFAULT_DEFINITIONS as unknown as {
  readonly field: Readonly<Record<string, ReferenceField>>;
  readonly transactionType: Ordinals;
  readonly transactionResult: Ordinals;
  readonly ledgerEntryType: Ordinals;
};

/** Field names that do not follow from the column's name. */
const NAMES: Readonly<Record<string, string>> = {
  ammId: 'AMMID',
  documentId: 'OracleDocumentID',
  lastUpdate: 'LastUpdateTime',
  series: 'PriceDataSeries',
  outstanding: 'OutstandingAmount',
  maximum: 'MaximumAmount',
  metadata: 'MPTokenMetadata',
  locked: 'LockedAmount',
  issuanceId: 'MPTokenIssuanceID',
  lpBalance: 'LPTokenBalance',
  domainId: 'DomainID',
  signingKey: 'SigningPubKey',
  ticket: 'TicketSequence',
  limit: 'LimitAmount',
  delivered: 'DeliveredAmount',
  tokens: 'NFTokens',
  nftId: 'NFTokenID',
};

/** `prevTakerPaysAt` -> previous TakerPays. */
function fieldOf(column: string, entry: string): { name: string; previous: boolean } {
  const previous = column.startsWith('prev');
  const stem = column.replace(/At$/, '').replace(/^prev([A-Z])/, (_, first: string) => first.toLowerCase());
  if (entry === 'MPToken' && stem === 'amount') return { name: 'MPTAmount', previous };
  return { name: NAMES[stem] ?? stem[0]!.toUpperCase() + stem.slice(1), previous };
}

/** Every type of entry that has columns. */
const ENTRY_COLUMNS: readonly [name: string, type: number, columns: Readonly<Record<string, number>>][] = [
  ['AccountRoot', EntryType.AccountRoot, columns.AccountNode],
  ['RippleState', EntryType.RippleState, columns.LineNode],
  ['Offer', EntryType.Offer, columns.OfferNode],
  ['AMM', EntryType.AMM, columns.AmmNode],
  ['MPTokenIssuance', EntryType.MPTokenIssuance, columns.IssuanceNode],
  ['MPToken', EntryType.MPToken, columns.MptokenNode],
  ['Escrow', EntryType.Escrow, columns.EscrowNode],
  ['DepositPreauth', EntryType.DepositPreauth, columns.PreauthNode],
  ['Oracle', EntryType.Oracle, columns.OracleNode],
  ['DirectoryNode', EntryType.DirectoryNode, columns.DirectoryNode],
  ['NFTokenPage', EntryType.NFTokenPage, columns.NftPageNode],
  ['NFTokenOffer', EntryType.NFTokenOffer, columns.NftOfferNode],
  ['FeeSettings', EntryType.FeeSettings, columns.FeeNode],
];

/** Which elements of a page differ: not those of a field, but of two. */
const PAGE_DIFFERENCES = ['changedAt', 'changed', 'prevChangedAt', 'prevChanged'] as const;

interface Column {
  readonly column: number;
  readonly name: string;
  readonly previous: boolean;
}
const BY_ENTRY = new Map<string, readonly Column[]>();
for (const [entry, , cells] of ENTRY_COLUMNS)
  BY_ENTRY.set(
    entry,
    Object.entries(cells)
      .filter(([name]) => !(PAGE_DIFFERENCES as readonly string[]).includes(name))
      .map(([name, column]) => ({ column, ...fieldOf(name, entry) })),
  );
const TX_OFFSETS: readonly Column[] = Object.entries(Tx)
  .filter(([name]) => name.endsWith('At') && !['txAt', 'metaAt'].includes(name))
  .map(([name, column]) => ({ column, ...fieldOf(name, 'transaction') }));

/** What the reference reads at an offset, as the value of the named field. */
function valueAt(bytes: Uint8Array, at: number, name: string): unknown {
  const field = reference.field[name]!;
  const nested = field.type.name === 'STArray' || field.type.name === 'STObject';
  const long = (field.type.name === 'Blob' && bytes[at]! > 60) || field.type.name === 'Vector256';
  const parser = new BinaryParser('', DEFAULT_DEFINITIONS);
  const length = nested || long ? 16_384 : 64;
  // Its constructor takes hex, which costs more than the reading itself.
  (parser as unknown as { bytes: Uint8Array }).bytes = bytes.slice(at, at + length);
  const value =
    field.type.name === 'AccountID'
      ? field.associatedType.fromParser(parser)
      : parser.readFieldValue(field as never);
  return value.toJSON(DEFAULT_DEFINITIONS, name);
}

class Check {
  cells = 0;
  nodes = 0;
  pages = 0;
  readonly faults: string[] = [];

  equal(got: unknown, expected: unknown, what: string): void {
    this.cells++;
    if (!Bun.deepEquals(got, expected))
      this.faults.push(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`);
  }

  cell(bytes: Uint8Array, at: number, name: string, fields: Fields, what: string): void {
    const expected = fields[name];
    this.equal(at === 0 ? undefined : valueAt(bytes, at, name), expected, `${what} ${name}`);
  }

  transaction(
    packed: PackedLedger,
    changes: Changes,
    i: number,
    tx: Fields,
    meta: Fields,
    from: string,
  ): void {
    const { bytes } = packed;
    this.equal(
      changes.tx(i, Tx.type),
      reference.transactionType[String(tx.TransactionType)]?.ordinal ?? 0,
      `${from} type`,
    );
    this.equal(
      changes.tx(i, Tx.result),
      reference.transactionResult[String(meta.TransactionResult)]?.ordinal ?? 0,
      `${from} result`,
    );
    this.equal(changes.tx(i, Tx.flags), tx.Flags ?? 0, `${from} flags`);
    this.equal(changes.tx(i, Tx.sequence), tx.Sequence ?? 0, `${from} sequence`);
    this.equal(changes.tx(i, Tx.txAt), packed.txOffset(i), `${from} txAt`);
    this.equal(changes.tx(i, Tx.metaAt), packed.txOffset(i) + packed.txLength(i), `${from} metaAt`);
    for (const { column, name } of TX_OFFSETS) {
      const source = name === 'DeliveredAmount' ? meta : tx;
      // UNLModify has an account of no length, which the reference shows as account zero.
      const fields = name === 'Account' && tx.TransactionType === 'UNLModify' ? {} : source;
      this.cell(bytes, changes.tx(i, column), name, fields, from);
    }
    this.affected(packed, changes, i, (meta.AffectedNodes ?? []) as Record<string, Fields>[], from);
  }

  affected(
    packed: PackedLedger,
    changes: Changes,
    i: number,
    nodes: Record<string, Fields>[],
    from: string,
  ): void {
    const { bytes } = packed;
    const first = changes.tx(i, Tx.firstNode);
    this.equal(changes.tx(i, Tx.nodes), nodes.length, `${from} nodes`);
    for (const [n, node] of nodes.entries()) {
      const [kind, body] = Object.entries(node)[0]!;
      const row = first + n;
      const what = `${from} node ${n}`;
      const action = {
        CreatedNode: NodeAction.created,
        ModifiedNode: NodeAction.modified,
        DeletedNode: NodeAction.deleted,
      }[kind];
      this.nodes++;
      this.equal(changes.node(row, Node.tx), i, `${what} tx`);
      this.equal(changes.node(row, Node.action), action, `${what} action`);
      this.equal(hexOf(bytes, changes.node(row, Node.indexAt), 32), body.LedgerIndex, `${what} index`);
      const final = (body.FinalFields ?? body.NewFields ?? {}) as Fields;
      const previous = (body.PreviousFields ?? {}) as Fields;
      this.entry(bytes, changes, row, String(body.LedgerEntryType), final, previous, what);
      if (body.LedgerEntryType === 'NFTokenPage') this.page(bytes, changes, row, kind, final, previous, what);
    }
  }

  /** The elements that differ, and those between the first and the last of them, against whole arrays of the reference. */
  page(
    bytes: Uint8Array,
    changes: Changes,
    row: number,
    kind: string,
    final: Fields,
    previous: Fields,
    what: string,
  ): void {
    const shown = (final.NFTokens ?? []) as unknown[];
    const before = (previous.NFTokens ?? (kind === 'CreatedNode' ? [] : shown)) as unknown[];
    const after = kind === 'DeletedNode' ? [] : shown;
    let [first, last] = [0, 0];
    const end = Math.min(before.length, after.length);
    while (first < end && Bun.deepEquals(before[first], after[first])) first++;
    while (last < end - first && Bun.deepEquals(before.at(-1 - last), after.at(-1 - last))) last++;
    const { changedAt, changed, prevChangedAt, prevChanged } = columns.NftPageNode;
    for (const [array, at, count] of [
      [after, changedAt, changed],
      [before, prevChangedAt, prevChanged],
    ] as const) {
      const expected = array.slice(first, array.length - last);
      this.equal(changes.node(row, count), expected.length, `${what} changed elements`);
      const got = changes.node(row, at);
      if (expected.length === 0) this.equal(got, 0, `${what} no changed element`);
      else
        this.equal(
          (valueAt(bytes, got, 'NFTokens') as unknown[]).slice(0, expected.length),
          expected,
          `${what} elements`,
        );
      this.pages++;
    }
  }

  entry(
    bytes: Uint8Array,
    changes: Changes,
    row: number,
    type: string,
    final: Fields,
    previous: Fields,
    what: string,
  ): void {
    this.equal(changes.node(row, Node.entryType), reference.ledgerEntryType[type]?.ordinal, `${what} type`);
    const known = BY_ENTRY.get(type) ?? [];
    for (const c of known)
      this.cell(bytes, changes.node(row, c.column), c.name, c.previous ? previous : final, `${what} ${type}`);
    const used = new Set(known.map((c) => c.column));
    if (type === 'NFTokenPage') for (const name of PAGE_DIFFERENCES) used.add(columns.NftPageNode[name]);
    for (let column = 4; column < columns.NODE_WORDS; column++)
      if (!used.has(column)) this.equal(changes.node(row, column), 0, `${what} column ${column}`);
  }
}

const recorded = corpusDir === undefined ? [] : recordedTransactions();

/** Recorded transactions in groups of a hundred. */
function* batches(all: readonly Recorded[]): Generator<{ rows: Recorded[]; packed: PackedLedger }> {
  for (let at = 0; at < all.length; at += 100) {
    const rows = all.slice(at, at + 100);
    yield { rows, packed: packAny(rows.map((r): Blobs => ({ tx: bytesOf(r.tx), meta: bytesOf(r.meta) }))) };
  }
}

test('every type of entry that has columns is in ENTRY_COLUMNS, so that its cells are compared', () => {
  const withColumns = Object.entries(EntryType).filter(([, type]) => SHIPPED_LAYOUT.entryBase[type] !== 0);
  expect(ENTRY_COLUMNS.map(([name]) => name).sort()).toEqual(withColumns.map(([name]) => name).sort());
});

describe.if(corpusDir !== undefined)('recorded ledgers', () => {
  test('every cell of every transaction and node equals the reference', () => {
    const check = new Check();
    for (const { rows, packed } of batches(sampled([...recorded, ...metadataAlone()], EVERY))) {
      const changes = new Changes(extractChanges(packed, new Uint8Array(32 * rows.length)));
      check.equal(changes.words[2], 0, `${rows[0]!.from} unknown fields`);
      check.equal(changes.words[3], 0, `${rows[0]!.from} fell back`);
      for (const [i, r] of rows.entries()) {
        const tx = r.tx === '' ? {} : (decode(r.tx) as Fields);
        check.transaction(packed, changes, i, tx, decode(r.meta) as Fields, r.from);
      }
    }
    expect(check.faults.slice(0, 10)).toEqual([]);
    expect(check.nodes).toBeGreaterThan(casesOf(25_000 / EVERY / 2, 25_000));
    expect(check.cells).toBeGreaterThan(casesOf(400_000 / EVERY / 2, 400_000));
    expect(check.pages).toBeGreaterThan(0);
  });

  test('ledger entries of a snapshot page', () => {
    const entries = recordedEntries();
    const indices = entries.map((_, i) => new Uint8Array(32).fill(i & 0xff));
    const page = statePage(entries.map((e, i) => [indices[i]!, bytesOf(e.hex)]));
    const changes = new Changes(extractEntries(page));
    const check = new Check();
    expect(changes.transactions).toBe(0);
    expect(changes.nodes).toBe(entries.length);
    for (const [row, { hex, from }] of entries.entries()) {
      const fields = decode(hex) as Fields;
      check.equal(changes.node(row, Node.action), NodeAction.created, from);
      const at = changes.node(row, Node.indexAt);
      check.equal(page.slice(at, at + 32), indices[row], `${from} index`);
      check.entry(page, changes, row, String(fields.LedgerEntryType), fields, {}, from);
    }
    expect(check.faults.slice(0, 10)).toEqual([]);
    expect(entries.length).toBeGreaterThan(500);
  });

  test('hashes are those given, or computed; shared or not', () => {
    const rows = recorded.slice(0, 20);
    const packed = packAny(rows.map((r) => ({ tx: bytesOf(r.tx), meta: bytesOf(r.meta) })));
    const computed = new Changes(extractChanges(packed));
    const given = Uint8Array.from({ length: 640 }, (_, i) => i & 0xff);
    const words = extractChanges(packed, given, true);
    expect(words.buffer).toBeInstanceOf(SharedArrayBuffer);
    for (let i = 0; i < 20; i++) {
      expect(computed.hash(i)).toEqual(transactionHash(packed.tx(i)));
      expect(new Changes(words).hash(i)).toEqual(given.slice(32 * i, 32 * i + 32));
    }
    expect(() => extractChanges(packed, given.subarray(1))).toThrow(RangeError);
  });

  test('a recorded ledger as the pipeline packs it', () => {
    const name = ledgerFiles().find((n) => n === 'mainnet-11119619.json.gz') ?? ledgerFiles()[0]!;
    const rows = readLedger(name).transactions!;
    const blobs = rows.map((t) => ({ tx: bytesOf(t.tx_blob!), meta: bytesOf(t.meta_blob!) }));
    const packed = packLedger(new Uint8Array(118), new Uint8Array(32), blobs, true);
    const changes = new Changes(extractChanges(packed, undefined, true));
    for (const [i, t] of rows.entries()) expect(hexOf(changes.hash(i))).toBe(t.hash);
  });
});

function metadataAlone(): Recorded[] {
  const out: Recorded[] = [];
  for (const [i, row] of readLines('meta_only.jsonl.gz').entries()) {
    const meta = encodedObject(row.meta);
    if (meta) out.push({ from: `meta_only ${i}`, tx: '', meta });
  }
  return out;
}

describe('unusual bytes', () => {
  const meta = bytesOf('201C00000000F8F1031000');
  const of = (tx: string, m: Uint8Array = meta): Changes =>
    new Changes(extractChanges(packAny([{ tx: bytesOf(tx), meta: m }]), new Uint8Array(32)));

  test('a field without definition is skipped and counted', () => {
    const changes = of('120000220000000120FE0000002A2400000007');
    expect([...changes.words.subarray(0, 4)]).toEqual([1, 0, 1, 0]);
    expect(changes.tx(0, Tx.flags)).toBe(1);
    expect(changes.tx(0, Tx.sequence)).toBe(7);
  });

  test('an unknown type makes the transaction unreadable', () => {
    for (const bad of [
      '1200002200000001011D00',
      '22000000012000FF',
      '2200',
      '62FF',
      '7D',
      'E1',
      'EA',
      '0001',
      '01',
    ]) {
      const changes = of(bad);
      expect(changes.words[3]).toBe(1);
      expect(changes.tx(0, Tx.result)).toBe(RESULT_UNREAD);
      expect(changes.tx(0, Tx.nodes)).toBe(0);
      expect(changes.tx(0, Tx.flags)).toBe(0);
    }
  });

  test('complete nodes before a fault are kept, the malformed one and the rest of the row are not', () => {
    const node = `E51100615${'6'}${'AB'.repeat(32)}E1`;
    const good = bytesOf(`201C00000000F8${node}F1031000`);
    const bad = bytesOf(`201C00000000F8${node}E51100615600F1031000`);
    const tx = bytesOf('2200000001');
    const words = extractChanges(
      packAny([
        { tx, meta: bad },
        { tx, meta: good },
      ]),
      new Uint8Array(64),
    );
    const changes = new Changes(words);
    expect(changes.nodes).toBe(2);
    expect([changes.node(0, Node.tx), changes.node(1, Node.tx)]).toEqual([0, 1]);
    expect(changes.tx(0, Tx.result)).toBe(RESULT_UNREAD);
    expect([changes.tx(0, Tx.firstNode), changes.tx(0, Tx.nodes)]).toEqual([0, 1]);
    expect([changes.tx(1, Tx.firstNode), changes.tx(1, Tx.nodes)]).toEqual([1, 1]);
  });

  test('metadata is used when only the transaction cannot be read', () => {
    const node = `E51100615${'6'}${'AB'.repeat(32)}E1`;
    const changes = of('1200002200000001011D00', bytesOf(`201C00000000F8${node}F1031000`));
    expect(changes.words[3]).toBe(1);
    expect(changes.tx(0, Tx.result)).toBe(RESULT_UNREAD);
    expect([changes.tx(0, Tx.nodes), changes.nodes]).toEqual([1, 1]);
    expect([changes.tx(0, Tx.flags), changes.tx(0, Tx.accountAt)]).toEqual([0, 0]);
  });

  test('more nodes than estimated: the buffer grows', () => {
    const node = `E5110061${'56'}${'AB'.repeat(32)}E1`;
    const many = bytesOf(`201C00000000F8${node.repeat(500)}F1031000`);
    const changes = of('2200000001', many);
    expect(changes.nodes).toBe(500);
    expect(changes.words.length).toBe(8 + 24 + 500 * 20 + 8 + 2);
    for (let row = 0; row < 500; row++) expect(changes.node(row, Node.entryType)).toBe(EntryType.AccountRoot);
  });

  test('a page that ends within an entry, and one with a malformed entry', () => {
    const entry = bytesOf('1100612200000000');
    const page = statePage([
      [new Uint8Array(32), entry],
      [new Uint8Array(32), bytesOf('110061220000')],
    ]);
    expect([...extractEntries(page).subarray(0, 4)]).toEqual([0, 1, 0, 1]);
    expect([...extractEntries(page.subarray(0, 60)).subarray(0, 4)]).toEqual([0, 1, 0, 1]);
    expect([...extractEntries(new Uint8Array(0)).subarray(0, 4)]).toEqual([0, 0, 0, 0]);
  });
});

/** Who cannot sign any more: a flag of the account, set by the ledgers that change its keys. */

import { describe, expect, test } from 'bun:test';
import { Node } from '../../../engine/codec/changes.ts';
import { transactionHash } from '../../../engine/codec/hash.ts';
import { restoringDomains } from '../../../engine/domain.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import { KEY_STEPS_MAX } from '../../../engine/state/black-holes.ts';
import { BLOCK_ROWS } from '../../../engine/state/dirty-rows.ts';
import { layoutIdOf, layoutsName, type StoredLayout } from '../../../engine/state/layout.ts';
import { STATE_LIMITS } from '../../../engine/state/limits.ts';
import { State } from '../../../engine/state/state.ts';
import type { Store } from '../../../engine/store.ts';
import { fillTables } from '../../../engine/upgrade.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { type Made, madeBlobs, madeLedger, person } from '../market/made.ts';

const DISABLED = 0x00100000;
const LIMITS = Object.fromEntries(
  Object.keys(STATE_LIMITS).map((name) => [name, 256]),
) as unknown as typeof STATE_LIMITS;
const account = person(1);
const HOLES = [
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
  'rrrrrrrrrrrrrrrrrNAMEtxvNvQ',
  'rrrrrrrrrrrrrrrrrrrn5RM1rHd',
];

type Root = {
  readonly Flags?: number;
  readonly RegularKey?: string;
  readonly Sequence?: number;
  readonly AMMID?: string;
};

/** An AccountRoot as a transaction leaves it. */
const root = (fields: Root, kind = 'ModifiedNode'): object => ({
  [kind]: {
    LedgerEntryType: 'AccountRoot',
    // SHA512Half of 0061 and twenty bytes of 01.
    LedgerIndex: ROOT_INDEX,
    [kind === 'CreatedNode' ? 'NewFields' : 'FinalFields']: {
      Account: account,
      Balance: '100000000',
      OwnerCount: 0,
      Sequence: 7,
      Flags: 0,
      ...fields,
    },
  },
});
const signerList = (kind: 'CreatedNode' | 'DeletedNode'): object => ({
  [kind]: {
    LedgerEntryType: 'SignerList',
    LedgerIndex: SIGNERS_INDEX,
    [kind === 'CreatedNode' ? 'NewFields' : 'FinalFields']: { Flags: 65536, SignerQuorum: 1 },
  },
});

const half = (space: string, rest = ''): string =>
  new Bun.CryptoHasher('sha512')
    .update(Buffer.from(`00${Buffer.from(space).toString('hex')}${'01'.repeat(20)}${rest}`, 'hex'))
    .digest('hex')
    .slice(0, 64)
    .toUpperCase();
const ROOT_INDEX = half('a');
const SIGNERS_INDEX = half('S', '00000000');

const set = (fields: Root): Made => ({ tx: { TransactionType: 'AccountSet' }, nodes: [root(fields)] });
const signers = (kind: 'CreatedNode' | 'DeletedNode', fields: Root): Made => ({
  tx: { TransactionType: 'SignerListSet', SignerQuorum: kind === 'CreatedNode' ? 1 : 0 },
  nodes: [signerList(kind), root(fields)],
});
const black: Root = { Flags: DISABLED, RegularKey: HOLES[0]! };
/** A transaction of another account that refers to this one: metadata then has its AccountRoot without any field. */
const threaded = (previous: Made, sequence: number): Made => ({
  tx: { TransactionType: 'TrustSet', Account: person(4), Sequence: sequence },
  nodes: [
    {
      ModifiedNode: {
        LedgerEntryType: 'AccountRoot',
        LedgerIndex: ROOT_INDEX,
        PreviousTxnID: Buffer.from(transactionHash(Buffer.from(madeBlobs(previous, 0).tx, 'hex')))
          .toString('hex')
          .toUpperCase(),
        PreviousTxnLgrSeq: 1000,
      },
    },
  ],
});
/** All in one ledger. */
type Ledger = Made | readonly Made[];

/** State and store after these ledgers. */
async function after(...ledgers: readonly Ledger[]) {
  const state = new State(LIMITS);
  const store = new MemoryStore();
  for (const [i, ledger] of ledgers.entries()) {
    const { packed, changes } = madeLedger(1000 + i, 700_000_000 + i, [ledger].flat());
    state.applyLedger(packed, changes);
    const batch = store.batch();
    batch.ledger(packed.ledgerIndex, packed.closeTime, packed.bytes);
    for (let node = 0; node < changes.nodes; node++)
      batch.entry(
        packed.bytes,
        changes.node(node, Node.indexAt),
        packed.ledgerIndex,
        changes.node(node, Node.tx),
      );
    for (let tx = 0; tx < changes.transactions; tx++)
      batch.transaction(transactionHash(packed.tx(tx)), 0, packed.ledgerIndex, tx);
    state.persist(batch);
    await store.commit(batch, { index: packed.ledgerIndex, hash: packed.hash, closeTime: packed.closeTime });
  }
  return { state, store };
}

/** The store as a version without these columns would have written it: they are the last ones of a block. */
function withoutColumns(
  store: MemoryStore,
  table: number,
): Pick<Store, 'blocks' | 'lastBlock' | 'rows' | 'text' | 'value'> {
  const added = ['regularKey', 'signerList'];
  const columnsOf = ({ columns }: StoredLayout) => columns.filter(({ name }) => !added.includes(name));
  const layouts = store.value(layoutsName(table)) as readonly StoredLayout[];
  expect(layouts).toHaveLength(1);
  expect(layouts[0]!.columns.slice(-2).map(({ name }) => name)).toEqual(added);
  const id = layoutIdOf(columnsOf(layouts[0]!));
  return {
    text: (kind, row) => store.text(kind, row),
    value: (name) =>
      name === layoutsName(table) ? [{ id, columns: columnsOf(layouts[0]!) }] : store.value(name),
    blocks: (of, visit, from) => {
      const visitOlder = (block: number, bytes: Uint8Array) => {
        if (of !== table) return visit(block, bytes);
        const older = bytes.slice(0, bytes.length - added.length * BLOCK_ROWS);
        new DataView(older.buffer).setUint32(0, id, true);
        return visit(block, older);
      };
      store.blocks(of, visitOlder, from);
    },
    lastBlock: (of) => store.lastBlock(of),
    rows: (visit) =>
      store.rows((of, row, image) => {
        if (of !== table) return visit(of, row, image);
        const older = image.slice(0, image.length - added.length);
        new DataView(older.buffer).setUint32(0, id, true);
        visit(of, row, older);
      }),
  };
}

const isBlackholed = ({ accounts }: State) => accounts.isBlackholed(accounts.findText(account) ?? 0);

const CASES: readonly (readonly [what: string, is: boolean | undefined, ...made: Ledger[]])[] = [
  ...HOLES.map((RegularKey) => [RegularKey, true, set({ Flags: DISABLED, RegularKey })] as const),
  ['its master key enabled', false, set({ RegularKey: HOLES[0]! })],
  ['a regular key with a known owner', false, set({ Flags: DISABLED, RegularKey: person(2) })],
  ['no regular key: there is a list of signers', false, set({ Flags: DISABLED })],
  ['a list of signers', false, signers('CreatedNode', {}), set(black)],
  [
    'a list of signers that was taken away',
    true,
    signers('CreatedNode', {}),
    signers('DeletedNode', {}),
    set(black),
  ],
  ['its master key enabled again', false, set(black), set({ RegularKey: HOLES[0]! })],
  ['a transaction of another account after its last change', true, set(black), threaded(set(black), 8)],
  [
    'two such transactions, in the ledger of its last change and in the next one',
    true,
    [set(black), threaded(set(black), 8)],
    threaded(threaded(set(black), 8), 9),
  ],
  [
    'such transactions before and after a change',
    false,
    [threaded(set(black), 8), set({})],
    threaded(set({}), 9),
  ],
  ['a pool', true, set({ Flags: DISABLED, AMMID: '0A'.repeat(32) })],
  ['an account of the ledger, of sequence 0', true, set({ Flags: DISABLED, Sequence: 0 })],
  [
    'an account that was deleted',
    undefined,
    set(black),
    { tx: { TransactionType: 'AccountDelete', Destination: person(3) }, nodes: [root(black, 'DeletedNode')] },
  ],
];

describe('black holes', () => {
  test.each(CASES)('%s: %p', async (_what, is, ...made) => {
    const { state, store } = await after(...made);
    expect(isBlackholed(state)).toBe(is);
    const restored = new State(LIMITS);
    runToEnd(restoringDomains(store, [restored]));
    expect(isBlackholed(restored)).toBe(is);
    expect(restored.digest()).toBe(state.digest());
  });

  test.each(CASES)('a store without the columns gives the same for %s', async (_what, is, ...made) => {
    const { state, store } = await after(...made);
    const { table } = state.accounts;
    const older = new State(LIMITS);
    const lacking = withoutColumns(store, table.id);
    runToEnd(restoringDomains(lacking, [older]));
    fillTables(older.tables, store, { debug() {}, info() {}, warn() {}, error() {} });
    runToEnd(older.rebuilding());
    expect(isBlackholed(older)).toBe(is);
    expect(older.digest()).toBe(state.digest());
  });

  test('after very many transactions that only refer to the account, the flag is unknown: a start reads no further', async () => {
    const chain: Made[] = [set(black)];
    while (chain.length <= KEY_STEPS_MAX) chain.push(threaded(chain.at(-1)!, chain.length + 8));
    for (const [ledgers, is] of [
      [chain.slice(0, -1), true],
      [chain, undefined],
    ] as const) {
      const { store } = await after(...ledgers);
      const older = new State(LIMITS);
      runToEnd(restoringDomains(withoutColumns(store, older.accounts.table.id), [older]));
      fillTables(older.tables, store, { debug() {}, info() {}, warn() {}, error() {} });
      expect(isBlackholed(older)).toBe(is);
    }
  });

  test('where no stored ledger shows the keys, the flag is unknown', async () => {
    const { store } = await after(set(black));
    const older = new State(LIMITS);
    runToEnd(restoringDomains(withoutColumns(store, older.accounts.table.id), [older]));
    const empty = new MemoryStore();
    fillTables(older.tables, empty, { debug() {}, info() {}, warn() {}, error() {} });
    expect(isBlackholed(older)).toBeUndefined();
  });
});

/** One set of cases for both stores of the embedded network, and cases that only the one on disk has. */
import { afterAll, describe, expect, test } from 'bun:test';
import { openSandboxStore } from '../../data/sandbox-store.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { ledgerHash } from '../../engine/codec/hash.ts';
import { writeHeader } from '../../engine/codec/header.ts';
import { packLedger } from '../../engine/codec/packed.ts';
import { MemoryStore } from '../../sandbox/ledger/memory-store.ts';
import type { IndexedTransaction, LedgerBatch, Location, SandboxStore } from '../../sandbox/ledger/store.ts';
import { NetworkRig, stateRoot } from '../sandbox/node/network-rig.ts';
import { hashOf, temporaryDir } from './tools.ts';

const dirs: ReturnType<typeof temporaryDir>[] = [];
const newDir = (): string => {
  dirs.push(temporaryDir());
  return dirs.at(-1)!.dir;
};
afterAll(() => {
  for (const { remove } of dirs) remove();
});

const hex = (seed: number): string => hexOf(hashOf(seed));
const account = (n: number): string => hex(9000 + n).slice(0, 40);
/** Flags 8, no fee, issuer, scrambled taxon 0 of sequence 0 (2459), sequence 0: as the protocol packs them. */
const nft = (issuer: string, taxon: number): string =>
  `00080000${issuer}${((taxon ^ 2459) >>> 0).toString(16).toUpperCase().padStart(8, '0')}00000000`;

/** A ledger of `count` transactions in which transaction i affects account i and account 0, every third an NFT. */
function ledger(index: number, count: number): LedgerBatch['ledgers'][number] {
  const header = writeHeader({
    index,
    totalDrops: 1n,
    parentHash: hashOf(index - 1),
    transactionHash: hashOf(1),
    accountHash: hashOf(2),
    parentCloseTime: index * 10 - 10,
    closeTime: index * 10,
    closeResolution: 10,
    closeFlags: 0,
  });
  const meta = (i: number): Uint8Array => Uint8Array.of(0x20, 0x1c, 0, 0, 0, i);
  const transactions: IndexedTransaction[] = Array.from({ length: count }, (_, i) => ({
    hash: hex(index * 1000 + i),
    accounts: [account(0), account(i + 1)].sort(),
    nfts: i % 3 === 0 ? [nft(account(1), i % 2)] : [],
  }));
  const packed = packLedger(
    header,
    ledgerHash(header),
    transactions.map((_, i) => ({ tx: Uint8Array.of(i), meta: meta(i) })),
    false,
  );
  return { packed, transactions };
}

const batch = (ledgers: LedgerBatch['ledgers'], rest: Partial<LedgerBatch> = {}): LedgerBatch => ({
  ledgers,
  changes: [],
  holders: [],
  ...rest,
});

const stores: [name: string, open: () => SandboxStore][] = [
  ['memory', () => new MemoryStore()],
  ['LMDB', () => openSandboxStore({ dir: newDir(), network: 7 })],
];

for (const [name, open] of stores)
  describe(`store: ${name}`, () => {
    test('is empty, then has what was committed', async () => {
      const store = open();
      expect([store.head(), store.range(), store.ledger(1), store.ledgerAt(99)]).toEqual(
        new Array(4).fill(undefined),
      );
      const [one, two, three] = [ledger(1, 0), ledger(2, 5), ledger(3, 2)];
      store.commit(batch([one!, two!]));
      store.commit(batch([three!]));
      expect(store.head()).toEqual({ index: 3, hash: hexOf(three!.packed.hash) });
      expect(store.range()).toEqual({ first: 1, last: 3 });
      expect(store.ledger(2)!.bytes).toEqual(two!.packed.bytes);
      expect(store.ledgerIndexOf(hexOf(two!.packed.hash))).toBe(2);
      expect(store.ledgerIndexOf(hex(1))).toBeUndefined();
      expect([9, 10, 19, 20, 4_294_967_295].map((time) => store.ledgerAt(time))).toEqual([
        undefined,
        1,
        1,
        2,
        3,
      ]);
      expect(store.transaction(hex(2003))).toEqual({ ledger: 2, position: 3 });
      expect(store.transaction(hex(2005))).toBeUndefined();
      await store.close();
    });

    test('refuses what does not follow its head, and keeps nothing of it', async () => {
      const store = open();
      store.commit(batch([ledger(5, 1)]));
      const change = { key: hex(1), bytes: Uint8Array.of(1) };
      expect(() => store.commit(batch([ledger(7, 1)], { changes: [change] }))).toThrow(RangeError);
      expect(() => store.commit(batch([ledger(6, 1), ledger(8, 1)], { changes: [change] }))).toThrow(
        RangeError,
      );
      expect(() => store.commit(batch([]))).toThrow(RangeError);
      expect(store.range()).toEqual({ first: 5, last: 5 });
      expect([...store.state()]).toEqual([]);
      await store.close();
    });

    test('pages through the transactions of an account and an NFT both ways', async () => {
      const store = open();
      for (let index = 1; index <= 6; index++) store.commit(batch([ledger(index, index)]));
      const all: Location[] = [];
      for (let index = 1; index <= 6; index++)
        for (let position = 0; position < index; position++) all.push({ ledger: index, position });
      const nfts = all.filter(({ position }) => position % 6 === 0);
      for (const forward of [true, false])
        for (const limit of [1, 4, 100])
          for (const [first, last] of [
            [0, 4_294_967_295],
            [2, 5],
            [4, 3],
          ] as const) {
            const read = (
              list: (query: Parameters<SandboxStore['accountTransactions']>[1]) => Location[],
            ) => {
              const found: Location[] = [];
              for (;;) {
                const after = found.at(-1);
                const page = list({ first, last, forward, limit, ...(after ? { after } : {}) });
                expect(page.length).toBeLessThanOrEqual(limit);
                if (page.length === 0) return forward ? found : found.reverse();
                found.push(...page);
              }
            };
            const inRange = ({ ledger }: Location): boolean => ledger >= first && ledger <= last;
            expect(read((query) => store.accountTransactions(account(0), query))).toEqual(
              all.filter(inRange),
            );
            expect(read((query) => store.nftTransactions(nft(account(1), 0), query))).toEqual(
              nfts.filter(inRange),
            );
          }
      expect(store.accountTransactions(account(99), { first: 0, last: 9, forward: true, limit: 9 })).toEqual(
        [],
      );
      // A marker outside the bounds does not lead outside them.
      const after = { ledger: 9, position: 0 };
      expect(
        store.accountTransactions(account(0), { first: 1, last: 6, forward: true, limit: 9, after }),
      ).toEqual([]);
      expect(
        store.accountTransactions(account(0), { first: 6, last: 6, forward: false, limit: 1, after }),
      ).toEqual([{ ledger: 6, position: 5 }]);
      await store.close();
    });

    test('lists the NFTs of an issuer by taxon, and the holders of an MPT', async () => {
      const store = open();
      store.commit(batch([ledger(1, 12)]));
      const [zero, one] = [nft(account(1), 0), nft(account(1), 1)];
      expect(store.nftsOf(account(1), { limit: 10 })).toEqual([zero, one]);
      expect(store.nftsOf(account(1), { limit: 1 })).toEqual([zero]);
      expect(store.nftsOf(account(1), { limit: 10, after: zero })).toEqual([one]);
      expect(store.nftsOf(account(1), { limit: 10, taxon: 1 })).toEqual([one]);
      expect(store.nftsOf(account(1), { limit: 10, taxon: 2 })).toEqual([]);
      expect(store.nftsOf(account(2), { limit: 10 })).toEqual([]);

      const issuance = hex(3).slice(0, 48);
      const sorted = [1, 2, 3, 4].map(account).sort();
      const holders = sorted.map((holder) => ({ issuance, holder, holds: true }));
      store.commit(batch([ledger(2, 0)], { holders }));
      expect(store.mptHolders(issuance, { limit: 9 })).toEqual(sorted);
      store.commit(batch([ledger(3, 0)], { holders: [{ ...holders[1]!, holds: false }] }));
      expect(store.mptHolders(issuance, { limit: 2 })).toEqual([sorted[0]!, sorted[2]!]);
      expect(store.mptHolders(issuance, { limit: 2, after: sorted[2]! })).toEqual([sorted[3]!]);
      expect(store.mptHolders(hex(4).slice(0, 48), { limit: 9 })).toEqual([]);
      await store.close();
    });

    test('drops its oldest ledgers and their index entries', async () => {
      const store = open();
      const ledgers = [1, 2, 3, 4].map((index) => ledger(index, index));
      store.commit(batch(ledgers));
      expect(() => store.commit(batch([ledger(5, 0)], { dropped: [ledgers[1]!] }))).toThrow(RangeError);
      store.commit(batch([ledger(5, 1)], { dropped: ledgers.slice(0, 2) }));
      expect(store.range()).toEqual({ first: 3, last: 5 });
      expect([store.ledger(2), store.transaction(hex(2000)), store.ledgerAt(29)]).toEqual(
        new Array(3).fill(undefined),
      );
      expect(store.ledgerIndexOf(hexOf(ledgers[0]!.packed.hash))).toBeUndefined();
      expect(store.ledger(3)!.bytes).toEqual(ledgers[2]!.packed.bytes);
      const query = { first: 0, last: 9, forward: true, limit: 99 };
      const kept = store.accountTransactions(account(0), query).map(({ ledger }) => ledger);
      expect(kept).toEqual([3, 3, 3, 4, 4, 4, 4, 5]);
      expect(store.nftTransactions(nft(account(1), 0), query).map(({ ledger }) => ledger)).toEqual([3, 4, 5]);
      await store.close();
    });

    test('keeps notes by name, each in place of the last, only with a commit that succeeds', async () => {
      const store = open();
      expect(store.text('a')).toBeUndefined();
      store.commit(
        batch([ledger(1, 1)], {
          texts: new Map([
            ['a', 'first'],
            ['b', 'größer'],
          ]),
        }),
      );
      store.commit(batch([ledger(2, 1)], { texts: new Map([['a', 'second']]) }));
      store.commit(batch([ledger(3, 1)]));
      expect(() => store.commit(batch([ledger(9, 1)], { texts: new Map([['a', 'never']]) }))).toThrow(
        RangeError,
      );
      expect([store.text('a'), store.text('b'), store.text('c')]).toEqual(['second', 'größer', undefined]);
      await store.close();
    });

    test('keeps the state of the head in order of keys', async () => {
      const store = open();
      const entries = Array.from({ length: 300 }, (_, i) => ({
        key: hex(i),
        bytes: new Uint8Array(i + 1).fill(i),
      }));
      store.commit(batch([ledger(1, 0)], { changes: entries }));
      const gone = entries.filter((_, i) => i % 3 === 0).map(({ key }) => ({ key, bytes: undefined }));
      const other = entries
        .filter((_, i) => i % 3 === 1)
        .map(({ key }) => ({ key, bytes: Uint8Array.of(9) }));
      store.commit(batch([ledger(2, 0)], { changes: [...gone, ...other] }));
      const expected = entries
        .flatMap((entry, i) =>
          i % 3 === 0 ? [] : [i % 3 === 1 ? { ...entry, bytes: Uint8Array.of(9) } : entry],
        )
        .sort((a, b) => (a.key < b.key ? -1 : 1));
      expect([...store.state()]).toEqual(expected);
      await store.close();
    });
  });

describe('the store on disk', () => {
  test('is one process at a time, of one network', async () => {
    const dir = newDir();
    const store = openSandboxStore({ dir, network: 7 });
    expect(() => openSandboxStore({ dir, network: 7 })).toThrow('in use by this process');
    await store.close();
    expect(() => openSandboxStore({ dir, network: 8 })).toThrow('holds network 7');
    await openSandboxStore({ dir, network: 7 }).close();
  });

  test('carries a network over a restart, with its state, ledgers and indices', async () => {
    const dir = newDir();
    const first = openSandboxStore({ dir, network: 7 });
    const rig = new NetworkRig({ store: first });
    const [ann, ben] = rig.fund(['ann', 'ben']);
    rig.submit(ann!, { TransactionType: 'NFTokenMint', NFTokenTaxon: 5 });
    const issuance = rig.submit(ann!, { TransactionType: 'MPTokenIssuanceCreate' });
    expect(issuance.result).toBe('tesSUCCESS');
    const sequence = issuance.accountSequenceNext - 1;
    rig.close();
    const id = sequence.toString(16).toUpperCase().padStart(8, '0') + ann!.id;
    expect(rig.submit(ben!, { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID: id }).result).toBe(
      'tesSUCCESS',
    );
    rig.close();
    const { hash, index } = rig.network.validated;
    const root = stateRoot(rig.network.validated);
    await first.close();

    const second = openSandboxStore({ dir, network: 7 });
    const again = new NetworkRig({ store: second });
    again.time = rig.time;
    expect(again.network.validated.hash).toBe(hash);
    expect(stateRoot(again.network.validated)).toBe(root);
    const { ledgers } = again.network;
    expect(ledgers.range()).toEqual({ first: 1, last: index });
    expect(ledgers.mptHolders(id, { limit: 5 })).toEqual([ben!.id]);
    const [minted] = ledgers.nftsOf(ann!.id, { limit: 5, taxon: 5 });
    const [location] = ledgers.nftTransactions(minted!, { first: 0, last: 99, forward: true, limit: 5 });
    expect(ledgers.resolve(location!)!.transaction.fields.TransactionType).toBe('NFTokenMint');
    again.submit(ben!, { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID: id, Flags: 1 });
    again.close();
    expect(again.network.validated.index).toBe(index + 1);
    expect(ledgers.mptHolders(id, { limit: 5 })).toEqual([]);
    await second.close();
  });
});

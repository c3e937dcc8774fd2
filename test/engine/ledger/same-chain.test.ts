import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { encode } from 'ripple-binary-codec';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { readHeader, writeHeader } from '../../../engine/codec/header.ts';
import { type PackedLedger, packLedger } from '../../../engine/codec/packed.ts';
import { Counters } from '../../../engine/counters.ts';
import { ArchiveReader } from '../../../engine/ledger/archive.ts';
import { ArchiveWriter } from '../../../engine/ledger/archive-writer.ts';
import { cannotFollow, chainPoint, ofOtherNetwork } from '../../../engine/ledger/same-chain.ts';
import { importCorpus, replay } from '../../../engine/ledger/tools.ts';
import { relaidChain } from '../../../support/chain.ts';
import { preparePool } from '../../../workers/prepare-pool.ts';
import { makeChain } from '../../ledgers.ts';
import { quietLog, seeded, testClock } from './quiet.ts';

const chain = makeChain({ count: 12 });
const MAIN = 0;
const EMBEDDED = 52_168;

/** A ledger of these transactions; nothing of it is proved here. */
function ledgerOf(...txs: readonly object[]): PackedLedger {
  const blobs = txs.map((tx, i) => ({
    tx: bytesOf(encode(tx as never)),
    meta: Uint8Array.of(0x20, 0x1c, 0, 0, 0, i),
  }));
  return packLedger(chain[0]!.header.slice(), chain[0]!.hash.slice(), blobs);
}

const Account = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const plain = { TransactionType: 'AccountSet', Account, Fee: '10', Sequence: 1, SigningPubKey: '' };
/** With further UINT16 before the network, and a UINT32 at its end. */
const fee = {
  ...plain,
  TransactionType: 'AMMVote',
  TradingFee: 5,
  Asset: { currency: 'XRP' },
  Asset2: { currency: 'USD', issuer: Account },
};

describe('the network of an archive', () => {
  test.each([
    ['nothing, of the main network', MAIN, plain, true],
    ['nothing, of a network that is named', EMBEDDED, plain, false],
    ['the network', EMBEDDED, { ...plain, NetworkID: EMBEDDED }, true],
    ['the network, after other fields', EMBEDDED, { ...fee, NetworkID: EMBEDDED }, true],
    ['nothing, after other fields', EMBEDDED, fee, false],
    ['another network', 2_000, { ...plain, NetworkID: EMBEDDED }, false],
    ['a network, of the main one', MAIN, { ...plain, NetworkID: EMBEDDED }, false],
    ['a network, of the test network', 1, { ...fee, NetworkID: EMBEDDED }, false],
  ])('is shown by a transaction that names %s', (_, networkId, tx, isOf) => {
    expect(ofOtherNetwork(ledgerOf(tx), networkId) === undefined).toBe(isOf);
  });

  test('is not shown by what validators make, nor by a ledger without transactions', () => {
    const SetFee = {
      TransactionType: 'SetFee',
      Account: 'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
      Fee: '0',
      Sequence: 0,
    };
    const pseudo = { ...SetFee, SigningPubKey: '', BaseFeeDrops: '10' };
    expect(ofOtherNetwork(ledgerOf(pseudo), EMBEDDED)).toBeUndefined();
    expect(ofOtherNetwork(ledgerOf(), EMBEDDED)).toBeUndefined();
  });
});

describe('after missing ledgers', () => {
  const changed = (ledger: PackedLedger, change: object) =>
    packLedger(writeHeader({ ...readHeader(ledger.header), ...change }), ledger.hash.slice(), []);

  test('time goes on, and no XRP is made', () => {
    const [first, , third] = chain as [PackedLedger, PackedLedger, PackedLedger];
    const before = chainPoint(first);
    expect(cannotFollow(third, before)).toBeUndefined();
    const earlier = changed(third, { parentCloseTime: before.closeTime - 1 });
    expect(cannotFollow(earlier, before)).toMatch(/its parent closed before ledger 1000/);
    const richer = changed(third, { totalDrops: before.totalDrops! + 1n });
    expect(cannotFollow(richer, before)).toMatch(/more XRP than ledger 1000/);
    expect(cannotFollow(richer, { ...before, totalDrops: undefined })).toBeUndefined();
  });

  test('the recorded ledgers of the main network follow each other, and are of it', () => {
    const dir = mkdtempSync(join(tmpdir(), 'same-chain-'));
    const path = join(dir, 'recorded.mlr');
    importCorpus(resolve(import.meta.dir, '../../golden'), path);
    const reader = ArchiveReader.open(path);
    const ledgers = reader
      .ranges()
      .flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, i) => reader.read(first + i)!),
      );
    reader.close();
    rmSync(dir, { recursive: true });
    expect(ledgers.length).toBeGreaterThan(40);
    for (const [i, ledger] of ledgers.entries()) {
      expect(ofOtherNetwork(ledger, MAIN)).toBeUndefined();
      if (i > 0) expect(cannotFollow(ledger, chainPoint(ledgers[i - 1]!))).toBeUndefined();
    }
  });
});

describe('a replay', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'same-chain-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const run = (path: string, networkId: number) => {
    const seen: number[] = [];
    const parts = { preparer: preparePool(0), counters: new Counters(), clock: testClock, random: seeded(1) };
    const onLedger = ({ packed }: { packed: PackedLedger }) => void seen.push(packed.ledgerIndex);
    return { seen, ended: replay({ ...parts, log: quietLog, path, networkId, onLedger }) };
  };

  const archiveOf = (ledgers: readonly PackedLedger[]) => {
    const path = join(dir, 'ledgers.mlr');
    const writer = ArchiveWriter.open(path);
    for (const ledger of ledgers) writer.append(ledger);
    writer.close();
    return path;
  };

  test('ends at the first ledger of another network, and says why', async () => {
    const { seen, ended } = run(archiveOf(chain), EMBEDDED);
    await expect(ended).rejects.toThrow(/names no network, and this store is of network 52168/);
    expect(seen).toEqual([]);
  });

  test('ends after a gap at a ledger that closed before', async () => {
    const later = relaidChain({ first: 1000, ledgers: 4, transactionsPerLedger: 1, interval: 1000 });
    const { seen, ended } = run(archiveOf([...later, ...chain.slice(8)]), MAIN);
    await expect(ended).rejects.toThrow(/of another chain: its parent closed before ledger 1003/);
    expect(seen).toEqual([1000, 1001, 1002, 1003]);
  });
});

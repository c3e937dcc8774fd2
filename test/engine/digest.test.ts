/** One cell of one column, or one byte of one record, moves the digest. */
import { describe, expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import type { DigestedFamily } from '../../engine/families.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { BLOCK_ROWS } from '../../engine/state/dirty-rows.ts';
import { rowBytesOf } from '../../engine/state/layout.ts';
import type { Table } from '../../engine/state/table.ts';
import { TextKind } from '../../engine/store.ts';
import { relaidChain } from '../../support/chain.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
/** The layout's id precedes a block, and in block 0 the row count and the list of free rows. */
const HEAD_BYTES = 12;
const FIRST_HEAD_BYTES = 4;

async function applied(): Promise<{ engine: Engine; store: MemoryStore }> {
  const store = new MemoryStore();
  const engine = new Engine({ store, log: quiet });
  for (const packed of relaidChain({ ledgers: 20, transactionsPerLedger: 25, interval: 600 }))
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  await engine.drain();
  return { engine, store };
}

const { engine, store } = await applied();
const tables: readonly Table[] = engine.domains.flatMap((domain) => domain.tables);

/** Changes one byte of a block, asks, and puts it back. */
function withByte<T>(table: Table, block: number, at: number, ask: () => T): T {
  const bytes = table.blockBytes(block);
  bytes[at]! ^= 0x10;
  table.loadBlock(block, bytes);
  const answer = ask();
  bytes[at]! ^= 0x10;
  table.loadBlock(block, bytes);
  return answer;
}

describe('one cell of a column moves the digest', () => {
  const digest = engine.digest();
  for (const table of tables) {
    test(table.name, () => {
      expect(table.columns.length).toBeGreaterThan(0);
      for (const block of [0, 1]) {
        if ((block + 1) * BLOCK_ROWS > table.capacity) continue;
        let at = block === 0 ? HEAD_BYTES : FIRST_HEAD_BYTES;
        for (const column of table.columns) {
          // The first byte of row 1, and the last byte of the block.
          const size = rowBytesOf(column);
          for (const byte of [at + size, at + size * BLOCK_ROWS - 1]) {
            const excluded = table.excluded.get(column.name);
            if (excluded && !excluded.rows) continue;
            const moved = withByte(table, block, byte, () => engine.digest() !== digest);
            expect([table.name, column.name, block, moved]).toEqual([table.name, column.name, block, true]);
          }
          at += size * BLOCK_ROWS;
        }
      }
      expect(engine.digest()).toBe(digest);
    });
  }

  test('except these, for which stores of earlier versions have other values', () => {
    const excluded = tables.flatMap(({ name, excluded }) =>
      [...excluded].map(([column, { rows }]) => `${name}.${column}${rows ? ` ${rows}` : ''}`),
    );
    expect(excluded).toEqual([
      'accounts.regularKey',
      'accounts.signerList',
      'pools.slotUntil',
      'pools.slotFee',
      'pools.slotAccounts',
      'market.values 13,14,15,16,17,20',
      'holder changes.time',
      'holder changes.token',
      'holder changes.holders',
      'holder changes.lines',
      'flows.values',
      'balance changes.time',
      'balance changes.token',
      'balance changes.account',
      'balance changes.beforeHi',
      'balance changes.beforeLo',
      'balance changes.afterHi',
      'balance changes.afterLo',
      'balance changes.back',
      'balance changes.kind',
      'balance changes.worth',
      'balance changes.marketcap',
      'creators.first',
      'creators.creator',
      'traders.values 8',
      'days of the market.marketcap',
      'days of the market.unfiltered',
      'days of the market.tokens',
      'days of the market.feeDrops',
      'days of platforms.fees',
      'hours of the market.marketcap',
      'hours of the market.unfiltered',
      'hours of the market.tokens',
      'hours of the market.feeDrops',
      'hours of platforms.fees',
      'hours of pools.key',
      'hours of pools.start',
      'hours of pools.held1',
      'hours of pools.held2',
      'hours of pools.locked',
      'hours of pools.volume',
      'hours of pools.fees',
      'hours of pools.sequence',
      'hours of pools.before',
      'days of pools.key',
      'days of pools.start',
      'days of pools.held1',
      'days of pools.held2',
      'days of pools.locked',
      'days of pools.volume',
      'days of pools.fees',
      'days of pools.sequence',
      'days of pools.before',
      'usage.values',
      'usage of platforms.hour',
      'usage of platforms.transactions',
      'usage of platforms.accounts',
      'usage of platforms.trades',
      'usage of platforms.traders',
      'usage of platforms.drops',
      'usage of platforms.boughtDrops',
      'usage of platforms.soldDrops',
      'accounts of platforms.platform',
      'accounts of platforms.account',
      'accounts of platforms.signed',
      'accounts of platforms.traded',
      'signers of trades.traded',
      'tokens of platforms.hour',
      'tokens of platforms.platform',
      'tokens of platforms.token',
      'tokens of platforms.trades',
      'tokens of platforms.boughtDrops',
      'tokens of platforms.soldDrops',
      'days of tokens.token',
      'days of tokens.sequence',
      'days of tokens.before',
      'days of tokens.start',
      'days of tokens.holders',
      'days of tokens.lines',
      'days of tokens.price',
      'days of tokens.supply',
      'risk.values',
      'passes.day',
      'passes.tokens',
      'passes.inactive',
      'passes.collapsed',
      'observations.token',
      'observations.day',
      'observations.price',
      'observations.poolDrops',
      'observations.collapsed',
      'observations.age',
      'observations.before',
      'observations.creatorShare',
      'observations.top10',
      'observations.lpBurned',
      'observations.freeze',
      'NFT accounts.eventLedger',
      'NFT accounts.eventNumber',
      'NFT collections.eventLedger',
      'NFT collections.eventNumber',
      'NFTs.eventLedger',
      'NFTs.eventNumber',
      'names of tokens.name',
      'names of tokens.twin',
      'tokens that look like others.token',
      'tokens that look like others.genuine',
      'tokens that look like others.listed',
      'tokens that look like others.hashes',
    ]);
    const table = engine.market.tables[0]!;
    const excludedRows = table.excluded.get('values')!.rows!;
    for (const row of [12, 13, 14, 17, 18, 20, 21])
      expect([row, withByte(table, 0, HEAD_BYTES + row * 8, () => engine.digest()) === digest]).toEqual([
        row,
        excludedRows.includes(row),
      ]);
  });

  test('so do the list of free rows and the row count', () => {
    const { table } = engine.state.lines;
    for (const at of [FIRST_HEAD_BYTES, FIRST_HEAD_BYTES + 4])
      expect(withByte(table, 0, at, () => engine.digest())).not.toBe(digest);
    expect(engine.digest()).toBe(digest);
  });
});

describe('one byte of a record moves the digest', () => {
  const record = (size: number, last: number) => new Uint8Array(size).fill(last, size - 1);
  type Put = (batch: ReturnType<MemoryStore['batch']>, last: number) => void;
  const families: Record<DigestedFamily, Put> = {
    trades: (batch, last) => batch.trade({ ledger: 9, tx: 1, entry: 1 }, record(96, last), [1, 2], [3, 4]),
    candles: (batch, last) => batch.candle(1, 1, 60, record(64, last)),
    holders: (batch, last) => batch.record('holders', [1, 3600], record(24, last)),
    rates: (batch, last) => batch.record('rates', [1, 60], record(8, last)),
    texts: (batch, last) => batch.text(TextKind.domain, 1, `example.co${String.fromCharCode(109 + last)}`),
  };
  for (const [family, put] of Object.entries(families)) {
    test(family, async () => {
      const seen = new Set([await engine.digestWithHistory()]);
      for (const last of [0, 1]) {
        const batch = store.batch();
        put(batch, last);
        await store.commit(batch, store.cursor!);
        seen.add(await engine.digestWithHistory());
      }
      // None, one, and that one with another last byte.
      expect(seen.size).toBe(3);
    });
  }
});

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { ArchiveReader } from '../../../engine/ledger/archive.ts';
import { ArchiveError, KIND_LEDGER, writeRecord } from '../../../engine/ledger/archive-format.ts';
import { ArchiveSource } from '../../../engine/ledger/archive-source.ts';
import { ArchiveWriter } from '../../../engine/ledger/archive-writer.ts';
import { frameContentLength } from '../../../engine/ledger/zstd-frame.ts';
import { makeChain, recordedLedgers } from '../../ledgers.ts';
import { seeded, until } from './quiet.ts';

const SEED = Number(process.env.SEED ?? 77);
const same = (a: PackedLedger, b: PackedLedger) => Buffer.compare(a.bytes, b.bytes) === 0;

describe('archive', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'archive-'));
    path = join(dir, 'a.mlr');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function write(ledgers: readonly PackedLedger[], close = true): ArchiveWriter {
    const writer = ArchiveWriter.open(path);
    for (const ledger of ledgers) writer.append(ledger);
    if (close) writer.close();
    return writer;
  }

  /** Opens the archive and checks that it contains exactly these ledgers. */
  function holds(ledgers: readonly PackedLedger[]): void {
    const reader = ArchiveReader.open(path);
    expect(reader.count).toBe(ledgers.length);
    for (const ledger of ledgers) expect(same(reader.read(ledger.ledgerIndex)!, ledger)).toBe(true);
    reader.close();
  }

  test('returns the stored ledgers by index, and reports its gaps', () => {
    const all = makeChain({ count: 12 });
    const ledgers = all.filter((_, i) => i !== 3 && i !== 4 && i !== 9);
    write(ledgers);
    holds(ledgers);
    const reader = ArchiveReader.open(path);
    expect(reader.ranges()).toEqual([
      { first: 1000, last: 1002 },
      { first: 1005, last: 1008 },
      { first: 1010, last: 1011 },
    ]);
    expect([reader.first, reader.last, reader.has(1003), reader.has(1005)]).toEqual([
      1000,
      1011,
      false,
      true,
    ]);
    expect(reader.read(1003)).toBeUndefined();
    reader.close();
    expect(() => reader.read(1000)).toThrow(ArchiveError);
  });

  test('is empty at first, grows when opened repeatedly, and only with ascending indices', () => {
    write([]);
    holds([]);
    const ledgers = makeChain({ count: 9 });
    for (const ledger of ledgers) {
      write([ledger]);
      const writer = ArchiveWriter.open(path);
      expect(writer.last).toBe(ledger.ledgerIndex);
      expect(() => writer.append(ledger)).toThrow(ArchiveError);
      writer.close();
    }
    holds(ledgers);
  });

  test('finds its ledgers through many index blocks, and without them', () => {
    const ledgers = makeChain({ count: 2600, transactions: 0 });
    write(ledgers);
    holds(ledgers);
    // Both slots broken: everything is read from the start.
    const bytes = readFileSync(path);
    bytes.fill(0x55, 16, 48);
    writeFileSync(path, bytes);
    holds(ledgers);
    // The newer slot broken: the older block and the records after it.
    write(makeChain({ first: 4000, count: 1, transactions: 0 }));
    const turns = readFileSync(path);
    turns[24 + (turns.readUInt32LE(24) > turns.readUInt32LE(40) ? 0 : 16)]! ^= 1;
    writeFileSync(path, turns);
    const reader = ArchiveReader.open(path);
    expect(reader.count).toBe(2601);
    reader.close();
  });

  test('drops a record that was cut off anywhere, and continues after it', () => {
    const ledgers = makeChain({ count: 6 });
    write(ledgers.slice(0, 5), false).sync();
    const whole = statSync(path).size;
    const writer = ArchiveWriter.open(path);
    writer.append(ledgers[5]!);
    const full = join(dir, 'full.mlr');
    copyFileSync(path, full);
    const size = statSync(full).size;
    for (let cut = whole + 1; cut < size; cut += 11) {
      copyFileSync(full, path);
      truncateSync(path, cut);
      holds(ledgers.slice(0, 5));
      const again = ArchiveWriter.open(path);
      expect(again.cutOffBytes).toBe(cut - whole);
      expect(again.last).toBe(ledgers[4]!.ledgerIndex);
      again.append(ledgers[5]!);
      again.close();
      holds(ledgers);
    }
  });

  test('as a source says that it was cut off, wherever that was, and says nothing of a whole one', async () => {
    const warned: unknown[] = [];
    const warn = (fields: object) => void warned.push(fields);
    const open = async () => {
      const source = new ArchiveSource(path, { warn });
      await source.open();
      await source.close();
      return warned.splice(0);
    };
    write(makeChain({ count: 6 }));
    expect(await open()).toEqual([]);
    const whole = readFileSync(path);
    const head = 48;
    const ends = [head];
    for (let at = head; at < whole.length; ends.push(at)) at += 20 + whole.readUInt32LE(at + 12);
    for (const end of ends)
      for (const size of [end, end + 1, end + 25])
        if (size < whole.length) {
          writeFileSync(path, whole.subarray(0, size));
          expect(await open(), `cut off at ${size} of ${whole.length}`).toHaveLength(1);
        }
  });

  test(`drops a last record with any byte changed (seed ${SEED})`, () => {
    const random = seeded(SEED);
    const ledgers = makeChain({ count: 4 });
    write(ledgers.slice(0, 3), false);
    const whole = statSync(path).size;
    const writer = ArchiveWriter.open(path);
    writer.append(ledgers[3]!);
    const bytes = readFileSync(path);
    for (let i = 0; i < 60; i++) {
      const damaged = Buffer.from(bytes);
      const at = whole + Math.floor(random() * (bytes.length - whole));
      damaged[at] = damaged[at]! ^ (1 + Math.floor(random() * 255));
      writeFileSync(path, damaged);
      holds(ledgers.slice(0, 3));
    }
  });

  test('drops garbage after the last record', () => {
    const ledgers = makeChain({ count: 3 });
    write(ledgers);
    appendFileSync(path, Buffer.alloc(5000, 0xee));
    const writer = ArchiveWriter.open(path);
    expect(writer.cutOffBytes).toBe(5000);
    writer.close();
    holds(ledgers);
  });

  test('does not treat damage in the middle as an incomplete last record', () => {
    const ledgers = makeChain({ count: 5 });
    write(ledgers.slice(0, 2), false);
    const middle = statSync(path).size + 40;
    write(ledgers.slice(2), false);
    const bytes = readFileSync(path);
    bytes[middle] = bytes[middle]! ^ 4;
    writeFileSync(path, bytes);
    expect(() => ArchiveWriter.open(path)).toThrow(/damaged record/);
    expect(statSync(path).size).toBe(bytes.length);
  });

  test('reports a damaged record that the index refers to, and names the file', async () => {
    const ledgers = makeChain({ count: 5 });
    write(ledgers);
    const bytes = readFileSync(path);
    bytes[100] = bytes[100]! ^ 4;
    writeFileSync(path, bytes);
    const reader = ArchiveReader.open(path);
    const line = `${path}: archive: the record of ledger 1000 is damaged`;
    expect(() => reader.read(1000)).toThrow(line);
    await expect(reader.readAhead(1000)).rejects.toThrow(line);
    expect(same(reader.read(1003)!, ledgers[3]!)).toBe(true);
    reader.close();
  });

  test('decompresses nothing that is larger than its record says', async () => {
    const [ledger] = makeChain({ count: 1 });
    const { bytes, ledgerIndex } = ledger!;
    const whole = Bun.zstdCompressSync(new Uint8Array(bytes));
    const large = Bun.zstdCompressSync(new Uint8Array(64 * 1024 * 1024));
    const skippable = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0);
    const unnamed = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } });
    const { rss } = process.memoryUsage();
    for (const parts of [[large], [whole, large], [skippable, large], [unnamed], [whole.subarray(0, -1)]]) {
      const stored = new Uint8Array(Buffer.concat(parts));
      write([]);
      appendFileSync(path, writeRecord(KIND_LEDGER, ledgerIndex, bytes.length, stored));
      const reader = ArchiveReader.open(path);
      expect(() => reader.read(ledgerIndex)).toThrow(/damaged/);
      expect(reader.readAhead(ledgerIndex)).rejects.toThrow(/damaged/);
      reader.close();
      rmSync(path);
    }
    expect(process.memoryUsage().rss - rss).toBeLessThan(64 * 1024 * 1024);
  });

  test('knows what a frame contains by its head, whatever its size', () => {
    const random = seeded(SEED);
    for (const size of [0, 1, 255, 256, 65_791, 65_792, 400_000]) {
      for (const options of [{}, { level: 19 }]) {
        const content = Uint8Array.from({ length: size }, () => random() * 6);
        const frame = new Uint8Array(Bun.zstdCompressSync(content, options));
        expect([size, frameContentLength(frame)]).toEqual([size, size]);
        expect(frameContentLength(new Uint8Array([...frame, 0]))).toBeUndefined();
        expect(frameContentLength(frame.subarray(0, -1))).toBeUndefined();
      }
    }
  });

  test('does not change a file that is not an archive', () => {
    for (const text of ['notes', 'x'.repeat(500)]) {
      writeFileSync(path, text);
      expect(() => ArchiveWriter.open(path)).toThrow(ArchiveError);
      expect(() => ArchiveReader.open(path)).toThrow(ArchiveError);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  test('survives kill -9 at any moment', async () => {
    const source = join(dir, 'source.mlr');
    const ledgers = makeChain({ count: 3000, transactions: 1 });
    const filled = ArchiveWriter.open(source);
    for (const ledger of ledgers) filled.append(ledger);
    filled.close();
    const script = join(import.meta.dir, 'append-forever.ts');
    let before = 0;
    for (const pause of [0, 3, 9, 20, 5]) {
      const child = Bun.spawn([process.execPath, script, source, path], {
        stdout: 'ignore',
        stderr: 'inherit',
      });
      await until(
        () => statSync(path, { throwIfNoEntry: false }) !== undefined && statSync(path).size > before,
      );
      await Bun.sleep(pause);
      child.kill('SIGKILL');
      await child.exited;
      const writer = ArchiveWriter.open(path);
      before = writer.size;
      const count = writer.count;
      writer.close();
      holds(ledgers.slice(0, count));
      if (count < ledgers.length) continue;
      rmSync(path);
      before = 0;
    }
  });

  test.skipIf(recordedLedgers().length === 0)('compresses recorded ledgers', () => {
    const ledgers = recordedLedgers();
    const writer = write(ledgers);
    holds(ledgers);
    const raw = ledgers.reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(writer.size).toBeLessThan(raw * 0.75);
  });
});

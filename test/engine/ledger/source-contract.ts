/** The contract of every source, run on each kind of source. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { prove } from '../../../engine/ledger/proof.ts';
import { type Source, SourceError } from '../../../engine/ledger/source.ts';

export interface SourceCase {
  readonly source: Source;
  /** What it must be able to serve, ascending. */
  readonly ledgers: readonly PackedLedger[];
  /** Closes one more ledger, for live sources. */
  readonly advance?: () => PackedLedger;
  readonly end: () => Promise<void> | void;
}

export function sourceContract(name: string, make: () => Promise<SourceCase> | SourceCase): void {
  describe(`source contract: ${name}`, () => {
    let it: SourceCase;
    beforeAll(async () => {
      it = await make();
      await it.source.open();
    });
    afterAll(async () => {
      await it.source.close();
      await it.end();
    });

    test('has a name, a newest ledger and a range', () => {
      const { source, ledgers } = it;
      expect(source.name.length).toBeGreaterThan(0);
      expect(source.latest()?.index).toBe(ledgers.at(-1)!.ledgerIndex);
      expect(source.range()).toEqual({ first: ledgers[0]!.ledgerIndex, last: ledgers.at(-1)!.ledgerIndex });
    });

    test('delivers every ledger, byte for byte, in any order', async () => {
      for (const ledger of [...it.ledgers].reverse()) {
        const packed = await it.source.ledger(ledger.ledgerIndex);
        expect(Buffer.compare(packed.bytes, ledger.bytes)).toBe(0);
        expect(prove(packed)).toBeUndefined();
      }
    });

    test('delivers many at once', async () => {
      const all = await Promise.all(it.ledgers.map((ledger) => it.source.ledger(ledger.ledgerIndex)));
      expect(all.map((packed) => packed.ledgerIndex)).toEqual(it.ledgers.map((ledger) => ledger.ledgerIndex));
    });

    test('reports a missing ledger', async () => {
      const { source, ledgers } = it;
      for (const index of [ledgers[0]!.ledgerIndex - 1, ledgers.at(-1)!.ledgerIndex + 1000]) {
        const error = await source.ledger(index).catch((reason) => reason);
        expect(error).toBeInstanceOf(SourceError);
        expect(error.code).toBe('missing');
      }
    });

    test('covers all its ledgers with its ranges, if it can have gaps', () => {
      const ranges = it.source.ranges?.();
      expect(ranges === undefined).toBe(it.source.live);
      for (const { ledgerIndex } of ranges ? it.ledgers : [])
        expect(ranges!.some(({ first, last }) => first <= ledgerIndex && ledgerIndex <= last)).toBe(true);
    });

    test('announces newly closed ledgers, if it is live', async () => {
      const { source, advance } = it;
      expect(source.live).toBe(advance !== undefined);
      if (!advance) return;
      const announced = new Promise<number>((resolve) => {
        const stop = source.onClosed(({ index }) => {
          stop();
          resolve(index);
        });
      });
      const ledger = advance();
      expect(await announced).toBe(ledger.ledgerIndex);
      expect(source.latest()?.index).toBe(ledger.ledgerIndex);
      expect((await source.ledger(ledger.ledgerIndex)).ledgerIndex).toBe(ledger.ledgerIndex);
    });

    test('refuses to serve after it was closed', async () => {
      await it.source.close();
      const error = await it.source.ledger(it.ledgers[0]!.ledgerIndex).catch((reason) => reason);
      expect(error).toBeInstanceOf(SourceError);
      expect(error.code).toBe('closed');
    });
  });
}

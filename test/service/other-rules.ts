/** Stores whose figures are not those of this version, and how they are opened: as the service opens them. */
import { expect } from 'bun:test';
import { join } from 'node:path';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { ArchiveWriter } from '../../engine/ledger/archive-writer.ts';
import { RULES_VALUE, RULES_VERSION, type StoredRules } from '../../engine/rules.ts';
import type { Batch } from '../../engine/store.ts';
import { openNetwork } from '../../service/network.ts';
import { readOptions } from '../../service/options.ts';
import { preparePool } from '../../workers/prepare-pool.ts';
import { freshEngine } from '../data/migration-kills.ts';
import { quietLog } from '../engine/ledger/quiet.ts';

export type Stages = { stage: string; share?: number | undefined }[];

/** One log line: what it says and its fields. */
export type Line = Record<string, unknown> & { message: string };

/**
 * Makes the store one of other rules: the version it names, and a value in its newest trade, in a candle in fiat and in a
 * rate, as far as it has them.
 * @param write further rows
 */
export async function changeRules(
  dir: string,
  network: number,
  rules: StoredRules,
  write?: (batch: Batch) => void,
): Promise<{ digest: string; changed: string[] }> {
  const store = await openStore({ dir, network });
  const restored = () => {
    const engine = new Engine({ store, log: quietLog });
    engine.restore();
    return engine.digestWithHistory();
  };
  const before = await restored();
  const batch = store.batch();
  const changed: string[] = [];
  for (const family of ['trades', 'candles', 'rates'] as const) {
    let newest: { key: Uint8Array; value: Uint8Array } | undefined;
    store.records(family, [], {}, (_last, value, key) => {
      newest = { key: key.slice(), value: value.slice() };
      return true;
    });
    if (!newest) continue;
    const { key, value } = newest;
    value[value.length - 3]! ^= 0x15;
    const view = new DataView(key.buffer, key.byteOffset);
    const numbers = {
      trades: () => [view.getUint32(0), view.getUint16(4), view.getUint16(6)],
      candles: () => [view.getUint8(0), view.getUint32(1), view.getUint32(5)],
      rates: () => [view.getUint8(0), view.getUint32(1)],
    };
    batch.record(family, numbers[family](), value);
    changed.push(family);
  }
  batch.value(RULES_VALUE, rules);
  write?.(batch);
  await store.commit(batch, store.cursor!);
  const digest = await restored();
  expect(digest).not.toBe(before);
  await store.close();
  return { digest, changed };
}

/** A source that has nothing: an archive without ledgers. @returns its path */
export function emptyArchive(folder: string): string {
  const path = join(folder, 'empty.mlr');
  ArchiveWriter.open(path).close();
  return path;
}

export interface OpenPlan {
  readonly dir: string;
  readonly network?: number;
  readonly workers?: number;
  /** Gets each stage as it is reached, and may abort. */
  readonly onStage?: (stage: Stages[number], stop: AbortController) => void;
}

/** Opens it with `openNetwork`. @returns its digest, that of a fresh replay of its ledgers, and what it said on the way */
export async function openAsService({ dir, network = 0, workers = 0, onStage }: OpenPlan) {
  const stages: Stages = [];
  const lines: Line[] = [];
  const say = (fields: object, message: string) => void lines.push({ ...fields, message });
  const stop = new AbortController();
  const preparer = preparePool(workers);
  const args = [`--data=${dir}`, `--source=file:${emptyArchive(dir)}`, `--network=${network}`];
  try {
    const open = await openNetwork({
      options: readOptions(args, {}),
      log: { debug() {}, info: say, warn: say, error: say },
      preparer,
      onFault: (fault) => {
        throw fault;
      },
      onProgress: (progress) => {
        if (!progress) return;
        stages.push(progress);
        onStage?.(progress, stop);
      },
      signal: stop.signal,
    });
    const { engine } = open.network;
    const digest = await engine.digestWithHistory();
    const fresh = await (await freshEngine(open.store)).digestWithHistory();
    const rules = open.store.value(RULES_VALUE) as StoredRules | undefined;
    const range = open.store.ledgerRanges();
    await open.close();
    return { digest, fresh, rules, range, stages: stages.map(({ stage }) => stage), lines };
  } finally {
    await preparer.close();
  }
}

export const CURRENT = (first: number): StoredRules => ({ version: RULES_VERSION, first });

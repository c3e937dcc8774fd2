/** Kill -9 during the rebuild of a store whose figures follow older rules. */
import { expect } from 'bun:test';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { FIRST_STORE_LAST, unpackFirstStore } from '../data/first-store.ts';
import { quietLog } from '../engine/ledger/quiet.ts';
import { changeRules, emptyArchive, openAsService } from './other-rules.ts';

const FIRST = 1_000_000;
const CHILD = join(import.meta.dir, 'recompute.child.ts');
const CLOSED = 'after closing';
const IN_PLACE = 'the store has been rebuilt';

/** As the arguments of the child. */
type Moment = readonly [at: number | string, after?: number];

export interface KillPlan {
  /** A folder for the stores; removed at the end. */
  readonly dir: string;
  /** Kills, at least 5: the last three where the files change places, the others evenly over the rebuild. */
  readonly kills: number;
}

/** After every kill the store is the one before or the rebuilt one, and the next start finishes the rebuild. */
export async function killRebuild({ dir: base, kills }: KillPlan): Promise<void> {
  const copyOf = (dir: string, name: string) => {
    cpSync(dir, join(base, name), { recursive: true });
    return join(base, name);
  };
  const origin = join(base, 'origin');
  unpackFirstStore(origin);
  const archive = emptyArchive(base);
  const { digest: other } = await changeRules(origin, 0, { version: 0, first: FIRST });
  const runIn = async (dir: string, moment: Moment) => {
    const child = Bun.spawn([process.execPath, CHILD, dir, archive, ...moment.map(String)], {
      stdout: 'pipe',
    });
    const moments = (await new Response(child.stdout).json()) as string[];
    await child.exited;
    return { moments, signal: child.signalCode };
  };
  const { moments } = await runIn(copyOf(origin, 'whole'), [0]);
  const begin = moments.findIndex((what) => what.startsWith('rebuilding'));
  const closed = moments.indexOf(CLOSED);
  const inPlace = moments.indexOf(IN_PLACE);
  expect([begin > 0, closed > begin, inPlace > closed]).toEqual([true, true, true]);
  const spread = Array.from(
    { length: kills - 3 },
    (_, i): Moment => [Math.round(1 + begin + (i * (closed - 1 - begin)) / (kills - 4))],
  );
  const { fresh } = await openAsService({ dir: copyOf(origin, 'expected') });
  expect(fresh).not.toBe(other);
  for (const moment of [...spread, [CLOSED], [IN_PLACE], [IN_PLACE, 1]] satisfies Moment[]) {
    const dir = copyOf(origin, 'killed');
    const killed = await runIn(dir, moment);
    expect(killed.signal).toBe('SIGKILL');
    const isRebuilt = killed.moments.includes(IN_PLACE);
    const left = copyOf(dir, 'left');
    expect([moment, await digestOf(left)]).toEqual([moment, isRebuilt ? fresh : other]);
    const opened = await openAsService({ dir });
    expect([moment, opened.digest === fresh, opened.stages.includes('rebuilding')]).toEqual([
      moment,
      true,
      !isRebuilt,
    ]);
    expect(existsSync(join(dir, 'rebuilt'))).toBe(false);
    for (const name of [dir, left]) rmSync(name, { recursive: true });
  }
  rmSync(base, { recursive: true });
}

/** The digest of a store that was killed, which holds all its ledgers. */
async function digestOf(dir: string): Promise<string> {
  const store = await openStore({ dir, network: 0 });
  expect(store.ledgerRanges()).toEqual([[FIRST, FIRST_STORE_LAST]]);
  expect(store.cursor!.index).toBe(FIRST_STORE_LAST);
  const engine = new Engine({ store, log: quietLog });
  engine.restore();
  const digest = await engine.digestWithHistory();
  await store.close();
  return digest;
}

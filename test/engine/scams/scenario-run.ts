/** Weeks of the embedded network's population whose scams are known: its ledgers, and who did what in them. */
import { PackedLedger } from '../../../engine/codec/packed.ts';
import type { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import type { GroundTruthRow } from '../../../sandbox/population/ground-truth.ts';
import type { Scenario } from '../../../sandbox/population/scenario.ts';
import { EarlierStore, EPOCH, World } from '../../sandbox/population/world.ts';

const WEEK = 7 * 86_400;
const STEP = 60;
/** Ledgers of the population's setup. */
const SETUP = 12;
export const SCAM_KINDS = ['dust_spam', 'impersonation', 'fake_airdrop', 'wallet_drainer'] as const;
export type ScamKind = (typeof SCAM_KINDS)[number];

/** Accounts, by role, that do it: the others of a scenario are its victims or are imitated. */
const GUILTY: Readonly<Record<ScamKind, string>> = {
  dust_spam: 'spammer',
  impersonation: 'issuer',
  fake_airdrop: 'scammer',
  wallet_drainer: 'thief',
};

export interface ScenarioRun {
  readonly ledgers: readonly Uint8Array[];
  readonly scenarios: ReadonlyMap<ScamKind, Scenario>;
  /** Transactions of a scenario, by the hash; in the order of their signing. */
  rows(kind: ScamKind): readonly GroundTruthRow[];
  /** r-address of who does it. */
  guilty(kind: ScamKind): string;
}

export interface RunOptions {
  readonly seed: string;
  readonly week?: number;
  /** Of the week. */
  readonly days: number;
  /** Seconds between ledgers in which no scam is done. */
  readonly quiet: number;
}

/** Ledgers are a minute apart while a scam is done, or the drop is sold. */
export function scenarioRun({ seed, week = 0, days, quiet }: RunOptions): ScenarioRun {
  const world = new World({ seed, store: new EarlierStore(week, seed) });
  const all = world.population.weeks.scenarios(week);
  const scenarios = new Map(
    SCAM_KINDS.flatMap((kind) => all.filter((one) => one.kind === kind).map((one) => [kind, one] as const)),
  );
  // The drop is the collection that is copied: it needs its owners.
  const moments = [...scenarios.values(), ...all.filter(({ kind }) => kind === 'nft-drop')]
    .flatMap(({ actions }) => actions.flatMap(({ at }) => [at, at + STEP]))
    .sort((a, b) => a - b);
  const ledgers: Uint8Array[] = [];
  const begin = EPOCH - week * WEEK;
  const end = week * WEEK + days * 86_400;
  for (let next = 0; ; ) {
    const now = world.network.closed.closeTime - begin;
    if (now >= end) break;
    while (moments[next]! <= now) next++;
    const isSetup = world.network.closed.index < SETUP;
    const ledger = world.step(isSetup ? STEP : Math.min(quiet, (moments[next] ?? Infinity) - now));
    ledgers.push(ledger.packed().bytes);
  }
  const { groundTruth } = world.population;
  groundTruth.complete(world.network.closed);
  const rows = groundTruth.rowsOf(week);
  return {
    ledgers,
    scenarios,
    rows: (kind) => rows.filter(({ id }) => id === scenarios.get(kind)!.id),
    guilty: (kind) => scenarios.get(kind)!.accounts[GUILTY[kind]]!.address,
  };
}

/** @param from of the ledgers */
export async function applyAll(
  engine: Engine,
  { ledgers }: ScenarioRun,
  from = 0,
  to = ledgers.length,
): Promise<void> {
  for (const bytes of ledgers.slice(from, to)) {
    const packed = new PackedLedger(bytes);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  }
  await engine.drain();
}

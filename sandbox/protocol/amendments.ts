/**
 * Amendments: which rules are enabled. rippled `features.macro`; dates are those of the EnableAmendment
 * pseudo-transactions on mainnet.
 *
 * There are three sets: the amendments of a mainnet ledger at its time (`rulesAt`, to execute recorded transactions
 * again), those of the sandbox (`SANDBOX_RULES`: all that mainnet has, and those its transaction types need), and any
 * other set (`rulesOf`).
 */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { LARGE, type Numbers, SMALL } from '../../engine/codec/arithmetic/number.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import { AMENDMENT_ROWS } from './amendment-rows.ts';

export interface Amendment {
  /** As in the hash of the amendment id: fixes with their `fix` prefix. */
  readonly name: string;
  readonly id: Hex;
  /** When mainnet enabled it, Ripple epoch seconds. */
  readonly since?: number;
  readonly mainnet: boolean;
  /** Its rules are implemented here. */
  readonly built: boolean;
  /** Enabled in the sandbox by default. */
  readonly sandbox: boolean;
  /** Its former behaviour was removed from rippled: it is always enabled there. */
  readonly retired: boolean;
}

/** The amendment's id: SHA-512Half of its name. */
export function amendmentId(name: string): Hex {
  return hexOf(sha512Half(new TextEncoder().encode(name)));
}

export const AMENDMENTS: readonly Amendment[] = AMENDMENT_ROWS.map(([name, day, where]) => ({
  name,
  id: amendmentId(name),
  ...(day === '' ? {} : { since: Date.parse(day) / 1000 - RIPPLE_EPOCH }),
  mainnet: day !== '',
  built: where !== 'no',
  sandbox: where !== 'no' && where !== 'built',
  retired: where === 'retired',
}));

const BY_NAME: ReadonlyMap<string, Amendment> = new Map(AMENDMENTS.map((row) => [row.name, row]));
const BY_ID: ReadonlyMap<Hex, Amendment> = new Map(AMENDMENTS.map((row) => [row.id, row]));

export const amendmentOf = (nameOrId: string): Amendment | undefined =>
  BY_NAME.get(nameOrId) ?? BY_ID.get(nameOrId.toUpperCase());

export interface Rules {
  enabled(name: string): boolean;
  /** The arithmetic in use: 19 digits with SingleAssetVault or LendingProtocol, else 16. */
  readonly numbers: Numbers;
  readonly names: ReadonlySet<string>;
}

/** The rules of a set of amendments, by name. */
export function rulesOf(names: Iterable<string>): Rules {
  const set: ReadonlySet<string> = new Set(names);
  const large = set.has('SingleAssetVault') || set.has('LendingProtocol');
  return { names: set, numbers: large ? LARGE : SMALL, enabled: (name) => set.has(name) };
}

/** The rules of the ledger's own Amendments entry, by id; unknown ids are left out. */
export function rulesOfIds(ids: readonly Hex[]): Rules {
  return rulesOf(ids.flatMap((id) => BY_ID.get(id)?.name ?? []));
}

/** The rules of mainnet for a ledger closed at `rippleTime`. */
export function rulesAt(rippleTime: number): Rules {
  return rulesOf(
    AMENDMENTS.filter(({ since }) => since !== undefined && since <= rippleTime).map(({ name }) => name),
  );
}

export const SANDBOX_RULES: Rules = rulesOf(
  AMENDMENTS.filter(({ sandbox }) => sandbox).map(({ name }) => name),
);

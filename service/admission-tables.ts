/**
 * Tiers, windows of endpoints and packages of credits, as the configuration file has them in tables (elsewhere the same as
 * JSON). What a table does not name stays as it is in `requests/admission-settings.ts`.
 *
 *     [tiers.free]
 *     per-minute = 1200          # burst, per-second, per-minute, per-day, credits-per-month, multiplier,
 *     per-day = "unlimited"      # submit-per-second, keys, attribution, scope, usd-per-month, usd-per-year
 *
 *     [endpoints."/tokens"]
 *     base = 40                  # in 60 s, times the multiplier of a tier
 *     partner = 100              # of one tier in place of that
 *
 *     [packages.starter]         # with this table, only those that it names are sold
 *     credits = 1_000_000
 *     usd = 5
 */
import {
  type AdmissionSettings,
  type CreditPackage,
  DEFAULT_ADMISSION,
  type EndpointSettings,
  type TierSettings,
} from '../requests/admission-settings.ts';
import { TIERS, type Tier } from '../requests/tiers.ts';
import { SettingError } from './configuration.ts';

type Table = Readonly<Record<string, unknown>>;
type Path = readonly string[];
type ReadValue<T> = (value: unknown, path: Path) => T;

const UNLIMITED = 'unlimited';
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const PREFIX = /^(?:\/[a-z0-9-]+){1,4}$/;
const MOST = 1e12;

function amount(min: number, isWhole: boolean): ReadValue<number> {
  return (value, path) => {
    const isNumber = typeof value === 'number' && value >= min && value <= MOST;
    if (isNumber && (!isWhole || Number.isInteger(value))) return value;
    throw wrong(path, `a ${isWhole ? 'whole ' : ''}number of at least ${min}`);
  };
}

const orUnlimited =
  (read: ReadValue<number>): ReadValue<number | undefined> =>
  (value, path) => {
    if (value === UNLIMITED) return undefined;
    if (typeof value !== 'number') throw wrong(path, `a number, or "${UNLIMITED}"`);
    return read(value, path);
  };

const count = orUnlimited(amount(1, true));
const usd = (value: unknown, path: Path): number => Math.round(amount(0.01, false)(value, path) * 100) / 100;

/** By the name in the file: what it sets. */
const TIER_FIELDS: Readonly<Record<string, (value: unknown, path: Path) => Partial<TierSettings>>> = {
  burst: (value, path) => ({ burst: count(value, path) }),
  'per-second': (value, path) => {
    const rate = orUnlimited(amount(0.1, false))(value, path);
    return { perTenSeconds: rate === undefined ? undefined : Math.round(rate * 10) };
  },
  'per-minute': (value, path) => ({ perMinute: count(value, path) }),
  'per-day': (value, path) => ({ perDay: count(value, path) }),
  'credits-per-month': (value, path) => ({ creditsPerMonth: orUnlimited(amount(0, true))(value, path) }),
  multiplier: (value, path) => ({ multiplier: orUnlimited(amount(0.01, false))(value, path) }),
  'submit-per-second': (value, path) => ({ submitPerSecond: count(value, path) }),
  keys: (value, path) => ({ keys: amount(0, true)(value, path) }),
  attribution: (value, path) => {
    if (typeof value !== 'boolean') throw wrong(path, 'true or false');
    return { showsAttribution: value };
  },
  scope: (value, path) => {
    if (value !== 'ip' && value !== 'key') throw wrong(path, '"ip" or "key"');
    return { isPerAddress: value === 'ip' };
  },
  'usd-per-month': (value, path) => ({ usdPerMonth: usd(value, path) }),
  'usd-per-year': (value, path) => ({ usdPerYear: usd(value, path) }),
};

/** @throws SettingError */
export function readTiers(text: string): AdmissionSettings['tiers'] {
  const tiers: Record<Tier, TierSettings> = { ...DEFAULT_ADMISSION.tiers };
  for (const [name, table] of entriesOf(text)) {
    const tier = TIERS.find((one) => one === name);
    if (!tier) throw wrong([name], `one of ${TIERS.join(', ')}`);
    for (const [field, value] of Object.entries(tableIn(table, [name]))) {
      if (!Object.hasOwn(TIER_FIELDS, field))
        throw wrong([name, field], `one of ${Object.keys(TIER_FIELDS).join(', ')}`);
      tiers[tier] = { ...tiers[tier], ...TIER_FIELDS[field]!(value, [name, field]) };
    }
  }
  return tiers;
}

/** @throws SettingError */
export function readEndpoints(text: string): AdmissionSettings['endpoints'] {
  const endpoints: Record<string, EndpointSettings> = { ...DEFAULT_ADMISSION.endpoints };
  for (const [prefix, table] of entriesOf(text)) {
    if (!PREFIX.test(prefix)) throw wrong([prefix], 'a path prefix, as "/tokens"');
    const { base, ...tiers } = tableIn(table, [prefix]);
    const before = endpoints[prefix] ?? DEFAULT_ADMISSION.otherEndpoints;
    const pinned: Partial<Record<Tier, number>> = { ...before.pinned };
    for (const [name, value] of Object.entries(tiers)) {
      const tier = TIERS.find((one) => one === name);
      if (!tier) throw wrong([prefix, name], `base, or one of ${TIERS.join(', ')}`);
      pinned[tier] = amount(1, true)(value, [prefix, name]);
    }
    endpoints[prefix] = {
      ...before,
      ...(base !== undefined && { base: amount(1, true)(base, [prefix, 'base']) }),
      pinned,
    };
  }
  return endpoints;
}

/** @throws SettingError */
export function readPackages(text: string): AdmissionSettings['packages'] {
  const packages: Record<string, CreditPackage> = {};
  for (const [name, table] of entriesOf(text)) {
    if (!NAME.test(name)) throw wrong([name], 'a name of lower-case letters, digits and hyphens');
    const { credits, usd: price, ...others } = tableIn(table, [name]);
    const [other] = Object.keys(others);
    if (other !== undefined) throw wrong([name, other], 'credits or usd');
    packages[name] = {
      credits: amount(1, true)(credits, [name, 'credits']),
      usd: usd(price, [name, 'usd']),
    };
  }
  return Object.keys(packages).length > 0 ? packages : DEFAULT_ADMISSION.packages;
}

/** @throws Error that names the form */
function entriesOf(text: string): [string, unknown][] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('a table, on the command line as JSON: {"name":{...}}');
  }
  return Object.entries(tableIn(value, []));
}

function tableIn(value: unknown, path: Path): Table {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Table;
  throw wrong(path, 'a table');
}

/** The reason is read after "must be": the path is named, where it is not that of the option itself. */
function wrong(path: Path, what: string): SettingError {
  return new SettingError(path, what);
}

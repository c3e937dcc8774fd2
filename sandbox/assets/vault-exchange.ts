/**
 * What shares of a vault are worth (XLS-65; rippled `VaultHelpers.cpp`).
 *
 * A vault holds one asset and issues shares of it as an MPT. One share is worth `assets / shares` of what the vault
 * has; an empty vault of an issued currency begins with 10^Scale shares a unit, so that a unit can be told apart in
 * shares, which are whole. Depositors get shares rounded down and pay what those are worth; who withdraws bears a loss
 * the vault has not realised yet.
 *
 *     deposit      shares = floor(outstanding * assets / total)             paid     = total * shares / outstanding
 *     withdrawal   shares = nearest(outstanding * assets / (total - loss))  received = (total - loss) * shares / outstanding
 *
 * Products and quotients are those of the number scale in force; what becomes an amount is rounded to it.
 */
import type { Rules } from '../protocol/amendments.ts';
import { Amount, MANTISSA_MIN } from '../protocol/amount.ts';
import { type Asset, isIssued } from '../protocol/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import { NUM_ZERO, type Num, type Numbers } from '../protocol/number.ts';
import type { Result } from '../protocol/results.ts';

/** The fields of a vault that are numbers of its asset. */
type VaultNumber = 'AssetsTotal' | 'AssetsAvailable' | 'AssetsMaximum' | 'LossUnrealized';
const VAULT_NUMBERS: readonly VaultNumber[] = [
  'AssetsTotal',
  'AssetsAvailable',
  'AssetsMaximum',
  'LossUnrealized',
];

/** Shares, and the assets they are exchanged for. */
export interface Exchanged {
  readonly shares: Amount;
  readonly assets: Amount;
}

/** Whether a withdrawal bears the loss not realised yet. The last holder of shares does not: all that is left is his. */
export type LossRule = 'borne' | 'waived';

/** A number of a vault, in the scale in force; zero when it is absent. */
export function vaultNumber(numbers: Numbers, vault: Readonly<Entry>, name: VaultNumber): Num {
  const value = vault[name];
  return value === undefined ? NUM_ZERO : numbers.of(value);
}

/** Writes a number of a vault; zero is not kept. */
export function setVaultNumber(vault: Entry, name: VaultNumber, value: Num): void {
  if (value.isZero) delete vault[name];
  else vault[name] = value;
}

/** Adds to what a vault has, in all and at hand; a number below zero takes from it. */
export function addToVault(numbers: Numbers, vault: Entry, assets: Num): void {
  for (const name of ['AssetsTotal', 'AssetsAvailable'] as const)
    setVaultNumber(vault, name, numbers.add(vaultNumber(numbers, vault, name), assets));
}

/**
 * Rounds a vault's numbers to what its asset can have: whole drops or units, 16 digits of an issued currency (rippled
 * `associateAsset`). @throws RangeError when one is more than the asset can have.
 */
export function roundVaultNumbers(numbers: Numbers, vault: Entry): void {
  for (const name of VAULT_NUMBERS) {
    const value = vault[name];
    if (value === undefined) continue;
    setVaultNumber(vault, name, numbers.of(Amount.fromNum(vault.Asset as Asset, value)));
  }
}

/** Shares and assets of one vault, exchanged at the rate its entries give when the object is made. */
class VaultExchange {
  readonly #numbers: Numbers;
  readonly #asset: Asset;
  readonly #share: Asset;
  readonly #scale: number;
  readonly #total: Num;
  readonly #loss: Num;
  readonly #outstanding: Num;

  constructor(rules: Rules, vault: Readonly<Entry>, issuance: Readonly<Entry>) {
    const { numbers } = rules;
    this.#numbers = numbers;
    this.#asset = vault.Asset as Asset;
    this.#share = vault.ShareMPTID as Asset;
    this.#scale = vault.Scale ?? 0;
    this.#total = vaultNumber(numbers, vault, 'AssetsTotal');
    this.#loss = vaultNumber(numbers, vault, 'LossUnrealized');
    this.#outstanding = numbers.of(issuance.OutstandingAmount ?? 0n);
  }

  /** Shares for assets paid in. @throws RangeError when they are more than there can be. */
  sharesForDeposit(assets: Amount): Amount {
    const numbers = this.#numbers;
    const shares = this.#total.isZero
      ? numbers.of({ mantissa: assets.mantissa, exponent: assets.exponent + this.#scale })
      : numbers.div(numbers.mul(this.#outstanding, numbers.of(assets)), this.#total);
    return Amount.fromNum(this.#share, numbers.truncate(shares));
  }

  /** Assets to pay for shares. @throws RangeError as above. */
  assetsForDeposit(shares: Amount): Amount {
    if (this.#total.isZero) return Amount.of(this.#asset, shares.mantissa, -this.#scale);
    return this.#assetsFor(this.#total, shares);
  }

  /** Shares to give back for assets. @throws RangeError as above. */
  sharesForWithdrawal(assets: Amount, loss: LossRule = 'borne', truncate = false): Amount {
    const numbers = this.#numbers;
    const total = this.#withdrawable(loss);
    if (total.isZero) return Amount.zero(this.#share);
    const shares = numbers.div(numbers.mul(this.#outstanding, numbers.of(assets)), total);
    return Amount.fromNum(this.#share, truncate ? numbers.truncate(shares) : shares);
  }

  /** Assets got for shares given back. @throws RangeError as above. */
  assetsForWithdrawal(shares: Amount, loss: LossRule = 'borne'): Amount {
    const total = this.#withdrawable(loss);
    return total.isZero ? Amount.zero(this.#asset) : this.#assetsFor(total, shares);
  }

  #withdrawable(loss: LossRule): Num {
    return loss === 'waived' ? this.#total : this.#numbers.sub(this.#total, this.#loss);
  }

  #assetsFor(total: Num, shares: Amount): Amount {
    const numbers = this.#numbers;
    const product = numbers.mul(total, numbers.of(shares));
    return Amount.fromNum(this.#asset, numbers.div(product, this.#outstanding));
  }
}

/**
 * What an exchange with a vault comes to.
 * @returns `tecPATH_DRY` when it takes more than there can be, which a large scale easily reaches
 */
export function exchangeWith(
  rules: Rules,
  vault: Readonly<Entry>,
  issuance: Readonly<Entry>,
  exchange: (rate: VaultExchange) => Exchanged | Result,
): Exchanged | Result {
  try {
    return exchange(new VaultExchange(rules, vault, issuance));
  } catch (error) {
    if (error instanceof RangeError) return 'tecPATH_DRY';
    throw error;
  }
}

/**
 * An issued amount cut down to multiples of 10^exponent; others as they are (rippled `roundToScale`, downward).
 * @param amount not negative.
 */
function cutToExponent(amount: Amount, exponent: number): Amount {
  if (!isIssued(amount.asset) || amount.isZero || amount.exponent >= exponent) return amount;
  const unit = 10n ** BigInt(exponent - amount.exponent);
  return Amount.issued(amount.asset, amount.mantissa - (amount.mantissa % unit), amount.exponent);
}

/** A deposit cut to the digits that the vault's total has once it is in (fixCleanup3_2_0). */
export function cutToVault(numbers: Numbers, vault: Readonly<Entry>, amount: Amount): Amount {
  if (!isIssued(amount.asset)) return amount;
  const after = numbers.add(vaultNumber(numbers, vault, 'AssetsTotal'), numbers.of(amount));
  return cutToExponent(amount, Amount.fromNum(amount.asset, after).exponent);
}

/** Whether an issued amount is lost when it is added to a balance of that exponent (rippled `isZeroAtScale`). */
export function vanishesAt(numbers: Numbers, amount: Amount, exponent: number): boolean {
  if (amount.isZero) return true;
  if (!isIssued(amount.asset) || amount.exponent >= exponent) return false;
  const beside = Amount.issued(amount.asset, MANTISSA_MIN, exponent);
  const sum = Amount.fromNum(amount.asset, numbers.add(numbers.of(beside), numbers.of(amount)));
  return sum.equals(beside);
}

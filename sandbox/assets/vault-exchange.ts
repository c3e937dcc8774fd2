/**
 * The value of a vault's shares (XLS-65; rippled `VaultHelpers.cpp`).
 *
 * A vault holds one asset and issues shares of it as an MPT. One share is worth `assets / shares` of what the vault has;
 * an empty vault of an issued currency begins with 10^Scale shares per unit, so that fractions of a unit can be
 * expressed in shares, which are whole. Depositors get shares rounded down and pay their value; withdrawals bear a loss
 * that the vault has not realised yet.
 *
 *     deposit      shares = floor(outstanding * assets / total)             paid     = total * shares / outstanding
 *     withdrawal   shares = nearest(outstanding * assets / (total - loss))  received = (total - loss) * shares / outstanding
 *
 * Products and quotients use the number scale of the rules; results that become an amount are rounded to it.
 */

import { Amount, MANTISSA_MIN } from '../../engine/codec/arithmetic/amount.ts';
import { type Asset, isIssued } from '../../engine/codec/arithmetic/asset.ts';
import { NUM_ZERO, type Num, type Numbers } from '../../engine/codec/arithmetic/number.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry } from '../protocol/fields.ts';
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

/** Whether a withdrawal bears the unrealised loss. The last holder of shares does not: it receives all that is left. */
export type LossRule = 'borne' | 'waived';

/** A number of a vault, in the scale of the rules; zero when it is absent. */
export function vaultNumber(numbers: Numbers, vault: Readonly<Entry>, name: VaultNumber): Num {
  const value = vault[name];
  return value === undefined ? NUM_ZERO : numbers.of(value);
}

/** Writes a number of a vault; zero is not stored. */
export function setVaultNumber(vault: Entry, name: VaultNumber, value: Num): void {
  if (value.isZero) delete vault[name];
  else vault[name] = value;
}

/** Adds to a vault's total and available assets; a negative number subtracts. */
export function addToVault(numbers: Numbers, vault: Entry, assets: Num): void {
  for (const name of ['AssetsTotal', 'AssetsAvailable'] as const)
    setVaultNumber(vault, name, numbers.add(vaultNumber(numbers, vault, name), assets));
}

/**
 * Rounds a vault's numbers to the precision of its asset: whole drops or units, 16 digits of an issued currency (rippled
 * `associateAsset`). @throws RangeError when one exceeds the asset's maximum.
 */
export function roundVaultNumbers(numbers: Numbers, vault: Entry): void {
  for (const name of VAULT_NUMBERS) {
    const value = vault[name];
    if (value === undefined) continue;
    setVaultNumber(vault, name, numbers.of(Amount.fromNum(vault.Asset as Asset, value)));
  }
}

/** Exchanges shares and assets of one vault, at the rate of its entries when the object is created. */
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

  /** Shares for deposited assets. @throws RangeError when they exceed the maximum. */
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

  /** Shares to return for assets. @throws RangeError as above. */
  sharesForWithdrawal(assets: Amount, loss: LossRule = 'borne', truncate = false): Amount {
    const numbers = this.#numbers;
    const total = this.#withdrawable(loss);
    if (total.isZero) return Amount.zero(this.#share);
    const shares = numbers.div(numbers.mul(this.#outstanding, numbers.of(assets)), total);
    return Amount.fromNum(this.#share, truncate ? numbers.truncate(shares) : shares);
  }

  /** Assets received for returned shares. @throws RangeError as above. */
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
 * The result of an exchange with a vault.
 * @returns `tecPATH_DRY` when it exceeds the maximum, which a large scale easily does
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
 * An issued amount truncated to multiples of 10^exponent; others unchanged (rippled `roundToScale`, downward).
 * @param amount not negative.
 */
function cutToExponent(amount: Amount, exponent: number): Amount {
  if (!isIssued(amount.asset) || amount.isZero || amount.exponent >= exponent) return amount;
  const unit = 10n ** BigInt(exponent - amount.exponent);
  return Amount.issued(amount.asset, amount.mantissa - (amount.mantissa % unit), amount.exponent);
}

/** A deposit truncated to the digits that the vault's total has after it (fixCleanup3_2_0). */
export function cutToVault(numbers: Numbers, vault: Readonly<Entry>, amount: Amount): Amount {
  if (!isIssued(amount.asset)) return amount;
  const after = numbers.add(vaultNumber(numbers, vault, 'AssetsTotal'), numbers.of(amount));
  return cutToExponent(amount, Amount.fromNum(amount.asset, after).exponent);
}

/** Whether an issued amount is too small to change a balance of that exponent (rippled `isZeroAtScale`). */
export function vanishesAt(numbers: Numbers, amount: Amount, exponent: number): boolean {
  if (amount.isZero) return true;
  if (!isIssued(amount.asset) || amount.exponent >= exponent) return false;
  const beside = Amount.issued(amount.asset, MANTISSA_MIN, exponent);
  const sum = Amount.fromNum(amount.asset, numbers.add(numbers.of(beside), numbers.of(amount)));
  return sum.equals(beside);
}

/** Numbers and their conversion to amounts: `Scale`'s arithmetic (see number-scale.ts) with the way back to an asset. */
import { Amount } from './amount.ts';
import type { Asset } from './asset.ts';
import type { Num, Rounding } from './decimal.ts';
import { Scale } from './number-scale.ts';

export { NUM_ZERO, Num, type Rounding } from './decimal.ts';

export class Numbers extends Scale {
  /**
   * The amount of an asset nearest to a number (or by the rounding mode): whole drops or MPT units, 16 digits of
   * an issued currency. rippled `toSTAmount(asset, number, mode)`.
   * @throws RangeError when it is more than the asset's maximum.
   */
  toAmount(asset: Asset, value: Num, mode: Rounding = 'nearest'): Amount {
    return Amount.fromNum(asset, value, mode);
  }
}

/** 16 digits: used on mainnet. */
export const SMALL = new Numbers('small');
/** 19 digits: used with SingleAssetVault. */
export const LARGE = new Numbers('large');

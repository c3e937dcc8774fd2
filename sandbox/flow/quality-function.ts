/**
 * Average quality of a step, or of consecutive steps, as a linear function of the output:
 * q(out) = slope * out + offset. An offer's is constant; a pool's falls with the amount. A payment over one path computes
 * from it how much it can deliver at its limit quality (rippled QualityFunction.cpp).
 */
import { feeMult, type PoolAmounts } from '../../engine/codec/arithmetic/amm-math.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { Num, Numbers } from '../../engine/codec/arithmetic/number.ts';
import { amountFromQuality } from '../../engine/codec/arithmetic/quality.ts';
import type { Rules } from '../protocol/amendments.ts';

export class QualityFunction {
  readonly #numbers: Numbers;
  readonly #slope: Num;
  readonly #offset: Num;

  private constructor(
    numbers: Numbers,
    slope: Num,
    offset: Num,
    /** Quality of a constant function, as stored in books. */
    readonly quality: bigint | undefined,
  ) {
    this.#numbers = numbers;
    this.#slope = slope;
    this.#offset = offset;
  }

  static constant(rules: Rules, quality: bigint): QualityFunction {
    const { numbers } = rules;
    const offset = numbers.div(numbers.of(1n), numbers.of(amountFromQuality(quality)));
    return new QualityFunction(numbers, numbers.of(0n), offset, quality);
  }

  static ofPool(rules: Rules, pool: PoolAmounts, tradingFee: number): QualityFunction {
    const { numbers } = rules;
    const fee = feeMult(numbers, tradingFee);
    const poolIn = numbers.of(pool.in);
    const slope = numbers.div(fee.negate(), poolIn);
    const offset = numbers.div(numbers.mul(numbers.of(pool.out), fee), poolIn);
    return new QualityFunction(numbers, slope, offset, undefined);
  }

  get isConstant(): boolean {
    return this.quality !== undefined;
  }

  /** This step and then the next. */
  combine(next: QualityFunction): QualityFunction {
    const numbers = this.#numbers;
    const slope = numbers.add(this.#slope, numbers.mul(this.#offset, next.#slope));
    const offset = numbers.mul(this.#offset, next.#offset);
    return new QualityFunction(numbers, slope, offset, slope.mantissa === 0n ? this.quality : undefined);
  }

  /** The output with this average quality; undefined when it is not above zero. */
  outputAt(quality: bigint): Num | undefined {
    const numbers = this.#numbers;
    const rate: Amount = amountFromQuality(quality);
    if (this.#slope.mantissa === 0n || rate.isZero) return undefined;
    const wanted = numbers.div(numbers.of(1n), numbers.of(rate), 'up');
    const out = numbers.div(numbers.sub(wanted, this.#offset, 'up'), this.#slope, 'up');
    return out.mantissa > 0n ? out : undefined;
  }
}

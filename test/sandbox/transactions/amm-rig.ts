/** A ledger with an issuer, two providers and a pool of XRP and USD, for tests of pool transactions. */

import { Amount, addressOf, assetJson, currencyOfJson } from '../../../engine/codec/arithmetic/amount.ts';
import { type Asset, issued, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { ammLpHolds } from '../../../sandbox/assets/amm.ts';
import type { Rules } from '../../../sandbox/protocol/amendments.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;

export class AmmRig extends Rig {
  readonly issuer: TestAccount;
  readonly alice: TestAccount;
  readonly bob: TestAccount;
  readonly usd: Asset;
  readonly eur: Asset;

  constructor(rules?: Rules) {
    super(rules === undefined ? {} : { rules });
    const [issuer, alice, bob] = this.fund('issuer', 'alice', 'bob');
    this.issuer = issuer!;
    this.alice = alice!;
    this.bob = bob!;
    this.usd = issued(currencyOfJson('USD')!, this.issuer.id);
    this.eur = issued(currencyOfJson('EUR')!, this.issuer.id);
    this.change(keylets.account(this.issuer.id), { Flags: Lsf.lsfDefaultRipple });
    for (const holder of [this.alice, this.bob])
      for (const asset of [this.usd, this.eur]) this.trust(holder, asset, 100_000n);
    this.close();
  }

  /** Writes fields into an entry of the ledger being built. */
  change(key: string, fields: Partial<Entry>): void {
    Object.assign(this.ledger.peek(key)!, fields);
  }

  /** A line with this balance of `holder` in the asset. */
  trust(holder: TestAccount, asset: Asset, units: bigint): void {
    const of = (value: bigint): Amount => Amount.issued(asset, value, 0);
    this.line(holder.id, of(units), { limit: of(10n ** 9n) });
  }

  /** JSON of an amount: drops for XRP. */
  json(asset: Asset, value: string | number): unknown {
    return asset === XRP ? String(value) : { ...assetJson(asset), value: String(value) };
  }

  /** A transaction of type AMM... by an account; the pool's assets may be left out. */
  amm(type: string, account: TestAccount, fields: Json = {}): string {
    const pool = type === 'Create' ? {} : { Asset: assetJson(XRP), Asset2: assetJson(this.usd) };
    const create = type === 'Create' ? { Fee: '200000' } : {};
    return this.apply({
      TransactionType: `AMM${type}`,
      Account: account.address,
      ...pool,
      ...create,
      ...fields,
    }).result;
  }

  create(tradingFee = 500): string {
    return this.amm('Create', this.alice, {
      Amount: '1000000000',
      Amount2: this.json(this.usd, 1000),
      TradingFee: tradingFee,
    });
  }

  get pool(): Readonly<Entry> {
    const amm = this.ledger.read(keylets.amm(XRP, this.usd));
    if (amm === undefined) throw new Error('there is no pool');
    return amm;
  }

  get lpAsset(): Asset {
    return this.pool.LPTokenBalance!.asset;
  }

  held(holder: TestAccount): Amount {
    return ammLpHolds(this.ledger, this.pool, holder.id);
  }

  /** The pool's balances: drops and USD. */
  balances(): [Amount, Amount] {
    const account = this.pool.Account!;
    const line = this.ledger.read(keylets.line(account, this.issuer.id, this.usd.slice(0, 40)))!;
    const usd = account > this.issuer.id ? line.Balance!.negate() : line.Balance!;
    return [this.ledger.read(keylets.account(account))!.Balance!, usd.withAsset(this.usd)];
  }

  /** Problems of the pool: LP tokens not covered by its balances, or not equal to those of its providers. */
  unsound(): string[] {
    const wrong: string[] = [];
    const total = this.pool.LPTokenBalance!;
    const [drops, usd] = this.balances();
    const shift = (amount: Amount): bigint => amount.mantissa * 10n ** BigInt(amount.exponent + 30);
    const mean2 = shift(drops) * shift(usd);
    // rippled's invariant: the mean covers the tokens except for 1e-11.
    if ((shift(total) ** 2n - mean2) * 10n ** 11n > 2n * mean2)
      wrong.push(`${total.text()} LP tokens for ${drops.text()} and ${usd.text()}`);
    const code = total.asset.slice(0, 40);
    const lines = this.entries().filter(({ Balance }) => Balance?.isIssued && Balance.asset.startsWith(code));
    const sum = lines.reduce((all, { Balance }) => all + shift(Balance!.abs()), 0n);
    const off = sum > shift(total) ? sum - shift(total) : shift(total) - sum;
    // Each change may lose the last of sixteen digits.
    if (off * 10n ** 13n > sum) wrong.push(`providers hold ${sum}, the total is ${shift(total)}`);
    return wrong;
  }

  addressOfPool(): string {
    return addressOf(this.pool.Account!);
  }
}

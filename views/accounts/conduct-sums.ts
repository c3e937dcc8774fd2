/** Sums over transactions of one account, as nodes write them: fees, what it gained and spent, and in how many it traded. */
import { plus, xrpOfDrops } from '../../explain/decimal.ts';
import { type BalanceChange, balanceChanges } from '../../explain/effects.ts';
import { type AssetJson, type Fields, isMpt, type Meta } from '../../explain/json.ts';

export interface TokenSum {
  readonly asset: AssetJson;
  /** Decimal text. */
  readonly net: string;
  /** Transactions that changed what it holds of the token. */
  readonly count: number;
}

export class ConductSums {
  readonly #address: string;
  readonly #tokens = new Map<string, TokenSum>();
  count = 0;
  sent = 0;
  /** Sent, and without an effect but the fee. */
  failed = 0;
  /** In which it gave one asset and got another; putting assets into a pool and taking them out is none. */
  trades = 0;
  /** Those of them that are payments to itself. */
  swaps = 0;
  /** XRP, decimal text. */
  fees = '0';
  /** The same, of XRP; fees are part of it. */
  xrpNet = '0';

  constructor(address: string) {
    this.#address = address;
  }

  /** The tokens that the most transactions changed come first. */
  get tokens(): TokenSum[] {
    return [...this.#tokens.values()].sort(
      (a, b) => b.count - a.count || (keyOf(a.asset) < keyOf(b.asset) ? -1 : 1),
    );
  }

  /** Share of the transactions that it sent that did what they say, percent; null: it sent none. */
  get successRate(): number | null {
    return this.sent === 0 ? null : ((this.sent - this.failed) * 100) / this.sent;
  }

  add(tx: Fields, meta: Meta): void {
    this.count++;
    const changes = balanceChanges(meta).filter(({ account }) => account === this.#address);
    const fee = this.#feeOf(tx);
    this.fees = plus(this.fees, fee);
    if (tx.Account === this.#address) {
      this.sent++;
      if (meta.TransactionResult !== 'tesSUCCESS') this.failed++;
    }
    for (const { asset, change } of changes)
      if (isXrp(asset)) this.xrpNet = plus(this.xrpNet, change);
      else this.#addToken(asset, change);
    if (!isTrade(tx, changes, fee)) return;
    this.trades++;
    if (tx.TransactionType === 'Payment' && tx.Account === tx.Destination) this.swaps++;
  }

  #addToken(asset: AssetJson, change: string): void {
    const key = keyOf(asset);
    const { net, count } = this.#tokens.get(key) ?? { net: '0', count: 0 };
    this.#tokens.set(key, { asset, net: plus(net, change), count: count + 1 });
  }

  /** XRP that the account paid for a transaction: an account that acts for another pays, too (XLS-75). */
  #feeOf({ Account: sender, Delegate: delegate, Fee: drops }: Fields): string {
    return (delegate ?? sender) === this.#address && /^\d+$/.test(drops) ? xrpOfDrops(drops) : '0';
  }
}

function isTrade({ TransactionType: type }: Fields, changes: readonly BalanceChange[], fee: string): boolean {
  if (/^AMM/.test(type)) return false;
  const signs = changes.map(({ asset, change }) => {
    const own = isXrp(asset) ? plus(change, fee) : change;
    return own.startsWith('-') ? -1 : own === '0' ? 0 : 1;
  });
  return signs.includes(1) && signs.includes(-1);
}

const isXrp = (asset: AssetJson) => !isMpt(asset) && asset.issuer === undefined;
const keyOf = (asset: AssetJson) =>
  isMpt(asset) ? asset.mpt_issuance_id : `${asset.issuer}_${asset.currency}`;

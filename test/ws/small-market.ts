/**
 * A ledger with few accounts that do few things, in amounts that come back: an offer is placed and cancelled, a payment is
 * returned, a deposit is withdrawn. So what a stream shows is often again what it showed before.
 */
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { quiet } from '../live-rig.ts';
import { GENESIS, NetworkRig } from '../sandbox/node/network-rig.ts';
import { type TestAccount, testAccount } from '../sandbox/rig.ts';

const TF_SELL_AT_ONCE = 0x00020000 | 0x00080000;
const TF_TWO_ASSETS = 0x00100000;
const GLOBAL_FREEZE = 7;
const DEFAULT_RIPPLE = 8;

type Json = Record<string, unknown>;
type Draw = (below: number) => number;

export class SmallMarket {
  readonly engine = new Engine({ store: new MemoryStore(), log: quiet });
  readonly issuer = testAccount('issuer');
  readonly holders = ['alice', 'bob', 'carol'].map((name) => testAccount(name));
  readonly #rig = new NetworkRig();
  /** Open offers. */
  readonly #offers: { readonly owner: TestAccount; readonly OfferSequence: number }[] = [];

  /** Ledgers with the accounts, their lines and a pool. */
  async begin(): Promise<void> {
    const everyone = [this.issuer, ...this.holders];
    for (const { address: Destination } of everyone)
      this.#send(GENESIS, { TransactionType: 'Payment', Destination, Amount: '9000000000' });
    await this.close();
    this.#send(this.issuer, { TransactionType: 'AccountSet', SetFlag: DEFAULT_RIPPLE });
    await this.close();
    for (const holder of this.holders)
      this.#send(holder, { TransactionType: 'TrustSet', LimitAmount: this.usd(1_000_000) });
    await this.close();
    for (const { address: Destination } of this.holders)
      this.#send(this.issuer, { TransactionType: 'Payment', Destination, Amount: this.usd(10_000) });
    await this.close();
    const pool = { Amount: '1000000000', Amount2: this.usd(1000), TradingFee: 500 };
    this.#send(this.holders[0]!, { TransactionType: 'AMMCreate', Fee: '200000', ...pool });
    await this.close();
    for (let ledger = 0; ledger < 4; ledger++) {
      for (const holder of this.holders) this.#trade(holder, 2);
      await this.close();
    }
  }

  usd(value: number) {
    return { currency: 'USD', issuer: this.issuer.address, value: String(value) };
  }

  /** What one or two of them do in the next ledger. */
  act(draw: Draw): void {
    const actor = this.holders[draw(3)]!;
    const { address: Destination } = this.holders.find((holder) => holder !== actor)!;
    const asset = { Asset: { currency: 'XRP' }, Asset2: { currency: 'USD', issuer: this.issuer.address } };
    switch (draw(8)) {
      case 0:
      case 1:
        this.#offer(actor, 1 + draw(2));
        break;
      case 2:
      case 3: {
        const [offer] = this.#offers.splice(draw(Math.max(1, this.#offers.length)), 1);
        if (offer)
          this.#send(offer.owner, { TransactionType: 'OfferCancel', OfferSequence: offer.OfferSequence });
        break;
      }
      case 4:
        this.#send(actor, { TransactionType: 'Payment', Destination, Amount: this.usd(1 + draw(2)) });
        break;
      case 5:
        this.#send(actor, { TransactionType: 'Payment', Destination, Amount: String(1 + draw(2)) });
        break;
      case 6:
        this.#trade(actor, 1 + draw(3));
        break;
      default: {
        const TransactionType = draw(2) === 0 ? 'AMMDeposit' : 'AMMWithdraw';
        const both = { Amount: '1000000', Amount2: this.usd(1), Flags: TF_TWO_ASSETS };
        this.#send(this.holders[0]!, { TransactionType, ...asset, ...both });
      }
    }
  }

  /** The first holder sells to the pool. */
  trade(): void {
    this.#trade(this.holders[0]!, 1);
  }

  /** The issuer pays XRP. */
  pay(): void {
    const { address: Destination } = this.holders[0]!;
    this.#send(this.issuer, { TransactionType: 'Payment', Destination, Amount: '1' });
  }

  /** The issuer freezes what it issued, or ends that. */
  freeze(isFrozen: boolean): void {
    const flag = { [isFrozen ? 'SetFlag' : 'ClearFlag']: GLOBAL_FREEZE };
    this.#send(this.issuer, { TransactionType: 'AccountSet', ...flag });
  }

  /**
   * Closes a ledger and applies it; the frames that follow from it may not be out.
   * @param seconds for which nothing happened before
   */
  async close(seconds = 0): Promise<void> {
    this.#rig.time += seconds;
    const ledger = this.#rig.close();
    const packed = new PackedLedger(ledger.packed().bytes);
    await this.engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  }

  /** An offer that nobody takes. */
  #offer(owner: TestAccount, dear: number): void {
    const OfferSequence = this.#rig.network.nextSequence(owner.id);
    const amounts = { TakerGets: this.usd(1), TakerPays: String(dear * 50_000_000) };
    this.#send(owner, { TransactionType: 'OfferCreate', ...amounts });
    this.#offers.push({ owner, OfferSequence });
  }

  /** Sells so many USD to the pool. */
  #trade(owner: TestAccount, value: number): void {
    const amounts = { TakerGets: this.usd(value), TakerPays: '1' };
    this.#send(owner, { TransactionType: 'OfferCreate', Flags: TF_SELL_AT_ONCE, ...amounts });
  }

  #send(account: TestAccount, json: Json): void {
    const { result } = this.#rig.submit(account, json);
    if (result !== 'tesSUCCESS') throw new Error(`${json.TransactionType}: ${result}`);
  }
}

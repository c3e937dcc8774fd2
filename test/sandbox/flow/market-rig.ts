/** A rig with gateways, balances, offers and pools, in short texts: `12.5` is XRP, `100/USD/gate` an issued amount. */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  HASH_ZERO,
  issuerOf,
  XRP,
} from '../../../engine/codec/arithmetic/asset.ts';
import type { Outcome } from '../../../sandbox/apply/environment.ts';
import { lpTokenAsset } from '../../../sandbox/assets/amm.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type RigOptions } from '../rig.ts';

type Json = Record<string, unknown>;

const ASF_DEFAULT_RIPPLE = 8;
const ISSUER_FLAGS = 0x0080_0000;

export class MarketRig {
  readonly rig: Rig;

  constructor(options?: RigOptions) {
    this.rig = new Rig(options);
  }

  /** Accounts whose issues can ripple. */
  gateways(...names: string[]): void {
    for (const { address } of this.rig.fund(...names)) {
      this.do({ TransactionType: 'AccountSet', Account: address, SetFlag: ASF_DEFAULT_RIPPLE });
    }
  }

  address(name: string): string {
    return this.rig.account(name).address;
  }

  id(name: string): AccountId {
    return this.rig.account(name).id;
  }

  /** An amount as JSON. */
  amount(text: string): string | { value: string; currency: string; issuer: string } {
    const [value, currency, issuer] = text.split('/');
    if (currency === undefined) return String(Math.round(Number(value) * 1e6));
    return { value: value!, currency, issuer: this.address(issuer!) };
  }

  value(text: string): Amount {
    return Amount.parse(this.amount(text));
  }

  /** Applies a transaction that must succeed. */
  do(tx: Json): Outcome {
    const outcome = this.rig.apply(tx);
    if (outcome.result !== 'tesSUCCESS') throw new Error(`${String(tx.TransactionType)}: ${outcome.result}`);
    return outcome;
  }

  /** Gives an account a trust line with this balance. */
  give(name: string, text: string, limit = '1000000000'): void {
    const [, currency, issuer] = text.split('/') as [string, string, string];
    const Account = this.address(name);
    this.do({
      TransactionType: 'TrustSet',
      Account,
      LimitAmount: this.amount(`${limit}/${currency}/${issuer}`),
    });
    if (this.value(text).isZero) return;
    this.do({
      TransactionType: 'Payment',
      Account: this.address(issuer),
      Destination: Account,
      Amount: this.amount(text),
    });
  }

  offer(name: string, pays: string, gets: string, more: Json = {}): Outcome {
    return this.rig.apply({
      TransactionType: 'OfferCreate',
      Account: this.address(name),
      TakerPays: this.amount(pays),
      TakerGets: this.amount(gets),
      ...more,
    });
  }

  pay(from: string, to: string, deliver: string, more: Json = {}): Outcome {
    return this.rig.apply({
      TransactionType: 'Payment',
      Account: this.address(from),
      Destination: this.address(to),
      Amount: this.amount(deliver),
      ...more,
    });
  }

  asset(text: string): Asset {
    return text === XRP ? XRP : this.value(`1/${text}`).asset;
  }

  /** An account's balance, e.g. of `USD/gate`, as text; XRP in drops. */
  balance(name: string, asset: string): string {
    if (asset === XRP) return String(this.rig.root(this.rig.account(name)).Balance!.drops);
    return this.held(this.id(name), this.asset(asset)).text();
  }

  held(account: AccountId, asset: Asset): Amount {
    const line = this.rig.ledger.read(keylets.line(account, issuerOf(asset), asset.slice(0, 40)));
    if (!line) return Amount.zero(asset);
    return (account < issuerOf(asset) ? line.Balance! : line.Balance!.negate()).withAsset(asset);
  }

  /** Offers of an account as [pays, gets] texts. */
  offers(name: string): [string, string][] {
    return this.rig
      .entries()
      .filter(({ LedgerEntryType, Account }) => LedgerEntryType === 'Offer' && Account === this.id(name))
      .map(({ TakerPays, TakerGets }) => [TakerPays!.text(), TakerGets!.text()]);
  }

  /** Adds a pool of XRP and an issued currency to the ledger, and its provider. */
  pool(drops: bigint, token: string, tradingFee: number): AccountId {
    const name = `pool of ${token}`;
    const { id } = this.rig.fundWith(name, drops);
    const provider = this.rig.fundWith(`provider of ${token}`, 10_000_000n);
    const amount = this.value(token);
    const root = this.rig.ledger.peek(keylets.account(id)) as Entry;
    const index = keylets.amm(XRP, amount.asset);
    const shares = Amount.issued(lpTokenAsset(XRP, amount.asset, id), 1_000_000n, 0);
    root.AMMID = index;
    root.Flags = ISSUER_FLAGS;
    this.rig.line(id, amount, { flags: Lsf.lsfAMMNode });
    this.rig.line(provider.id, shares);
    this.rig.ledger.insert({
      LedgerEntryType: 'AMM',
      index,
      Flags: 0,
      Account: id,
      Asset: XRP,
      Asset2: amount.asset,
      TradingFee: tradingFee,
      LPTokenBalance: shares,
      OwnerNode: this.rig.listed(id, index),
      PreviousTxnID: HASH_ZERO,
      PreviousTxnLgrSeq: 0,
    });
    return id;
  }
}

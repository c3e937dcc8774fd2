/** Amounts of NFTs' offers and sales as clients read them. */
import { AssetKind, dropsOf, rawDecimal, rawNumber, rawText } from '../../engine/codec/amount.ts';
import { accountText } from '../../engine/codec/base58.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { currencyText } from '../../engine/codec/currency.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Assets } from '../../engine/nfts/assets.ts';
import type { NftAmount } from '../../engine/nfts/event-record.ts';
import type { State } from '../../engine/state/state.ts';
import { XRP } from '../../engine/state/tokens.ts';

/** As on the ledger: drops as text, or currency, issuer and value. */
export function ledgerAmount(assets: Assets, { asset, hi, lo }: NftAmount) {
  const kind = assets.kind(asset);
  if (kind === AssetKind.xrp) return String(dropsOf(hi, lo));
  const value = rawText(kind, hi, lo);
  if (kind === AssetKind.mpt) return { mpt_issuance_id: hexOf(assets.key(asset), 0, 24), value };
  return {
    currency: currencyText(assets.currency(asset)),
    issuer: accountText(assets.issuer(asset)),
    value,
  };
}

/** XRP, not drops; undefined for other assets. */
export function xrpNumber(assets: Assets, amount: NftAmount | undefined): number | undefined {
  if (!amount || assets.kind(amount.asset) !== AssetKind.xrp) return undefined;
  return rawNumber(AssetKind.xrp, amount.hi, amount.lo);
}

/** Drops, as a number to add up; 0: another asset, or nothing. */
export function dropsIn(assets: Assets, amount: NftAmount | undefined): number {
  if (!amount || assets.kind(amount.asset) !== AssetKind.xrp) return 0;
  return Number(dropsOf(amount.hi, amount.lo));
}

/** `{amount, currency, issuer}`, the amount as a number. */
export function costObject(assets: Assets, amount: NftAmount) {
  const kind = assets.kind(amount.asset);
  const value = rawNumber(kind, amount.hi, amount.lo);
  if (kind === AssetKind.xrp) return { amount: value, currency: 'XRP', issuer: 'XRPL' };
  const { asset } = amount;
  return {
    amount: value,
    currency: currencyText(assets.currency(asset)),
    issuer: accountText(assets.issuer(asset)),
  };
}

/** Exact value, for comparisons: XRP or tokens. */
export function exact(assets: Assets, { asset, hi, lo }: NftAmount) {
  return rawDecimal(assets.kind(asset), hi, lo);
}

/** The token of an asset; undefined where the state has never seen it. */
export function tokenOf(
  { accounts, currencies, tokens }: State,
  assets: Assets,
  asset: number,
): number | undefined {
  const kind = assets.kind(asset);
  if (kind === AssetKind.xrp) return XRP;
  if (kind === AssetKind.mpt) return tokens.byMptId(hexOf(assets.key(asset), 0, 24).toLowerCase());
  const issuer = accounts.find(assets.issuer(asset), 0);
  const currency = currencies.find(assets.currency(asset), 0);
  return issuer === undefined || currency === 0 ? undefined : tokens.findPair(issuer, currency) || undefined;
}

/** XRP that a party has, drops; undefined: the account does not exist. */
export function dropsOfParty({ state, nfts }: Engine, party: number): number | undefined {
  const { accounts } = state;
  const account = accounts.find(nfts.parties.key(party), 0);
  return account !== undefined && accounts.exists(account)
    ? Number(accounts.balanceDrops(account))
    : undefined;
}

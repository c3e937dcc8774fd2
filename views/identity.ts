/** How tokens are named at the edge. */
import { accountBytes } from '../engine/codec/base58.ts';
import { currencyBytes, currencyText } from '../engine/codec/currency.ts';
import { mptMetadata } from '../engine/state/mpt-metadata.ts';
import type { State } from '../engine/state/state.ts';
import { TokenKind, XRP } from '../engine/state/tokens.ts';

/** Issuer that clients expect for native XRP. */
export const XRP_ISSUER = 'XRPL';

/** The usual name of the token: of an MPT the ticker or name in its metadata, where there is one. */
export function tokenName(state: State, token: number): string {
  if (state.tokens.kind(token) !== TokenKind.mpt) return state.tokens.name(token);
  const meta = mptMetadata(state.tokens.metadata(token));
  return meta?.ticker ?? meta?.name ?? state.tokens.name(token);
}

/** `<issuer>_<currency>`, what md5 and pair hash are made of. */
export function tokenKey(state: State, token: number): string {
  return `${state.tokens.issuerText(token)}_${state.tokens.currencyText(token)}`;
}

/** `{currency, issuer}` as amounts carry it; XRP has issuer `XRPL`. */
export function assetObject(
  state: State,
  token: number,
): { currency: string; issuer: string; md5: string; name: string } {
  const { tokens } = state;
  return {
    currency: tokens.currencyText(token),
    issuer: tokens.issuerText(token),
    md5: tokens.md5(token),
    name: tokenName(state, token),
  };
}

/**
 * A token by any form of its id: md5, `<issuer>-<currency>`, `<issuer>_<currency>` (three characters or 40 hex
 * digits), `mpt-<48 hex>`, `XRP`. Hex in either case. undefined = not known.
 */
export function resolveToken(state: State, id: string): number | undefined {
  const text = id.trim();
  if (/^[0-9a-f]{32}$/i.test(text)) return state.tokens.byMd5(text.toLowerCase());
  const mpt = /^(?:mpt[-_])?([0-9a-f]{48})$/i.exec(text);
  if (mpt) return state.tokens.byMptId(mpt[1]!.toUpperCase());
  if (/^(xrp|xrpl[-_]xrp)$/i.test(text)) return XRP;
  const parts = /^([^-_]+)[-_](.+)$/.exec(text);
  return parts ? resolveIssue(state, parts[2]!, parts[1]!) : undefined;
}

/** A token by currency and issuer, as ledger amounts name it. */
export function resolveIssue(state: State, currency: string, issuer: string | undefined): number | undefined {
  if (issuer === undefined || issuer === '' || issuer === XRP_ISSUER) {
    return currency.toUpperCase() === 'XRP' ? XRP : resolveLone(state, currency);
  }
  if (!accountBytes(issuer)) return undefined;
  if (/^[0-9a-f]{48}$/i.test(currency)) {
    const token = state.tokens.byMptId(currency.toUpperCase());
    return token !== undefined && state.tokens.issuerText(token) === issuer ? token : undefined;
  }
  const bytes = currencyBytes(currency);
  return bytes && state.tokens.find(issuer, currencyText(bytes));
}

/** A currency without issuer can only be an MPT id. */
function resolveLone(state: State, currency: string): number | undefined {
  return /^[0-9a-f]{48}$/i.test(currency) ? state.tokens.byMptId(currency.toUpperCase()) : undefined;
}

/** Why a currency and an issuer can be no asset: an answer that nothing of it is held would be about another one. */
export function assetFault(currency: string, issuer: string): { message: string; hint: string } | undefined {
  const isMpt = /^[0-9a-f]{48}$/i.test(currency);
  if (issuer === '' || issuer === XRP_ISSUER)
    return isMpt || currency.toUpperCase() === 'XRP'
      ? undefined
      : { message: `${currency} needs an issuer`, hint: 'Only XRP has the issuer XRPL' };
  if (!isAddress(issuer)) return { message: 'Invalid issuer', hint: 'Send an r-address, or XRPL for XRP' };
  if (isMpt || currencyBytes(currency)) return undefined;
  return { message: 'Invalid currency', hint: 'Send three characters, 40 hex digits, or an MPT id' };
}

/** Whether a text is an r-address. */
export function isAddress(text: string): boolean {
  return accountBytes(text) !== undefined;
}

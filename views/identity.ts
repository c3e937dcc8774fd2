/** How tokens are named at the edge. */
import { accountBytes } from '../engine/codec/base58.ts';
import { currencyBytes, currencyText } from '../engine/codec/currency.ts';
import { mptMetadata } from '../engine/state/mpt-metadata.ts';
import type { State } from '../engine/state/state.ts';

/** Id of native XRP. */
export const XRP = 0;
/** Issuer that clients expect for native XRP. */
export const XRP_ISSUER = 'XRPL';
/** md5 of `XRPL_XRP`. */
export const XRP_MD5 = '84e5efeb89c4eae8f68188982dc290d8';

/** r-address of the issuer; `XRPL` for native XRP. */
export function issuerText(state: State, token: number): string {
  return token === XRP ? XRP_ISSUER : state.accounts.text(state.tokens.issuer(token));
}

/** What people call the token: an MPT by its ticker or name where it tells one. */
export function tokenName(state: State, token: number): string {
  if (state.tokens.kind(token) !== 2) return state.tokens.name(token);
  const meta = mptMetadata(state.tokens.metadata(token));
  return meta?.ticker ?? meta?.name ?? state.tokens.name(token);
}

/** `<issuer>_<currency>`, what md5 and pair hash are made of. */
export function tokenKey(state: State, token: number): string {
  return `${issuerText(state, token)}_${state.tokens.currencyText(token)}`;
}

/** `{currency, issuer}` as amounts carry it; XRP has issuer `XRPL`. */
export function assetObject(
  state: State,
  token: number,
): { currency: string; issuer: string; md5: string; name: string } {
  const { tokens } = state;
  return {
    currency: tokens.currencyText(token),
    issuer: issuerText(state, token),
    md5: token === XRP ? XRP_MD5 : tokens.md5(token),
    name: tokenName(state, token),
  };
}

/**
 * A token by any form of its id: md5, `<issuer>-<currency>`, `<issuer>_<currency>` (three characters or 40 hex
 * digits), `mpt-<48 hex>`, `XRP`. Hex in either case. undefined = not known.
 */
export function resolveToken(state: State, id: string): number | undefined {
  const text = id.trim();
  if (/^[0-9a-f]{32}$/i.test(text)) {
    const md5 = text.toLowerCase();
    return md5 === XRP_MD5 ? XRP : state.tokens.byMd5(md5);
  }
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
    return token !== undefined && issuerText(state, token) === issuer ? token : undefined;
  }
  const bytes = currencyBytes(currency);
  return bytes && state.tokens.find(issuer, currencyText(bytes));
}

/** A currency without issuer can only be an MPT id. */
function resolveLone(state: State, currency: string): number | undefined {
  return /^[0-9a-f]{48}$/i.test(currency) ? state.tokens.byMptId(currency.toUpperCase()) : undefined;
}

/** Whether a text is an r-address. */
export function isAddress(text: string): boolean {
  return accountBytes(text) !== undefined;
}

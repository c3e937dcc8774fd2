/** The token a stream's address names. */
import type { Feed, TokenId } from '../feed.ts';
import { CloseCode, Refusal } from '../limits.ts';

/** The path parameter that names a token. */
export const tokenId = {
  in: 'path',
  kind: 'text',
  maxLength: 128,
  code: CloseCode.parameter,
  about: 'Token identifier.',
} as const;

/** Forms of section 2.1: md5, slug, issuer_currency, `mpt-` slug, XRP. */
const FORM =
  /^(?:[0-9a-fA-F]{32}|r[1-9A-HJ-NP-Za-km-z]{24,34}[-_].{1,64}|mpt-[0-9a-fA-F]{48}|[0-9a-fA-F]{48}|xrp|xrpl[-_]xrp)$/i;

/** @throws Refusal 4020 malformed, 4021 not on the ledger. */
export function tokenOf(feed: Feed, id: string): TokenId {
  if (!FORM.test(id)) throw new Refusal(CloseCode.identifierForm, 'not a token identifier');
  const token = feed.resolve(id);
  if (token === undefined) throw new Refusal(CloseCode.missing, 'token not found');
  return token;
}

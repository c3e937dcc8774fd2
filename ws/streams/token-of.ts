/** The token that the address of a stream names. */
import { isTokenForm } from '../../requests/identifiers.ts';
import type { TokenViews } from '../../views/token-views.ts';
import { CloseCode, Refusal } from '../limits.ts';

/** The path parameter that names a token. */
export const tokenId = {
  in: 'path',
  kind: 'text',
  maxLength: 128,
  code: CloseCode.parameter,
  about: 'Token identifier.',
} as const;

/** @throws Refusal 4020 malformed, 4021 not on the ledger. */
export function tokenOf(tokens: TokenViews, id: string): number {
  if (!isTokenForm(id)) throw new Refusal(CloseCode.identifierForm, 'not a token identifier');
  const token = tokens.resolve(id);
  if (token === undefined) throw new Refusal(CloseCode.missing, 'token not found');
  return token;
}

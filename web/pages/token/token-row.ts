import type { Tokens } from '../../api-types.d.ts';

/** A token as `/token/{id}` answers it. */
export type TokenRow = Tokens & { readonly md5: string; readonly name: string };

export interface TokenProps {
  readonly token: TokenRow;
  /** Another one after each ledger that touched the token. */
  readonly version: number;
}

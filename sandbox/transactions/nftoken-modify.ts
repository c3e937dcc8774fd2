/** NFTokenModify (XLS-46, DynamicNFT). Rules: rippled `NFTokenModify.cpp`. */
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { changeTokenUri, findToken } from '../assets/nftoken-pages.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { NftFlag, parseNftId } from '../protocol/nft-id.ts';
import type { Result } from '../protocol/results.ts';
import { badTokenUri } from './nftoken-mint.ts';

function preflight(tx: Readonly<TransactionFields>): Result {
  return tx.Owner === tx.Account || badTokenUri(tx.URI) ? 'temMALFORMED' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const id = tx.NFTokenID!;
  if (findToken(view, tx.Owner ?? tx.Account, id) === undefined) return 'tecNO_ENTRY';
  const { flags, issuer } = parseNftId(id);
  if ((flags & NftFlag.mutable) === 0) return 'tecNO_PERMISSION';
  if (issuer === tx.Account) return 'tesSUCCESS';
  const issuerEntry = view.read(keylets.account(issuer));
  if (issuerEntry === undefined) return 'tecINTERNAL';
  return issuerEntry.NFTokenMinter === tx.Account ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

function apply({ view, tx, account }: ApplyContext): Result {
  return changeTokenUri(view, tx.Owner ?? account, tx.NFTokenID!, tx.URI);
}

export const nftokenModify: Rule = {
  type: 'NFTokenModify',
  amendment: 'DynamicNFT',
  flags: 0,
  preflight,
  preclaim,
  apply,
};

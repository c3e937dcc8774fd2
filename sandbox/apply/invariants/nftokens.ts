/** NFTs: pages in order, linked, of 1 to 32 tokens; counts that only minting and burning change. */

import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { Change } from '../../ledger/tables.ts';
import type { Entry } from '../../protocol/fields.ts';
import type { Checker } from './checker.ts';
import { may } from './privileges.ts';

const TOKENS_MAX = 32;
/** Hex digits of a page's key (and of a token's id) that identify the account. */
const OWNER_DIGITS = 40;
const LAST_PAGE = 'F'.repeat(24);

/** The low 96 bits, by which tokens and pages are ordered. */
const place = (key: Hex): Hex => key.slice(OWNER_DIGITS);
const owner = (key: Hex): Hex => key.slice(0, OWNER_DIGITS);

function linked(page: Readonly<Entry>): boolean {
  const { index, PreviousPageMin: before, NextPageMin: after } = page;
  if (before !== undefined && (owner(before) !== owner(index) || place(before) >= place(index))) return false;
  return after === undefined || (owner(after) === owner(index) && place(after) > place(index));
}

function sorted(page: Readonly<Entry>): boolean {
  const low = page.PreviousPageMin === undefined ? '' : place(page.PreviousPageMin);
  let last = low;
  for (const { NFToken: token } of page.NFTokens ?? []) {
    const id = token?.NFTokenID ?? '';
    // Tokens with equal low bits are ordered by their whole id.
    const order = place(id) + id;
    if (order <= last || place(id) < low || place(id) >= place(page.index) || token?.URI === '') return false;
    last = order;
  }
  return true;
}

function goodPage(page: Readonly<Entry>, gone: boolean): boolean {
  const count = page.NFTokens?.length ?? 0;
  return linked(page) && sorted(page) && count <= TOKENS_MAX && (gone || count > 0);
}

/** The last page stays while there are others, and a page in the middle does not lose its link to the next one. */
function keepsLinks({ action, before, after }: Change): boolean {
  if (before === undefined) return true;
  const isLast = place(after.index) === LAST_PAGE;
  if (action === 'erase') return !isLast || before.PreviousPageMin === undefined;
  return isLast || before.NextPageMin === undefined || after.NextPageMin !== undefined;
}

const validPage: Checker = {
  name: 'ValidNFTokenPage',
  holds({ changes, table }) {
    const keeps = table.rules.enabled('fixNFTokenPageLinks');
    return changes.of('NFTokenPage').every((change) => {
      const gone = change.action === 'erase';
      if (change.before && !goodPage(change.before, gone)) return false;
      return goodPage(change.after, gone) && (!keeps || keepsLinks(change));
    });
  },
};

const sum = (
  changes: readonly Change[],
  of: (entry: Readonly<Entry>) => number | undefined,
): [number, number] => [
  changes.reduce((total, { before }) => total + ((before && of(before)) ?? 0), 0),
  changes.reduce((total, { after }) => total + (of(after) ?? 0), 0),
];

const countTracking: Checker = {
  name: 'NFTokenCountTracking',
  holds({ changes, tx, result }) {
    const accounts = changes.of('AccountRoot');
    const [minted, mintedAfter] = sum(accounts, ({ MintedNFTokens }) => MintedNFTokens);
    const [burned, burnedAfter] = sum(accounts, ({ BurnedNFTokens }) => BurnedNFTokens);
    const succeeded = result === 'tesSUCCESS' && may(tx.TransactionType, 'changeTokenCounts');
    const mints = succeeded && tx.TransactionType === 'NFTokenMint';
    const burns = succeeded && tx.TransactionType === 'NFTokenBurn';
    if (mints ? mintedAfter <= minted : mintedAfter !== minted) return false;
    return burns ? burnedAfter > burned : burnedAfter === burned;
  },
};

export const NFTOKEN_CHECKERS: readonly Checker[] = [validPage, countTracking];

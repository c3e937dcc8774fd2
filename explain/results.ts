/** Result codes of transactions, in words. */
import { changedEntries, type Meta, named } from './json.ts';
import { plural } from './sentence.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  tesSUCCESS: 'done',
  tecUNFUNDED_OFFER: 'the account did not hold what it offered',
  tecUNFUNDED_PAYMENT: 'the account did not hold what it sent',
  tecPATH_PARTIAL: 'the paths could not deliver the full amount',
  tecPATH_DRY: 'the paths could deliver nothing',
  tecKILLED: 'it could not be filled at once, as it demanded',
  tecINSUFFICIENT_RESERVE: 'the account did not hold the reserve for a new entry',
  tecINSUF_RESERVE_LINE: 'the account did not hold the reserve for a new trust line',
  tecINSUF_RESERVE_OFFER: 'the account did not hold the reserve for a new offer',
  tecINCOMPLETE: 'it is not complete, and the same transaction again does the rest',
  tecNO_DST: 'there is no such destination',
  tecNO_DST_INSUF_XRP: 'the destination does not exist, and the payment is too small to create it',
  tecDST_TAG_NEEDED: 'the destination wants a tag',
  tecNO_PERMISSION: 'it is not permitted',
  tecNO_ENTRY: 'there is no such entry',
  tecNO_TARGET: 'there is no such target',
  tecNO_LINE: 'there is no such trust line',
  tecNO_AUTH: 'the issuer has not authorised the account',
  tecFROZEN: 'the token is frozen',
  tecEXPIRED: 'it has expired',
  tecDUPLICATE: 'it is there already',
  tecHAS_OBLIGATIONS: 'the account still has obligations',
  tecAMM_FAILED: 'the pool could not do it',
  tecAMM_BALANCE: 'the pool does not hold enough',
  tecINSUFFICIENT_FUNDS: 'there is not enough of it',
  tecINSUFFICIENT_PAYMENT: 'the payment is not enough',
  tecOBJECT_NOT_FOUND: 'there is no such object',
  tecNFTOKEN_OFFER_TYPE_MISMATCH: 'the offer is of another kind',
  tecCANT_ACCEPT_OWN_NFTOKEN_OFFER: 'an account cannot accept its own offer',
};

/** Results of transactions that are not done but have had an effect beside their fee. */
const PARTIAL: ReadonlySet<string> = new Set(['tecINCOMPLETE']);

export const isPartial = (result: string): boolean => PARTIAL.has(result);

/** Why a transaction had no effect but its fee; undefined where it did what it says. */
export function failureOf(result: string): string | undefined {
  if (result === 'tesSUCCESS') return undefined;
  return (
    named(MEANINGS, result) ??
    String(result)
      .replace(/^te[a-z]/, '')
      .replaceAll('_', ' ')
      .toLowerCase()
  );
}

/** What the network removes where a transaction that fails finds it so (rippled `Transactor::processPersistentChanges`). */
const ENDED: Readonly<Record<string, string>> = {
  NFTokenOffer: 'expired NFT offer',
  Offer: 'expired or unfunded offer',
  Credential: 'expired credential',
};

/** Of a transaction that failed, as `2 expired NFT offers`; undefined: nothing but its fee came of it. */
export function removedBeside(meta: Meta): string | undefined {
  const removed = changedEntries(meta).filter(({ action }) => action === 'removed');
  const counts = Object.entries(ENDED).flatMap(([type, words]) => {
    const count = removed.filter((entry) => entry.type === type).length;
    return count === 0 ? [] : [plural(count, words)];
  });
  return counts.length === 0 ? undefined : counts.join(' and ');
}

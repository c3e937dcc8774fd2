/** Recorded transactions of NFTs, escrows, credentials and domains, applied again to their rebuilt before-state. */
import { expect, test } from 'bun:test';
import { corpusDir } from '../../../corpus.ts';
import { differencesUnderRules, recordedOf } from './recorded-state.ts';

const TYPES = [
  'NFTokenMint',
  'NFTokenBurn',
  'NFTokenCreateOffer',
  'NFTokenCancelOffer',
  'NFTokenAcceptOffer',
  'NFTokenModify',
  'EscrowCreate',
  'EscrowFinish',
  'EscrowCancel',
  'CredentialCreate',
  'CredentialAccept',
  'CredentialDelete',
  'PermissionedDomainSet',
  'PermissionedDomainDelete',
];

/** Fields of an early test network that the protocol never had. */
const FOREIGN_FIELDS = /MintedTokens|BurnedTokens/;

const recorded = (corpusDir ? recordedOf(TYPES) : []).filter(
  ({ meta }) => !FOREIGN_FIELDS.test(JSON.stringify(meta)),
);

for (const type of TYPES) {
  const cases = recorded.filter(({ tx }) => tx.TransactionType === type);
  test.skipIf(cases.length === 0)(`${type} as recorded`, () => {
    const wrong = cases.flatMap((one) => {
      const found = differencesUnderRules(one);
      return found.length === 0 ? [] : [`${one.network} ${one.hash}:\n    ${found.join('\n    ')}`];
    });
    console.log(`${type}: tried ${cases.length}, equal ${cases.length - wrong.length}`);
    expect(wrong).toEqual([]);
  });
}

/** Recorded transactions of NFTs, escrows, credentials and domains, applied again to their rebuilt before-state. */
import { expect, test } from 'bun:test';
import { corpusDir } from '../../../corpus.ts';
import { differencesUnderRules, type Recorded, recordedOf } from './recorded-state.ts';

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

/** An escrow of 2015 whose index is computed otherwise than the protocol has it since. */
const ANCIENT = 'F346E542FFB7A8398C30A87B952668DAB48B7D421094F8B71776DA19775A3B22';

type Json = Record<string, unknown>;

/** Whether what is recorded can be so: some recordings have another transaction's metadata, or lists cut short. */
function isWhole({ hash, tx, meta }: Recorded): boolean {
  if (hash === ANCIENT || FOREIGN_FIELDS.test(JSON.stringify(meta))) return false;
  const nodes = (meta.AffectedNodes as Json[]).map((wrapped) => Object.values(wrapped)[0] as Json);
  const fieldsOf = (node: Json, part: string) => (node[part] ?? {}) as Json;
  const hasSender = nodes.some((node) => fieldsOf(node, 'FinalFields').Account === tx.Account);
  const unchanged = nodes.some((node) => {
    const before = fieldsOf(node, 'PreviousFields').NFTokens;
    return (
      before !== undefined &&
      JSON.stringify(before) === JSON.stringify(fieldsOf(node, 'FinalFields').NFTokens)
    );
  });
  return hasSender && !unchanged;
}

const all = corpusDir ? recordedOf(TYPES) : [];
const recorded = all.filter(isWhole);
console.log(`${all.length - recorded.length} of ${all.length} recordings are not whole and left out`);

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

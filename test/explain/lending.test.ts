/** Vaults, loans and confidential amounts in words: recorded transactions of test networks, and forms of which none is recorded. */
import { describe, expect, test } from 'bun:test';
import { clawedBack } from '../../explain/effects.ts';
import type { Fields, Meta } from '../../explain/json.ts';
import { transactionText } from '../../explain/text.ts';
import { typeWords } from '../../explain/words.ts';
import { corpusDir, readLines } from '../../support/corpus.ts';

const done = { TransactionResult: 'tesSUCCESS' };

const RECORDED: Readonly<Record<string, string>> = {
  LoanPay: 'paid 4.67780518764254 USD on the loan',
  LoanManage: 'marked the loan 28375E885D1F8E46502B1A6FA44B9E2EFC15244F467010082BE314AE6224CD66 as impaired',
  LoanDelete: 'tried to remove the loan',
  LoanBrokerDelete: 'removed the loan broker',
  LoanBrokerCoverDeposit: 'put 10 USD into the cover of the loan broker',
  LoanBrokerCoverWithdraw: 'withdrew 5 USD from the cover of the loan broker',
  LoanBrokerCoverClawback:
    'clawed back 494 MPT 0004E8D60726C960436D88F20FFC2A873665CE675789E255 of the cover of the loan broker',
  VaultClawback: 'clawed back 5 USD of raMUwNw4u59UU9WWpqZYYEj77y8yZhC6Wp from the vault',
  VaultDelete: 'removed the vault',
  VaultDeposit: 'put 10 USD into the vault',
  VaultWithdraw: 'withdrew 5 USD from the vault',
  ConfidentialMPTSend:
    'sent a confidential amount of MPT 0000001365FEC4C03F5B3D9FD06C6EBCEA05A5B04BEDAFCA to',
  ConfidentialMPTMergeInbox:
    'made what it received confidentially of MPT 0000001365FEC4C03F5B3D9FD06C6EBCEA05A5B04BEDAFCA spendable.',
  ConfidentialMPTClawback:
    'clawed back 400 MPT 00000022B1E8E10FDFDE5FE5E1216354815553542AE38AF1, confidential, from',
};

describe('recorded transactions', () => {
  const found = new Map<string, string>();
  if (corpusDir)
    for (const { type, tx, meta } of readLines('tx.jsonl.gz') as Iterable<Fields>)
      if (Object.hasOwn(RECORDED, type)) found.set(type, transactionText(tx, meta));

  test.skipIf(!corpusDir).each(Object.entries(RECORDED))('%s', (type, words) => {
    expect(found.get(type)).toMatch(/^r\w{24,34} /);
    expect(found.get(type)).toContain(` ${words}`);
  });
});

test('a clawback names what was taken of each token, where nothing shows it what was asked for', () => {
  const confidential = { TransactionType: 'ConfidentialMPTClawback', MPTokenIssuanceID: '00AB' };
  const of = (tx: Fields) => clawedBack(tx, done as Meta);
  expect(of({ ...confidential, MPTAmount: '7' })).toEqual([{ mpt_issuance_id: '00AB', value: '7' }]);
  expect(of(confidential)).toEqual([]);
  expect(of({ TransactionType: 'VaultClawback', Amount: '5' })).toEqual(['5']);
  expect(of({ TransactionType: 'VaultClawback' })).toEqual([]);
});

/** Metadata in which a vault of an asset changed, a loan was made, and balances moved. */
function metaOf(Asset: object, nodes: readonly Fields[] = []) {
  const vault = { ModifiedNode: { LedgerEntryType: 'Vault', FinalFields: { Account: 'rV', Asset } } };
  return { ...done, AffectedNodes: [vault, ...nodes] };
}
const xrpOf = (Account: string, before: string, after: string) => ({
  ModifiedNode: {
    LedgerEntryType: 'AccountRoot',
    FinalFields: { Account, Balance: after },
    PreviousFields: { Balance: before },
  },
});
const made = { CreatedNode: { LedgerEntryType: 'Loan', NewFields: { Borrower: 'rB' } } };
const USD = { currency: 'USD', issuer: 'rI' };
const XRP = { currency: 'XRP' };

test.each([
  [{ TransactionType: 'LoanBrokerSet', VaultID: 'V1' }, done, 'created a loan broker of the vault V1'],
  [
    { TransactionType: 'LoanBrokerSet', VaultID: 'V1', LoanBrokerID: 'B1' },
    done,
    'changed the loan broker B1',
  ],
  [
    { TransactionType: 'LoanSet', LoanBrokerID: 'B1', PrincipalRequested: '1000000000000000e-13' },
    metaOf(USD, [made]),
    'agreed on a loan of 100 USD to rB by the loan broker B1',
  ],
  [
    { TransactionType: 'LoanSet', LoanBrokerID: 'B1', PrincipalRequested: '2500000' },
    metaOf(XRP, [made]),
    'agreed on a loan of 2.5 XRP to rB by the loan broker B1',
  ],
  [
    { TransactionType: 'LoanSet', LoanBrokerID: 'B1', PrincipalRequested: '7' },
    done,
    'agreed on a loan by the loan broker B1',
  ],
  [
    { TransactionType: 'LoanManage', LoanID: 'L1', Flags: 0x10000 },
    done,
    'declared a default of the loan L1',
  ],
  [
    { TransactionType: 'LoanManage', LoanID: 'L1', Flags: 0x40000 },
    done,
    'marked the loan L1 as impaired no longer',
  ],
  [{ TransactionType: 'LoanManage', LoanID: 'L1' }, done, 'changed the loan L1'],
  // Of what is offered as payment, what is due is taken; the fee is apart.
  [
    { TransactionType: 'LoanPay', LoanID: 'L1', Amount: '5000000', Fee: '12' },
    metaOf(XRP, [xrpOf('rA', '9000012', '6000000')]),
    'paid 3 XRP on the loan L1',
  ],
  [
    { TransactionType: 'LoanPay', LoanID: 'L1', Amount: '5000000', Fee: '12', Delegate: 'rD' },
    metaOf(XRP, [xrpOf('rA', '9000000', '6000000')]),
    'paid 3 XRP on the loan L1, by its delegate rD',
  ],
  [{ TransactionType: 'LoanPay', LoanID: 'L1', Amount: '5000000' }, done, 'paid 5 XRP on the loan L1'],
  // Of a vault, what it got and gave; shares may be named in place of it.
  [
    { TransactionType: 'VaultWithdraw', VaultID: 'V1', Amount: { mpt_issuance_id: '00AB', value: '9' } },
    metaOf(XRP, [xrpOf('rV', '9000000', '6500000')]),
    'withdrew 2.5 XRP from the vault V1',
  ],
  [
    { TransactionType: 'VaultWithdraw', VaultID: 'V1', Amount: '1000000', Destination: 'rB' },
    done,
    'withdrew 1 XRP from the vault V1 for rB',
  ],
  [
    { TransactionType: 'VaultWithdraw', VaultID: 'V1', Amount: '1000000', Destination: 'rA' },
    done,
    'withdrew 1 XRP from the vault V1',
  ],
  [
    { TransactionType: 'VaultClawback', VaultID: 'V1', Holder: 'rH' },
    done,
    'clawed back what rH has in the vault V1',
  ],
  [{ TransactionType: 'LoanBrokerCoverClawback' }, done, 'clawed back tokens of the cover of a loan broker'],
  [
    { TransactionType: 'ConfidentialMPTConvert', MPTokenIssuanceID: '00AB', MPTAmount: '40' },
    done,
    'made 40 MPT 00AB confidential',
  ],
  [
    { TransactionType: 'ConfidentialMPTConvertBack', MPTokenIssuanceID: '00AB', MPTAmount: '40' },
    done,
    'made 40 MPT 00AB public again',
  ],
  [{ TransactionType: 'LedgerStateFix', Owner: 'rO' }, done, 'mended the list of NFTs of rO'],
  [
    { TransactionType: 'PermissionedDomainSet', DomainID: 'D1', AcceptedCredentials: [{}, {}] },
    done,
    'set the domain D1 for holders of 2 credentials',
  ],
] as [Fields, Fields, string][])('%p', (tx, meta, words) => {
  expect(transactionText({ Account: 'rA', ...tx }, meta)).toBe(`rA ${words}.`);
  expect(words).not.toContain(typeWords(tx.TransactionType));
});

import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { encode } from 'ripple-binary-codec';
import { State } from '../../../engine/state/state.ts';
import { sampleOf } from './recorded.ts';
import { SMALL } from './run.ts';

const ISSUER = 'rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De';
const HOLDER = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const RLUSD = '524C555344000000000000000000000000000000';

const TX = encode({
  TransactionType: 'AccountSet',
  Account: HOLDER,
  Sequence: 1,
  Fee: '10',
  SigningPubKey: '',
});

/** A state that has seen one line for each of these currencies. */
function withCurrencies(...currencies: string[]): State {
  const nodes = currencies.map((currency) => ({
    CreatedNode: {
      LedgerEntryType: 'RippleState',
      LedgerIndex: '5A'.repeat(32),
      NewFields: {
        Balance: { currency, issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: '0' },
        LowLimit: { currency, issuer: HOLDER, value: '100' },
        HighLimit: { currency, issuer: ISSUER, value: '0' },
        Flags: 0x00010000,
      },
    },
  }));
  const meta = encode({ AffectedNodes: nodes, TransactionIndex: 0, TransactionResult: 'tesSUCCESS' });
  const { packed, changes } = sampleOf('tokens', 1, 812_345_678, [{ tx: TX, meta }]);
  const state = new State(SMALL);
  state.applyLedger(packed, changes);
  return state;
}

test('identifiers of issued tokens and XRP', () => {
  const { tokens } = withCurrencies(RLUSD);
  const id = tokens.find(ISSUER, RLUSD)!;
  expect(tokens.md5(id)).toBe('0dd550278b74cb6690fdae351e8e0df3'); // as the network's services publish it
  expect(tokens.byMd5('0DD550278B74CB6690FDAE351E8E0DF3')).toBe(id);
  expect(tokens.slug(id)).toBe(`${ISSUER}-${RLUSD}`);
  expect(tokens.name(id)).toBe('RLUSD');
  expect(tokens.createdAt(id)).toBe(812_345_678);
  expect(tokens.md5(0)).toBe('84e5efeb89c4eae8f68188982dc290d8');
  expect(tokens.byMd5(createHash('md5').update('XRPL_XRP').digest('hex'))).toBe(0);
  expect(tokens.find('XRPL', 'XRP')).toBe(0);
  expect([tokens.slug(0), tokens.name(0), tokens.issuerText(0)]).toEqual(['xrpl-xrp', 'XRP', 'XRPL']);
});

test('unknown names are not found', () => {
  const { tokens } = withCurrencies('USD');
  expect(tokens.find(ISSUER, 'EUR')).toBeUndefined();
  expect(tokens.find(HOLDER, 'USD')).toBeUndefined(); // the line gives the holder's USD no holder
  expect(tokens.find('not an address', 'USD')).toBeUndefined();
  expect(tokens.byMd5('00'.repeat(16))).toBeUndefined();
  expect(tokens.byMd5('zz')).toBeUndefined();
  expect(tokens.byMptId('00'.repeat(24))).toBeUndefined();
});

test('types by currency code', () => {
  const codes = {
    USD: 'trustline',
    [RLUSD]: 'trustline',
    '0158415500000000C1F76FF6ECB0BAC600000000': 'demurrage',
    '021D001703B37004416E4E4654000000000000FF': 'xls14',
    '03930D02208264E2E40EC1B0C09E4DB96EE197B1': 'lp',
    FF80FF80FF80FF80FF80FF80FF80FF80FF80FF80: 'nonstandard',
  };
  const { tokens } = withCurrencies(...Object.keys(codes));
  for (const [code, type] of Object.entries(codes)) {
    expect([code, tokens.tokenType(tokens.find(ISSUER, code)!)]).toEqual([code, type as never]);
  }
});

import { describe, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { State } from '../../../engine/state/state.ts';
import type { Fields } from './model.ts';
import { sampleOf } from './recorded.ts';
import { SMALL } from './run.ts';

const SET_FEE = encode({
  TransactionType: 'SetFee',
  Account: 'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  Sequence: 0,
  Fee: '0',
  SigningPubKey: '',
  BaseFee: 'a',
  ReferenceFeeUnits: 10,
  ReserveBase: 1,
  ReserveIncrement: 1,
});

function ledger(closeTime: number, ...nodes: Fields[]) {
  const meta = { AffectedNodes: nodes, TransactionIndex: 0, TransactionResult: 'tesSUCCESS' };
  return sampleOf('fees', 1, closeTime, nodes.length === 0 ? [] : [{ tx: SET_FEE, meta: encode(meta) }]);
}

const INDEX = '4BC50C9B0D8515D3EAAE1E74B29A95804346C491EE1A95BF25E4AAB854A6A651';
const modified = (fields: Fields): Fields => ({
  ModifiedNode: { LedgerEntryType: 'FeeSettings', LedgerIndex: INDEX, FinalFields: fields },
});
const rippleTime = (iso: string): number => Date.parse(iso) / 1000 - 946_684_800;

describe('reserves', () => {
  test('follow the documented history until a ledger shows them', () => {
    const state = new State(SMALL);
    for (const [iso, base, increment] of [
      ['2015-01-14T00:00:00Z', 20_000_000, 5_000_000],
      ['2021-09-18T00:00:00Z', 20_000_000, 5_000_000],
      ['2021-09-20T00:00:00Z', 10_000_000, 2_000_000],
      ['2024-12-01T00:00:00Z', 10_000_000, 2_000_000],
      ['2025-01-01T00:00:00Z', 1_000_000, 200_000],
    ] as const) {
      const { packed, changes } = ledger(rippleTime(iso));
      state.applyLedger(packed, changes);
      expect([state.fees.reserveBaseDrops, state.fees.reserveIncrementDrops]).toEqual([base, increment]);
      expect(state.fees.known).toBe(false);
    }
  });

  test('come from FeeSettings, in both formats', () => {
    const state = new State(SMALL);
    const old = {
      BaseFee: '000000000000000A',
      ReferenceFeeUnits: 10,
      ReserveBase: 50_000_000,
      ReserveIncrement: 12_500_000,
    };
    const first = ledger(700_000_000, modified(old));
    state.applyLedger(first.packed, first.changes);
    const { fees } = state;
    expect([fees.reserveBaseDrops, fees.reserveIncrementDrops, fees.baseFeeDrops]).toEqual([
      50_000_000, 12_500_000, 10,
    ]);
    const drops = { BaseFeeDrops: '12', ReserveBaseDrops: '5000000000', ReserveIncrementDrops: '200000' };
    const second = ledger(800_000_000, modified(drops));
    state.applyLedger(second.packed, second.changes);
    expect([fees.reserveBaseDrops, fees.reserveIncrementDrops, fees.baseFeeDrops]).toEqual([
      5_000_000_000, 200_000, 12,
    ]);
    expect(fees.closeTime).toBe(800_000_000);
    expect(fees.totalDrops).toBe(99_989_999_999_999_999n);
  });

  test('lock base plus increment for each owned entry', () => {
    const state = new State(SMALL);
    const account = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
    const root = (balance: string): Fields => ({
      ModifiedNode: {
        LedgerEntryType: 'AccountRoot',
        LedgerIndex: INDEX,
        FinalFields: { Account: account, Balance: balance, OwnerCount: 4, Flags: 0, Sequence: 1 },
      },
    });
    const rich = ledger(800_000_000, root('100000000'));
    state.applyLedger(rich.packed, rich.changes);
    const id = state.accounts.findText(account)!;
    expect(state.accounts.spendableDrops(id)).toBe(98_200_000n);
    const poor = ledger(800_000_001, root('1000'));
    state.applyLedger(poor.packed, poor.changes);
    expect(state.accounts.spendableDrops(id)).toBe(0n);
    // Exact below, at and above what a number holds.
    const drops = [
      '0',
      '1799999',
      '1800000',
      '1800001',
      '4294967296',
      '9007199254740991',
      '9007199254740992',
    ];
    for (const [i, balance] of [...drops, '9007199254740993', '99999999999999999'].entries()) {
      const next = ledger(800_000_002 + i, root(balance));
      state.applyLedger(next.packed, next.changes);
      const left = BigInt(balance) - 1_800_000n;
      expect(state.accounts.spendableDrops(id)).toBe(left > 0n ? left : 0n);
    }
    // One that is known by name alone, as a receiver is before it exists, is none of the ledger itself.
    const named = state.accounts.intern(new Uint8Array(20).fill(7), 0);
    expect(state.accounts.isOwnToLedger(named)).toBe(false);
    expect(state.accounts.reserveDrops(named)).toBe(1_000_000n);
  });
});

/** Oracles: the definitions ripple-binary-codec ships, recorded EnableAmendment transactions, published ids. */
import { describe, expect, test } from 'bun:test';
import shipped from 'ripple-binary-codec/dist/enums/definitions.json';
import { LARGE, SMALL } from '../../../engine/codec/arithmetic/number.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import {
  AMENDMENTS,
  amendmentId,
  amendmentOf,
  rulesAt,
  rulesOf,
  rulesOfIds,
  SANDBOX_RULES,
} from '../../../sandbox/protocol/amendments.ts';
import { Asf, hasAny, hasOne, Lsf, Tf, withFlags, withoutFlags } from '../../../sandbox/protocol/flags.ts';
import {
  isResult,
  isTec,
  isTes,
  RESULT_OF_CODE,
  type Result,
  resultCode,
  resultMessage,
} from '../../../sandbox/protocol/results.ts';
import { corpusDir, readLines } from '../../../support/corpus.ts';

describe('results', () => {
  test('every result of the definitions has its number and a text', () => {
    for (const [name, code] of Object.entries(shipped.TRANSACTION_RESULTS)) {
      expect(isResult(name)).toBeTrue();
      expect(resultCode(name as Result)).toBe(code);
      expect(RESULT_OF_CODE.get(code)).toBe(name as Result);
      expect(resultMessage(name as Result).length).toBeGreaterThan(0);
    }
    expect(
      isTes('tesSUCCESS') && isTec('tecCLAIM') && !isTec('temMALFORMED') && !isResult('tesMAYBE'),
    ).toBeTrue();
    expect(resultMessage('tecPATH_DRY')).toBe('Path could not send partial amount.');
  });
});

describe('flags', () => {
  test('are those of the definitions', () => {
    const check = (ours: Readonly<Record<string, number>>, theirs: Readonly<Record<string, number>>) => {
      for (const [name, value] of Object.entries(theirs)) {
        if (/Loan|Sponsorship|tfDeleteObject/.test(name)) continue; // not built
        expect({ name, value: ours[name] }).toEqual({ name, value });
      }
    };
    for (const group of Object.values(shipped.TRANSACTION_FLAGS)) check(Tf, group as Record<string, number>);
    for (const group of Object.values(shipped.LEDGER_ENTRY_FLAGS))
      check(Lsf, group as Record<string, number>);
    check(Asf, shipped.ACCOUNT_SET_FLAGS);
  });

  test('the highest bit is tested and joined without a sign', () => {
    const flags = withFlags(undefined, Tf.tfFullyCanonicalSig);
    expect(flags).toBe(0x80000000);
    expect(hasAny(flags, Tf.tfFullyCanonicalSig)).toBeTrue();
    expect(hasAny(undefined, Tf.tfSell)).toBeFalse();
    expect(hasAny(flags, 0xffffffff)).toBeTrue();
    expect(withoutFlags(flags, Tf.tfFullyCanonicalSig)).toBe(0);
    expect(hasAny(0x10000, 0x30000)).toBeTrue();
    expect([0, 0x10000, 0x30000].map((flags) => hasOne(flags, 0x30000))).toEqual([false, true, false]);
    expect(hasOne(flags, 0xffffffff)).toBeTrue();
  });
});

describe('amendments', () => {
  test('ids are hashes of names', () => {
    expect(amendmentId('MultiSign')).toBe('4C97EBA926031A7CF7D7B36FDE3ED66DDA5421192D63DE53FFB46E43B9DC8373');
    expect(amendmentOf('AMM')!.id).toBe('8CC0774A3BF66D1D22E76BBDA8E8A232E6B6313834301B3B23E8601196AE6455');
    expect(amendmentOf('8cc0774a3bf66d1d22e76bbda8e8a232e6b6313834301b3b23e8601196ae6455')!.name).toBe('AMM');
    expect(new Set(AMENDMENTS.map(({ id }) => id)).size).toBe(AMENDMENTS.length);
  });

  test.skipIf(!corpusDir)('recorded enabling transactions fall on the day the table has', () => {
    let seen = 0;
    for (const { type, network, close_time, tx } of readLines('tx.jsonl.gz')) {
      const { Amendment, Flags } = tx as { Amendment?: string; Flags?: number };
      if (type !== 'EnableAmendment' || network !== 'mainnet' || (Flags ?? 0) !== 0) continue;
      const { since } = amendmentOf(Amendment!)!;
      seen++;
      expect(since! <= (close_time as number) && (close_time as number) < since! + 86_400).toBeTrue();
    }
    expect(seen).toBeGreaterThan(0);
  });

  test('rules grow with time; the sandbox has all mainnet has', () => {
    expect(rulesAt(400_000_000).names.size).toBe(0);
    const early = rulesAt(Date.parse('2019-01-01') / 1000 - RIPPLE_EPOCH);
    expect(early.enabled('DepositPreauth')).toBeTrue();
    expect(early.enabled('FlowCross')).toBeFalse();
    const now = rulesAt(Date.parse('2026-06-15') / 1000 - RIPPLE_EPOCH);
    for (const name of now.names) expect(SANDBOX_RULES.enabled(name)).toBeTrue();
    expect(now.numbers).toBe(SMALL);
    expect(SANDBOX_RULES.enabled('SingleAssetVault')).toBeTrue();
    expect(SANDBOX_RULES.numbers).toBe(LARGE);
    for (const name of ['LendingProtocol', 'ConfidentialTransfer', 'Sponsor'])
      expect(SANDBOX_RULES.enabled(name)).toBeFalse();
    expect(rulesOfIds([amendmentId('AMM'), '0'.repeat(64)]).names).toEqual(rulesOf(['AMM']).names);
  });
});

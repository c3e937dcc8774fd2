import { describe, expect, test } from 'bun:test';
import { FeeMetrics, feeLevel } from '../../../sandbox/apply/fee-metrics.ts';
import type { TestAccount } from '../rig.ts';
import { GENESIS, NetworkRig } from './network-rig.ts';

const FEW = { minimumPerLedger: 3, targetPerLedger: 3, ledgersInQueue: 2, queueMinimum: 5 };
const accountSet = { TransactionType: 'AccountSet' };

/** A network with accounts, whose ledgers take three transactions at the base fee; the open one has four. */
function crowded(names: readonly string[], queueMinimum = 5) {
  const rig = new NetworkRig({ feeSettings: { ...FEW, queueMinimum } });
  const set = names.map((name) =>
    rig.inSeries(GENESIS, {
      TransactionType: 'Payment',
      Destination: rig.account(name).address,
      Amount: '100000000',
    }),
  );
  for (const transaction of set) {
    rig.time += 4;
    rig.network.build([transaction], rig.time);
  }
  const fill = (): void => {
    for (let i = 0; i < 4; i++) expect(rig.submit(GENESIS, accountSet).result).toBe('tesSUCCESS');
  };
  return { rig, accounts: names.map((name) => rig.account(name)), fill };
}

describe('fee metrics', () => {
  test('require the base level up to the expected size, then the square of the excess', () => {
    const metrics = new FeeMetrics(FEW);
    // 128,000 n² / 3²: the formula of the protocol's documentation with its minimum multiplier.
    expect([0, 3, 4, 5, 6].map((count) => metrics.required(count))).toEqual([
      256n,
      256n,
      227555n,
      355555n,
      512000n,
    ]);
  });

  test('expect more after full ledgers, slowly less after smaller ones', () => {
    const metrics = new FeeMetrics(FEW);
    metrics.update(Array.from({ length: 10 }, () => 256n));
    expect(metrics.expected).toBe(12);
    metrics.update(Array.from({ length: 5 }, () => 256n));
    // 5 is above the target: 6 is remembered, and 12 is still the largest remembered one.
    expect(metrics.expected).toBe(12);
    metrics.update([]);
    expect([metrics.expected, metrics.queueSize]).toEqual([12, 24]);
    metrics.update([1_000_000n, 200_000n, 600_000n, 300_000n]);
    expect(metrics.multiplier).toBe(450_000n);
  });

  test('express a fee as a level of the required fee', () => {
    expect([feeLevel(10n, 10n), feeLevel(15n, 10n), feeLevel(30n, 30n), feeLevel(0n, 0n, 10n)]).toEqual([
      256n,
      384n,
      256n,
      256n,
    ]);
    // A free transaction that pays ten drops.
    expect(feeLevel(10n, 0n, 10n)).toBe(512n);
  });
});

describe('a full open ledger', () => {
  test('queues what pays the base fee, applies what pays more, and applies the queue later', () => {
    const { rig, accounts, fill } = crowded(['ann', 'ben']);
    fill();
    expect(rig.network.openLedgerCost).toBe(8889n);
    const waiting = rig.signed(accounts[0]!, accountSet);
    expect(rig.network.submit(waiting)).toMatchObject({
      result: 'terQUEUED',
      queued: true,
      kept: true,
      applied: false,
    });
    expect(rig.network.submit(waiting).result).toBe('telCAN_NOT_QUEUE_FEE');
    expect(rig.submit(accounts[1]!, { ...accountSet, Fee: '8888' }).result).toBe('terQUEUED');
    expect(
      rig.submit(accounts[1]!, {
        ...accountSet,
        Fee: '20000',
        Sequence: rig.network.nextSequence(accounts[1]!.id) - 1,
      }).result,
    ).toBe('tesSUCCESS');
    expect(rig.network.queue.size).toBe(1);
    expect(rig.close().transactions).toHaveLength(5);
    expect(rig.network.open.has(waiting.hash)).toBe(true);
    expect(rig.network.queue.size).toBe(0);
    expect(rig.close().transactions.map(({ hashText }) => hashText)).toEqual([waiting.hash]);
  });

  test('reports a fee below the base', () => {
    const { rig, accounts } = crowded(['ann']);
    expect(rig.submit(accounts[0]!, { ...accountSet, Fee: '9' }).result).toBe('telINSUF_FEE_P');
  });

  test('keeps ten transactions of an account, in sequence', () => {
    const { rig, accounts, fill } = crowded(['ann'], 50);
    const ann = accounts[0]!;
    fill();
    const next = rig.network.nextSequence(ann.id);
    const sequences = Array.from({ length: 10 }, (_, i) => next + i);
    for (const sequence of sequences) {
      const { result, accountSequenceAvailable } = rig.submit(ann, accountSet);
      expect([result, accountSequenceAvailable]).toEqual(['terQUEUED', sequence + 1]);
    }
    expect(rig.submit(ann, accountSet).result).toBe('telCAN_NOT_QUEUE_FULL');
    expect(rig.submit(ann, { ...accountSet, Sequence: next + 12 }).result).toBe('telCAN_NOT_QUEUE_FULL');
    expect(rig.network.queue.of(ann.id).map(({ transaction }) => transaction.fields.Sequence)).toEqual(
      sequences,
    );
    const closed: number[] = [];
    for (let i = 0; i < 5; i++)
      for (const { fields } of rig.close().transactions)
        if (fields.Account === ann.id) closed.push(fields.Sequence);
    expect(closed).toEqual(sequences);
  });

  test('reserves numbers for the tickets that a queued transaction creates', () => {
    const { rig, accounts, fill } = crowded(['ann'], 50);
    const ann = accounts[0]!;
    fill();
    const Sequence = rig.network.nextSequence(ann.id);
    const make = { TransactionType: 'TicketCreate', TicketCount: 3 };
    expect(rig.submit(ann, { ...make, Sequence }).result).toBe('terQUEUED');
    expect(rig.submit(ann, { ...accountSet, Sequence: Sequence + 3 }).result).toBe('telCAN_NOT_QUEUE');
    expect(rig.submit(ann, { ...accountSet, Sequence: Sequence + 4 }).result).toBe('terQUEUED');
    for (let i = 0; i < 3; i++) rig.close();
    expect(rig.root(ann.id)).toBe(Sequence + 5);
  });

  test('checks the sequence of a transaction without a fee first, and the limits of one beside others', () => {
    const { rig, accounts, fill } = crowded(['ann', 'ben'], 50);
    const [ann, ben] = accounts as [(typeof accounts)[0], (typeof accounts)[0]];
    fill();
    const wrong = { ...accountSet, AccountTxnID: 'A'.repeat(64) };
    expect(rig.submit(ann, wrong).result).toBe('tefWRONG_PRIOR');
    rig.submit(ben, accountSet);
    expect(rig.submit(ben, wrong).result).toBe('telCAN_NOT_QUEUE');
    expect(rig.submit(ann, { ...accountSet, Sequence: rig.root(ann.id) + 5 }).result).toBe('terPRE_SEQ');
    expect(rig.submit(ben, { ...accountSet, Sequence: rig.root(ben.id) + 5 }).result).toBe(
      'telCAN_NOT_QUEUE',
    );
  });

  test('replaces a queued transaction by one that pays a quarter more', () => {
    const { rig, accounts, fill } = crowded(['ann']);
    const ann = accounts[0]!;
    fill();
    const Sequence = rig.network.nextSequence(ann.id);
    rig.submit(ann, { ...accountSet, Fee: '100', Sequence });
    expect(rig.submit(ann, { ...accountSet, Fee: '125', Sequence }).result).toBe('telCAN_NOT_QUEUE_FEE');
    expect(rig.submit(ann, { ...accountSet, Fee: '126', Sequence }).result).toBe('terQUEUED');
    expect(rig.network.queue.of(ann.id).map(({ transaction }) => transaction.fields.Fee.drops)).toEqual([
      126n,
    ]);
  });

  test('applies all of an account when its last transaction pays for those before it', () => {
    const { rig, accounts, fill } = crowded(['ann', 'bob'], 50);
    const [ann, bob] = accounts as [TestAccount, TestAccount];
    fill();
    for (const person of accounts)
      for (let i = 0; i < 3; i++) expect(rig.submit(person, accountSet).result).toBe('terQUEUED');
    // Four beyond the three expected cost 128,000 (4² + 5² + 6² + 7²) / 3²; three pay 256. A drop is 25.6.
    const enough = Math.ceil((128_000 * (126 / 9) - 3 * 256) / 25.6);
    expect(rig.submit(ann, { ...accountSet, Fee: String(enough - 1) }).result).toBe('terQUEUED');
    const next = rig.network.nextSequence(bob.id);
    expect(rig.submit(bob, { ...accountSet, Fee: String(enough) })).toMatchObject({
      result: 'tesSUCCESS',
      applied: true,
    });
    expect([rig.root(bob.id), rig.network.nextSequence(bob.id)]).toEqual([next + 1, next + 1]);
    expect([rig.network.queue.size, rig.network.queue.of(bob.id).length]).toEqual([4, 0]);
    const own = rig.close().transactions.filter(({ fields }) => fields.Account === bob.id);
    expect(own.map(({ fields }) => fields.Sequence)).toEqual([next - 3, next - 2, next - 1, next]);
  });

  test('does not queue other transactions with a blocker', () => {
    const { rig, accounts, fill } = crowded(['ann', 'ben']);
    const [ann, ben] = accounts;
    fill();
    const blocker = { TransactionType: 'SetRegularKey', RegularKey: GENESIS.address };
    rig.submit(ann!, accountSet);
    expect(rig.submit(ann!, blocker).result).toBe('telCAN_NOT_QUEUE_BLOCKS');
    expect(rig.submit(ben!, blocker).result).toBe('terQUEUED');
    expect(rig.submit(ben!, accountSet).result).toBe('telCAN_NOT_QUEUE_BLOCKED');
  });

  test('treats a change of settings as a blocker if it can invalidate later signatures', () => {
    const settings: [Record<string, unknown>, boolean][] = [
      [{ SetFlag: 2 }, true],
      [{ ClearFlag: 4 }, true],
      [{ SetFlag: 5 }, true],
      [{ Flags: 0x0004_0000 }, true],
      [{ SetFlag: 8 }, false],
      [{ Flags: 0x0001_0000 }, false],
    ];
    for (const [fields, blocks] of settings) {
      const { rig, accounts, fill } = crowded(['owner']);
      fill();
      expect(rig.submit(accounts[0]!, accountSet).result).toBe('terQUEUED');
      const { result } = rig.submit(accounts[0]!, { ...accountSet, ...fields });
      expect([fields, result]).toEqual([fields, blocks ? 'telCAN_NOT_QUEUE_BLOCKS' : 'terQUEUED']);
    }
  });

  test('makes room for higher fees, and drops transactions that come too late', () => {
    const { rig, accounts, fill } = crowded(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    fill();
    for (const [i, one] of accounts.slice(0, 6).entries())
      expect(rig.submit(one, { ...accountSet, Fee: String(20 + i) }).result).toBe('terQUEUED');
    const last = accounts[6]!;
    expect(rig.network.queue.minimumLevel).toBe(feeLevel(20n, 10n) + 1n);
    expect(rig.submit(last, { ...accountSet, Fee: '20' }).result).toBe('telCAN_NOT_QUEUE_FULL');
    expect(rig.submit(last, { ...accountSet, Fee: '30' }).result).toBe('terQUEUED');
    expect(rig.network.queue.of(accounts[0]!.id)).toEqual([]);
    expect(
      rig.submit(accounts[0]!, { ...accountSet, Fee: '99', LastLedgerSequence: rig.network.open.index + 1 })
        .result,
    ).toBe('telCAN_NOT_QUEUE');
    expect(rig.network.queue.all().map(({ transaction }) => transaction.fields.Fee.drops)).toEqual([
      30n,
      25n,
      24n,
      23n,
      22n,
      21n,
    ]);
  });

  test('does not queue more fees than the reserve covers', () => {
    const { rig, accounts, fill } = crowded(['ann'], 50);
    fill();
    // So full that 0.9 XRP does not pay for the waiting transactions before it.
    for (let i = 0; i < 60; i++)
      expect(rig.submit(GENESIS, { ...accountSet, Fee: '2500000' }).result).toBe('tesSUCCESS');
    const fees = ['10', '900000', '200000', '10'];
    const results = fees.map((Fee) => rig.submit(accounts[0]!, { ...accountSet, Fee }).result);
    // Only fees in flight count: the third is accepted on top of 0.9 XRP, then it is more than 1 XRP.
    expect(results).toEqual(['terQUEUED', 'terQUEUED', 'terQUEUED', 'telCAN_NOT_QUEUE_BALANCE']);
  });
});

import { describe, expect, test } from 'bun:test';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { prove } from '../../../engine/ledger/proof.ts';
import { MemoryStore } from '../../../sandbox/ledger/memory-store.ts';
import type { ReadView } from '../../../sandbox/ledger/view.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { GENESIS, NetworkRig, START, stateRoot } from './network-rig.ts';

/** A busy series: accounts, trust lines, issued payments, offers that cross, cancels, tickets. */
function busy(rig: NetworkRig): void {
  const accounts = rig.fund(['gate', 'ann', 'ben', 'cat', 'dan']);
  const [gate, ...traders] = accounts as [(typeof accounts)[0], ...typeof accounts];
  const usd = (value: string) => ({ currency: 'USD', issuer: gate.address, value });
  rig.submit(gate, { TransactionType: 'AccountSet', SetFlag: 8 });
  for (const trader of traders)
    rig.submit(trader, { TransactionType: 'TrustSet', LimitAmount: usd('100000') });
  rig.close();
  for (const trader of traders)
    rig.submit(gate, { TransactionType: 'Payment', Destination: trader.address, Amount: usd('500') });
  rig.close();
  for (let round = 0; round < 6; round++) {
    for (const [i, trader] of traders.entries()) {
      const [value, drops] = [
        usd(String(3 + ((round + i) % 5))),
        String(1_000_000 * (2 + ((i * 3 + round) % 4))),
      ];
      rig.submit(trader, {
        TransactionType: 'OfferCreate',
        ...(i % 2 ? { TakerPays: value, TakerGets: drops } : { TakerPays: drops, TakerGets: value }),
      });
    }
    rig.submit(traders[0]!, { TransactionType: 'TicketCreate', TicketCount: 2 });
    rig.close();
  }
}

describe('a network', () => {
  test('closes ledgers that pass their proof, link to their parents and hash to their states', () => {
    const rig = new NetworkRig();
    const closed = [rig.network.validated];
    rig.network.on('ledger', (ledger) => closed.push(ledger));
    busy(rig);
    expect(closed.length).toBeGreaterThan(9);
    let results = 0;
    for (const [i, ledger] of closed.entries()) {
      expect(prove(ledger.packed())).toBeUndefined();
      expect(hexOf(ledger.header.accountHash)).toBe(stateRoot(ledger));
      if (i > 0) expect(hexOf(ledger.header.parentHash)).toBe(closed[i - 1]!.hash);
      results += ledger.transactions.filter(({ metaFields }) => metaFields.TransactionResult === 0).length;
      expect(ledger.transactions.map(({ index }) => index)).toEqual(ledger.transactions.map((_, at) => at));
    }
    expect(results).toBeGreaterThan(35);
    const total = rig.network.validated.header.totalDrops;
    const fees = closed
      .flatMap(({ transactions }) => transactions)
      .reduce((sum, { fields }) => sum + fields.Fee.drops, 0n);
    expect(total).toBe(100_000_000_000_000_000n - fees);
  });

  test('no transaction is threaded to new entries of the open ledger, their own is once it is closed', () => {
    const rig = new NetworkRig();
    const [ann] = rig.fund(['ann']);
    const key = keylets.ticket(ann!.id, rig.network.nextSequence(ann!.id) + 1);
    const previous = (view: ReadView) => {
      const { PreviousTxnID: hash, PreviousTxnLgrSeq: ledger } = view.read(key)!;
      return { hash, ledger };
    };
    const made = rig.signed(ann!, { TransactionType: 'TicketCreate', TicketCount: 1 });
    rig.network.submit(made);
    expect(previous(rig.network.open.view)).toEqual({ hash: '0'.repeat(64), ledger: 0 });
    const closed = rig.close();
    expect(previous(closed.view())).toEqual({ hash: made.hash, ledger: closed.index });
  });

  test('makes the same hashes of the same transactions and times', () => {
    const hashes = [0, 1].map(() => {
      const rig = new NetworkRig();
      busy(rig);
      return rig.network.validated.hash;
    });
    expect(hashes[0]).toBe(hashes[1]!);
  });

  test('makes the same ledger of a set in any order', () => {
    const build = (order: (list: unknown[]) => unknown[]): string => {
      const rig = new NetworkRig();
      const accounts = rig.fund(['a', 'b', 'c']);
      const set = accounts.flatMap((one, i) =>
        [1, 2, 3].map((amount) =>
          rig.inSeries(one, {
            TransactionType: 'Payment',
            Destination: accounts[(i + 1) % 3]!.address,
            Amount: String(amount * 1_000_000),
          }),
        ),
      );
      const { ledger, failed, retry } = rig.network.build(order(set) as typeof set, START + 100);
      expect([failed, retry]).toEqual([[], []]);
      expect(ledger.transactions).toHaveLength(9);
      return ledger.hash;
    };
    expect(build((set) => set)).toBe(build((set) => set.toReversed()));
  });

  test('refuses a bad signature, a wrong network and an unknown account', () => {
    const rig = new NetworkRig();
    const [ann] = rig.fund(['ann']);
    const payment = { TransactionType: 'Payment', Destination: GENESIS.address, Amount: '1000' };
    const signed = rig.signed(ann!, payment);
    const bad = {
      ...signed,
      fields: { ...signed.fields, TxnSignature: signed.fields.TxnSignature!.replaceAll('A', 'B') },
    };
    expect(rig.network.submit(bad).result).toBe('temINVALID');
    expect(rig.submit(ann!, { ...payment, NetworkID: 1025 }).result).toBe('telWRONG_NETWORK');
    const unfunded = rig.submit(rig.account('stranger'), payment);
    expect(unfunded).toMatchObject({ result: 'terNO_ACCOUNT', applied: false, kept: true });
    expect(rig.close().transactions).toHaveLength(0);
  });

  test('simulates without any change', () => {
    const rig = new NetworkRig();
    const [ann, ben] = rig.fund(['ann', 'ben']);
    const { fields, ...rest } = rig.signed(ann!, {
      TransactionType: 'Payment',
      Destination: ben!.address,
      Amount: '7000000',
    });
    const outcome = rig.network.simulate({ ...rest, fields: { ...fields, TxnSignature: '' } });
    expect(outcome.result).toBe('tesSUCCESS');
    expect(outcome.metadata?.AffectedNodes).toHaveLength(2);
    expect(rig.network.open.count).toBe(0);
    expect(rig.close().transactions).toHaveLength(0);
  });

  test('publishes proposed transactions at once, and closed ones with their results', () => {
    const rig = new NetworkRig();
    const [ann, ben] = rig.fund(['ann', 'ben']);
    const published: string[] = [];
    rig.network.on('proposed', ({ transaction, result, ledgerIndex }) =>
      published.push(`${transaction.hash} ${result} ${ledgerIndex}`),
    );
    const off = rig.network.on('ledger', ({ transactions }) =>
      published.push(...transactions.map(({ hashText }) => hashText)),
    );
    const payment = rig.signed(ann!, { TransactionType: 'Payment', Destination: ben!.address, Amount: '1' });
    rig.network.submit(payment);
    expect(rig.network.pending(payment.hash)).toBe(payment);
    const { index } = rig.close();
    expect(published).toEqual([`${payment.hash} tesSUCCESS ${index}`, payment.hash]);
    expect(rig.network.pending(payment.hash)).toBeUndefined();
    expect(rig.network.ledgers.transaction(payment.hash)?.ledger.index).toBe(index);
    off();
    rig.submit(ann!, { TransactionType: 'AccountSet' });
    rig.close();
    expect(published).toHaveLength(3);
  });
});

describe('transactions that come too early', () => {
  test('wait for the sequence before them', () => {
    const rig = new NetworkRig();
    const [ann] = rig.fund(['ann']);
    const series = [0, 1, 2].map(() => rig.inSeries(ann!, { TransactionType: 'AccountSet' }));
    expect(rig.network.submit(series[2]!)).toMatchObject({
      result: 'terPRE_SEQ',
      kept: true,
      applied: false,
    });
    expect(rig.network.submit(series[1]!).result).toBe('terPRE_SEQ');
    expect(rig.network.held.size).toBe(2);
    expect(rig.network.submit(series[0]!)).toMatchObject({ result: 'tesSUCCESS', applied: true });
    expect(rig.network.held.size).toBe(0);
    expect(rig.close().transactions).toHaveLength(3);
  });

  test('wait for the account to be funded, up to a limit', () => {
    const rig = new NetworkRig();
    rig.close();
    const late = rig.account('late');
    const set = rig.signed(late, { TransactionType: 'AccountSet', Sequence: rig.network.open.index });
    expect(rig.network.submit(set).result).toBe('terNO_ACCOUNT');
    const never = rig.signed(rig.account('never'), { TransactionType: 'AccountSet', Sequence: 1 });
    rig.network.submit(never);
    rig.submit(GENESIS, { TransactionType: 'Payment', Destination: late.address, Amount: '5000000' });
    // In the open ledger the account exists; its transaction is applied with the same or the next close.
    const found = [rig.close(), rig.close()].flatMap(({ transactions }) =>
      transactions.map(({ hashText }) => hashText),
    );
    expect(found).toContain(set.hash);
    expect(rig.network.held.size).toBe(1);
    for (let i = 0; i < 8; i++) rig.close();
    expect(rig.network.held.size).toBe(0);
    expect(rig.network.local.size).toBe(0);
  });

  test('are refused with fail_hard', () => {
    const rig = new NetworkRig();
    const [ann] = rig.fund(['ann']);
    const early = rig.signed(ann!, {
      TransactionType: 'AccountSet',
      Sequence: rig.network.nextSequence(ann!.id) + 3,
    });
    expect(rig.network.submit(early, { failHard: true })).toMatchObject({
      result: 'terPRE_SEQ',
      kept: false,
    });
    expect(rig.network.held.size).toBe(0);
  });
});

describe('a restart', () => {
  test('continues with the same state and hashes', () => {
    const store = new MemoryStore();
    const first = new NetworkRig({ store });
    busy(first);
    const second = new NetworkRig({ store });
    second.time = first.time;
    expect(second.network.validated.hash).toBe(first.network.validated.hash);
    expect(stateRoot(second.network.validated)).toBe(stateRoot(first.network.validated));
    const next = [first, second].map((rig) => {
      rig.submit(rig.account('ann'), { TransactionType: 'AccountSet' });
      rig.time += 4;
      return rig.network.validated.index + 1;
    });
    expect(next[0]).toBe(next[1]!);
    // Both make the same next ledger; only one of them can store it.
    const ledger = first.network.close();
    expect(() => second.network.close()).toThrow('after');
    expect(second.network.closed.hash).toBe(ledger.hash);
    expect(second.network.validated.index).toBe(ledger.index - 1);
    expect(second.network.open.index).toBe(ledger.index + 1);
  });

  test('refuses a state that is not that of the head', () => {
    const store = new MemoryStore();
    const rig = new NetworkRig({ store });
    rig.fund(['ann']);
    const entries = [...store.state()].slice(1);
    const damaged = Object.assign(Object.create(store), {
      state: () => entries,
      head: () => store.head(),
      ledger: (i: number) => store.ledger(i),
    });
    expect(() => new NetworkRig({ store: damaged })).toThrow('the state hashes to');
  });
});

describe('history', () => {
  test('made in batches is stored completely, and visible when it is stored', () => {
    const rig = new NetworkRig();
    const accounts = rig.fund(['a', 'b']);
    const { network } = rig;
    network.ledgers.commitEvery = 50;
    const before = network.validated.index;
    const indices: number[] = [];
    const published: number[] = [];
    network.on('ledger', ({ index }) => {
      expect(network.validated.index).toBeGreaterThanOrEqual(index);
      published.push(index);
    });
    for (let i = 0; i < 120; i++) {
      const payment = rig.inSeries(accounts[0]!, {
        TransactionType: 'Payment',
        Destination: accounts[1]!.address,
        Amount: String(1000 + i),
      });
      const { ledger } = rig.network.build([payment], START + 100 + i * 60, { trusted: true });
      expect(ledger.transactions).toHaveLength(1);
      indices.push(ledger.index);
      const durable = before + i + 1 - ((i + 1) % 50);
      expect(network.closed.index).toBe(before + i + 1);
      expect(network.validated.index).toBe(durable);
      expect(network.open.index).toBe(durable + 1);
      expect(network.ledgers.range()?.last).toBe(durable);
      expect(published).toHaveLength(durable - before);
      const seen = ledger.index <= durable;
      for (const found of [
        network.ledgers.transaction(payment.hash)?.ledger,
        network.ledgers.byIndex(ledger.index),
        network.ledgers.byHash(ledger.hash),
        network.ledgers.recent(ledger.index),
      ])
        expect(found?.hash).toBe(seen ? ledger.hash : undefined);
    }
    network.flush();
    expect(published).toEqual(indices);
    const query = { first: 0, last: 1e6, forward: true, limit: 1000 };
    const found = rig.network.ledgers.accountTransactions(accounts[1]!.id, query);
    expect(found.slice(1).map(({ ledger }) => ledger)).toEqual(indices);
    const root = keylets.account(accounts[1]!.id);
    expect(rig.network.validated.view().read(root)?.Balance?.drops).toBe(1_000_000_000n + 120_000n + 7140n);
  });

  test('keeps the states of the newest 256 ledgers, and the ledgers of all', () => {
    const rig = new NetworkRig();
    rig.network.ledgers.commitEvery = 100;
    for (let i = 0; i < 300; i++) rig.network.build([], START + 60 * i + 60);
    rig.network.flush();
    const { ledgers, validated } = rig.network;
    expect(validated.index).toBe(302);
    expect(
      ledgers
        .recent(validated.index - 255)
        ?.view()
        .read(keylets.skipList()),
    ).toBeDefined();
    expect(ledgers.recent(validated.index - 256)).toBeUndefined();
    const old = ledgers.byIndex(2)!;
    expect(prove(old.packed())).toBeUndefined();
    expect(ledgers.byHash(old.hash)?.index).toBe(2);
    expect(ledgers.at(START + 600)?.closeTime).toBe(START + 600);
    expect(ledgers.range()).toEqual({ first: 1, last: 302 });
    expect(ledgers.byIndex(303)).toBeUndefined();
  });

  test('is bounded: the oldest ledgers are deleted gradually', () => {
    const rig = new NetworkRig();
    const { ledgers } = rig.network;
    ledgers.keep = 260;
    const [ann] = rig.fund(['ann']);
    const first = ledgers.byIndex(3)!.transactions[0]!.hashText;
    expect(ledgers.transaction(first)).toBeDefined();
    ledgers.commitEvery = 16;
    for (let i = 0; i < 400; i++) rig.network.build([], START + 60 * i + 60);
    rig.network.flush();
    const { last } = ledgers.range()!;
    expect(ledgers.range()).toEqual({ first: last - 259, last });
    expect(ledgers.byIndex(last - 260)).toBeUndefined();
    expect(ledgers.transaction(first)).toBeUndefined();
    expect(ledgers.accountTransactions(ann!.id, { first: 0, last, forward: true, limit: 9 })).toEqual([]);
    expect(prove(ledgers.byIndex(last - 259)!.packed())).toBeUndefined();
  });
});

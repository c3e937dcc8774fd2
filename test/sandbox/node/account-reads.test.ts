/** Entries and balances of an account: answers compared with a search through the whole state, page by page. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Client, encodeAccountPublic } from 'xrpl';
import { FOREIGN, ListenerRig } from './listener-rig.ts';
import { GENESIS } from './network-rig.ts';
import { type Entry, ReadsRig, type Reply } from './reads-rig.ts';

let rig: ReadsRig;
let client: Client;
let state: Entry[];

beforeAll(async () => {
  ({ rig, client, state } = await ReadsRig.open());
});

afterAll(() => rig.end());

interface Side {
  readonly issuer: string;
  readonly currency: string;
  readonly value: string;
}

const of = (type: string): Entry[] => state.filter(({ LedgerEntryType }) => LedgerEntryType === type);
const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
const same = (a: readonly unknown[], b: readonly unknown[]): void =>
  expect([...a].sort(byText)).toEqual([...b].sort(byText));

/** The lines of an account by its address, from the entries. */
function linesOf(address: string) {
  return of('RippleState').flatMap((entry) => {
    const {
      LowLimit: low,
      HighLimit: high,
      Balance,
      Flags,
    } = entry as unknown as {
      LowLimit: Side;
      HighLimit: Side;
      Balance: Side;
      Flags: number;
    };
    if (low.issuer !== address && high.issuer !== address) return [];
    const isLow = low.issuer === address;
    const balance = Balance.value === '0' ? '0' : isLow ? Balance.value : String(-Number(Balance.value));
    return [
      {
        account: isLow ? high.issuer : low.issuer,
        balance,
        currency: low.currency,
        limit: (isLow ? low : high).value,
        limit_peer: (isLow ? high : low).value,
        ...((Flags & (isLow ? 0x100000 : 0x200000)) !== 0 ? { no_ripple: true } : {}),
        ...((Flags & (isLow ? 0x200000 : 0x100000)) !== 0 ? { no_ripple_peer: true } : {}),
        ...((Flags & (isLow ? 0x400000 : 0x800000)) !== 0 ? { freeze: true } : {}),
        ...((Flags & (isLow ? 0x800000 : 0x400000)) !== 0 ? { freeze_peer: true } : {}),
        own: (Flags & (isLow ? 0x10000 : 0x20000)) !== 0,
      },
    ];
  });
}

const without = (rows: readonly Reply[], ...names: string[]): Reply[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))));

describe('account_lines', () => {
  test('shows every line of every account, in pages', async () => {
    for (const { address } of Object.values(rig.accounts)) {
      const { rows, pages } = await rig.pages('account_lines', 'lines', { account: address, limit: 10 });
      same(without(rows, 'quality_in', 'quality_out'), without(linesOf(address), 'own'));
      if (address === rig.accounts.alice.address) expect(pages).toBeGreaterThan(5);
    }
  });

  test('filters by peer, and by lines that are not in their default state', async () => {
    const { issuer, alice, bob, dave } = rig.accounts;
    const { lines } = await rig.read('account_lines', { account: issuer.address, peer: bob.address });
    same(
      without(lines as Reply[], 'quality_in', 'quality_out'),
      without(
        linesOf(issuer.address).filter(({ account }) => account === bob.address),
        'own',
      ),
    );
    for (const { address } of [issuer, alice, dave]) {
      const answer = await rig.read('account_lines', { account: address, ignore_default: true, limit: 400 });
      const own = linesOf(address).filter((line) => line.own);
      expect((answer.lines as unknown[]).length).toBe(own.length);
    }
    const [euro] = (await rig.read('account_lines', { account: bob.address })).lines as Reply[];
    expect([0, 1_100_000_000]).toContain(euro!.quality_in as number);
  });

  test('continues from a marker with a wrong page number, and refuses an invalid one', async () => {
    const account = rig.accounts.alice.address;
    const first = await rig.read('account_lines', { account, limit: 20 });
    const next = await rig.read('account_lines', { account, limit: 20, marker: first.marker });
    const [key] = String(first.marker).split(',');
    const hinted = await rig.read('account_lines', { account, limit: 20, marker: `${key},7` });
    expect(hinted.lines).toEqual(next.lines);
    expect(first.limit).toBe(20);
    for (const marker of [
      '',
      'x',
      `${key}`,
      `${key},x`,
      `${'0'.repeat(64)},0`,
      `${key},99999999999999999999999`,
    ])
      expect(await rig.ask('account_lines', { account, marker })).toMatchObject({ error: 'invalidParams' });
    expect(await rig.ask('account_lines', { account, marker: 5 })).toMatchObject({
      error: 'invalidParams',
      error_code: 31,
      error_message: "Invalid field 'marker', not string.",
    });
  });

  test("uses an admin's limit unchanged, and clamps that of others", async () => {
    const account = rig.accounts.alice.address;
    const { limit, lines } = await rig.read('account_lines', { account, limit: 1 });
    expect({ limit, lines }).toMatchObject({ limit: 1, lines: [{}] });
    expect((await rig.rpc('account_lines', { account, limit: 1 }, FOREIGN)).limit).toBe(10);
    expect(await rig.ask('account_lines', { account, limit: 0 })).toMatchObject({ error: 'invalidParams' });
    expect(await rig.ask('account_lines', { account, limit: '10' })).toMatchObject({
      error: 'invalidParams',
    });
  });
});

test('account_currencies shows what can be sent and received', async () => {
  for (const { address } of Object.values(rig.accounts)) {
    const lines = linesOf(address);
    const answer = await rig.read('account_currencies', { account: address });
    const names = (list: typeof lines): string[] => [...new Set(list.map(({ currency }) => currency))];
    same(
      answer.receive_currencies as string[],
      names(lines.filter((l) => Number(l.balance) < Number(l.limit))),
    );
    same(
      answer.send_currencies as string[],
      names(lines.filter((l) => -Number(l.balance) < Number(l.limit_peer))),
    );
  }
});

test('account_offers shows every offer of every account', async () => {
  for (const { address } of Object.values(rig.accounts)) {
    const { rows } = await rig.pages('account_offers', 'offers', { account: address, limit: 10 });
    const wanted = of('Offer').filter(({ Account }) => Account === address);
    same(
      without(rows, 'quality'),
      wanted.map(({ Flags, Sequence, TakerGets, TakerPays, Expiration }) => ({
        flags: Flags,
        seq: Sequence,
        taker_gets: TakerGets,
        taker_pays: TakerPays,
        ...(Expiration === undefined ? {} : { expiration: Expiration }),
      })),
    );
    const units = (amount: unknown): number => Number((amount as Side).value ?? amount);
    for (const row of rows)
      expect(Number(row.quality) / (units(row.taker_pays) / units(row.taker_gets))).toBeCloseTo(1, 9);
  }
});

test('account_channels shows the channels that an account pays into', async () => {
  const { alice, bob } = rig.accounts;
  const { rows, pages } = await rig.pages('account_channels', 'channels', {
    account: alice.address,
    limit: 10,
  });
  expect(pages).toBeGreaterThan(3);
  const wanted = of('PayChannel').map((entry) => ({
    account: entry.Account,
    amount: entry.Amount,
    balance: entry.Balance,
    channel_id: entry.index,
    destination_account: entry.Destination,
    settle_delay: entry.SettleDelay,
    public_key: encodeAccountPublic(Buffer.from(String(entry.PublicKey), 'hex')),
    public_key_hex: entry.PublicKey,
    ...(entry.CancelAfter === undefined ? {} : { cancel_after: entry.CancelAfter }),
    ...(entry.DestinationTag === undefined ? {} : { destination_tag: entry.DestinationTag }),
  }));
  expect(wanted.length).toBe(12);
  same(rows, wanted);
  const some = await rig.read('account_channels', {
    account: alice.address,
    destination_account: bob.address,
    limit: 400,
  });
  same(
    some.channels as Reply[],
    wanted.filter((row) => row.destination_account === bob.address),
  );
  expect((await rig.read('account_channels', { account: bob.address })).channels).toEqual([]);
});

/** Accounts whose owner directory lists an entry, from the directories themselves. */
function ownersOf(): Map<string, string[]> {
  const owned = new Map<string, string[]>();
  for (const page of of('DirectoryNode'))
    if (page.Owner !== undefined)
      owned.set(String(page.Owner), [
        ...(owned.get(String(page.Owner)) ?? []),
        ...(page.Indexes as string[]),
      ]);
  return owned;
}

describe('account_objects', () => {
  test('shows everything that each account owns, NFT pages first, in pages', async () => {
    const owned = ownersOf();
    for (const { address, id } of [...Object.values(rig.accounts), rig.holders[0]!]) {
      const keys = [...(owned.get(address) ?? [])];
      for (const { index } of of('NFTokenPage')) if (index.startsWith(id)) keys.push(index);
      const { rows } = await rig.pages('account_objects', 'account_objects', { account: address, limit: 10 });
      same(
        rows.map(({ index }) => index),
        keys,
      );
      for (const row of rows)
        expect(row).toMatchObject(state.find(({ index }) => index === row.index) as object);
      const kinds = rows.map(({ LedgerEntryType }) => LedgerEntryType === 'NFTokenPage');
      expect(kinds).toEqual([...kinds].sort().reverse());
    }
  });

  test('filters by the names of commands and of the protocol', async () => {
    const account = rig.accounts.alice.address;
    for (const [name, type] of [
      ['state', 'RippleState'],
      ['RippleState', 'RippleState'],
      ['payment_channel', 'PayChannel'],
      ['paychannel', 'PayChannel'],
      ['nft_page', 'NFTokenPage'],
      ['signer_list', 'SignerList'],
      ['check', 'Check'],
      ['escrow', 'Escrow'],
      ['did', 'DID'],
      ['delegate', 'Delegate'],
    ] as const) {
      const { rows } = await rig.pages('account_objects', 'account_objects', {
        account,
        type: name,
        limit: 15,
      });
      const all = await rig.pages('account_objects', 'account_objects', { account, limit: 400 });
      const wanted = all.rows.filter(({ LedgerEntryType }) => LedgerEntryType === type);
      expect(wanted.length).toBeGreaterThan(0);
      expect(rows).toEqual(wanted);
    }
    for (const type of ['fee', 'directory', 'amendments', 'nonsense', 'STATE', 7])
      expect(await rig.ask('account_objects', { account, type })).toMatchObject({ error: 'invalidParams' });
  });

  test('shows what prevents a deletion', async () => {
    const account = rig.accounts.alice.address;
    const { rows } = await rig.pages('account_objects', 'account_objects', {
      account,
      deletion_blockers_only: true,
    });
    expect([...new Set(rows.map(({ LedgerEntryType }) => LedgerEntryType))].sort()).toEqual([
      'Check',
      'Escrow',
      'NFTokenPage',
      'PayChannel',
      'RippleState',
    ]);
  });

  test("refuses markers that are malformed or of another account's directory", async () => {
    const { alice, bob } = rig.accounts;
    const { marker } = await rig.read('account_objects', { account: alice.address, limit: 20 });
    expect(String(marker)).toMatch(/^(0|[0-9A-F]{64}),[0-9A-F]{64}$/);
    for (const wrong of [
      marker,
      'x',
      '1,2',
      `${'A'.repeat(64)},${'B'.repeat(64)}`,
      `0,${'C'.repeat(64)}`,
      ',',
    ])
      expect(await rig.ask('account_objects', { account: bob.address, marker: wrong })).toMatchObject({
        error: 'invalidParams',
        error_message: "Invalid field 'marker'.",
      });
  });
});

test('account_nfts shows the tokens in the order of their pages', async () => {
  const { alice, carol } = rig.accounts;
  for (const { address, id } of [alice, carol]) {
    const tokens = of('NFTokenPage')
      .filter(({ index }) => index.startsWith(id))
      .sort((a, b) => (a.index < b.index ? -1 : 1))
      .flatMap(({ NFTokens }) => (NFTokens as { NFToken: Reply }[]).map(({ NFToken }) => NFToken));
    const { rows, pages } = await rig.pages('account_nfts', 'account_nfts', { account: address, limit: 20 });
    expect(rows.map(({ NFTokenID, URI }) => ({ NFTokenID, URI }))).toEqual(
      tokens.map(({ NFTokenID, URI }) => ({ NFTokenID, URI })),
    );
    if (address === alice.address) expect([tokens.length, pages]).toEqual([43, 3]);
  }
  const { account_nfts: nfts } = await rig.read('account_nfts', { account: carol.address });
  expect(nfts).toEqual([
    {
      Flags: 24,
      Issuer: alice.address,
      NFTokenID: rig.ids.sold,
      NFTokenTaxon: 2,
      TransferFee: 2,
      URI: '6368616E676564',
      nft_serial: Number.parseInt(rig.ids.sold.slice(56), 16),
    },
  ]);
});

describe('account_info', () => {
  test('shows the root, its flags by name, its signers', async () => {
    const { alice, issuer, bob } = rig.accounts;
    const root = of('AccountRoot').find(({ Account }) => Account === alice.address)!;
    const one = await rig.read('account_info', { account: alice.address, signer_lists: true });
    const lists = of('SignerList');
    expect(one.account_data).toEqual({
      ...root,
      signer_lists: lists,
      urlgravatar: 'http://www.gravatar.com/avatar/98b4375e1d753e5b91627516f6d70977',
    });
    const two = await rig.read('account_info', { account: alice.address, signer_lists: true }, 2);
    expect(two.signer_lists).toEqual(lists);
    expect(two.account_flags).toMatchObject({ defaultRipple: false, depositAuth: false });
    const flags = async (account: string) => (await rig.read('account_info', { account })).account_flags;
    expect(await flags(issuer.address)).toMatchObject({ defaultRipple: true, disallowIncomingXRP: false });
    expect(await flags(bob.address)).toMatchObject({ depositAuth: true });
    const { amm } = (await rig.read('amm_info', {
      asset: { currency: 'XRP' },
      asset2: { currency: 'USD', issuer: issuer.address },
    })) as { amm: Reply };
    expect((await rig.read('account_info', { account: amm.account })).pseudo_account).toEqual({
      type: 'AMM',
    });
  });

  test('names the account and the ledger when nothing is found', async () => {
    const account = rig.account('nobody').address;
    expect(await rig.ask('account_info', { account, ledger_index: 'validated' })).toMatchObject({
      account,
      error: 'actNotFound',
      error_code: 19,
      error_message: 'Account not found.',
      ledger_index: rig.network.validated.index,
      validated: true,
    });
    expect(await rig.ask('account_info', {})).toMatchObject({ error_message: "Missing field 'account'." });
    expect(await rig.ask('account_info', { account: 'r' })).toMatchObject({
      error: 'actMalformed',
      error_code: 35,
    });
    const { alice } = rig.accounts;
    for (const ask of [{ queue: true }, { ledger_index: 'validated', queue: true }] as const) {
      const answer = await rig.ask('account_info', { account: alice.address, ...ask });
      if ('ledger_index' in ask) expect(answer).toMatchObject({ error: 'invalidParams' });
      else expect(answer.queue_data).toEqual({ txn_count: 0 });
    }
    expect(await rig.ask('account_info', { account: alice.address, signer_lists: 1 }, 2)).toMatchObject({
      error: 'invalidParams',
    });
  });
});

test('gateway_balances adds up what an issuer owes', async () => {
  const { issuer, hot, carol, dave } = rig.accounts;
  const owing = linesOf(issuer.address).filter(({ balance }) => Number(balance) < 0);
  const sums: Record<string, number> = {};
  for (const { account, balance, currency } of owing)
    if (account !== hot.address && account !== carol.address)
      sums[currency] = (sums[currency] ?? 0) - Number(balance);
  const answer = await rig.read('gateway_balances', { account: issuer.address, hotwallet: [hot.address] });
  const listed = Object.entries(answer.obligations as Record<string, string>);
  expect(Object.fromEntries(listed.map(([name, value]) => [name, Number(value)]))).toEqual(sums);
  expect(answer).toMatchObject({
    assets: { [dave.address]: [{ currency: 'BRL', value: '3' }] },
    balances: { [hot.address]: [{ currency: 'USD', value: '920' }] },
    frozen_balances: { [carol.address]: [{ currency: 'USD', value: '40' }] },
  });
  const wrong = { account: issuer.address, hotwallet: 'r' };
  expect(await rig.ask('gateway_balances', wrong)).toMatchObject({ error: 'invalidHotWallet' });
  expect(await rig.ask('gateway_balances', wrong, 2)).toMatchObject({ error: 'invalidParams' });
});

test('noripple_check shows lines with a no-ripple flag that does not fit the role', async () => {
  const { issuer, bob } = rig.accounts;
  const user = await rig.read('noripple_check', { account: bob.address, role: 'user', transactions: true });
  const lines = linesOf(bob.address).filter((line) => !('no_ripple' in line));
  expect((user.problems as string[]).sort()).toEqual(
    lines
      .map(
        ({ currency, account }) =>
          `You should probably set the no ripple flag on your ${currency} line to ${account}`,
      )
      .sort(),
  );
  expect(user.transactions).toMatchObject(
    lines.map(({ account, currency, limit }) => ({
      Account: bob.address,
      Fee: 10,
      Flags: 0x20000,
      LimitAmount: { currency, issuer: account, value: limit },
      TransactionType: 'TrustSet',
    })),
  );
  expect((await rig.read('noripple_check', { account: issuer.address, role: 'gateway' })).problems).toEqual(
    [],
  );
  const gateway = await rig.read('noripple_check', { account: bob.address, role: 'gateway' });
  expect((gateway.problems as string[])[0]).toBe('You should immediately set your default ripple flag');
  expect(gateway.transactions).toBeUndefined();
});

test('owner_info shows offers and lines', async () => {
  const { address } = rig.accounts.bob;
  const { accepted, current } = (await rig.ask('owner_info', { account: address })) as Record<string, Reply>;
  same(
    accepted!.offers as Entry[],
    of('Offer').filter(({ Account }) => Account === address),
  );
  expect((accepted!.ripple_lines as Entry[]).length).toBe(linesOf(address).length);
  expect(current).toEqual(accepted!);
  expect(await rig.ask('owner_info', { account: 'x' })).toMatchObject({
    accepted: { error: 'actMalformed' },
  });
});

describe('the public client', () => {
  test('getBalances agrees with the lines', async () => {
    const { alice } = rig.accounts;
    const balances = await client.getBalances(alice.address, { ledger_index: 'validated' });
    const wanted = linesOf(alice.address).map(({ account, balance, currency }) => ({
      value: balance,
      currency,
      issuer: account,
    }));
    same(
      balances.filter(({ issuer }) => issuer !== undefined),
      wanted,
    );
  });

  test('requestAll walks every page', async () => {
    const { address } = rig.accounts.alice;
    const answers = await client.requestAll({ command: 'account_lines', account: address, limit: 50 });
    expect(answers.length).toBeGreaterThan(1);
    same(
      answers.flatMap(({ result }) => result.lines.map(({ currency }) => currency)),
      linesOf(address).map((l) => l.currency),
    );
  });
});

test('account_info shows queued transactions', async () => {
  const few = new ListenerRig({
    feeSettings: { minimumPerLedger: 2, targetPerLedger: 2, ledgersInQueue: 2, queueMinimum: 20 },
  });
  const [ann] = few.fund(['ann']);
  // The open ledger is full at some point: later transactions are queued.
  const queued: number[] = [];
  for (let i = 0; i < 20 && queued.length < 3; i++) {
    const Sequence = few.network.nextSequence(GENESIS.id);
    const payment = { TransactionType: 'Payment', Destination: ann!.address, Amount: '5', Sequence };
    const { result } = few.submit(GENESIS, payment);
    expect(result).toBe(queued.length > 0 ? 'terQUEUED' : result);
    if (result === 'terQUEUED') queued.push(Sequence);
  }
  expect(queued.length).toBe(3);
  const { queue_data: data } = await few.rpc('account_info', {
    account: GENESIS.address,
    ledger_index: 'current',
    queue: true,
  });
  expect(data).toEqual({
    auth_change_queued: false,
    highest_sequence: queued[2]!,
    lowest_sequence: queued[0]!,
    max_spend_drops_total: '45',
    sequence_count: 3,
    transactions: queued.map((seq) => ({
      auth_change: false,
      fee: '10',
      fee_level: '256',
      max_spend_drops: '15',
      seq,
    })),
    txn_count: 3,
  });
  await few.stop();
  expect(few.faults).toEqual([]);
});

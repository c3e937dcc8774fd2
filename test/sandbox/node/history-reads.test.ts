/** History of accounts and NFTs: answers from the indices compared with a walk through every ledger. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Client, getNFTokenID } from 'xrpl';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { type Entry, ReadsRig, type Reply, text } from './reads-rig.ts';

let rig: ReadsRig;
let client: Client;

/** A transaction as `ledger` shows it, oldest first. */
interface ShownTransaction {
  readonly hash: string;
  readonly ledger: number;
  readonly closeTime: number;
  readonly ledgerHash: string;
  readonly tx: Reply;
  readonly meta: Reply & { TransactionIndex: number };
}
let all: ShownTransaction[];

beforeAll(async () => {
  rig = new ReadsRig().build();
  client = await rig.client();
  all = [];
  const { first, last } = rig.network.ledgers.range()!;
  for (let index = first; index <= last; index++) {
    const { ledger, ledger_hash: ledgerHash } = (await rig.read('ledger', {
      ledger_index: index,
      transactions: true,
      expand: true,
    })) as { ledger: Reply; ledger_hash: string };
    const rows = (ledger.transactions as Reply[]).map((row) => {
      const { metaData, hash, ...tx } = row;
      const meta = metaData as ShownTransaction['meta'];
      return {
        hash: String(hash),
        ledger: index,
        closeTime: Number(ledger.close_time),
        ledgerHash,
        tx,
        meta,
      };
    });
    all.push(...rows.sort((a, b) => a.meta.TransactionIndex - b.meta.TransactionIndex));
  }
});

afterAll(() => rig.end());

const SIDES = ['LowLimit', 'HighLimit', 'TakerPays', 'TakerGets'];

/** Whether a transaction changed an entry with the address in a field of its own, or as issuer of an amount. */
const affects = ({ meta }: ShownTransaction, address: string): boolean =>
  (meta.AffectedNodes as Record<string, Record<string, Reply>>[])
    .flatMap((node) => Object.values(node))
    .flatMap(({ NewFields, FinalFields }) => Object.entries(NewFields ?? FinalFields ?? {}))
    .some(([name, value]) => {
      if (SIDES.includes(name)) return (value as Reply).issuer === address;
      if (name === 'MPTokenIssuanceID') return idOf(address) === String(value).slice(8);
      return value === address;
    });

const idOf = (address: string): string | undefined =>
  [...Object.values(rig.accounts), ...rig.holders].find((person) => person.address === address)?.id;

async function historyOf(method: string, params: Reply, version: 1 | 2 = 1) {
  const rows: Reply[] = [];
  let marker: unknown;
  let pages = 0;
  do {
    const answer = await rig.ask(method, { ...params, ...(marker === undefined ? {} : { marker }) }, version);
    expect(answer.status).toBe('success');
    rows.push(...(answer.transactions as Reply[]));
    marker = answer.marker;
    pages++;
  } while (marker !== undefined && pages < 100);
  return { rows, pages };
}

const hashesOf = (rows: readonly Reply[]): unknown[] => rows.map((row) => row.hash ?? (row.tx as Reply).hash);

describe('account_tx', () => {
  test('shows every transaction that affected an account, in both directions, in pages', async () => {
    for (const { address } of [...Object.values(rig.accounts), rig.holders[3]!]) {
      const wanted = all.filter((row) => affects(row, address)).map(({ hash }) => hash);
      for (const forward of [true, false]) {
        const { rows, pages } = await historyOf('account_tx', { account: address, forward, limit: 17 });
        expect(hashesOf(rows)).toEqual(forward ? wanted : [...wanted].reverse());
        expect(pages).toBe(Math.max(1, Math.ceil(wanted.length / 17)));
      }
    }
  });

  test('filters by a range of ledgers and by a type', async () => {
    const account = rig.accounts.alice.address;
    const inRange = all.filter((row) => affects(row, account) && row.ledger >= 8 && row.ledger <= 11);
    const range = { account, ledger_index_min: 8, ledger_index_max: 11 };
    const { rows } = await historyOf('account_tx', { ...range, forward: true, limit: 11 });
    expect(hashesOf(rows)).toEqual(inRange.map(({ hash }) => hash));
    const mints = await historyOf('account_tx', { ...range, tx_type: 'nftokenmint', limit: 11 }, 2);
    expect(hashesOf(mints.rows)).toEqual(
      inRange
        .filter(({ tx }) => tx.TransactionType === 'NFTokenMint')
        .map(({ hash }) => hash)
        .reverse(),
    );
    const one = await rig.ask('account_tx', { account, ledger_index: 9 });
    expect(one).toMatchObject({ ledger_index_min: 9, ledger_index_max: 9, limit: 200, validated: true });
    const { hash } = rig.network.ledgers.byIndex(9)!;
    expect((await rig.ask('account_tx', { account, ledger_hash: hash })).transactions).toEqual(
      one.transactions as [],
    );
  });

  test('has the shapes of both API versions and of binary', async () => {
    const account = rig.accounts.bob.address;
    const wanted = all.filter((row) => affects(row, account)).at(-1)!;
    const row = async (params: Reply, version: 1 | 2): Promise<Reply> =>
      ((await rig.ask('account_tx', { account, limit: 10, ...params }, version)).transactions as Reply[])[0]!;
    const ctid = `C${wanted.ledger.toString(16).toUpperCase().padStart(7, '0')}${wanted.meta.TransactionIndex.toString(16).toUpperCase().padStart(4, '0')}${rig.network.networkId.toString(16).toUpperCase()}`;
    const place = { ctid, date: wanted.closeTime, ledger_index: wanted.ledger };
    const { hash } = wanted;
    expect(await row({}, 1)).toMatchObject({
      meta: { TransactionIndex: wanted.meta.TransactionIndex, TransactionResult: 'tesSUCCESS' },
      tx: { ...place, hash, inLedger: wanted.ledger },
      validated: true,
    });
    const two = await row({}, 2);
    expect(two).toMatchObject({
      close_time_iso: `${new Date((wanted.closeTime + RIPPLE_EPOCH) * 1000).toISOString().slice(0, 19)}Z`,
      hash,
      ledger_hash: wanted.ledgerHash,
      ledger_index: wanted.ledger,
      tx_json: place,
      validated: true,
    });
    expect((two.tx_json as Reply).hash).toBeUndefined();
    const { transaction } = rig.network.ledgers.transaction(hash)!;
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();
    const blob = { ledger_index: wanted.ledger, tx_blob: hex(transaction.blob), validated: true };
    expect(await row({ binary: true }, 1)).toEqual({ ...blob, meta: hex(transaction.meta) });
    expect(await row({ binary: true }, 2)).toEqual({ ...blob, meta_blob: hex(transaction.meta) });
  });

  test('shows the delivered amounts of payments and the ids of minted NFTs', async () => {
    const { alice, issuer } = rig.accounts;
    const { rows } = await historyOf('account_tx', { account: alice.address, limit: 400 });
    const paid = rows.find(
      ({ tx }) => (tx as Reply).Account === issuer.address && (tx as Reply).TransactionType === 'Payment',
    )!;
    expect((paid.meta as Reply).delivered_amount).toEqual((paid.tx as Reply).Amount as Reply);
    expect((paid.tx as Reply).DeliverMax).toEqual((paid.tx as Reply).Amount as Reply);
    const mints = rows.filter(({ tx }) => (tx as Reply).TransactionType === 'NFTokenMint');
    expect(mints.length).toBe(45);
    for (const { meta } of mints)
      expect((meta as Reply).nftoken_id).toBe(
        getNFTokenID(meta as unknown as Parameters<typeof getNFTokenID>[0])!,
      );
    const two = await historyOf('account_tx', { account: alice.address, limit: 400, tx_type: 'Payment' }, 2);
    expect(two.rows.every(({ tx_json: tx }) => (tx as Reply).Amount === undefined)).toBe(true);
  });

  test('shows as few as requested', async () => {
    const account = rig.accounts.alice.address;
    const { transactions, limit, marker } = await rig.ask('account_tx', { account, limit: 1 });
    expect({ limit, rows: transactions }).toMatchObject({ limit: 1, rows: [{}] });
    expect(marker).toBeDefined();
  });

  test('reports errors of a request, by API version', async () => {
    const account = rig.accounts.alice.address;
    const last = rig.network.validated.index;
    const cases: readonly (readonly [Reply, string, string])[] = [
      [{}, 'invalidParams', 'invalidParams'],
      [{ account: 'x' }, 'actMalformed', 'actMalformed'],
      [{ account, marker: 'x' }, 'invalidParams', 'invalidParams'],
      [{ account, marker: { ledger: 1 } }, 'invalidParams', 'invalidParams'],
      [{ account, ledger_index_min: 9, ledger_index_max: 8 }, 'lgrIdxsInvalid', 'invalidLgrRange'],
      [{ account, ledger_index_min: last + 1 }, 'lgrIdxsInvalid', 'invalidLgrRange'],
      [{ account, ledger_index_min: 3, ledger_index_max: 2 }, 'lgrIdxsInvalid', 'invalidLgrRange'],
      [{ account, ledger_index: 'current' }, 'lgrNotValidated', 'lgrNotValidated'],
      [{ account, ledger_index: last + 9 }, 'lgrNotFound', 'lgrNotFound'],
      [{ account, ledger_index: 'x' }, 'invalidParams', 'invalidParams'],
      [{ account, ledger_hash: 'x' }, 'invalidParams', 'invalidParams'],
      [{ account, tx_type: 'x' }, 'invalidParams', 'invalidParams'],
      [{ account, limit: 0 }, 'invalidParams', 'invalidParams'],
    ];
    for (const [ask, one, two] of cases) {
      expect(await rig.ask('account_tx', ask)).toMatchObject({ error: one });
      expect(await rig.ask('account_tx', ask, 2)).toMatchObject({ error: two });
    }
    expect(await rig.ask('account_tx', { account, forward: 'x' }, 2)).toMatchObject({
      error: 'invalidParams',
    });
    expect(
      (await rig.ask('account_tx', { account, ledger_index_min: -1, ledger_index_max: -1 })).status,
    ).toBe('success');
  });

  test('works with the paging of the public client', async () => {
    const { address } = rig.accounts.alice;
    const wanted = all.filter((row) => affects(row, address)).map(({ hash }) => hash);
    const answers = await client.requestAll({
      command: 'account_tx',
      account: address,
      ledger_index_min: -1,
      limit: 400,
    });
    const shown = answers.flatMap(({ result }) => hashesOf(result.transactions as unknown as Reply[]));
    expect(shown).toEqual(wanted.reverse());
  });
});

test('tx_history shows the newest transactions, in API version 1', async () => {
  const newest = [...all].reverse().map(({ hash }) => hash);
  for (const start of [0, 7, 30]) {
    const { txs, index } = (await rig.ask('tx_history', { start })) as { txs: Reply[]; index: number };
    expect(index).toBe(start);
    expect(txs.map(({ hash }) => String(hash))).toEqual(newest.slice(start, start + 20));
  }
  expect(await rig.ask('tx_history', {})).toMatchObject({ error: 'invalidParams' });
  expect(await rig.ask('tx_history', { start: 10_001 })).toMatchObject({ error: 'noPermission' });
  for (const older of ['tx_history', 'ledger_header'])
    expect(await rig.ask(older, { start: 0 }, 2)).toMatchObject({ error: 'unknownCmd' });
});

describe('NFTs', () => {
  test('nft_info shows owner, burn and URI at a ledger', async () => {
    const { alice, carol } = rig.accounts;
    const { nft, burnt, sold } = rig.ids;
    const info = (nft_id: string, more: Reply = {}) => rig.ask('nft_info', { nft_id, ...more });
    const changes = (type: string, id: string): number =>
      all.find(({ tx, meta }) => tx.TransactionType === type && JSON.stringify([tx, meta]).includes(id))!
        .ledger;
    const soldIn = changes('NFTokenAcceptOffer', sold);
    const fixed = { flags: 24, issuer: alice.address, validated: true };
    expect(await info(nft)).toMatchObject({
      ...fixed,
      owner: alice.address,
      is_burned: false,
      nft_taxon: 0,
      uri: '',
    });
    expect(await info(burnt)).toMatchObject({
      ...fixed,
      is_burned: true,
      ledger_index: changes('NFTokenBurn', burnt),
      transfer_fee: 1,
      uri: text('nft 1'),
    });
    expect(await info(sold)).toMatchObject({
      ...fixed,
      owner: carol.address,
      ledger_index: soldIn,
      uri: text('changed'),
    });
    expect(await info(sold, { ledger_index: soldIn })).toMatchObject({ owner: carol.address, uri: '' });
    expect(await info(sold, { ledger_index: soldIn - 1 })).toMatchObject({ owner: alice.address, uri: '' });
    expect(await info(sold, { ledger_index: 3 })).toMatchObject({ error: 'objectNotFound', error_code: 92 });
    expect(await info('x')).toMatchObject({ error: 'invalidParams' });
    expect(await info(sold, { ledger_index: 'current' })).toMatchObject({ error: 'invalidParams' });
  });

  test('nft_history shows the transactions about a token, in both directions, in pages', async () => {
    for (const id of Object.values(rig.ids).filter((id) => id.length === 64)) {
      const wanted = all
        .filter(({ tx }) => String(tx.TransactionType).startsWith('NFToken'))
        .filter(({ tx, meta }) => {
          const nodes = (meta.AffectedNodes as Record<string, Reply>[]).flatMap((node) =>
            Object.entries(node),
          );
          const offers = nodes.filter(
            ([kind, { LedgerEntryType }]) => LedgerEntryType === 'NFTokenOffer' && kind !== 'ModifiedNode',
          );
          const named = JSON.stringify([tx.NFTokenID, offers]).includes(id);
          return named || meta.nftoken_id === id || getMinted(tx, meta) === id;
        })
        .map(({ hash }) => hash);
      for (const forward of [true, false]) {
        const { rows, pages } = await historyOf('nft_history', { nft_id: id, forward, limit: 7 });
        expect(hashesOf(rows)).toEqual(forward ? wanted : [...wanted].reverse());
        expect(pages).toBe(Math.max(1, Math.ceil(wanted.length / 7)));
      }
    }
    const { transactions } = (await rig.ask(
      'nft_history',
      { nft_id: rig.ids.sold, binary: true, limit: 1 },
      2,
    )) as {
      transactions: Reply[];
    };
    expect(Object.keys(transactions[0]!).sort()).toEqual([
      'date',
      'ledger_index',
      'meta_blob',
      'tx_blob',
      'validated',
    ]);
  });

  test('nfts_by_issuer shows every token ever minted, by taxon, in pages', async () => {
    const issuer = rig.accounts.alice.address;
    const { rows, pages } = await rig.pages('nfts_by_issuer', 'nfts', { issuer, limit: 10 });
    expect(pages).toBe(5);
    expect(rows.length).toBe(45);
    expect(new Set(rows.map(({ nft_id: id }) => id)).size).toBe(45);
    const taxa = rows.map(({ nft_taxon: taxon }) => Number(taxon));
    expect(taxa).toEqual([...taxa].sort());
    expect(rows.filter(({ is_burned: burned }) => burned).map(({ nft_id: id }) => id)).toEqual([
      rig.ids.burnt,
    ]);
    for (const row of rows as Entry[]) {
      const { status: _, validated, ...info } = await rig.ask('nft_info', { nft_id: row.nft_id });
      expect(validated).toBe(true);
      expect(info).toEqual(row as Reply);
    }
    const one = await rig.read('nfts_by_issuer', { issuer, nft_taxon: 2 });
    expect([one.nft_taxon, (one.nfts as unknown[]).length]).toEqual([2, 15]);
    expect(await rig.ask('nfts_by_issuer', { issuer: rig.account('nobody').address })).toMatchObject({
      error: 'actNotFound',
    });
  });

  test('nft_buy_offers and nft_sell_offers show every offer for a token, in pages', async () => {
    const state = await rig.state();
    for (const [method, flag] of [
      ['nft_buy_offers', 0],
      ['nft_sell_offers', 1],
    ] as const) {
      const wanted = state.filter(
        (entry) =>
          entry.LedgerEntryType === 'NFTokenOffer' && entry.NFTokenID === rig.ids.nft && entry.Flags === flag,
      );
      const { rows } = await rig.pages(method, 'offers', { nft_id: rig.ids.nft, limit: 50 });
      const shown = wanted.map((entry) => ({
        amount: entry.Amount,
        flags: entry.Flags,
        nft_offer_index: entry.index,
        owner: entry.Owner,
        ...(entry.Destination === undefined ? {} : { destination: entry.Destination }),
      }));
      const byIndex = (a: Reply, b: Reply): number =>
        String(a.nft_offer_index) < String(b.nft_offer_index) ? -1 : 1;
      expect([...rows].sort(byIndex)).toEqual([...shown].sort(byIndex) as unknown as Entry[]);
    }
    const page = await rig.read('nft_buy_offers', { nft_id: rig.ids.nft, limit: 50 });
    expect([page.limit, (page.offers as unknown[]).length]).toEqual([50, 50]);
    const nothing = await rig.ask('nft_sell_offers', { nft_id: rig.ids.burnt });
    expect(nothing).toMatchObject({ error: 'objectNotFound' });
    expect(await rig.ask('nft_buy_offers', { nft_id: rig.ids.nft, marker: 'A'.repeat(64) })).toMatchObject({
      error: 'invalidParams',
    });
  });
});

/** The id that the public package finds in a mint's metadata. */
const getMinted = (tx: Reply, meta: Reply): string | undefined =>
  tx.TransactionType === 'NFTokenMint'
    ? getNFTokenID(meta as unknown as Parameters<typeof getNFTokenID>[0])
    : undefined;

test('mpt_holders shows every holder, in pages', async () => {
  const state = await rig.state();
  const wanted = state.filter((entry) => entry.MPTokenIssuanceID === rig.ids.mpt);
  const { rows, pages } = await rig.pages('mpt_holders', 'mptokens', {
    mpt_issuance_id: rig.ids.mpt,
    limit: 5,
  });
  expect(pages).toBe(3);
  const byKey = (a: Reply, b: Reply): number => (String(a.mptoken_index) < String(b.mptoken_index) ? -1 : 1);
  expect([...rows].sort(byKey)).toEqual(
    wanted
      .map((entry) => ({
        account: entry.Account,
        flags: entry.Flags,
        mpt_amount: entry.MPTAmount,
        mptoken_index: entry.index,
      }))
      .sort(byKey) as unknown as Entry[],
  );
  expect(rows.length).toBe(13);
  expect(await rig.ask('mpt_holders', { mpt_issuance_id: 'A'.repeat(48) })).toMatchObject({
    error: 'objectNotFound',
  });
  expect(await rig.ask('mpt_holders', {})).toMatchObject({ error: 'invalidParams' });
});

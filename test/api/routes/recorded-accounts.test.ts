/**
 * Accounts, trust lines and offers that public servers answered with: loaded as entries of the ledger, the routes say the same of them.
 * Of the transactions that they listed, the accounts that they affected.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'ripple-binary-codec';
import { accountBytes, accountText } from '../../../engine/codec/base58.ts';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { Changes } from '../../../engine/codec/changes.ts';
import { extractChanges } from '../../../engine/codec/extract.ts';
import { Engine } from '../../../engine/engine.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { packAny } from '../../engine/codec/packing.ts';
import { quietLog as log } from '../../engine/ledger/quiet.ts';
import { asker, type Json } from './ask.ts';

const LENGTH_BYTES = 4;
/** Seconds between the epochs of Unix and of the ledger. */
const RIPPLE_EPOCH_S = 946_684_800;

/** Results of answers. @param trust how it begins: by default, those that were checked when they were collected */
function recorded(command: string, trust = /^checked$/): Json[] {
  const all: Json[] = JSON.parse(readFileSync(join(corpusDir!, 'responses', `${command}.json`), 'utf8'));
  return all.filter((one) => trust.test(one.trust)).map(({ response }) => response.result ?? response);
}

/** No account: the issuer in the balance of a line. */
const NOBODY = 'rrrrrrrrrrrrrrrrrrrrBZbvji';

/** The entry of a line as `account_lines` shows it from one end. */
function lineEntry(account: string, line: Json, number: number): Json {
  const own = Buffer.from(accountBytes(account)!);
  const isLow = own.compare(Buffer.from(accountBytes(line.account)!)) < 0;
  const { currency, balance } = line;
  const ends = [
    { currency, issuer: account, value: line.limit },
    { currency, issuer: line.account, value: line.limit_peer },
  ];
  const seenByLow = balance.startsWith('-') ? balance.slice(1) : balance === '0' ? '0' : `-${balance}`;
  return {
    index: number.toString(16).padStart(64, '0'),
    LedgerEntryType: 'RippleState',
    Balance: { currency, issuer: NOBODY, value: isLow ? balance : seenByLow },
    LowLimit: ends[isLow ? 0 : 1],
    HighLimit: ends[isLow ? 1 : 0],
    Flags: 0,
    PreviousTxnID: '0'.repeat(64),
    PreviousTxnLgrSeq: 1,
  };
}

/** An amount as rows of offers have it: XRP in XRP. */
function amountOf(amount: Json | string) {
  if (typeof amount === 'string') return { currency: 'XRP', value: Number(amount) / 1e6 };
  const { currency = amount.mpt_issuance_id, value } = amount as Json;
  return { currency, value: Number(value) };
}

/** Fields of the ledger begin with a capital letter; others are the server's own. */
const fieldsOf = (entry: Json): Json =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => /^[A-Z]/.test(name)));

/** A service that knows these entries and nothing else. */
function serviceOf(entries: readonly Json[]) {
  const parts = entries.flatMap((entry) => {
    const bytes = bytesOf(encode(fieldsOf(entry)));
    const length = new Uint8Array(LENGTH_BYTES);
    new DataView(length.buffer).setUint32(0, bytes.length, true);
    return [bytesOf(entry.index), length, bytes];
  });
  const engine = new Engine({ store: new MemoryStore(), log });
  engine.loadEntries(new Uint8Array(Buffer.concat(parts)));
  return asker(new Network({ engine }));
}

describe.skipIf(!corpusDir)('recorded answers', () => {
  test('account_info: balance, sequence, flags, entries and domain', async () => {
    const roots = recorded('account_info').map((result) => result.account_data);
    expect(roots.length).toBeGreaterThan(10);
    for (const root of roots) {
      const { get } = serviceOf([root]);
      const { body } = await get(`/account/info/${root.Account}`);
      expect(body).toMatchObject({
        account: root.Account,
        balance: root.Balance,
        ownerCount: root.OwnerCount,
        sequence: root.Sequence,
        flags: root.Flags,
        total: Number(root.Balance) / 1e6,
      });
      expect(body.domain).toBe(root.Domain && Buffer.from(root.Domain, 'hex').toString());
      for (const [name, value] of Object.entries(body.account_data))
        expect([name, value]).toEqual([name, root[name]]);
    }
  });

  test('account_objects: trust lines', async () => {
    let compared = 0;
    for (const { account, account_objects: objects } of recorded('account_objects')) {
      const { get } = serviceOf(objects);
      const { body } = await get(`/trustlines/${account}?format=raw&includeZero=true&limit=50`);
      for (const { _id, ...row } of body.lines) expect(objects).toContainEqual(expect.objectContaining(row));
      // Lines on which it neither holds nor trusts are those of others.
      const held = objects.filter(({ Balance, LowLimit, HighLimit }: Json) => {
        const isLow = LowLimit.issuer === account;
        const balance = Number(Balance.value) * (isLow ? 1 : -1);
        return balance > 0 || (balance === 0 && Number((isLow ? LowLimit : HighLimit).value) > 0);
      });
      expect(body.lines.length).toBeGreaterThanOrEqual(held.length);
      compared += body.lines.length;
    }
    expect(compared).toBeGreaterThan(5);
  });

  test('account_lines: balances and limits', async () => {
    let compared = 0;
    for (const { account, lines } of recorded('account_lines', /^recorded-looking/)) {
      const { get } = serviceOf(lines.map((line: Json, i: number) => lineEntry(account, line, i + 1)));
      const held = lines.filter(
        ({ balance, limit }: Json) => Number(balance) > 0 || (Number(balance) === 0 && Number(limit) > 0),
      );
      const shown = new Map<string, Json>();
      for (const row of (await get(`/trustlines/${account}?includeZero=true&limit=50`)).body.lines)
        shown.set(`${row.currency} ${row.issuer}`, row);
      expect(shown.size).toBe(held.length);
      for (const { account: issuer, currency, balance, limit } of held) {
        const row = shown.get(`${currency} ${issuer}`);
        expect([currency, row?.balance, row?.limit]).toEqual([currency, balance, limit]);
      }
      // Lines on which others hold are theirs.
      for (const { account: holder, currency, balance, limit_peer } of lines) {
        if (Number(balance) >= 0) continue;
        const { body } = await get(`/account/trustline/${holder}/${account}/${currency}`);
        expect([holder, body.balance, body.limit]).toEqual([holder, balance.slice(1), limit_peer]);
        compared++;
      }
      compared += held.length;
    }
    expect(compared).toBeGreaterThan(100);
  });

  test('book_offers and ledger_entry: offers of their owners', async () => {
    let compared = 0;
    const entries = recorded('ledger_entry').map(({ node }) => node);
    const answers = [
      ...recorded('book_offers').map(({ offers }) => offers as Json[]),
      entries.filter(({ LedgerEntryType: type }) => type === 'Offer'),
    ];
    for (const offers of answers) {
      const { get } = serviceOf(offers);
      for (const owner of new Set(offers.map((offer) => offer.Account))) {
        const own = offers.filter((offer) => offer.Account === owner);
        const shown = new Map<number, Json>();
        for (let offset = 0; offset < own.length; offset += 50) {
          const { body } = await get(`/account/offers/${owner}?limit=50&offset=${offset}`);
          expect([owner, body.total]).toEqual([owner, own.length]);
          for (const row of body.offers) shown.set(row.seq, row);
        }
        for (const offer of own) {
          const { flags, gets, pays, expire } = shown.get(offer.Sequence)!;
          const amount = ({ currency, value }: Json) => ({ currency, value: Number(value) });
          expect({ flags, gets: amount(gets), pays: amount(pays), expire }).toEqual({
            flags: offer.Flags,
            gets: amountOf(offer.TakerGets),
            pays: amountOf(offer.TakerPays),
            expire: offer.Expiration && (offer.Expiration + RIPPLE_EPOCH_S) * 1000,
          });
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(600);
  });

  test('account_tx: each transaction affected the account that was asked for, and its sender', () => {
    let compared = 0;
    for (const { account, transactions } of recorded('account_tx'))
      for (const { tx, tx_json = tx, meta } of transactions) {
        // Some were shortened or edited where they were kept: nothing in them names the account, or the result is no code.
        const isWhole = meta?.AffectedNodes && JSON.stringify([tx_json, meta]).includes(account);
        if (!isWhole || meta.TransactionResult === 'tecSOME_OTHER_ERROR') continue;
        const packed = packAny([{ tx: new Uint8Array(0), meta: bytesOf(encode(meta)) }]);
        const changes = new Changes(extractChanges(packed));
        const accounts = Array.from({ length: changes.affectedFrom(1) }, (_, i) => changes.affected(i));
        const found = new Set(accounts.map((at) => accountText(packed.bytes, at)));
        expect([...found]).toEqual(expect.arrayContaining([account, tx_json.Account]));
        compared++;
      }
    expect(compared).toBeGreaterThan(60);
  });
});

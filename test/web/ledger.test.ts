/** The pages of one ledger and of one transaction, and the words and changes that they show. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { getBalanceChanges } from 'xrpl';
import { balanceChanges } from '../../explain/effects.ts';
import { type Fields, isMpt, type PlacedTransaction } from '../../explain/json.ts';
import type { Piece } from '../../explain/sentence.ts';
import { wordsOf } from '../../explain/words.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { Market } from './market.ts';

let market: Market;
/** Every transaction of the market's history, as the service answers it. */
const all: PlacedTransaction[] = [];
const ofType = (type: string) => all.find(({ tx_json }) => tx_json.TransactionType === type)!;

beforeAll(async () => {
  market = await Market.start();
  for (let index = 3; index <= 150; index++)
    all.push(...(await market.get(`/v1/ledger/${index}?expand=true`)).transactions);
});
afterAll(() => market[Symbol.asyncDispose]());

const plainOf = (piece: Piece): string => {
  if (typeof piece === 'string') return piece;
  if ('account' in piece) return piece.account;
  if ('id' in piece) return piece.id;
  if ('text' in piece) return piece.text;
  return JSON.stringify('amount' in piece ? piece.amount : piece.asset);
};
const sentenceOf = ({ tx_json, meta }: PlacedTransaction) => wordsOf(tx_json, meta).map(plainOf).join('');

describe('a transaction in words', () => {
  test('every type that the population sends has a sentence of its own, with nothing missing in it', () => {
    const types = new Set(all.map(({ tx_json }) => tx_json.TransactionType));
    expect(types.size).toBeGreaterThan(45);
    for (const transaction of all) {
      const sentence = sentenceOf(transaction);
      expect(sentence, transaction.hash).toStartWith(`${transaction.tx_json.Account} `);
      expect(sentence, transaction.hash).not.toMatch(
        /undefined|null|NaN|\[|\bof type\b|an (amount|asset|account)$/,
      );
    }
  });

  test('says what was done, and what was only tried', () => {
    const meta = { TransactionResult: 'tesSUCCESS', TransactionIndex: 0, AffectedNodes: [] };
    const pay = { TransactionType: 'Payment', Account: 'rA', Destination: 'rB', DeliverMax: '5000000' };
    const said = (tx: Fields, TransactionResult = 'tesSUCCESS', delivered?: string) =>
      wordsOf(tx, { ...meta, TransactionResult, ...(delivered && { delivered_amount: delivered }) })
        .map(plainOf)
        .join('');
    expect(said(pay)).toBe('rA paid "5000000" to rB');
    expect(said(pay, 'tesSUCCESS', '4000000')).toBe('rA paid "4000000" to rB');
    expect(said({ ...pay, DestinationTag: 0 }, 'tecUNFUNDED_PAYMENT')).toBe(
      'rA tried to pay "5000000" to rB (tag 0)',
    );
    expect(said({ TransactionType: 'TicketCreate', Account: 'rA', TicketCount: 1 })).toBe(
      'rA reserved 1 sequence number',
    );
    expect(said({ TransactionType: 'NFTokenTeleport', Account: 'rA' })).toBe(
      'rA sent a transaction of type NFT teleport',
    );
  });
});

test('balance changes are those of an independent library, to the last digit', () => {
  let compared = 0;
  for (const { hash, meta } of all) {
    const theirs = getBalanceChanges(meta as never).flatMap(({ account, balances }) =>
      balances.map(
        ({ currency, issuer, value }) => `${account} ${currency} ${issuer ?? ''} ${Number(value)}`,
      ),
    );
    const ours = balanceChanges(meta).filter(({ asset }) => !isMpt(asset));
    const lines = ours.map(({ account, asset, change }) => {
      const { currency, issuer = '' } = asset as { currency: string; issuer?: string };
      return `${account} ${currency} ${issuer} ${Number(change)}`;
    });
    for (const line of lines) expect(theirs, hash).toContain(line);
    // The library has the issuer's side of each trust line, too.
    const tokens = ours.filter(({ asset }) => !isMpt(asset) && asset.currency !== 'XRP').length;
    expect(theirs.length, hash).toBe(lines.length + tokens);
    compared += lines.length;
  }
  expect(compared).toBeGreaterThan(1000);
});

describeInBrowser('the pages of ledgers and transactions', (browser) => {
  test('hashes are copied by keyboard, also where browsers give pages no clipboard', async () => {
    const { ledger_hash, parent_hash } = await market.get('/v1/ledger/137');
    await using tab = await browser().open(`${market.url}/#/ledger/137`);
    const copy = async (what: string) => {
      await tab.page.waitForSelector(`[aria-label="Copy ${what}"]`);
      await tab.page.focus(`[aria-label="Copy ${what}"]`);
      await tab.page.keyboard.press('Enter');
      await tab.text(/^Copied$/, `[aria-label="Copy ${what}"] + [role=status]`);
      const focused = await tab.evaluate<string>('document.activeElement.ariaLabel');
      await tab.page.focus('.finder input');
      await tab.evaluate("document.querySelector('.finder input').select()");
      await tab.page.keyboard.press('KeyV', { commands: ['Paste'] });
      return [focused, await tab.evaluate<string>("document.querySelector('.finder input').value")];
    };
    expect(await copy('the hash')).toEqual(['Copy the hash', ledger_hash]);
    await tab.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    const before = 'the hash of the ledger before';
    expect(await copy(before)).toEqual([`Copy ${before}`, parent_hash]);
    expect(tab.problems).toEqual([]);
  });

  test('a ledger shows its header and what each of its transactions did', async () => {
    const ledger = await market.get('/v1/ledger/137?expand=true');
    for (const [width, dark] of [
      [1280, true],
      [390, false],
    ] as const) {
      await using tab = await browser().open(`${market.url}/#/ledger/137`, { width, dark });
      const shown = await tab.text(/Root of the state/);
      for (const hash of [ledger.ledger_hash, ledger.parent_hash, ledger.account_hash])
        expect(shown).toContain(hash);
      expect(await tab.evaluate<string>('document.title')).toBe('Ledger 137 · Millrace');
      const rows = await tab.readAll('.transactions tbody tr');
      expect(rows).toHaveLength(ledger.txn_count);
      const links = await tab.evaluate<string[]>(
        '[...document.querySelectorAll(".transactions td:last-child a")].map((a) => a.title)',
      );
      expect(links).toEqual(ledger.transactions.map(({ hash }: PlacedTransaction) => hash));
      expect(await violationsOf(tab)).toEqual([]);
      expect(await tab.overflow()).toBe(0);
      await tab.picture(`ledger-${width}`);
      expect(tab.problems).toEqual([]);
    }
  });

  test('the newest ledger moves on with the network', async () => {
    await using tab = await browser().open(`${market.url}/#/ledger`);
    await tab.text(new RegExp(`Ledger ${market.world.network.closed.index}\\b`), 'h1');
    const { index, hash } = await market.close();
    await tab.text(new RegExp(`Ledger ${index}\\b`), 'h1');
    expect(await tab.text(/Hash/, '.facts')).toContain(hash);
    // The title of what it is named after moves with it, and stays with none of those that come after.
    const titled = (title: string) => tab.page.waitForFunction(`document.title === '${title} · Millrace'`);
    await titled(`Ledger ${index}`);
    const next = await market.close();
    await titled(`Ledger ${next.index}`);
    await tab.go('#/network');
    await titled('Network');
    expect(tab.problems).toEqual([]);
  });

  test('keys go on from the content where a link led to another page of the same kind, and is gone', async () => {
    await using tab = await browser().open(`${market.url}/#/ledger/137`);
    await tab.text(/Ledger 137\b/, 'h1');
    for (const to of [136, 135]) {
      await tab.page.focus('.neighbours a');
      await tab.page.keyboard.press('Enter');
      await tab.text(new RegExp(`Ledger ${to}\\b`), 'h1');
      await tab.page.waitForFunction(`document.title === 'Ledger ${to} · Millrace'`);
      expect(await tab.evaluate<string>('document.activeElement.id')).toBe('main');
      await tab.page.keyboard.press('Tab');
      const isWithin = "document.getElementById('main').contains(document.activeElement)";
      expect(await tab.evaluate<boolean>(isWithin)).toBe(true);
    }
    expect(tab.problems).toEqual([]);
  });

  test('a transaction shows its sentence, balances and raw JSON, by keyboard as well', async () => {
    const { hash } = ofType('OfferCreate');
    const answer = await market.get(`/v1/tx/${hash}`);
    await using tab = await browser().open(`${market.url}/#/ledger`);
    await tab.text(/Transactions/);
    await tab.page.focus('.finder input');
    await tab.page.keyboard.type(`${hash}\n`);
    expect(await tab.text(/Success \(tesSUCCESS\)/)).toContain('offered');
    const changes = balanceChanges(answer.meta);
    expect(await tab.readAll('.balances tbody tr')).toHaveLength(changes.length);
    await tab.page.focus('.raw summary');
    await tab.page.keyboard.press('Enter');
    await tab.text(/TxnSignature/, '.raw pre');
    const raw = await tab.evaluate<string>('document.querySelector(".raw pre").textContent');
    const { took: _, ...shown } = JSON.parse(raw);
    const { took: __, ...asked } = answer;
    expect(shown).toEqual(asked);
    expect(await violationsOf(tab)).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  test('a transaction that waits for the next ledger is shown once that has closed', async () => {
    const { address, seed } = await market.fund();
    await market.close();
    const hash = await market.submit(seed, { TransactionType: 'AccountSet', Account: address, SetFlag: 8 });
    await using tab = await browser().open(`${market.url}/#/tx/${hash}`);
    await tab.text(/waits for the next ledger/);
    await market.close();
    expect(await tab.text(/Success/)).toContain('“rippling by default” set');
    expect(tab.problems).toEqual([]);
  });

  test('amounts of an MPT count whole ones, as everywhere else; of one that is no more its smallest units', async () => {
    const [issuer, holder] = [await market.fund(), await market.fund()];
    await market.close();
    const { address: Account } = issuer;
    const create = { TransactionType: 'MPTokenIssuanceCreate', Account, AssetScale: 6, Flags: 0x20 };
    const created = await market.submit(issuer.seed, create);
    await market.close();
    const { mpt_issuance_id: id } = (await market.get(`/v1/tx/${created}`)).meta;
    const authorize = { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID: id };
    await market.submit(holder.seed, { ...authorize, Account: holder.address });
    await market.close();
    const pay = async ({ seed, address }: typeof issuer, Destination: string) => {
      const Amount = { mpt_issuance_id: id, value: '2500001' };
      const payment = { TransactionType: 'Payment', Account: address, Destination, Amount };
      const hash = await market.submit(seed, payment);
      await market.close();
      return hash;
    };
    const paid = await pay(issuer, holder.address);
    await using tab = await browser().open(`${market.url}/#/tx/${paid}`);
    await tab.text(/ paid 2\.500001 MPT /, '.sentence');
    await tab.text(/\+2\.500001 MPT /, '.balances tbody');
    await tab.go(`#/account/${holder.address}`);
    await tab.text(/ paid 2\.500001 MPT /, '[aria-label="Transactions"] tbody');
    const asked = await tab.page.$$eval('.sentence a[href*="token"]', (links) =>
      links.map(({ hash }) => hash),
    );
    expect(asked).toContain(`#/token/${id}`);
    // Whoever asks for the token itself is counted among those that looked at it.
    expect(tab.requests.filter((url) => url.includes('/v1/token/'))).toEqual([]);
    await pay(holder, Account);
    await market.submit(issuer.seed, {
      TransactionType: 'MPTokenIssuanceDestroy',
      Account,
      MPTokenIssuanceID: id,
    });
    await market.close();
    await tab.page.goto('about:blank');
    await tab.page.goto(`${market.url}/#/tx/${paid}`);
    await tab.text(/ paid 2,500,001 smallest units of MPT /, '.sentence');
    expect(tab.problems).toEqual([]);
  });

  test('the first ledger leads to none before it', async () => {
    await using tab = await browser().open(`${market.url}/#/ledger/2`);
    await tab.text(/^← 1 3 → newest$/, '.neighbours');
    await tab.go('#/ledger/1');
    await tab.text(/^2 → newest$/, '.neighbours', 10_000);
    expect(tab.problems).toEqual([]);
  });

  test('what is no number and no hash is refused in words', async () => {
    await using tab = await browser().open(`${market.url}/#/ledger`);
    await tab.text(/Transactions/);
    await tab.page.type('.finder input', 'abc\n');
    await tab.text(/Neither a ledger number nor a hash/);
    tab.expect(/status 40[04]|Failed to load/);
    await tab.go('#/ledger/99999999');
    await tab.text(/This ledger cannot be shown\. .*is not stored/);
    await tab.go('#/tx/abc');
    expect(await tab.text(/cannot be shown/, '.notice')).toBe(
      'This transaction cannot be shown. hash is not 64 hex digits',
    );
    expect(tab.problems).toEqual([]);
  });
});

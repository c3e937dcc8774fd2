/** NFTs through the whole transactor: ids, royalties, brokers, expired offers, and each refusal in its order. */
import { describe, expect, test } from 'bun:test';
import { parseNFTokenID } from 'xrpl';
import { currencyOfJson } from '../../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../../engine/codec/arithmetic/asset.ts';
import { findToken } from '../../../sandbox/assets/nftoken-pages.ts';
import { lineBalance } from '../../../sandbox/assets/trust-lines.ts';
import { rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { parseNftId } from '../../../sandbox/protocol/nft-id.ts';
import { Rig, type RigOptions, type TestAccount } from '../rig.ts';

type Json = Record<string, unknown>;
const TRANSFERABLE = 8;
const SELL = 1;
const USD = currencyOfJson('USD')!;

class NftRig extends Rig {
  /** Mints. @returns the NFT's id, from the issuer's count. */
  mint(by: TestAccount, more: Json = {}): string {
    const outcome = this.apply({
      TransactionType: 'NFTokenMint',
      Account: by.address,
      NFTokenTaxon: 7,
      ...more,
    });
    expect(outcome.result).toBe('tesSUCCESS');
    return this.owned(by).at(-1)!;
  }

  /** Ids that an account owns, by their number. */
  owned(account: TestAccount): string[] {
    return this.entries()
      .filter(
        ({ LedgerEntryType, index }) => LedgerEntryType === 'NFTokenPage' && index.startsWith(account.id),
      )
      .flatMap(({ NFTokens }) => NFTokens!.map(({ NFToken }) => NFToken!.NFTokenID!))
      .sort((a, b) => parseNftId(a).sequence - parseNftId(b).sequence);
  }

  /** Makes an offer. @returns its index. */
  offer(by: TestAccount, id: string, amount: unknown, more: Json = {}): string {
    const sequence = this.root(by).Sequence!;
    const outcome = this.apply({
      TransactionType: 'NFTokenCreateOffer',
      Account: by.address,
      NFTokenID: id,
      Amount: amount,
      ...more,
    });
    expect(outcome.result).toBe('tesSUCCESS');
    return keylets.nftOffer(by.id, sequence);
  }

  accept(by: TestAccount, more: Json): string {
    return this.apply({ TransactionType: 'NFTokenAcceptOffer', Account: by.address, ...more }).result;
  }

  drops(account: TestAccount): bigint {
    return this.root(account).Balance!.drops;
  }

  /** A currency of `issuer` with a transfer rate, and what each holder holds of it. */
  issue(issuer: TestAccount, holders: Record<string, string>, rate = 1_000_000_000): void {
    const usd = (value: string) => ({ currency: 'USD', issuer: issuer.address, value });
    this.apply({ TransactionType: 'AccountSet', Account: issuer.address, TransferRate: rate, SetFlag: 8 });
    for (const [name, value] of Object.entries(holders)) {
      const { address } = this.account(name);
      this.apply({ TransactionType: 'TrustSet', Account: address, LimitAmount: usd('10000') });
      if (value === '0') continue;
      const paid = this.apply({
        TransactionType: 'Payment',
        Account: issuer.address,
        Destination: address,
        Amount: usd(value),
      });
      expect(paid.result).toBe('tesSUCCESS');
    }
  }

  usd(account: TestAccount, issuer: TestAccount): string {
    return lineBalance(this.ledger, account.id, issued(USD, issuer.id)).text();
  }
}

function rigOf(options: RigOptions, ...names: string[]): [NftRig, ...TestAccount[]] {
  const rig = new NftRig(options);
  const accounts = rig.fund(...names);
  rig.close();
  return [rig, ...accounts];
}

describe('NFTokenMint', () => {
  test('the id contains flags, fee, issuer, taxon and number', () => {
    const [rig, alice] = rigOf({}, 'alice');
    const first = rig.root(alice!).Sequence!;
    const ids = [0, 1, 2].map(() => rig.mint(alice!, { Flags: 9, TransferFee: 314 }));
    ids.forEach((id, at) => {
      expect(parseNFTokenID(id)).toMatchObject({
        Flags: 9,
        TransferFee: 314,
        Issuer: alice!.address,
        Taxon: 7,
        Sequence: first + at,
      });
    });
    expect(rig.root(alice!)).toMatchObject({ MintedNFTokens: 3, FirstNFTokenSequence: first, OwnerCount: 1 });
    expect(rig.problems()).toEqual([]);
  });

  test('a minter mints for the issuer; with a ticket the first number is the unchanged sequence', () => {
    const [rig, alice, bob] = rigOf({}, 'alice', 'bob');
    const minted = {
      TransactionType: 'NFTokenMint',
      Account: bob!.address,
      NFTokenTaxon: 0,
      Issuer: alice!.address,
    };
    expect(rig.apply(minted).result).toBe('tecNO_PERMISSION');
    rig.apply({
      TransactionType: 'AccountSet',
      Account: alice!.address,
      NFTokenMinter: bob!.address,
      SetFlag: 10,
    });
    const sequence = rig.root(alice!).Sequence!;
    expect(rig.apply(minted).result).toBe('tesSUCCESS');
    expect(parseNftId(rig.owned(bob!)[0]!)).toMatchObject({ issuer: alice!.id, sequence });
    expect(rig.root(alice!).FirstNFTokenSequence).toBe(sequence);
    const ticket = rig.root(bob!).Sequence! + 1;
    rig.apply({ TransactionType: 'TicketCreate', Account: bob!.address, TicketCount: 1 });
    const own = rig.root(bob!).Sequence!;
    rig.apply({
      TransactionType: 'NFTokenMint',
      Account: bob!.address,
      NFTokenTaxon: 0,
      TicketSequence: ticket,
    });
    expect(rig.root(bob!).FirstNFTokenSequence).toBe(own);
  });

  test('refusals', () => {
    const [rig, alice, bob] = rigOf({}, 'alice', 'bob');
    const result = (more: Json) =>
      rig.apply({ TransactionType: 'NFTokenMint', Account: alice!.address, NFTokenTaxon: 0, ...more }).result;
    expect(result({ Flags: 4 })).toBe('temINVALID_FLAG');
    expect(result({ Flags: TRANSFERABLE, TransferFee: 50_001 })).toBe('temBAD_NFTOKEN_TRANSFER_FEE');
    expect(result({ TransferFee: 1 })).toBe('temMALFORMED');
    expect(result({ Issuer: alice!.address })).toBe('temMALFORMED');
    expect(result({ URI: 'AB'.repeat(257) })).toBe('temMALFORMED');
    expect(result({ Destination: bob!.address })).toBe('temMALFORMED');
    expect(result({ Amount: '1', Destination: alice!.address })).toBe('temMALFORMED');
    expect(result({ Amount: '1', Expiration: 0 })).toBe('temBAD_EXPIRATION');
    expect(result({ Amount: '1', Expiration: rig.ledger.header.parentCloseTime })).toBe('tecEXPIRED');
    expect(result({ Amount: '1', Destination: rig.account('nobody').address })).toBe('tecNO_DST');
    expect(result({ Amount: { currency: 'USD', issuer: bob!.address, value: '0' } })).toBe('temBAD_AMOUNT');
    expect(result({ Issuer: rig.account('nobody').address })).toBe('tecNO_ISSUER');
  });

  test('with a sell offer at once, each counting in the reserve', () => {
    const [rig, bob] = rigOf({}, 'bob');
    const alice = rig.fundWith('alice', 1_399_999n);
    const mint = { TransactionType: 'NFTokenMint', Account: alice.address, NFTokenTaxon: 0, Amount: '5' };
    expect(rig.apply({ ...mint, Fee: '10' }).result).toBe('tecINSUFFICIENT_RESERVE');
    rig.apply({
      TransactionType: 'Payment',
      Account: bob!.address,
      Destination: alice.address,
      Amount: '11',
    });
    const sequence = rig.root(alice).Sequence!;
    expect(rig.apply({ ...mint, Destination: bob!.address }).result).toBe('tesSUCCESS');
    const offer = rig.ledger.read(keylets.nftOffer(alice.id, sequence));
    expect(offer).toMatchObject({ Owner: alice.id, Flags: SELL, Destination: bob!.id });
    expect(rig.root(alice).OwnerCount).toBe(2);
    expect(rig.accept(bob!, { NFTokenSellOffer: offer!.index })).toBe('tesSUCCESS');
    expect(rig.owned(bob!)).toEqual([offer!.NFTokenID!]);
    expect(rig.root(alice).OwnerCount).toBe(0);
    expect(rig.problems()).toEqual([]);
  });
});

describe('direct sales', () => {
  test('the issuer gets its royalty of a resale, none of its own sale', () => {
    const [rig, issuer, alice, bob] = rigOf({}, 'issuer', 'alice', 'bob');
    const id = rig.mint(issuer!, { Flags: TRANSFERABLE, TransferFee: 12_345 });
    const first = rig.offer(issuer!, id, '1000000', { Flags: SELL });
    let before = rig.drops(issuer!);
    expect(rig.accept(alice!, { NFTokenSellOffer: first })).toBe('tesSUCCESS');
    expect(rig.drops(issuer!) - before).toBe(1_000_000n);
    // 12.345% of 777,777 is 96,016.57: rounded to the nearest drop.
    const bid = rig.offer(bob!, id, '777777', { Owner: alice!.address });
    before = rig.drops(issuer!);
    const seller = rig.drops(alice!);
    expect(rig.accept(alice!, { NFTokenBuyOffer: bid })).toBe('tesSUCCESS');
    expect(rig.drops(issuer!) - before).toBe(96_017n);
    expect(rig.drops(alice!) - seller).toBe(777_777n - 96_017n - 10n);
    expect(rig.owned(bob!)).toEqual([id]);
    expect(rig.problems()).toEqual([]);
  });

  test('in an issued currency with a transfer fee, which the buyer pays in addition', () => {
    const [rig, gateway, minter, alice, bob] = rigOf({}, 'gateway', 'minter', 'alice', 'bob');
    rig.issue(gateway!, { minter: '0', alice: '0', bob: '1000' }, 1_020_000_000);
    const id = rig.mint(minter!, { Flags: TRANSFERABLE, TransferFee: 10_000 });
    rig.accept(alice!, { NFTokenSellOffer: rig.offer(minter!, id, '0', { Flags: SELL }) });
    const price = { currency: 'USD', issuer: gateway!.address, value: '500' };
    const sale = rig.offer(alice!, id, price, { Flags: SELL });
    expect(rig.accept(bob!, { NFTokenSellOffer: sale })).toBe('tesSUCCESS');
    // 10% to the minter, 90% to the seller; 2% on each of the two from the buyer.
    expect(rig.usd(minter!, gateway!)).toBe('50');
    expect(rig.usd(alice!, gateway!)).toBe('450');
    expect(rig.usd(bob!, gateway!)).toBe('490');
  });

  test('a buyer that cannot pay the transfer fee as well is refused', () => {
    const [rig, gateway, alice, bob] = rigOf({}, 'gateway', 'alice', 'bob');
    rig.issue(gateway!, { alice: '0', bob: '500' }, 1_020_000_000);
    const id = rig.mint(alice!, { Flags: TRANSFERABLE });
    const sale = rig.offer(
      alice!,
      id,
      { currency: 'USD', issuer: gateway!.address, value: '500' },
      { Flags: SELL },
    );
    expect(rig.accept(bob!, { NFTokenSellOffer: sale })).toBe('tecINSUFFICIENT_FUNDS');
    expect(rig.owned(alice!)).toEqual([id]);
  });

  test('no trust line is created for an issuer without its consent', () => {
    const [rig, gateway, minter, alice] = rigOf({}, 'gateway', 'minter', 'alice');
    rig.issue(gateway!, { alice: '1000' });
    const id = rig.mint(minter!, { Flags: TRANSFERABLE, TransferFee: 10_000 });
    rig.accept(alice!, { NFTokenSellOffer: rig.offer(minter!, id, '0', { Flags: SELL }) });
    const offer = {
      TransactionType: 'NFTokenCreateOffer',
      Account: alice!.address,
      NFTokenID: id,
      Flags: SELL,
      Amount: { currency: 'USD', issuer: gateway!.address, value: '5' },
    };
    expect(rig.apply(offer).result).toBe('tecNO_LINE');
  });

  test('the buyer must cover the reserve of the page it gets', () => {
    const [rig, alice] = rigOf({}, 'alice');
    const bob = rig.fundWith('bob', 1_200_109n);
    const sale = rig.offer(alice!, rig.mint(alice!, { Flags: TRANSFERABLE }), '100', { Flags: SELL });
    expect(rig.accept(bob, { NFTokenSellOffer: sale })).toBe('tecINSUFFICIENT_RESERVE');
    rig.apply({
      TransactionType: 'Payment',
      Account: alice!.address,
      Destination: bob.address,
      Amount: '11',
    });
    expect(rig.accept(bob, { NFTokenSellOffer: sale })).toBe('tesSUCCESS');
  });
});

describe('brokered sales', () => {
  test('broker, issuer and seller are paid in this order', () => {
    const [rig, issuer, alice, bob, broker] = rigOf({}, 'issuer', 'alice', 'bob', 'broker');
    const id = rig.mint(issuer!, { Flags: TRANSFERABLE, TransferFee: 50_000 });
    rig.accept(alice!, { NFTokenSellOffer: rig.offer(issuer!, id, '0', { Flags: SELL }) });
    const sell = rig.offer(alice!, id, '600', { Flags: SELL, Destination: broker!.address });
    const buy = rig.offer(bob!, id, '1000', { Owner: alice!.address });
    const pair = { NFTokenSellOffer: sell, NFTokenBuyOffer: buy };
    expect(rig.accept(broker!, { ...pair, NFTokenBrokerFee: '1000' })).toBe('tecINSUFFICIENT_PAYMENT');
    expect(rig.accept(broker!, { ...pair, NFTokenBrokerFee: '401' })).toBe('tecINSUFFICIENT_PAYMENT');
    expect(rig.accept(broker!, { ...pair, NFTokenBrokerFee: '0' })).toBe('temMALFORMED');
    expect(rig.accept(issuer!, pair)).toBe('tecNO_PERMISSION');
    const before = [issuer!, alice!, bob!, broker!].map((account) => rig.drops(account));
    expect(rig.accept(broker!, { ...pair, NFTokenBrokerFee: '400' })).toBe('tesSUCCESS');
    const changes = [issuer!, alice!, bob!, broker!].map((account, at) => rig.drops(account) - before[at]!);
    expect(changes).toEqual([300n, 300n, -1000n, 400n - 10n]);
    expect(rig.owned(bob!)).toEqual([id]);
    expect(rig.problems()).toEqual([]);
  });

  test('mismatches', () => {
    const [rig, alice, bob, broker] = rigOf({}, 'alice', 'bob', 'broker');
    const [one, two] = [0, 1].map(() => rig.mint(alice!, { Flags: TRANSFERABLE }));
    const sell = rig.offer(alice!, one!, '10', { Flags: SELL });
    const other = rig.offer(bob!, two!, '10', { Owner: alice!.address });
    const low = rig.offer(bob!, one!, '9', { Owner: alice!.address });
    const result = (more: Json) => rig.accept(broker!, more);
    expect(result({ NFTokenSellOffer: sell, NFTokenBuyOffer: other })).toBe('tecNFTOKEN_BUY_SELL_MISMATCH');
    expect(result({ NFTokenSellOffer: sell, NFTokenBuyOffer: low })).toBe('tecINSUFFICIENT_PAYMENT');
    expect(result({ NFTokenSellOffer: low })).toBe('tecNFTOKEN_OFFER_TYPE_MISMATCH');
    expect(result({ NFTokenBuyOffer: sell })).toBe('tecNFTOKEN_OFFER_TYPE_MISMATCH');
    expect(result({ NFTokenBuyOffer: low })).toBe('tecNO_PERMISSION');
    expect(result({ NFTokenSellOffer: '0'.repeat(64) })).toBe('tecOBJECT_NOT_FOUND');
    expect(result({ NFTokenBrokerFee: '1', NFTokenSellOffer: sell })).toBe('temMALFORMED');
    expect(result({})).toBe('temMALFORMED');
    expect(rig.accept(alice!, { NFTokenSellOffer: sell })).toBe('tecCANT_ACCEPT_OWN_NFTOKEN_OFFER');
  });
});

describe('offers', () => {
  test('an expired offer is deleted by an attempt to accept it (fixCleanup3_1_3), before it stayed', () => {
    for (const clears of [true, false]) {
      const names = [...SANDBOX_RULES.names].filter((name) => clears || name !== 'fixCleanup3_1_3');
      const [rig, alice, bob] = rigOf({ rules: rulesOf(names) }, 'alice', 'bob');
      const Expiration = rig.ledger.header.parentCloseTime + 5;
      const sale = rig.offer(alice!, rig.mint(alice!, { Flags: 8 }), '1', { Flags: SELL, Expiration });
      rig.close();
      rig.close();
      expect(rig.accept(bob!, { NFTokenSellOffer: sale })).toBe('tecEXPIRED');
      expect(rig.ledger.read(sale) === undefined).toBe(clears);
      expect(rig.root(alice!).OwnerCount).toBe(clears ? 1 : 2);
      const cancel = { TransactionType: 'NFTokenCancelOffer', Account: bob!.address, NFTokenOffers: [sale] };
      expect(rig.apply(cancel).result).toBe('tesSUCCESS');
      expect(rig.ledger.read(sale)).toBeUndefined();
      expect(rig.problems()).toEqual([]);
    }
  });

  test('cancelling is for the owner and for the destination of the offer', () => {
    const [rig, alice, bob, carol] = rigOf({}, 'alice', 'bob', 'carol');
    const id = rig.mint(alice!, { Flags: 8 });
    const open = rig.offer(alice!, id, '1', { Flags: SELL });
    const forBob = rig.offer(alice!, id, '1', { Flags: SELL, Destination: bob!.address });
    const cancel = (by: TestAccount, ...ids: string[]) =>
      rig.apply({ TransactionType: 'NFTokenCancelOffer', Account: by.address, NFTokenOffers: ids }).result;
    expect(cancel(carol!, open)).toBe('tecNO_PERMISSION');
    expect(cancel(bob!, open, forBob)).toBe('tecNO_PERMISSION');
    expect(cancel(bob!, forBob)).toBe('tesSUCCESS');
    expect(cancel(alice!, open, open)).toBe('temMALFORMED');
    expect(cancel(alice!, '0'.repeat(64))).toBe('temMALFORMED');
    expect(cancel(alice!, open, forBob)).toBe('tesSUCCESS');
    expect(cancel(alice!, keylets.account(alice!.id))).toBe('tecNO_PERMISSION');
    expect(rig.root(alice!).OwnerCount).toBe(1);
    expect(rig.problems()).toEqual([]);
  });

  test('refusals in their order', () => {
    const [rig, alice, bob, carol] = rigOf({}, 'alice', 'bob', 'carol');
    const id = rig.mint(alice!);
    const result = (by: TestAccount, more: Json) =>
      rig.apply({ TransactionType: 'NFTokenCreateOffer', Account: by.address, NFTokenID: id, ...more })
        .result;
    expect(result(alice!, { Amount: '0' })).toBe('temBAD_AMOUNT');
    expect(result(bob!, { Amount: '1' })).toBe('temMALFORMED');
    expect(result(alice!, { Amount: '1', Flags: SELL, Owner: bob!.address })).toBe('temMALFORMED');
    expect(result(bob!, { Amount: '1', Owner: bob!.address })).toBe('temMALFORMED');
    expect(result(bob!, { Amount: '1', Flags: SELL })).toBe('tecNO_ENTRY');
    expect(result(bob!, { Amount: '1', Owner: carol!.address })).toBe('tecNO_ENTRY');
    // Not transferable: to and from the issuer only.
    expect(result(bob!, { Amount: '1', Owner: alice!.address })).toBe('tefNFTOKEN_IS_NOT_TRANSFERABLE');
    expect(result(alice!, { Amount: '1', Flags: SELL, Destination: bob!.address })).toBe('tesSUCCESS');
    rig.apply({ TransactionType: 'AccountSet', Account: bob!.address, SetFlag: 12 });
    expect(result(alice!, { Amount: '1', Flags: SELL, Destination: bob!.address })).toBe('tecNO_PERMISSION');
  });
});

describe('NFTokenBurn, NFTokenModify', () => {
  test('the offers of a burnt NFT are deleted with it, sell offers first', () => {
    const [rig, alice, bob] = rigOf({}, 'alice', 'bob');
    const id = rig.mint(alice!, { Flags: TRANSFERABLE });
    for (let at = 0; at < 40; at += 1) {
      rig.offer(alice!, id, '1', { Flags: SELL });
      rig.offer(bob!, id, '1', { Owner: alice!.address });
    }
    const burn = { TransactionType: 'NFTokenBurn', Account: alice!.address, NFTokenID: id };
    expect(rig.apply({ ...burn, Account: bob!.address, Owner: alice!.address }).result).toBe(
      'tecNO_PERMISSION',
    );
    expect(rig.apply(burn).result).toBe('tesSUCCESS');
    expect(rig.apply(burn).result).toBe('tecNO_ENTRY');
    expect([rig.root(alice!).OwnerCount, rig.root(bob!).OwnerCount]).toEqual([0, 0]);
    expect(rig.root(alice!).BurnedNFTokens).toBe(1);
    expect(rig.entries().filter(({ LedgerEntryType }) => LedgerEntryType === 'NFTokenOffer')).toEqual([]);
    expect(rig.problems()).toEqual([]);
  });

  test('the issuer burns a burnable NFT, and changes the URI of a mutable one', () => {
    const [rig, issuer, alice] = rigOf({}, 'issuer', 'alice');
    const id = rig.mint(issuer!, { Flags: 1 | TRANSFERABLE | 16 });
    const fixed = rig.mint(issuer!, { Flags: TRANSFERABLE });
    rig.accept(alice!, { NFTokenSellOffer: rig.offer(issuer!, id, '0', { Flags: SELL }) });
    const modify = { TransactionType: 'NFTokenModify', Account: issuer!.address, NFTokenID: id };
    expect(rig.apply({ ...modify, URI: 'CAFE' }).result).toBe('tecNO_ENTRY');
    expect(rig.apply({ ...modify, Owner: alice!.address, URI: 'CAFE' }).result).toBe('tesSUCCESS');
    expect(findToken(rig.ledger, alice!.id, id)).toEqual({ NFTokenID: id, URI: 'CAFE' });
    expect(rig.apply({ ...modify, Account: alice!.address, URI: 'BABE' }).result).toBe('tecNO_PERMISSION');
    expect(rig.apply({ ...modify, NFTokenID: fixed, URI: 'BABE' }).result).toBe('tecNO_PERMISSION');
    expect(rig.apply({ ...modify, Owner: alice!.address }).result).toBe('tesSUCCESS');
    expect(findToken(rig.ledger, alice!.id, id)).toEqual({ NFTokenID: id });
    const burn = {
      TransactionType: 'NFTokenBurn',
      Account: issuer!.address,
      NFTokenID: id,
      Owner: alice!.address,
    };
    expect(rig.apply(burn).result).toBe('tesSUCCESS');
    expect(rig.problems()).toEqual([]);
  });
});

/** The whole-ledger check finds each problem, and none in a valid ledger with many kinds of entries. */
import { describe, expect, test } from 'bun:test';
import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { Entry } from '../../sandbox/protocol/fields.ts';
import { Rig, type TestAccount } from './rig.ts';
import { wholeLedgerProblems } from './whole-ledger.ts';

type Json = Record<string, unknown>;

/** Lines, offers, tickets, tokens on several pages, an NFT offer, an MPT, a pool, and an owner with 40 entries. */
function ledger(): Entry[] {
  const rig = new Rig();
  const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
  rig.close();
  const does = (account: TestAccount, TransactionType: string, more: Json) => {
    const fee = TransactionType === 'AMMCreate' ? { Fee: '200000' } : {};
    const { result } = rig.apply({ TransactionType, Account: account.address, ...fee, ...more });
    expect([TransactionType, result as string]).toEqual([TransactionType, 'tesSUCCESS']);
  };
  const usd = (value: string) => ({ currency: 'USD', issuer: alice.address, value });
  does(alice, 'AccountSet', { SetFlag: 8 });
  does(bob, 'TrustSet', { LimitAmount: usd('1000') });
  does(alice, 'Payment', { Destination: bob.address, Amount: usd('500') });
  does(bob, 'OfferCreate', { TakerPays: '1000', TakerGets: usd('5') });
  does(bob, 'AMMCreate', { Amount: usd('100'), Amount2: '1000000', TradingFee: 0 });
  for (let taxon = 0; taxon < 40; taxon += 1) does(bob, 'NFTokenMint', { NFTokenTaxon: taxon, Flags: 8 });
  const page = rig.entries().find(({ LedgerEntryType }) => LedgerEntryType === 'NFTokenPage')!;
  const { NFTokenID } = page.NFTokens![0]!.NFToken!;
  does(bob, 'NFTokenCreateOffer', { NFTokenID, Amount: '5', Flags: 1 });
  const mpt = rig.root(alice).Sequence!.toString(16).toUpperCase().padStart(8, '0') + alice.id;
  does(alice, 'MPTokenIssuanceCreate', { Flags: 0x20 });
  does(bob, 'MPTokenAuthorize', { MPTokenIssuanceID: mpt });
  does(alice, 'Payment', { Destination: bob.address, Amount: { mpt_issuance_id: mpt, value: '7' } });
  does(alice, 'TicketCreate', { TicketCount: 40 });
  rig.close();
  expect(rig.problems()).toEqual([]);
  return rig.entries();
}

describe('the whole-ledger check', () => {
  const sound = ledger();
  const first = (entries: Entry[], type: string, which: (entry: Entry) => boolean = () => true): Entry =>
    entries.find((entry) => entry.LedgerEntryType === type && which(entry))!;
  const isPage = (entry: Entry): boolean => entry.index !== entry.RootIndex;
  const cases: [what: string, meddle: (entries: Entry[]) => void, found: RegExp][] = [
    [
      'an owner count that is off',
      (entries) => {
        first(entries, 'AccountRoot', ({ TicketCount }) => TicketCount === 40).OwnerCount! += 1;
      },
      /owns/,
    ],
    [
      'a ticket count that is off',
      (entries) => {
        first(entries, 'AccountRoot', ({ TicketCount }) => TicketCount === 40).TicketCount = 39;
      },
      /holds 40 tickets/,
    ],
    [
      'a negative balance',
      (entries) => {
        first(entries, 'AccountRoot').Balance = Amount.drops(-1n);
      },
      /less than nothing/,
    ],
    [
      'an entry that is gone',
      (entries) => entries.splice(entries.indexOf(first(entries, 'Offer')), 1),
      /which is not there/,
    ],
    [
      'an entry that says another page',
      (entries) => {
        first(entries, 'Ticket').OwnerNode = 7n;
      },
      /not listed where it says/,
    ],
    [
      'a page that is gone',
      (entries) => entries.splice(entries.indexOf(first(entries, 'DirectoryNode', isPage)), 1),
      /missing/,
    ],
    [
      'an empty page',
      (entries) => {
        first(entries, 'DirectoryNode', isPage).Indexes = [];
      },
      /is empty/,
    ],
    [
      'a page that is not linked',
      (entries) => {
        const { RootIndex } = first(entries, 'DirectoryNode', isPage);
        const root = first(entries, 'DirectoryNode', ({ index }) => index === RootIndex);
        root.IndexNext = 0n;
      },
      /cannot be reached/,
    ],
    [
      'a link back that is off',
      (entries) => {
        first(entries, 'DirectoryNode', isPage).IndexPrevious = 5n;
      },
      /links back wrong/,
    ],
    [
      'a book with another rate',
      (entries) => {
        first(entries, 'DirectoryNode', ({ ExchangeRate }) => ExchangeRate !== undefined).ExchangeRate = 1n;
      },
      /another rate/,
    ],
    [
      'an offer of something else',
      (entries) => {
        const offer = first(entries, 'Offer');
        [offer.TakerPays, offer.TakerGets] = [offer.TakerGets, offer.TakerPays];
      },
      /book of another pair/,
    ],
    [
      'LP tokens without a holder',
      (entries) => {
        const pool = first(entries, 'AMM');
        pool.LPTokenBalance = pool.LPTokenBalance!.add(pool.LPTokenBalance!);
      },
      /LP tokens/,
    ],
    [
      'units without a holder',
      (entries) => {
        first(entries, 'MPTokenIssuance').OutstandingAmount = 8n;
      },
      /says 8, 7 are held/,
    ],
    [
      'NFTs out of order',
      (entries) => {
        const page = first(entries, 'NFTokenPage');
        page.NFTokens = [...page.NFTokens!].reverse();
      },
      /not in order/,
    ],
    [
      'an NFT page without its link',
      (entries) => {
        delete first(entries, 'NFTokenPage', ({ NextPageMin }) => NextPageMin !== undefined).NextPageMin;
      },
      /linked wrong/,
    ],
  ];
  test.each(cases)('finds %s', (_what, meddle, found) => {
    const entries = sound.map((entry) => ({ ...entry }));
    expect(wholeLedgerProblems(entries)).toEqual([]);
    meddle(entries);
    expect(wholeLedgerProblems(entries).join('\n')).toMatch(found);
  });
});

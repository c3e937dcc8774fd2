/** An MPT from issuance to pool, over metadata made up in JSON and encoded by the reference codec. */
import { describe, expect, test } from 'bun:test';
import { decimalText } from '../../../engine/codec/amount.ts';
import { Window } from '../../../engine/market/figures.ts';
import { TradeReader, TradeType } from '../../../engine/market/trade-record.ts';
import { Issuance } from '../../../engine/state/tokens.ts';
import { entryIndex, type Made, madeLedger, person, poolNodes, taken } from './made.ts';
import { Rig } from './rig.ts';

const ISSUER = person(5);
const HOLDER = person(6);
const POOL = person(7);
const ID = `00000009${'05'.repeat(20)}`;
const mpt = (value: string) => ({ mpt_issuance_id: ID, value });
const METADATA = { t: 'TBL', n: 'Table', i: 'example.org/icon.png' };

const issuance = (kind: string, outstanding: string, more: object = {}): object => ({
  [kind]: {
    LedgerEntryType: 'MPTokenIssuance',
    LedgerIndex: entryIndex(9),
    [kind === 'CreatedNode' ? 'NewFields' : 'FinalFields']: {
      Issuer: ISSUER,
      Sequence: 9,
      MaximumAmount: '9223372036854775807',
      AssetScale: 2,
      TransferFee: 1000,
      Flags: 0x7e,
      MPTokenMetadata: Buffer.from(JSON.stringify(METADATA)).toString('hex').toUpperCase(),
      ...(outstanding === '0' ? {} : { OutstandingAmount: outstanding }),
      ...more,
    },
  },
});
const held = (kind: string, account: string, after: object, before?: object): object => ({
  [kind]: {
    LedgerEntryType: 'MPToken',
    LedgerIndex: entryIndex(account === HOLDER ? 10 : 11),
    [kind === 'CreatedNode' ? 'NewFields' : 'FinalFields']: {
      Account: account,
      MPTokenIssuanceID: ID,
      ...after,
    },
    ...(before ? { PreviousFields: before } : {}),
  },
});
const tx = (TransactionType: string, nodes: object[], more: object = {}): Made => ({
  tx: { TransactionType, ...more },
  nodes,
});

const create = tx('MPTokenIssuanceCreate', [issuance('CreatedNode', '0')]);
const authorize = tx('MPTokenAuthorize', [held('CreatedNode', HOLDER, {})], { MPTokenIssuanceID: ID });
/** From zero: MPTAmount is left out of PreviousFields, as it was out of the entry. */
const pay = tx(
  'Payment',
  [
    held('ModifiedNode', HOLDER, { Flags: 0, MPTAmount: '9223372036854775807' }, {}),
    issuance('ModifiedNode', '9223372036854775807'),
  ],
  { Destination: HOLDER, Amount: mpt('9223372036854775807') },
);
const poolCreate = tx('AMMCreate', poolNodes(POOL, 2_000_000_000, mpt('500'), 1000), {
  Amount: '2000000000',
  Amount2: mpt('500'),
  TradingFee: 500,
});
const swap = tx(
  'Payment',
  [
    {
      ModifiedNode: {
        LedgerEntryType: 'AccountRoot',
        LedgerIndex: entryIndex(1002),
        FinalFields: { Account: POOL, AMMID: entryIndex(1000), Balance: '2100000000', Flags: 0, Sequence: 1 },
        PreviousFields: { Balance: '2000000000' },
      },
    },
    held('ModifiedNode', POOL, { Flags: 4, MPTAmount: '480' }, { MPTAmount: '500' }),
    held('ModifiedNode', HOLDER, { Flags: 0, MPTAmount: '1020' }, { MPTAmount: '1000' }),
  ],
  { Destination: HOLDER, Amount: mpt('20'), SendMax: '100000000' },
);
const lock = tx(
  'EscrowCreate',
  [
    held('ModifiedNode', HOLDER, { Flags: 1, LockedAmount: '1020' }, { MPTAmount: '1020' }),
    issuance('ModifiedNode', '1520', { LockedAmount: '1020' }),
  ],
  { Destination: HOLDER, Amount: mpt('1020'), FinishAfter: 1 },
);
const destroy = tx(
  'MPTokenIssuanceDestroy',
  [issuance('DeletedNode', '0'), held('DeletedNode', HOLDER, { Flags: 0 })],
  { MPTokenIssuanceID: ID },
);

function applied(...made: readonly Made[]) {
  const rig = new Rig();
  for (const [i, one] of made.entries()) {
    const sample = madeLedger(100 + i, 800_000_000 + i * 4, [one]);
    rig.apply(sample.packed, sample.changes);
  }
  const token = rig.state.tokens.byMptId(ID)!;
  const holder = rig.state.accounts.findText(HOLDER)!;
  return { rig, token, holder, line: rig.state.lines.find(holder, token) };
}
const record = (rig: Rig) => new TradeReader(rig.market.trades).at(0);

describe('an MPT', () => {
  test('issued, held, paid out', () => {
    const { rig, token, line } = applied(create, authorize);
    const { tokens, lines } = rig.state;
    expect([tokens.kind(token), tokens.slug(token), tokens.mptId(token)]).toEqual([2, `mpt-${ID}`, ID]);
    expect(tokens.metadata(token)).toBe(JSON.stringify(METADATA));
    expect([tokens.assetScale[token], tokens.transferFee[token]]).toEqual([2, 1000]);
    expect([lines.lineCount(token), lines.holdersCount(token)]).toEqual([1, 0]);
    expect(lines.balanceRaw(line!, token)).toEqual([0, 0]);
    const paid = applied(create, authorize, pay);
    expect(paid.rig.state.lines.holdersCount(paid.token)).toBe(1);
    expect(paid.rig.state.lines.balanceRaw(paid.line!, paid.token)).toEqual([0x7fffffff, 0xffffffff]);
    expect(decimalText(paid.rig.state.lines.supply(paid.token))).toBe('92233720368547758.07');
    expect(paid.rig.market.tradeCount).toBe(0);
  });

  test('traded on a book, both ways round', () => {
    const sold = taken(50, person(8), '3000000', mpt('4'));
    const bought = taken(51, person(8), mpt('8'), '4000000');
    const { rig, token } = applied(create, sold, bought);
    const { prices, windows, candles } = rig.market;
    expect(rig.market.tradeCount).toBe(1);
    expect([record(rig).paidToken, record(rig).paidKind, record(rig).paidLo]).toEqual([token, 2, 8]);
    // Of the smallest unit, 100 are one token.
    expect(prices.price(token)).toBe(50);
    expect([windows.max(token), windows.min(token)]).toEqual([75, 50]);
    expect([windows.buys(token), windows.sells(token), windows.tokenVolume(token)]).toEqual([1, 1, 0.12]);
    expect(windows.volumeDrops(token, Window.h24)).toBe(7_000_000);
    expect([...candles.series({ token, seconds: 60 }).rows.slice(1, 5)]).toEqual([75, 75, 50, 50]);
  });

  test('an offer of an MPT is in its book with whole units', () => {
    const placed: Made = {
      tx: { TransactionType: 'OfferCreate', TakerPays: '1', TakerGets: mpt('77') },
      nodes: [
        {
          CreatedNode: {
            LedgerEntryType: 'Offer',
            LedgerIndex: entryIndex(60),
            NewFields: {
              Account: HOLDER,
              BookDirectory: `${'0'.repeat(48)}5C0AA87BEE538000`,
              Sequence: 60,
              TakerPays: '1',
              TakerGets: mpt('77'),
            },
          },
        },
      ],
    };
    const { rig, token } = applied(create, placed);
    const { books } = rig.state;
    const offer = books.offers(books.book(0, token)!)[0]!;
    expect([books.getsHi[offer], books.getsLo[offer], books.paysLo[offer]]).toEqual([0, 77, 1]);
  });

  test('in a pool: created, swapped', () => {
    const made = applied(create, authorize, poolCreate);
    expect(record(made.rig).type).toBe(TradeType.create);
    expect([record(made.rig).paidLo, record(made.rig).gotLo]).toEqual([2_000_000_000, 500]);
    expect(made.rig.market.prices.price(made.token)).toBe(400);
    const { rig, token } = applied(create, authorize, poolCreate, swap);
    expect(rig.market.tradeCount).toBe(1);
    expect(record(rig).isAMM).toBe(true);
    expect([record(rig).paidToken, record(rig).paidLo, record(rig).gotLo]).toEqual([token, 20, 100_000_000]);
    expect(rig.market.prices.price(token)).toBe(500);
    const pool = rig.state.pools.byAssets(0, token)!;
    expect(rig.state.pools.reserveRaw(pool, 2)).toEqual([0, 480]);
  });

  test('a change of a holding that is not a pool’s is not a swap', () => {
    const transfer = tx(
      'Payment',
      [
        held('ModifiedNode', HOLDER, { Flags: 0, MPTAmount: '1' }, { MPTAmount: '3' }),
        held('ModifiedNode', person(12), { Flags: 0, MPTAmount: '4' }, { MPTAmount: '2' }),
      ],
      { Destination: HOLDER, Amount: mpt('2') },
    );
    expect(applied(create, transfer).rig.market.tradeCount).toBe(0);
  });

  test('locked in an escrow, destroyed', () => {
    const { rig, token, line } = applied(create, authorize, lock);
    const { lines } = rig.state;
    expect(lines.limitRaw(line!, token)).toEqual([0, 1020]);
    expect(lines.balanceRaw(line!, token)).toEqual([0, 0]);
    expect(lines.frozenByIssuer(line!, token)).toBe(true);
    expect(decimalText(lines.supply(token))).toBe('15.2');
    const gone = applied(create, authorize, pay, destroy);
    expect(gone.rig.state.tokens.issuanceState[gone.token]).toBe(Issuance.destroyed);
    expect(decimalText(gone.rig.state.lines.supply(gone.token))).toBe('0');
    expect(gone.line).toBeUndefined();
  });

  test('all of it is the same after a restart', async () => {
    const { rig } = applied(
      create,
      authorize,
      pay,
      poolCreate,
      swap,
      taken(50, person(8), '3000000', mpt('4')),
    );
    await rig.commit();
    const again = rig.restarted();
    expect([again.state.digest(), again.market.digest()]).toEqual([rig.state.digest(), rig.market.digest()]);
    expect(again.state.tokens.metadata(again.state.tokens.byMptId(ID)!)).toBe(JSON.stringify(METADATA));
  });
});

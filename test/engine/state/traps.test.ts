/** Traps of ledger metadata, each as a node or two: what must survive a change, and what must not. */
import { describe, expect, test } from 'bun:test';
import { decimalText, rawText } from '../../../engine/codec/amount.ts';
import { Presence } from '../../../engine/state/accounts.ts';
import { madeLedger, person, poolNodes } from '../market/made.ts';
import { Rig } from '../market/rig.ts';

const INDEX = 'AB'.repeat(32);
const low = person(3);
const high = person(9);
const none = 'rrrrrrrrrrrrrrrrrrrrBZbvji';

function applied(...ledgers: readonly (readonly object[])[]): Rig['state'] {
  const rig = new Rig();
  for (const [i, nodes] of ledgers.entries()) {
    const sample = madeLedger(i + 1, 700_000_000 + i * 10, [
      { tx: { TransactionType: 'AccountSet' }, nodes },
    ]);
    rig.apply(sample.packed, sample.changes);
  }
  return rig.state;
}

const node = (kind: string, LedgerEntryType: string, fields: object): object => ({
  [kind]: {
    LedgerEntryType,
    LedgerIndex: INDEX,
    [kind === 'CreatedNode' ? 'NewFields' : 'FinalFields']: fields,
  },
});
const root = (kind: string, Balance: string) =>
  node(kind, 'AccountRoot', {
    Account: low,
    Balance,
    Sequence: 5,
    ...(kind === 'CreatedNode' ? {} : { Flags: 0, OwnerCount: 3 }),
  });

describe('accounts', () => {
  test('the first sight of one stays, its defaults do not, and deletion empties it', () => {
    const state = applied([root('CreatedNode', '50')], [root('ModifiedNode', '70')]);
    const id = state.accounts.findText(low)!;
    expect([state.accounts.firstSeen[id], state.accounts.ownerCount[id]]).toEqual([700_000_000, 3]);
    const gone = applied(
      [root('CreatedNode', '50')],
      [root('ModifiedNode', '70')],
      [root('DeletedNode', '0')],
    );
    expect([
      gone.accounts.presence[id],
      gone.accounts.balanceDrops(id),
      gone.accounts.ownerCount[id],
    ]).toEqual([Presence.deleted, 0n, 0]);
    const again = applied([root('DeletedNode', '0')], [root('CreatedNode', '9')]);
    expect([again.accounts.balanceDrops(id), again.accounts.ownerCount[id], again.accounts.existing]).toEqual(
      [9n, 0, 1],
    );
  });

  test('one that is made again is as old as its last creation', () => {
    const { accounts } = applied(
      [root('CreatedNode', '50')],
      [root('DeletedNode', '0')],
      [root('CreatedNode', '9')],
      [root('ModifiedNode', '7')],
    );
    expect(accounts.firstSeen[accounts.findText(low)!]).toBe(700_000_020);
  });
});

const amount = (value: string, issuer: string) => ({ currency: 'USD', issuer, value });
const line = (kind: string, balance: string, lowLimit: string, highLimit: string, Flags: number): object =>
  node(kind, 'RippleState', {
    // An issued zero is no default (rippled STAmount::isDefault), so it is never left out.
    Balance: amount(balance, none),
    LowLimit: amount(lowLimit, low),
    HighLimit: amount(highLimit, high),
    ...(Flags ? { Flags } : {}),
  });

/** What both ends of the one line hold of the other's token. */
function ends(state: Rig['state']) {
  const { lines, tokens } = state;
  return [high, low].map((issuer) => {
    const token = tokens.find(issuer, 'USD');
    if (token === undefined || lines.lineCount(token) === 0) return undefined;
    const id = lines.holders(token)[0]!;
    return {
      holder: state.accounts.text(lines.holderAccount(id, token)),
      balance: rawText(1, ...lines.balanceRaw(id, token)),
      limit: rawText(1, ...lines.limitRaw(id, token)),
      supply: decimalText(lines.supply(token)),
      holders: lines.holdersCount(token),
      frozen: [lines.frozenByIssuer(id, token), lines.frozenByHolder(id, token), lines.deepFrozen(id, token)],
    };
  });
}

describe('trust lines', () => {
  const unfrozen = [false, false, false];
  test('positive: low holds what high issues; negative: the other way round', () => {
    const held = { balance: '7', limit: '10', supply: '7', holders: 1, frozen: unfrozen };
    expect(ends(applied([line('CreatedNode', '7', '10', '0', 0x10000)]))).toEqual([
      { ...held, holder: low },
      undefined,
    ]);
    expect(ends(applied([line('CreatedNode', '-7', '0', '10', 0x20000)]))).toEqual([
      undefined,
      { ...held, holder: high },
    ]);
  });

  test('both ends may trust: two tokens on one line, of which one is held', () => {
    const [ofHigh, ofLow] = ends(applied([line('CreatedNode', '-7', '5', '10', 0x30000)]));
    expect(ofHigh).toEqual({
      holder: low,
      balance: '-7',
      limit: '5',
      supply: '0',
      holders: 0,
      frozen: unfrozen,
    });
    expect(ofLow).toEqual({
      holder: high,
      balance: '7',
      limit: '10',
      supply: '7',
      holders: 1,
      frozen: unfrozen,
    });
  });

  test('a balance that changes sides moves the supply from one token to the other', () => {
    const [ofHigh, ofLow] = ends(
      applied(
        [line('CreatedNode', '7', '10', '10', 0x30000)],
        [line('ModifiedNode', '-3', '10', '10', 0x30000)],
      ),
    );
    expect([ofHigh!.supply, ofHigh!.holders, ofLow!.supply, ofLow!.holders]).toEqual(['0', 0, '3', 1]);
  });

  test('each freeze flag belongs to the end that set it', () => {
    const frozenOf = (flags: number) =>
      ends(applied([line('CreatedNode', '7', '10', '0', 0x10000 | flags)]))[0]!.frozen;
    // Low holds; high is the issuer: lsfHighFreeze, lsfLowFreeze, lsfHighDeepFreeze, lsfLowDeepFreeze.
    expect(frozenOf(0x00800000)).toEqual([true, false, false]);
    expect(frozenOf(0x00400000)).toEqual([false, true, false]);
    expect(frozenOf(0x04000000)).toEqual([false, false, true]);
    expect(frozenOf(0x02000000)).toEqual([false, false, false]);
    const other = (flags: number) =>
      ends(applied([line('CreatedNode', '-7', '0', '10', 0x20000 | flags)]))[1]!.frozen;
    expect(other(0x00400000)).toEqual([true, false, false]);
    expect(other(0x00800000)).toEqual([false, true, false]);
    expect(other(0x02000000)).toEqual([false, false, true]);
  });

  test('frozen lines are counted while they are frozen, in the token of the end that froze them', () => {
    const counted = (...kinds: readonly [string, number][]) => {
      const ledgers = kinds.map(([kind, flags]) => [line(kind, '7', '10', '10', 0x30000 | flags)]);
      const { lines, tokens } = applied(...ledgers);
      return [high, low].map((issuer) => {
        const token = tokens.find(issuer, 'USD')!;
        return [lines.frozenCount(token), lines.frozenLines(token).size];
      });
    };
    const created = 'CreatedNode';
    const modified = 'ModifiedNode';
    // Both ends hold the other's token; lsfHighFreeze freezes high's, lsfLowFreeze low's; either shows in both.
    expect(counted([created, 0])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(counted([created, 0x800000])).toEqual([
      [1, 1],
      [0, 1],
    ]);
    expect(counted([created, 0], [modified, 0x400000])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(counted([created, 0x800000], [modified, 0xc00000])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(counted([created, 0xc00000], [modified, 0x400000])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(counted([created, 0xc00000], [modified, 0])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(counted([created, 0xc00000], ['DeletedNode', 0xc00000])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  test('a frozen, authorised or no-ripple line that is not used makes no holder', () => {
    for (const flags of [0x00040000, 0x00080000, 0x00100000, 0x00200000, 0x00800000]) {
      const state = applied([line('CreatedNode', '0', '10', '0', 0x10000 | flags)]);
      expect(ends(state)[0]!.holders).toBe(0);
      expect(ends(state)[1]).toBeUndefined();
    }
  });

  test('deleted with a last balance in PreviousFields: nothing is left of it', () => {
    expect(
      ends(applied([line('CreatedNode', '7', '10', '0', 0x10000)], [line('DeletedNode', '0', '0', '0', 0)])),
    ).toEqual([undefined, undefined]);
  });
});

describe('pools', () => {
  test('a deleted one has no LP tokens, no place among pools, and its successor is another', () => {
    const asset = { currency: 'USD', issuer: low, value: '5' };
    const create = poolNodes(person(40), 100, asset, 70);
    const { CreatedNode } = create[0] as { CreatedNode: { LedgerIndex: string; NewFields: object } };
    const amm = { LedgerEntryType: 'AMM', LedgerIndex: CreatedNode.LedgerIndex };
    const fields = { ...CreatedNode.NewFields, Asset: { currency: 'XRP' }, TradingFee: 500 };
    const gone = applied(create, [{ DeletedNode: { ...amm, FinalFields: fields } }]);
    const token = gone.tokens.find(low, 'USD')!;
    expect([gone.pools.byAssets(0, token), gone.pools.exists(1), gone.pools.existing]).toEqual([
      undefined,
      false,
      0,
    ]);
    expect(gone.pools.lpBalanceRaw(1)).toEqual([0x80000000, 0]);
    const again = applied(
      create,
      [{ DeletedNode: { ...amm, FinalFields: fields } }],
      poolNodes(person(41), 200, asset, 80),
    );
    expect(again.pools.byAssets(token, 0)).toBe(2);
    expect(again.pools.reserveRaw(2, again.pools.asset1(2) === 0 ? 1 : 2)).toEqual([0x40000000, 200]);
  });
});

describe('offers', () => {
  const offer = (kind: string, more: object): object =>
    node(kind, 'Offer', {
      Account: low,
      BookDirectory: `${'0'.repeat(48)}5C0AA87BEE538000`,
      Sequence: 77,
      TakerPays: '30',
      TakerGets: amount('3', high),
      ...(kind === 'CreatedNode' ? {} : { BookNode: '0', OwnerNode: '0', Flags: 0 }),
      ...more,
    });
  const DOMAIN = 'D0'.repeat(32);
  const HYBRID = 0x00040000;
  test('open, in a domain, in both; and moved when it was replaced unseen', () => {
    const places = (...ledgers: object[]) => {
      const state = applied(...ledgers.map((one) => [one]));
      const usd = state.tokens.find(high, 'USD')!;
      return [0, 1].map((domain) => {
        const book = state.books.book(0, usd, domain);
        return book === undefined ? 0 : state.books.size(book);
      });
    };
    expect(places(offer('CreatedNode', {}))).toEqual([1, 0]);
    expect(places(offer('CreatedNode', { DomainID: DOMAIN }))).toEqual([0, 1]);
    expect(places(offer('CreatedNode', { DomainID: DOMAIN, Flags: HYBRID }))).toEqual([1, 1]);
    expect(places(offer('CreatedNode', {}), offer('ModifiedNode', { DomainID: DOMAIN }))).toEqual([0, 1]);
    expect(
      places(offer('CreatedNode', { DomainID: DOMAIN, Flags: HYBRID }), offer('DeletedNode', {})),
    ).toEqual([0, 0]);
  });
});

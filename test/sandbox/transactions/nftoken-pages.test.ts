/** Pages of NFTs against a plain sorted list: their contents, order, links, sizes and the owner's count. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import {
  changeTokenUri,
  findToken,
  insertToken,
  PAGE_TOKENS,
  removeToken,
} from '../../../sandbox/assets/nftoken-pages.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import { rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { MapView } from '../rig.ts';

const OWNER = 'AB'.repeat(20);
const FEES = { base: 10n, reserve: 1_000_000n, increment: 200_000n };
const HEADER = { index: 3, parentHash: '0'.repeat(64), parentCloseTime: 0, closeTime: 4, totalDrops: 0n };

const root = (): Entry => ({
  LedgerEntryType: 'AccountRoot',
  index: keylets.account(OWNER),
  Account: OWNER,
  Balance: Amount.drops(10_000_000n),
  OwnerCount: 0,
  Sequence: 1,
  Flags: 0,
});

const emptyTable = (rules = SANDBOX_RULES) =>
  new EntryTable(new MapView(HEADER, rules, FEES, false, [root()]));

/** An id whose low 96 bits are `low` and whose upper part is `upper`. */
const idOf = (upper: number, low: number): Hex =>
  upper.toString(16).toUpperCase().padStart(40, '0') + low.toString(16).toUpperCase().padStart(24, '0');

/** The pages in the order of their keys. */
function pagesOf(view: EntryTable): Readonly<Entry>[] {
  const pages: Readonly<Entry>[] = [];
  let key = view.successor(keylets.nftPageMin(OWNER));
  while (key?.startsWith(OWNER)) {
    pages.push(view.read(key)!);
    key = view.successor(key);
  }
  return pages;
}

const idsOn = (page: Readonly<Entry>): Hex[] =>
  (page.NFTokens ?? []).map(({ NFToken }) => NFToken!.NFTokenID!);

/** The order computed independently: as numbers, the low 96 bits before the rest. */
const rank = (id: Hex): bigint => (BigInt(`0x${id.slice(40)}`) << 160n) | BigInt(`0x${id.slice(0, 40)}`);
const sorted = (ids: Iterable<Hex>): Hex[] => [...ids].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));

/** Conditions for every set of pages. */
function checkPages(view: EntryTable, model: ReadonlySet<Hex>, lastKeyFixed: boolean): void {
  const pages = pagesOf(view);
  expect(pages.flatMap(idsOn)).toEqual(sorted(model));
  expect(view.read(keylets.account(OWNER))!.OwnerCount).toBe(pages.length);
  pages.forEach((page, at) => {
    const ids = idsOn(page);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.length).toBeLessThanOrEqual(PAGE_TOKENS);
    expect(page.PreviousPageMin).toBe(pages[at - 1]?.index);
    expect(page.NextPageMin).toBe(pages[at + 1]?.index);
    // The page's bits are above its own NFTs' and not above the next page's.
    const bits = page.index.slice(40);
    expect(ids.every((id) => id.slice(40) < bits || bits === 'F'.repeat(24))).toBe(true);
    expect(idsOn(pages[at + 1] ?? page).every((id) => at + 1 === pages.length || id.slice(40) >= bits)).toBe(
      true,
    );
    // Equivalent NFTs are on one page.
    const nextIds = at + 1 < pages.length ? idsOn(pages[at + 1]!) : [];
    expect(nextIds.some((id) => id.slice(40) === ids[ids.length - 1]!.slice(40))).toBe(false);
  });
  if (lastKeyFixed && pages.length > 0)
    expect(pages[pages.length - 1]!.index).toBe(keylets.nftPageMax(OWNER));
}

/** After a removal no neighbour of its page would fit on it. */
function checkMerged(view: EntryTable, removed: Hex): void {
  const pages = pagesOf(view);
  const at = pages.findIndex((page) => page.index.slice(40) > removed.slice(40));
  const sizes = pages.map((page) => idsOn(page).length);
  for (const left of [at - 1, at]) {
    const together = (sizes[left] ?? PAGE_TOKENS) + (sizes[left + 1] ?? PAGE_TOKENS);
    expect(together).toBeGreaterThan(PAGE_TOKENS);
  }
}

function run(operations: readonly [boolean, number, number][], pageLinks: boolean): void {
  const names = [...SANDBOX_RULES.names].filter((name) => pageLinks || name !== 'fixNFTokenPageLinks');
  const view = emptyTable(rulesOf(names));
  const model = new Set<Hex>();
  for (const [add, upper, low] of operations) {
    const id = idOf(upper, low);
    if (add && !model.has(id)) {
      const equivalents = [...model].filter((other) => other.slice(40) === id.slice(40)).length;
      const trial = new EntryTable(view);
      const result = insertToken(trial, OWNER, { NFTokenID: id });
      expect(result).toBe(equivalents === PAGE_TOKENS ? 'tecNO_SUITABLE_NFTOKEN_PAGE' : 'tesSUCCESS');
      if (result !== 'tesSUCCESS') continue;
      trial.applyTo(view);
      model.add(id);
    } else if (!add) {
      // Removes an existing NFT if the list is not empty: the random number is an index into it.
      const ids = sorted(model);
      const victim = ids[(upper * 7 + low) % Math.max(ids.length, 1)] ?? id;
      const pages = pagesOf(view).length;
      expect(removeToken(view, OWNER, victim)).toBe(model.delete(victim) ? 'tesSUCCESS' : 'tecNO_ENTRY');
      if (pagesOf(view).length === pages) checkMerged(view, victim);
    }
  }
  checkPages(view, model, pageLinks);
  for (const id of model) expect(findToken(view, OWNER, id)?.NFTokenID).toBe(id);
  for (const id of sorted(model)) expect(removeToken(view, OWNER, id)).toBe('tesSUCCESS');
  expect(pagesOf(view)).toEqual([]);
  expect(view.read(keylets.account(OWNER))!.OwnerCount).toBe(0);
}

/** Many additions, then many of both kinds; few low parts make equivalents crowd, many spread them. */
const operations = (lows: number) =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.constant(true), fc.nat(60), fc.nat(lows)), { minLength: 60, maxLength: 180 }),
      fc.array(fc.tuple(fc.boolean(), fc.nat(60), fc.nat(lows)), { maxLength: 150 }),
    )
    .map(([first, second]) => [...first, ...second] as [boolean, number, number][]);

describe('NFT pages behave like a sorted list', () => {
  const seed = 20_260_601;
  for (const [name, lows] of [
    ['spread', 1_000],
    ['crowded', 6],
  ] as const) {
    test(`${name}, seed ${seed}`, () => {
      console.log(`NFT pages, ${name}: seed ${seed}`);
      fc.assert(
        fc.property(operations(lows), (drawn) => run(drawn, true)),
        { seed, numRuns: 60 },
      );
    });
  }
});

describe('NFT pages', () => {
  test('a full page is split in the middle, the lower half going to a new page', () => {
    const view = emptyTable();
    for (let low = 1; low <= PAGE_TOKENS; low += 1) insertToken(view, OWNER, { NFTokenID: idOf(0, low) });
    expect(pagesOf(view)).toHaveLength(1);
    insertToken(view, OWNER, { NFTokenID: idOf(0, 100) });
    const [lower, upper] = pagesOf(view);
    expect(lower!.index).toBe(OWNER + idOf(0, 17).slice(40));
    expect(idsOn(lower!)).toHaveLength(16);
    expect(idsOn(upper!)).toHaveLength(17);
  });

  test('a page of 32 equivalents is not split, for an NFT below and one above', () => {
    for (const low of [4, 6]) {
      const view = emptyTable();
      for (let upper = 0; upper < PAGE_TOKENS; upper += 1)
        insertToken(view, OWNER, { NFTokenID: idOf(upper, 5) });
      expect(insertToken(view, OWNER, { NFTokenID: idOf(0, low) })).toBe('tesSUCCESS');
      expect(pagesOf(view).map((page) => idsOn(page).length)).toEqual(low < 5 ? [1, 32] : [32, 1]);
      expect(pagesOf(view)[0]!.index).toBe(OWNER + idOf(0, low < 5 ? 5 : 6).slice(40));
      expect(insertToken(view, OWNER, { NFTokenID: idOf(99, 5) })).toBe('tecNO_SUITABLE_NFTOKEN_PAGE');
    }
  });

  test('an empty last page is refilled from the page before (fixNFTokenPageLinks)', () => {
    for (const fixed of [true, false]) {
      const names = [...SANDBOX_RULES.names].filter((name) => fixed || name !== 'fixNFTokenPageLinks');
      const view = emptyTable(rulesOf(names));
      for (let upper = 0; upper < PAGE_TOKENS; upper += 1)
        insertToken(view, OWNER, { NFTokenID: idOf(upper, 5) });
      insertToken(view, OWNER, { NFTokenID: idOf(0, 9) });
      removeToken(view, OWNER, idOf(0, 9));
      const pages = pagesOf(view);
      expect(pages).toHaveLength(1);
      expect(pages[0]!.index === keylets.nftPageMax(OWNER)).toBe(fixed);
      expect(pages[0]!.NextPageMin).toBeUndefined();
      expect(view.read(keylets.account(OWNER))!.OwnerCount).toBe(1);
    }
  });

  test('an added page must be covered by the reserve, an existing one costs nothing', () => {
    const view = emptyTable();
    expect(insertToken(new EntryTable(view), OWNER, { NFTokenID: idOf(0, 1) }, 1_199_999n)).toBe(
      'tecINSUFFICIENT_RESERVE',
    );
    expect(insertToken(view, OWNER, { NFTokenID: idOf(0, 1) }, 1_200_000n)).toBe('tesSUCCESS');
    expect(insertToken(view, OWNER, { NFTokenID: idOf(0, 2) }, 0n)).toBe('tesSUCCESS');
  });

  test('a URI is set and removed', () => {
    const view = emptyTable();
    insertToken(view, OWNER, { NFTokenID: idOf(0, 1) });
    expect(changeTokenUri(view, OWNER, idOf(0, 1), 'AA')).toBe('tesSUCCESS');
    expect(findToken(view, OWNER, idOf(0, 1))).toEqual({ NFTokenID: idOf(0, 1), URI: 'AA' });
    expect(changeTokenUri(view, OWNER, idOf(0, 1), undefined)).toBe('tesSUCCESS');
    expect(findToken(view, OWNER, idOf(0, 1))).toEqual({ NFTokenID: idOf(0, 1) });
    expect(changeTokenUri(view, OWNER, idOf(0, 2), 'AA')).toBe('tecINTERNAL');
  });
});

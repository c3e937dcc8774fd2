/** The pages of collections of NFTs: their numbers are those that the routes answer of the same ledger. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { CollectionData } from '../../platform/collection-metadata.ts';
import type { NftMetadata } from '../../platform/nft-metadata.ts';
import { Invalidation } from '../../views/invalidation.ts';
import { NftViews } from '../../views/nfts/nfts.ts';
import { until } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { Market } from './market.ts';

describeInBrowser('collections', (browser) => {
  let market: Market;
  beforeAll(async () => {
    market = await Market.start({ ledgers: 90 });
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  test('are listed, sorted as is asked, and lead to their pages', async () => {
    await using tab = await browser().open(`${market.url}/#/collections?sort=items`);
    const { collections, total } = await market.get('/v1/nft/collections?limit=50&sort=items');
    expect(total).toBeGreaterThan(0);
    await tab.text(new RegExp(`${total} collections`));
    const [{ slug, items, taxon }] = collections;
    await tab.text(new RegExp(` ${taxon}$`), '.column-name a');
    await tab.text(new RegExp(`\\b${items}\\b`), '.collections [role="table"], .collections table');
    await tab.page.click('.column-name a');
    await tab.text(new RegExp(slug), '.collection-page .mono');
    expect(tab.problems).toEqual([]);
  });

  test('show owners, listings and events of the newest ledger', async () => {
    const [{ slug }] = (await market.get('/v1/nft/collections?limit=1&sort=items')).collections;
    await using tab = await browser().open(`${market.url}/#/collection/${slug}`);
    await tab.text(/First minted/);
    const one = await market.get(`/v1/nft/collections/${slug}`);
    const facts = await tab.evaluate<Record<string, string>>(
      'Object.fromEntries([...document.querySelectorAll(".facts > div")].map((f) => [f.children[0].innerText, f.children[1].innerText]))',
    );
    const floors = (await market.get(`/v1/nft/collections/${slug}/floor/history?limit=90`)).history;
    const bars = () =>
      tab.evaluate<number>(`document.querySelectorAll('[aria-labelledby="floor-history"] rect').length`);
    const isListed = floors.some(({ floor }: { floor: number | null }) => floor !== null);
    await until(async () => (await bars()) === (isListed ? floors.length : 0), 'the floors');
    const named = one.name || `${slug.slice(0, 6)}…${slug.slice(-4)}`;
    expect(await tab.evaluate<string>('document.title')).toBe(`${named}, NFTs · Millrace`);
    expect(await tab.read('.figures')).toContain(`Volume ${written(one.totalVolume)} XRP`);
    expect(facts['Royalties paid']).toBe(`${written(one.totalRoyalties)} XRP`);
    expect([facts.Taxon, facts.Burned, facts.Listed]).toEqual(
      [one.taxon, one.burnedItems, one.listedCount].map(String),
    );
    const { owners } = await market.get(`/v1/nft/collections/${slug}/ownership?limit=20`);
    const rowsOf = (section: string) =>
      tab.evaluate<number>(`document.querySelectorAll('[aria-labelledby="${section}"] tbody tr').length`);
    await until(async () => (await rowsOf('owners')) === owners.length, 'the owners');
    const { history } = await market.get(`/v1/nft/collections/${slug}/history?limit=50`);
    await until(async () => (await rowsOf('activity')) === history.length, 'the events');
    expect(tab.problems).toEqual([]);
  });

  test('lead to an NFT, with its owner, offers and events of the newest ledger', async () => {
    const id = (await market.get('/v1/nft?sort=cost.amount&limit=1')).nfts[0].NFTokenID as string;
    await using tab = await browser().open(`${market.url}/#/nft/${id}`);
    await tab.text(new RegExp(id), '.nft-page .id');
    await tab.text(/Serial/);
    const one = await market.get(`/v1/nft/${id}`);
    const facts = await tab.evaluate<Record<string, string>>(
      'Object.fromEntries([...document.querySelectorAll(".facts > div")].map((f) => [f.children[0].innerText, f.children[1].innerText]))',
    );
    expect(facts.Serial).toBe(String(one.serial));
    const short = `${id.slice(0, 6)}…${id.slice(-4)}`;
    expect(await tab.evaluate<string>('document.title')).toBe(`${one.name ?? short}, NFT · Millrace`);
    expect(await tab.evaluate<string>('document.querySelector(".facts dd a").title')).toContain(one.account);
    const rowsOf = (section: string) =>
      tab.evaluate<number>(`document.querySelectorAll('[aria-labelledby="${section}"] tbody tr').length`);
    const { history } = await market.get(`/v1/nft/history/${id}?limit=50`);
    await until(async () => (await rowsOf('events')) === history.length, 'the events');
    const { sellOffers, buyOffers } = await market.get(`/v1/nft/${id}/offers`);
    for (const [section, rows] of [
      ['sell', sellOffers],
      ['buy', buyOffers],
    ] as const)
      await until(async () => (await rowsOf(section)) === rows.length, `offers to ${section}`);
    expect(tab.problems).toEqual([]);
  });

  test('an address that names nothing says so, and asks for nothing', async () => {
    await using tab = await browser().open(`${market.url}/#/collection`);
    for (const [page, what] of [
      ['collection', 'collection'],
      ['nft/', 'NFT'],
      ['token', 'token'],
      ['trader', 'account'],
      ['account/', 'account'],
      ['tx', 'transaction'],
    ]) {
      await tab.go(`#/${page}`);
      await tab.text(new RegExp(`^The address of this page names no ${what}\\.$`), 'main .failure', 5_000);
    }
    expect(await violationsOf(tab)).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  test('show traits, those NFTs that have what is chosen, and the traits of each', async () => {
    const { views, engine } = market.service.network;
    Object.assign(views, {
      nfts: new NftViews({
        engine,
        metadata: DRAWN,
        data: new CollectionData(),
        scams: market.service.network.scams,
        invalidation: new Invalidation(engine),
        accounts: { names: views.accounts.names, revision: views.revisions.accounts },
      }),
    });
    // Nothing that was answered before stays kept.
    engine.version++;
    const [{ slug }] = (await market.get('/v1/nft/collections?limit=1&sort=items')).collections;
    await using tab = await browser().open(`${market.url}/#/collection/${slug}`);
    await tab.text(/Harbour/, 'h1');
    await tab.text(/Gold, old/, '.traits table');
    const { traits } = await market.get(`/v1/nft/collections/${slug}/traits`);
    const [{ values }] = traits;
    const rowsOf = (label: string) =>
      tab.evaluate<number>(
        `document.querySelectorAll('.traits table[aria-label="${label}"] tbody tr').length`,
      );
    await until(async () => (await rowsOf('Values')) === values.length, 'the values');
    await tab.page.evaluate(
      `[...document.querySelectorAll('.traits .trait')].find((one) => one.innerText === 'Gold, old').click()`,
    );
    const { count } = values.find(({ value }: { value: string }) => value === 'Gold, old');
    await tab.text(new RegExp(`${count} NFTs, the rarest first`), '.traits [role="status"]');
    await until(async () => (await rowsOf('NFTs')) === Math.min(50, count), 'the NFTs');
    expect(await tab.evaluate<string>('location.hash')).toContain('traits=');
    await tab.picture('collection-traits');
    await tab.page.click('.traits table[aria-label="NFTs"] a');
    await tab.text(/Gold, old/, '.nft-page [aria-labelledby="traits"]');
    await tab.text(/#\d/, '.nft-page .figures');
    await tab.picture('nft-traits');
    expect(await tab.evaluate('window.hacked === undefined')).toBe(true);
    expect(tab.problems).toEqual([]);
  });
});

const COLORS = ['Blue', 'Blue', 'Gold, old', '<img src=x onerror="window.hacked=1">'];

/** Metadata of every NFT, by the digits of its id. */
const DRAWN: NftMetadata = {
  version: 1,
  content: (id) => ({
    name: `Light ${Number.parseInt(id.slice(-4), 16)}`,
    collection: 'Harbour lights',
    attributes: [
      { type: 'Color', value: COLORS[Number.parseInt(id.slice(-1), 16) % 4]! },
      { type: 'Height: feet', value: String(Number.parseInt(id.slice(-2), 16) % 3) },
    ],
  }),
};

/** As the page writes an amount under a million. */
const written = (amount: number): string =>
  amount >= 100 ? Math.round(amount).toLocaleString('en-US') : String(Number(amount.toPrecision(4)));

/** The scam check in a real browser, over a network in which an account lures others with memos. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Frame } from '../live-rig.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { Market } from './market.ts';

const MEMO = 'Claim your reward: https://xrp-gifts.example/<b>now</b>';
const LURED = 6;

describeInBrowser('the scam check', (browser) => {
  let market: Market;
  let spammer: { address: string; seed: string };
  const hashes: string[] = [];
  let honest: string;
  beforeAll(async () => {
    market = await Market.start({ ledgers: 20 });
    spammer = await market.fund();
    await market.close();
    const others = market.world.population.economy.tokens.slice(0, LURED);
    honest = others[0]!.issuer.address;
    for (const { issuer } of others) {
      const hash = await market.submit(spammer.seed, {
        TransactionType: 'Payment',
        Account: spammer.address,
        Destination: issuer.address,
        Amount: '1',
        Memos: [{ Memo: { MemoData: Buffer.from(MEMO).toString('hex').toUpperCase() } }],
      });
      hashes.push(hash);
      await market.close();
    }
  });
  afterAll(() => market?.[Symbol.asyncDispose]());

  test('an account that lures others is on the blocklist, with the transactions that show it', async () => {
    await using tab = await browser().open(`${market.url}/#/scams/${spammer.address}`, {
      width: 390,
      dark: true,
    });
    await tab.text(/On the blocklist/, '.scams-verdict');
    const answer: Frame = await market.get(`/v1/scams/check/${spammer.address}`);
    expect(answer.reasons[0].evidence.every((hash: string) => hashes.includes(hash))).toBe(true);
    const links = await tab.evaluate<string[]>(
      `[...document.querySelectorAll('.scams-reason a.mono')].map(({ title }) => title)`,
    );
    expect(links).toEqual(answer.reasons[0].evidence);
    // What the scammer wrote is text, and not to be followed.
    expect(await tab.read('.scams-sample')).toBe(MEMO);
    expect(await tab.evaluate<number>(`document.querySelectorAll('a[href*="xrp-gifts"]').length`)).toBe(0);
    await tab.text(/Phishing memos/);
    await tab.text(/xrp-gifts\.example/);
    expect(await tab.overflow()).toBe(0);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('scams-narrow');
    expect(tab.problems).toEqual([]);
  });

  test('an NFT of an issuer on the blocklist says so, and so do offers for it', async () => {
    const mint = { TransactionType: 'NFTokenMint', Account: spammer.address, NFTokenTaxon: 0, Flags: 8 };
    await market.submit(spammer.seed, { ...mint, Amount: '1000000' });
    await market.close();
    const [{ NFTokenID }] = (await market.get(`/v1/nft?issuer=${spammer.address}&limit=1`)).nfts;
    await using tab = await browser().open(`${market.url}/#/nft/${NFTokenID}`, { width: 390, dark: true });
    await tab.text(/on the blocklist, for phishing/, '.scam-warning');
    await tab.text(/better not: phishing/, '[aria-labelledby="sell"]');
    expect(await tab.evaluate<string>('document.querySelector(".scam-warning a").hash')).toBe(
      `#/scams/${spammer.address}`,
    );
    expect(await tab.overflow()).toBe(0);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('nft-scam');
    expect(tab.problems).toEqual([]);
  });

  test('an address is asked for; others are not on it, and what is no address is refused', async () => {
    await using tab = await browser().open(`${market.url}/#/scams`, { width: 1280 });
    await tab.text(/How they are found/);
    await tab.page.type('.scams-form input', 'nobody');
    await tab.page.keyboard.press('Enter');
    await tab.text(/Not an address/);
    await tab.page.click('.scams-form input', { count: 3 });
    await tab.page.type('.scams-form input', honest);
    await tab.page.keyboard.press('Enter');
    await tab.text(/Not on the blocklist/, '.scams-verdict');
    await market.close();
    expect(await tab.read('.figures')).toContain(String((await market.get('/v1/scams')).overview.blocklist));
    expect(await tab.overflow()).toBe(0);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.picture('scams-wide');
    await market.close(1, { agents: false, step: 86_400 });
    await tab.go(`#/scams/${spammer.address}`);
    await tab.text(/Age 1 day: it is new/, '.facts');
    expect(tab.problems).toEqual([]);
  });
});

/** The page of the faucet, on the program with its embedded network: an address is paid, once, and its XRP are shown. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../live-rig.ts';
import { type Program, startProgram } from '../sandbox-program.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-faucet-'));
const NEW = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe';

describeInBrowser('the faucet', (browser) => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgram(base, '--sandbox-days=0', '--sandbox-interval=1');
  });
  afterAll(async () => {
    await program?.stop();
    rmSync(base, { recursive: true, force: true });
  });

  const faucet = async () => (await (await fetch(`${program.url}/v1/faucet`)).json()) as { balance: number };

  test('says what it has, pays an address, shows when the XRP are there, and refuses the second time', async () => {
    await using tab = await browser().open(`${program.url}/#/faucet`, { width: 390, dark: true });
    // The population takes its XRP from the same account while it settles.
    const shows = async () => {
      const { balance } = await faucet();
      const facts = (await tab.read('.facts'))?.replaceAll(',', '') ?? '';
      return balance > 0 && facts.includes(`The faucet has ${Math.floor(balance)} XRP`);
    };
    await until(shows, 'the page with what the faucet has');
    await tab.page.type('.faucet-form input', 'nobody');
    await tab.text(/Not an address/);
    expect(await violationsOf(tab)).toEqual([]);
    await tab.page.click('.faucet-form input', { count: 3 });
    await tab.page.type('.faucet-form input', NEW);
    await tab.page.keyboard.press('Enter');
    await tab.text(/200 XRP are on their way/);
    await tab.text(new RegExp(`${NEW} has 200 XRP at ledger`));
    expect(await tab.overflow()).toBe(0);
    expect(await violationsOf(tab)).toEqual([]);
    expect(tab.problems).toEqual([]);
    tab.expect(/429/);
    await tab.page.keyboard.press('Enter');
    await tab.text(/cooldown active/);
  });
});

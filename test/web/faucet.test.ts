/** The page of the faucet, on the program with its embedded network: an address is paid, once, and its XRP are shown. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from '../sandbox-program.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-faucet-'));
const NEW = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe';

describeInBrowser('the faucet', (browser) => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgram(base, '--sandbox-days=0', '--sandbox-interval=1');
  }, 60_000);
  afterAll(async () => {
    await program?.stop();
    rmSync(base, { recursive: true, force: true });
  });

  const faucet = async () => (await (await fetch(`${program.url}/v1/faucet`)).json()) as { balance: number };

  test('says what it has, pays an address, shows when the XRP are there, and refuses the second time', async () => {
    await using tab = await browser().open(`${program.url}/#/faucet`, { width: 390, dark: true });
    await tab.text(/The faucet has\s+\d/, '.facts');
    const { balance } = await faucet();
    expect((await tab.read('.facts'))?.replaceAll(',', '')).toContain(`${Math.floor(balance)} XRP`);
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
  }, 60_000);
});

/** kill -9 while payments are counted, and every ledger read again each time: each buys once. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Shop } from './shop.ts';

const KILLS = process.env.THOROUGH ? 20 : 1;
const INVOICES = 16;
const seed = Number(process.env.SEED ?? 20_261_123);

const dir = mkdtempSync(join(tmpdir(), 'millrace-payment-kills-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const customers = Array.from({ length: INVOICES }, (_, i) => `customer ${i}`);

/** Runs the child until it has paid so many more invoices, and kills it; undefined: to its end. */
async function run(payments: number | undefined): Promise<string> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'paid.child.ts'), dir], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let output = '';
  const decoder = new TextDecoder();
  for await (const part of child.stdout) {
    output += decoder.decode(part, { stream: true });
    if (payments !== undefined && output.split('paying').length > payments) child.kill('SIGKILL');
  }
  await child.exited;
  return output;
}

test(`kills (${KILLS}): each of ${INVOICES} invoices, all paid twice, has bought its credits once`, async () => {
  console.log(`payment-kills: SEED=${seed}`);
  const shop = await Shop.open(dir);
  for (const customer of customers) await shop.invoice(customer);
  await shop.stop();
  for (let kill = 0, state = seed; kill < KILLS; kill++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    expect(await run(1 + ((state >>> 8) % INVOICES))).not.toContain('all paid');
  }
  expect(await run(undefined)).toEndWith('all paid\n');
  const after = await Shop.open(dir);
  expect(customers.map((customer) => after.credits(customer))).toEqual(customers.map(() => 1_000_000));
  for (const customer of customers) {
    const { payments } = after.payments.ofWallet(after.rig.account(customer).address, 0, 200);
    expect(payments.map(({ outcome }) => outcome).sort()).toEqual(['already_paid', 'applied']);
  }
  await after.stop();
});

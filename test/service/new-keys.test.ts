/** Keys that the command line leaves for the service. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaveNewKey, takeNewKeys } from '../../service/new-keys.ts';
import { CustomerRig } from '../platform/store-rig.ts';

const NOW = 1_900_000_000_000;
const data = mkdtempSync(join(tmpdir(), 'millrace-new-keys-'));
const folder = join(data, 'new-keys');
const rig = new CustomerRig();
beforeAll(() => rig.open());
afterAll(async () => {
  await rig.stop();
  rmSync(data, { recursive: true, force: true });
});

test('a key that was left works once it was taken in, and after a restart; its file is gone', async () => {
  expect(await takeNewKeys(data, rig.customers.keys)).toEqual([]);
  const secret = leaveNewKey(data, 'admin', 'ops', NOW);
  const [file] = readdirSync(folder);
  const path = join(folder, file!);
  expect(readFileSync(path, 'utf8')).not.toContain(secret.slice(11));
  expect([statSync(path).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  expect([rig.customers.keys.hasAdminKey, rig.customers.keys.find(secret)]).toEqual([false, undefined]);
  expect(await takeNewKeys(data, rig.customers.keys)).toEqual([`admin key ${secret.slice(0, 11)}…`]);
  expect([rig.customers.keys.hasAdminKey, existsSync(path)]).toEqual([true, false]);
  await rig.restart();
  expect(rig.customers.keys.hasAdminKey).toBe(true);
  expect(rig.customers.keys.find(secret)?.kind).toBe('admin');
});

test('a file that stayed behind is taken in once; others in the folder are left alone', async () => {
  const secret = leaveNewKey(data, 'browser', 'pages', NOW);
  const [file] = readdirSync(folder);
  const path = join(folder, file!);
  const text = readFileSync(path, 'utf8');
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await takeNewKeys(data, rig.customers.keys);
  writeFileSync(path, text);
  const before = rig.customers.keys.size;
  await takeNewKeys(data, rig.customers.keys);
  expect([rig.customers.keys.size, existsSync(path)]).toEqual([before, false]);
  expect(rig.customers.keys.find(secret)?.kind).toBe('browser');
  expect(readdirSync(folder)).toEqual(['notes.txt']);
});

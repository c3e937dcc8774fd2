/** Keys that the command line leaves for the service. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leaveNewKey, leaveRevocation, operatorKeys, takeNewKeys } from '../../service/new-keys.ts';
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

const take = (isFirst = false) => takeNewKeys(data, rig.customers.keys, NOW, isFirst);

test('a key that was left works once it was taken in, and after a restart; its file is gone', async () => {
  expect(await take()).toEqual([]);
  const secret = leaveNewKey(data, 'admin', 'ops', NOW);
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{24}/.test(name));
  const path = join(folder, file!);
  expect(readFileSync(path, 'utf8')).not.toContain(secret.slice(11));
  expect([statSync(path).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  expect([rig.customers.keys.hasAdminKey, rig.customers.keys.find(secret)]).toEqual([false, undefined]);
  expect(await take()).toEqual([`admin key ${secret.slice(0, 11)}… works from now on`]);
  expect([rig.customers.keys.hasAdminKey, existsSync(path)]).toEqual([true, false]);
  await rig.restart();
  expect(rig.customers.keys.hasAdminKey).toBe(true);
  expect(rig.customers.keys.find(secret)?.kind).toBe('admin');
});

test('a file that stayed behind is taken in once; others in the folder are left alone', async () => {
  const secret = leaveNewKey(data, 'browser', 'pages', NOW);
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{24}/.test(name));
  const path = join(folder, file!);
  const text = readFileSync(path, 'utf8');
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await take();
  writeFileSync(path, text);
  const before = rig.customers.keys.size;
  await take();
  expect([rig.customers.keys.size, existsSync(path)]).toEqual([before, false]);
  expect(rig.customers.keys.find(secret)?.kind).toBe('browser');
  expect(readdirSync(folder).sort()).toEqual(['keys.json', 'notes.txt']);
});

test('a key is revoked by its beginning, then deleted; what is shown of keys is no secret', async () => {
  const { keys } = rig.customers;
  const secret = leaveNewKey(data, 'platform', 'signer', NOW);
  await take();
  expect(keys.find(secret)?.kind).toBe('platform');
  expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain(secret.slice(11));
  expect(() => leaveRevocation(data, 'xrpl_')).toThrow('more than one key');
  expect(() => leaveRevocation(data, 'xrpl_nothing')).toThrow(
    'no key of the operator begins with xrpl_nothin',
  );
  const beginning = secret.slice(0, 11);
  expect(leaveRevocation(data, beginning)).toMatchObject({ kind: 'platform', name: 'signer' });
  expect(await take()).toEqual([`platform key ${beginning}… is revoked`]);
  expect(keys.find(secret)).toBeUndefined();
  const shown = () => operatorKeys(data).find(({ keyPrefix }) => keyPrefix === beginning);
  expect(shown()?.revokedAt).toBe(NOW);
  await rig.restart();
  expect(rig.customers.keys.find(secret)).toBeUndefined();
  // Whoever has the whole key at hand may give that.
  leaveRevocation(data, secret);
  leaveRevocation(data, beginning);
  expect(await take()).toEqual([`platform key ${beginning}… is deleted`]);
  expect(shown()).toBeUndefined();
});

test('a revocation that was done, and whose file a kill has left, is not done again', async () => {
  const secret = leaveNewKey(data, 'platform', 'killed', NOW);
  await take();
  const { id, keyPrefix } = leaveRevocation(data, secret);
  const file = join(data, 'new-keys', `${id}.revoke`);
  const left = readFileSync(file);
  await take();
  writeFileSync(file, left);
  expect(await take()).toEqual([`platform key ${keyPrefix}… is revoked`]);
  expect(operatorKeys(data).find((key) => key.id === id)?.revokedAt).toBe(NOW);
  leaveRevocation(data, secret);
  expect(await take()).toEqual([`platform key ${keyPrefix}… is deleted`]);
});

test('an admin key that is revoked admits nobody; the list is there from the first start on', async () => {
  const other = mkdtempSync(join(tmpdir(), 'millrace-no-keys-'));
  expect(() => operatorKeys(other)).toThrow('the service writes it when it starts');
  await takeNewKeys(other, rig.customers.keys, NOW, true);
  expect(
    operatorKeys(other)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(['admin', 'browser']);
  rmSync(other, { recursive: true });
  leaveRevocation(data, operatorKeys(data).find(({ kind }) => kind === 'admin')!.keyPrefix);
  await take();
  expect(rig.customers.keys.hasAdminKey).toBe(false);
});

test('one key too many is refused, and stops neither later keys nor revocations', async () => {
  const full = mkdtempSync(join(tmpdir(), 'millrace-many-keys-'));
  const many = new CustomerRig();
  const { keys } = await many.open();
  const leave = () => leaveNewKey(full, 'admin', 'ops', NOW);
  const takeAll = () => takeNewKeys(full, keys, NOW);
  const secrets = Array.from({ length: 21 }, leave);
  const lines = await takeAll();
  expect(lines.filter((line) => line.endsWith('works from now on')).length).toBe(20);
  expect(lines.filter((line) => line.includes('does not work: there are 20 already')).length).toBe(1);
  expect(readdirSync(join(full, 'new-keys'))).toEqual(['keys.json']);
  expect(leave).toThrow('20 keys of the operator work already: admin revoke KEY takes one away');
  leaveRevocation(full, secrets.find((secret) => keys.find(secret))!);
  expect(await takeAll()).toHaveLength(1);
  const next = leave();
  await takeAll();
  expect(keys.find(next)?.kind).toBe('admin');
  await many.stop();
  rmSync(full, { recursive: true, force: true });
});

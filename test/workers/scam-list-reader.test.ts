/** Lists of scam accounts read in a thread: the same accounts, and hostile ones do not hold up this thread. */
import { afterAll, expect, test } from 'bun:test';
import { accountsIn } from '../../platform/scam-list-text.ts';
import { ScamListReader } from '../../workers/scam-list-reader.ts';

const LIST = JSON.stringify([{ address: 'rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq', category: 'phishing' }]);

const reader = new ScamListReader();
afterAll(() => reader.close());

test('gives what is in the text, and says what is wrong with it', async () => {
  const accounts = await reader.accountsIn(LIST);
  expect(accounts.size).toBe(1);
  expect(accounts).toEqual(accountsIn(LIST));
});

test('hostile text is given up after a while, and holds up nothing; the next list is read', async () => {
  const impatient = new ScamListReader(400);
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  // Parsed on this thread, it would take seconds.
  const names = Array.from({ length: 1_000_000 }, (_, i) => `"${i.toString(36)}":1`);
  const text = `[{${names}}]`;
  last = performance.now();
  longest = 0;
  await expect(impatient.accountsIn(text)).rejects.toThrow('a list that takes more than 400 ms to read');
  clearInterval(timer);
  expect(longest).toBeLessThan(400);
  await impatient.close();
  expect((await reader.accountsIn(LIST)).size).toBe(1);
});

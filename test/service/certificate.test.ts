/** What the log says of the certificate while the service runs. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../../engine/ripple-time.ts';
import { CertificateFiles } from '../../service/certificate.ts';
import { readOptions } from '../../service/options.ts';
import { tlsOf } from '../../service/server-settings.ts';
import { quiet } from '../live-rig.ts';
import { CERTIFICATE, CERTIFICATE_KEY, OTHER_CERTIFICATE_KEY } from '../outside/stand-in-certificate.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-certificate-'));
const [cert, key] = [join(dir, 'certificate.pem'), join(dir, 'key.pem')];
const ENDS = Date.parse('2126-10-30T03:26:08Z');

afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('a certificate that ends while the service runs: weeks before, and once a day from then on', async () => {
  writeFileSync(cert, CERTIFICATE);
  writeFileSync(key, CERTIFICATE_KEY);
  const options = readOptions([`--tls-cert=${cert}`, `--tls-key=${key}`], {});
  const lines: string[] = [];
  const record = (fields: object, text: string) => void lines.push(`${text} ${JSON.stringify(fields)}`);
  const log = { ...quiet, info: record, warn: record };
  let now = ENDS - 30 * DAY_MS;
  const files = new CertificateFiles(
    options,
    log,
    tlsOf(options)!,
    async () => {},
    () => now,
  );
  /** What is said when the time has come to this, in an hour of checks. */
  const said = async (at: number) => {
    now = at;
    for (let minute = 0; minute < 60; minute++, now += 60_000) await files.check();
    return lines.splice(0);
  };
  expect(await said(now)).toEqual([]);
  const ends = 'Oct 30 03:26:08 2126 GMT';
  expect(await said(ENDS - 20.5 * DAY_MS)).toEqual([
    `the certificate ends soon: renew it ${JSON.stringify({ days: 20, ends, file: cert })}`,
  ]);
  expect(await said(ENDS - 20 * DAY_MS)).toEqual([]);
  expect(await said(ENDS - 19 * DAY_MS)).toEqual([expect.stringContaining('"days":19')]);
  expect(await said(ENDS + 1)).toEqual([
    `clients refuse the certificate ${JSON.stringify({ reason: `it has ended: ${ends}`, file: cert })}`,
  ]);
  // One that cannot be used is named once a day, too, without its key.
  writeFileSync(key, OTHER_CERTIFICATE_KEY);
  const [other, ...more] = await said(ENDS + DAY_MS / 2);
  expect(more).toEqual([]);
  const reason = `the key in ${key} is not that of the certificate in ${cert}`;
  expect(other).toBe(
    `the certificate is another one, and cannot be used: the old one stays ${JSON.stringify({ reason })}`,
  );
  // Another one is in use: what was said of the one before counts no more.
  now = ENDS - 5 * DAY_MS;
  writeFileSync(key, CERTIFICATE_KEY);
  expect(await said(now)).toEqual([
    'another certificate is in use {}',
    expect.stringContaining('the certificate ends soon'),
  ]);
  await files.stop();
});

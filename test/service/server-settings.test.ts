/** What the server follows from its options: who reaches it, TLS, limits of bodies and messages. */
import { afterAll, describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { OptionError, readOptions } from '../../service/options.ts';
import { edgeOf, hasAdmission, isLoopback, outOfTime, tlsOf } from '../../service/server-settings.ts';
import { networksOf, type Service, serve } from '../../service/service.ts';
import { quiet } from '../live-rig.ts';
import {
  CERTIFICATE,
  CERTIFICATE_KEY,
  ENDED_CERTIFICATE,
  OTHER_CERTIFICATE,
  OTHER_CERTIFICATE_KEY,
} from '../outside/stand-in-certificate.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-server-'));
const cert = join(dir, 'certificate.pem');
const key = join(dir, 'key.pem');
writeFileSync(cert, CERTIFICATE);
writeFileSync(key, CERTIFICATE_KEY);
const otherKey = file('other-key.pem', OTHER_CERTIFICATE_KEY);
const damaged = file('damaged.pem', CERTIFICATE.replace('MIIB', 'AAAA'));
const damagedChain = file('chain.pem', CERTIFICATE + CERTIFICATE.replace('MIIB', 'AAAA'));
const damagedKey = file('damaged-key.pem', CERTIFICATE_KEY.replace('MIGH', 'AAAA'));
const lockedKey = file('locked-key.pem', CERTIFICATE_KEY.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE'));
const services: Service[] = [];
afterAll(async () => {
  for (const service of services) await service.stop();
  rmSync(dir, { recursive: true, force: true });
});

function file(name: string, text: string): string {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
}

/** A service that has no ledger, and needs none here. */
async function start(...args: readonly string[]): Promise<Service> {
  const common = ['--port=0', `--data=${join(dir, String(services.length))}`, '--source=ws://127.0.0.1:1'];
  const options = readOptions([...common, '--workers=0', '--snapshot=no', ...args], {});
  const service = serve({ options, networks: networksOf(options), log: quiet, onFault: () => {} });
  services.push(service);
  await service.opened;
  return service;
}

/** The name in the certificate that it shows. */
function shownBy({ port }: Service): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN as string);
      socket.end();
    });
    socket.on('error', reject);
  });
}

describe('by address', () => {
  test.each(['127.0.0.1', '127.8.0.1', '::1', '[::1]', 'localhost'])('%s: open, to any program', (host) => {
    const options = readOptions(['--host', host], {});
    expect([isLoopback(host), hasAdmission(options), edgeOf(options, () => false).refuses]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each(['0.0.0.0', '::', '192.168.1.4', '10.127.0.1', 'localhost.example', '127.0.0.1.example'])(
    '%s: by key, closed until there is an admin key, and not to nameless programs',
    (host) => {
      const options = readOptions(['--host', host], {});
      expect([isLoopback(host), hasAdmission(options)]).toEqual([false, true]);
      const request = new Request('http://x/v1/tokens', { headers: { 'User-Agent': 'curl/8' } });
      expect(edgeOf(options, () => false).refuse(request, false)?.status).toBe(503);
      expect(edgeOf(options, () => true).refuse(request, false)?.status).toBe(403);
    },
  );

  test('options choose otherwise', () => {
    const open = readOptions(['--host=0.0.0.0', '--admission=open', '--generic-agents=allow'], {});
    expect([hasAdmission(open), edgeOf(open, () => false).refuses]).toEqual([false, false]);
    const keys = readOptions(['--admission=keys', '--generic-agents=refuse'], {});
    expect([hasAdmission(keys), edgeOf(keys, () => true).refuses]).toEqual([true, true]);
  });

  test('a service on another address than loopback is closed, and says how to open it', async () => {
    const { port } = await start('--host=0.0.0.0');
    const response = await fetch(`http://127.0.0.1:${port}/v1/tokens`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: expect.stringContaining('npm run tool -- admin key'),
    });
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).not.toBe(503);
  });
});

describe('TLS', () => {
  test('a certificate and its key serve HTTPS, with the limits of the options', async () => {
    const limits = ['--body-bytes=100000', '--message-bytes=2000'];
    const { url } = await start(`--tls-cert=${cert}`, `--tls-key=${key}`, ...limits);
    expect(url).toStartWith('https://');
    const response = await fetch(`${url}/v1/docs`, { tls: { rejectUnauthorized: false } });
    expect(response.status).toBe(200);
    expect(response.headers.get('strict-transport-security')).toBeTruthy();
    expect(fetch(url.replace('https', 'http'))).rejects.toThrow();
    // The largest body and message are those of the options.
    const tls = { rejectUnauthorized: false };
    const post = (bytes: number) =>
      fetch(`${url}/v1/dex/quote`, { method: 'POST', body: 'x'.repeat(bytes), tls });
    expect((await post(100_001)).status).toBe(413);
    expect((await post(50_000)).status).toBe(400);
    const info = (await (await fetch(`${url}/ws/info`, { tls })).json()) as {
      limits: { messageBytes: number };
    };
    expect(info.limits.messageBytes).toBe(2000);
  });

  test('another certificate in the files is taken into use, once it is whole; what is open stays open', async () => {
    const [own, ownKey] = [join(dir, 'own.pem'), join(dir, 'own-key.pem')];
    writeFileSync(own, CERTIFICATE);
    writeFileSync(ownKey, CERTIFICATE_KEY);
    const service = await start(`--tls-cert=${own}`, `--tls-key=${ownKey}`);
    const { port, url } = service;
    const shown = () => shownBy(service);
    const open = async () => {
      const options = { tls: { rejectUnauthorized: false } } as unknown as string[];
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/ledger`, options);
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      return async () => {
        const pong = new Promise((resolve) => {
          socket.onmessage = ({ data }) => String(data).includes('pong') && resolve(true);
          socket.onclose = ({ code }) => resolve(code);
        });
        socket.send('{"type":"ping"}');
        return pong;
      };
    };
    expect(await shown()).toBe('stand-in');
    const before = await open();
    // The certificate alone does not go with the old key.
    writeFileSync(own, OTHER_CERTIFICATE);
    await service.renewCertificate();
    expect(await shown()).toBe('stand-in');
    writeFileSync(ownKey, OTHER_CERTIFICATE_KEY);
    await service.renewCertificate();
    expect([await shown(), service.port]).toEqual(['renewed.example', port]);
    const after = await open();
    expect([await before(), await after()]).toEqual([true, true]);
    expect(service.sockets).toBe(2);
    expect((await fetch(`${url}/health`, { tls: { rejectUnauthorized: false } })).status).toBe(200);
  });

  test('a certificate that has ended is served, and the log says that clients refuse it', async () => {
    const warnings: string[] = [];
    const warn = (fields: object, message: string) => warnings.push(`${message} ${JSON.stringify(fields)}`);
    const ended = file('ended.pem', ENDED_CERTIFICATE);
    const args = [`--tls-cert=${ended}`, `--tls-key=${key}`, '--port=0', `--data=${join(dir, 'ended')}`];
    const options = readOptions([...args, '--source=ws://127.0.0.1:1', '--workers=0', '--snapshot=no'], {});
    const log = { ...quiet, warn };
    const service = serve({ options, networks: networksOf(options), log, onFault: () => {} });
    services.push(service);
    expect(warnings).toEqual([
      expect.stringContaining(`clients refuse the certificate {"reason":"it has ended: `),
    ]);
    expect((await fetch(`${service.url}/health`, { tls: { rejectUnauthorized: false } })).status).toBe(200);
    expect(outOfTime(new X509Certificate(CERTIFICATE), Date.parse('2026-11-22'))).toContain(
      'it has not begun',
    );
    expect(outOfTime(new X509Certificate(CERTIFICATE), Date.parse('2026-11-25'))).toBeUndefined();
  });

  test('where the files cannot be looked at, the certificate stays in use and is looked at again', async () => {
    const [own, ownKey] = [join(dir, 'looked-at.pem'), file('looked-at-key.pem', CERTIFICATE_KEY)];
    writeFileSync(own, CERTIFICATE);
    const service = await start(`--tls-cert=${own}`, `--tls-key=${ownKey}`);
    rmSync(own);
    symlinkSync(own, own);
    await service.renewCertificate();
    rmSync(own);
    writeFileSync(own, OTHER_CERTIFICATE);
    writeFileSync(ownKey, OTHER_CERTIFICATE_KEY);
    await service.renewCertificate();
    expect(await shownBy(service)).toBe('renewed.example');
  });

  test.each([
    [[`--tls-cert=${cert}`], '--tls-cert needs --tls-key'],
    [[`--tls-key=${key}`], '--tls-key needs --tls-cert'],
    [['--stripe-key=sk_test_0123456789'], '--stripe-key needs --stripe-webhook-secret'],
    [[`--tls-cert=${key}`, `--tls-key=${key}`], `${key} has no CERTIFICATE (PEM)`],
    [[`--tls-cert=${cert}`, `--tls-key=${cert}`], `${cert} has no PRIVATE KEY (PEM)`],
    [[`--tls-cert=${dir}`, `--tls-key=${key}`], `${dir} cannot be read`],
    [
      [`--tls-cert=${cert}`, `--tls-key=${otherKey}`],
      `${otherKey} is not that of the certificate in ${cert}`,
    ],
    [[`--tls-cert=${damaged}`, `--tls-key=${key}`], `the certificate in ${damaged} is damaged`],
    [
      [`--tls-cert=${damagedChain}`, `--tls-key=${key}`],
      `the certificates in ${damagedChain} cannot be used`,
    ],
    [
      [`--tls-cert=${cert}`, `--tls-key=${damagedKey}`],
      `the key in ${damagedKey} is damaged, or needs a passphrase`,
    ],
    [
      [`--tls-cert=${cert}`, `--tls-key=${lockedKey}`],
      `the key in ${lockedKey} is damaged, or needs a passphrase`,
    ],
  ])('%p: one clear line', (args, message) => {
    expect(() => tlsOf(readOptions(args, {}))).toThrow(OptionError);
    expect(() => tlsOf(readOptions(args, {}))).toThrow(message);
  });
});

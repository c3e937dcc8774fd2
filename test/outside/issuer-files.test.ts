/** Files of issuers, from servers that do what they like: what is read, what is refused, and that nothing private is reached. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { openPlatformStore } from '../../data/platform-store.ts';
import { filesOf, publicFiles, type ReadFile, StoredIssuerFiles } from '../../outside/issuer-files.ts';
import { readIssuerFile } from '../../outside/issuer-toml.ts';
import { ISSUER_FILE_COLLECTIONS } from '../../platform/issuer-files.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './stand-in-certificate.ts';

const ISSUER = 'rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq';
const GOOD = `
[[ISSUERS]]
address = "${ISSUER}"
name = "Gate\\u202e hub\\u0000"

[[TOKENS]]
issuer = "${ISSUER}"
currency = "EUR"
desc = "Euros"
icon = "https://issuer.example/eur.png"
[[TOKENS.URLS]]
url = "https://issuer.example"
type = "website"
`;

/** What the server does, by the path of the redirect or the name that it is asked for. */
let answer: (host: string) => Response | Promise<Response> = () => new Response(GOOD);
const seen: string[] = [];
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY },
  fetch: (request) => {
    seen.push(`${request.headers.get('host')} ${new URL(request.url).pathname}`);
    return answer(request.headers.get('host') ?? '');
  },
});
afterAll(() => server.stop(true));

const loopback = async () => [{ address: '127.0.0.1' }];
const bounds = { timeoutMs: 2_000, bytesMax: 32 * 1024 };
const trusting = { resolve: loopback, isAllowed: () => true, port: server.port!, ca: CERTIFICATE, bounds };

async function fault(read: ReadFile, domain = 'issuer.example'): Promise<string> {
  const error = await read(domain).then(
    () => undefined,
    (fault: Error) => fault,
  );
  expect(error?.name).toBe('OutsideError');
  return error!.message;
}

describe('the file of a domain', () => {
  test('is read from the address that was checked, under the name of the domain', async () => {
    seen.length = 0;
    expect(await publicFiles(trusting)('issuer.example')).toBe(GOOD);
    expect(seen).toEqual(['issuer.example /.well-known/xrp-ledger.toml']);
  });

  test('is read over IPv4 where the name has addresses of both kinds', async () => {
    const resolve = async () => [{ address: '2606:4700::1' }, { address: '127.0.0.1' }];
    expect(await publicFiles({ ...trusting, resolve })('issuer.example')).toBe(GOOD);
  });

  test('is asked for at no address that is not public, whatever the others are', async () => {
    const { isAllowed: _, ...checked } = trusting;
    for (const addresses of [
      ['127.0.0.1'],
      ['::1'],
      ['169.254.169.254'],
      ['8.8.8.8', '127.0.0.1'],
      ['fe80::1%lo'],
      [],
    ]) {
      const resolve = async () => addresses.map((address) => ({ address }));
      seen.length = 0;
      expect(await fault(publicFiles({ ...checked, resolve }))).toContain('not of the public internet');
      expect(seen).toEqual([]);
    }
    // The system's own resolver, whose answer for this name is loopback.
    const { resolve: __, ...system } = checked;
    expect(await fault(publicFiles(system), 'localhost')).toContain('not of the public internet');
  });

  test('is refused with a certificate of another name, or of an authority that is not known', async () => {
    seen.length = 0;
    await fault(publicFiles(trusting), 'elsewhere.example');
    const { ca: _, ...usual } = trusting;
    await fault(publicFiles(usual));
    expect(seen).toEqual([]);
  });

  test('is not looked for where a redirect leads', async () => {
    for (const to of [
      'https://issuer.example/other',
      `https://127.0.0.1:${server.port}/`,
      'http://169.254.169.254/',
    ]) {
      seen.length = 0;
      answer = () => new Response(null, { status: 302, headers: { location: to } });
      await fault(publicFiles(trusting));
      expect(seen).toHaveLength(1);
    }
    answer = () => new Response(GOOD);
  });

  test('is refused when it is long, late, compressed, or no answer', async () => {
    answer = () => new Response('#'.repeat(33 * 1024));
    expect(await fault(publicFiles(trusting))).toContain('more than 32768');
    answer = () => new Response('no', { status: 404 });
    expect(await fault(publicFiles(trusting))).toBe('HTTP 404');
    answer = () => new Response(Bun.gzipSync(GOOD), { headers: { 'content-encoding': 'gzip' } });
    expect(await fault(publicFiles(trusting))).toContain('gzip');
    const never = Promise.withResolvers<Response>();
    answer = () => never.promise;
    const short = { ...bounds, timeoutMs: 100 };
    expect(await fault(publicFiles({ ...trusting, bounds: short }))).toContain('100 ms');
    never.resolve(new Response());
    const late = () => new Promise<never>(() => {});
    expect(await fault(publicFiles({ ...trusting, resolve: late, bounds: short }))).toContain('100 ms');
    answer = () => new Response(GOOD);
  });

  test('is refused from a server that speaks TLS and nothing else', async () => {
    const odd = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (socket) => {
      socket.on('error', () => {});
      socket.end('SSH-2.0-x\r\n');
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const { port } = odd.address() as { port: number };
    await fault(publicFiles({ ...trusting, port }));
    odd.close();
  });
});

describe('what a file says', () => {
  test('is read as XLS-26 names it, without what hides or reorders text', () => {
    expect(readIssuerFile(GOOD)).toEqual({
      names: { [ISSUER]: 'Gate hub' },
      tokens: [
        {
          issuer: ISSUER,
          currency: 'EUR',
          description: 'Euros',
          icon: 'https://issuer.example/eur.png',
          website: 'https://issuer.example/',
        },
      ],
    });
  });

  test.each([
    ['nothing', ''],
    ['other things', '[METADATA]\nmodified = 2024-01-01\n[[TOKENS]]\n[[ISSUERS]]\naddress = 1'],
    ['no tables', 'TOKENS = [1, "x", [2], {}]\nISSUERS = "x"'],
    ['a name of objects', '[__proto__]\nTOKENS = [{ issuer = "x" }]\n[constructor]\na = 1'],
  ])('is nothing where it says %s', (_, text) => {
    expect(readIssuerFile(text)).toEqual({ tokens: [], names: {} });
  });

  test('is bounded, and has web addresses alone', () => {
    const token = (icon: string) =>
      `[[TOKENS]]\nissuer = "${ISSUER}"\ncurrency = "EUR"\ndesc = "${'x'.repeat(5000)}"\nicon = "${icon}"\n`;
    for (const icon of [
      'javascript:alert(1)',
      'data:image/png;base64,AA',
      'file:///etc',
      'https://a:b@c.example/',
      'x',
    ])
      expect(readIssuerFile(token(icon)).tokens[0]).not.toHaveProperty('icon');
    const { tokens } = readIssuerFile(token('https://a.example/').repeat(500));
    expect([tokens.length, tokens[0]!.description!.length]).toEqual([200, 1024]);
  });

  test('that is no TOML, or nested without end, is refused', () => {
    for (const text of [
      '<html>',
      '['.repeat(32_000),
      `a = ${'['.repeat(32_000)}`,
      `a = ${'{a='.repeat(10_000)}`,
      '\0',
    ])
      expect(() => readIssuerFile(text)).toThrow();
  });
});

describe('files that are kept', () => {
  /** A reader of which each call is answered by hand. */
  class Asked {
    readonly domains: string[] = [];
    readonly #waiting: { resolve(text: string): void; reject(fault: Error): void }[] = [];
    now = 0;
    readonly files = new StoredIssuerFiles({
      read: (domain) => {
        this.domains.push(domain);
        return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
      },
      now: () => this.now,
      unixMs: () => this.now,
    });

    get open(): number {
      return this.#waiting.length;
    }

    async answer(text: string | undefined): Promise<void> {
      const one = this.#waiting.shift()!;
      if (text === undefined) one.reject(new Error('no file'));
      else one.resolve(text);
      // What follows from an answer is done before the next task.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  test('are asked for once, known when they have come, and named as changed once', async () => {
    const asked = new Asked();
    const { files } = asked;
    for (let i = 0; i < 3; i++) expect(files.of('Issuer.example')).toBeUndefined();
    expect(asked.domains).toEqual(['issuer.example']);
    await asked.answer(GOOD);
    expect(files.of('issuer.example')!.names[ISSUER]).toBe('Gate hub');
    expect([files.changed(), files.changed()]).toEqual([['issuer.example'], []]);
    expect(asked.domains).toHaveLength(1);
  });

  test('are asked for again after a day, after an hour where there was none, and stay while there is no answer', async () => {
    const asked = new Asked();
    const { files } = asked;
    const hour = 3_600_000;
    files.of('a.example');
    await asked.answer(undefined);
    expect([files.of('a.example'), files.changed()]).toEqual([undefined, []]);
    asked.now += hour - 1;
    files.of('a.example');
    expect(asked.domains).toHaveLength(1);
    asked.now += 1;
    files.of('a.example');
    await asked.answer(GOOD);
    asked.now += 24 * hour;
    expect(files.of('a.example')).toBeDefined();
    await asked.answer(undefined);
    expect([files.of('a.example')?.tokens.length, files.changed()]).toEqual([1, ['a.example']]);
    expect(asked.domains).toHaveLength(3);
  });

  test('are asked for some at a time, of one owner four, and a bounded number waits: the newest come first', async () => {
    const asked = new Asked();
    for (let i = 0; i < 3_000; i++) asked.files.of(`d${i}.example`);
    expect(asked.domains).toHaveLength(32);
    asked.files.of('last.example');
    while (asked.open > 0)
      await Promise.all(Array.from({ length: asked.open }, () => asked.answer(undefined)));
    expect([asked.domains.length, asked.domains[32]]).toEqual([1_032, 'last.example']);
    asked.files.close();
    asked.files.of('none.example');
    expect(asked.domains).not.toContain('none.example');
  });

  test('slow names of one owner do not hold up those of others', async () => {
    const asked = new Asked();
    for (let i = 0; i < 100; i++) asked.files.of(`slow${i}.owner.example`);
    expect(asked.domains).toHaveLength(4);
    for (const domain of ['a.example', 'b.example', 'c.example']) asked.files.of(domain);
    expect(asked.domains.slice(4)).toEqual(['a.example', 'b.example', 'c.example']);
  });

  test('are bounded by their length together: the ones that were read first go', async () => {
    const long = Array(100).fill(GOOD).join('');
    const length = JSON.stringify(readIssuerFile(long)).length;
    const times = { now: () => 0, unixMs: () => 0 };
    const files = new StoredIssuerFiles({ read: async () => long, ...times, charactersMax: 2.5 * length });
    const domains = ['a.example', 'b.example', 'c.example', 'd.example'];
    for (const domain of domains) {
      files.of(domain);
      await Bun.sleep(0);
    }
    files.close();
    expect(domains.filter((domain) => files.of(domain))).toEqual(['c.example', 'd.example']);
  });

  test('are never those of something that is no domain', () => {
    const asked = new Asked();
    const texts =
      `localhost 127.0.0.1 2130706433 0x7f000001 [::1] ::1 a..example -a.example a.example:80 a.example/x user@a.example
      https://a.example a_b.example a.example. a.1 a.0x7f`.split(/\s+/);
    for (const text of [...texts, '', 'a b.example', 'a\r\nHost: b.example', `${'a'.repeat(64)}.example`])
      expect(asked.files.of(text)).toBeUndefined();
    expect(asked.domains).toEqual([]);
  });
});

test('files are known after a restart, as old as they are, and no more of them than before', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-issuer-files-'));
  const day = 86_400_000;
  let unixMs = 1_700_000_000_000;
  /** As one run of the service has them, with room for two. */
  const run = async (use: (files: StoredIssuerFiles, read: readonly string[]) => Promise<void>) => {
    const store = await openPlatformStore({ dir, network: 'test', collections: ISSUER_FILE_COLLECTIONS });
    const read: string[] = [];
    const files = new StoredIssuerFiles({
      read: async (domain) => {
        read.push(domain);
        return GOOD;
      },
      // Of each start its own.
      now: () => unixMs - 1_600_000_000_000,
      unixMs: () => unixMs,
      charactersMax: 2.5 * JSON.stringify(readIssuerFile(GOOD)).length,
    });
    files.attach(store);
    await use(files, read);
    files.close();
    await store.close();
  };
  await run(async (files) => {
    for (const domain of ['a.example', 'b.example', 'c.example']) {
      unixMs += 1_000;
      files.of(domain);
      await Bun.sleep(0);
    }
  });
  unixMs += day - 500;
  await run(async (files, read) => {
    expect(files.changed()).toEqual(['b.example', 'c.example']);
    for (const domain of ['b.example', 'c.example']) expect(files.of(domain)).toEqual(readIssuerFile(GOOD));
    // The one that was read a day ago is read again.
    expect(read).toEqual(['b.example']);
    await Bun.sleep(0);
  });
  // Set back: they are not older than now.
  unixMs -= 10 * day;
  await run(async (files, read) => {
    expect(files.of('c.example')).toBeDefined();
    unixMs += day - 1;
    files.of('b.example');
    expect(read).toEqual([]);
    unixMs += 1;
    files.of('b.example');
    expect(read).toEqual(['b.example']);
  });
  rmSync(dir, { recursive: true, force: true });
});

test('one server can have the files of all domains', async () => {
  const all = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => new Response(`# ${request.headers.get('host')} ${new URL(request.url).pathname}`),
  });
  const read = filesOf(`http://127.0.0.1:${all.port}`);
  expect(await read('issuer.example')).toBe('# issuer.example /.well-known/xrp-ledger.toml');
  await all.stop(true);
});

/** Addresses that strangers wrote: nothing private is connected to, whatever names resolve to and wherever redirects lead. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { publicReader, readerOf } from '../../outside/public-fetch.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './stand-in-certificate.ts';

const seen: string[] = [];
let answer: (request: Request) => Response | Promise<Response>;
const fetch = (request: Request) => {
  seen.push(`${request.headers.get('host')} ${new URL(request.url).pathname}`);
  return answer(request);
};
/** 127.0.0.2 stands for the public internet. */
const web = Bun.serve({ port: 0, hostname: '127.0.0.2', fetch });
/** What must not be reached, on the same port. */
const inner = Bun.serve({ port: web.port!, hostname: '127.0.0.1', fetch });
const secure = Bun.serve({
  port: 0,
  hostname: '127.0.0.2',
  tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY },
  fetch,
});
afterAll(() => Promise.all([web.stop(true), inner.stop(true), secure.stop(true)]));
beforeEach(() => {
  seen.length = 0;
  answer = () => new Response('{}');
});

const bounds = { timeoutMs: 2_000, bytesMax: 1024 };
const trusting = {
  resolve: async () => [{ address: '127.0.0.2' }],
  isAllowed: () => true,
  isPortAllowed: () => true,
  ca: CERTIFICATE,
};
const here = (path: string, host = 'issuer.example') => `http://${host}:${web.port}${path}`;

async function fault(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => undefined,
    (fault: Error) => fault,
  );
  expect(error?.name).toBe('OutsideError');
  return error!.message;
}

describe('an address', () => {
  const read = publicReader(trusting);

  test('is read where it was checked, under its name, with and without TLS', async () => {
    for (const url of [here('/a?b=1'), `https://other.example:${secure.port}/a`])
      expect(Buffer.from(await read(new URL(url), bounds)).toString()).toBe('{}');
    expect(seen).toEqual([`issuer.example:${web.port} /a`, `other.example:${secure.port} /a`]);
    await fault(read(new URL(`https://wrong.example:${secure.port}/a`), bounds));
  });

  test('is followed three times, within one time', async () => {
    answer = ({ url }) => {
      const left = Number(new URL(url).pathname.slice(1));
      return left === 0 ? new Response('there') : Response.redirect(here(`/${left - 1}`), 302);
    };
    expect(Buffer.from(await read(new URL(here('/3')), bounds)).toString()).toBe('there');
    expect(await fault(read(new URL(here('/4')), bounds))).toContain('3 redirects');
    answer = async () => {
      await Bun.sleep(60);
      return Response.redirect(here('/again'), 302);
    };
    expect(await fault(read(new URL(here('/')), { ...bounds, timeoutMs: 100 }))).toMatch(/ ms$/);
  });

  test('has as many bytes as their beginning allows', async () => {
    const bytesMax = (start: Uint8Array) => (start[0] === 0x78 ? 100 : 10);
    answer = () => new Response('x'.repeat(90));
    expect(await read(new URL(here('/')), { ...bounds, bytesMax })).toHaveLength(90);
    answer = () => new Response('y'.repeat(90));
    expect(await fault(read(new URL(here('/')), { ...bounds, bytesMax }))).toContain('more than 10');
  });
});

describe('nothing private is connected to', () => {
  const { resolve: _, isAllowed: __, ...rest } = trusting;

  test('by a name, whatever its other addresses are', async () => {
    for (const addresses of [
      ['127.0.0.1'],
      ['10.0.0.1'],
      ['::1'],
      ['8.8.8.8', '127.0.0.1'],
      ['::ffff:127.0.0.1'],
      [],
    ]) {
      const read = publicReader({ ...rest, resolve: async () => addresses.map((address) => ({ address })) });
      expect(await fault(read(new URL(here('/')), bounds))).toContain('not of the public internet');
    }
    expect(await fault(publicReader(rest)(new URL(here('/', 'localhost')), bounds))).toContain(
      'not of the public',
    );
    expect(seen).toEqual([]);
  });

  test('by an address in any spelling', async () => {
    const read = publicReader(rest);
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '017700000001',
      '[::1]',
      '[::ffff:7f00:1]',
      '169.254.169.254',
    ])
      expect(await fault(read(new URL(here('/', host)), bounds))).toContain('not of the public internet');
    expect(seen).toEqual([]);
  });

  test('by a redirect', async () => {
    // Names are of this machine but for the first look: a redirect is looked at like the first address.
    const isFirst = new Set<string>();
    const resolve = async (name: string) => {
      const address = isFirst.has(name) ? '127.0.0.1' : '127.0.0.2';
      isFirst.add(name);
      return [{ address }];
    };
    const read = publicReader({ ...rest, resolve, isAllowed: (address) => address === '127.0.0.2' });
    for (const to of [
      here('/other', '127.0.0.1'),
      here('/same'),
      here('/', 'localhost'),
      'http://[::1]/',
      'file:///etc/passwd',
      'gopher://x/',
    ]) {
      isFirst.clear();
      isFirst.add('localhost');
      seen.length = 0;
      answer = () => new Response(null, { status: 302, headers: { location: to } });
      await fault(read(new URL(here('/')), bounds));
      expect(seen).toEqual([`issuer.example:${web.port} /`]);
    }
  });

  test('on ports of other services, or with a password', async () => {
    const read = publicReader({ ...trusting, isPortAllowed: (port: number) => port === 80 });
    expect(await fault(read(new URL(here('/')), bounds))).toContain('port');
    expect(
      await fault(publicReader(trusting)(new URL(`http://a:b@issuer.example:${web.port}/`), bounds)),
    ).toContain('password');
    expect(seen).toEqual([]);
  });

  test('but what the operator chose, and not where that leads', async () => {
    const read = publicReader(rest);
    const own = new URL(here('/', '127.0.0.1'));
    expect(Buffer.from(await read(own, bounds, true)).toString()).toBe('{}');
    answer = () => Response.redirect(here('/', '127.0.0.1'), 302);
    expect(await fault(read(own, bounds, true))).toContain('not of the public internet');
    expect(seen).toHaveLength(2);
  });
});

test('one server can have what all names have', async () => {
  answer = (request) => new Response(request.headers.get('host'));
  const read = readerOf(`http://127.0.0.1:${web.port}`);
  expect(Buffer.from(await read(new URL('https://ipfs.example/ipfs/x'), bounds)).toString()).toBe(
    'ipfs.example',
  );
  expect(seen).toEqual(['ipfs.example /ipfs/x']);
});

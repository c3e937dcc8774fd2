import { afterAll, describe, expect, test } from 'bun:test';
import { route } from '../../api/route.ts';
import { listen, type SocketHub, serveOptions, stopServing } from '../../api/serve.ts';
import { emptyLedger, fixture } from './fixture.ts';

const { api, log } = fixture([emptyLedger(100, 500_000_000)]);
const paths: string[] = [];
const hub: SocketHub<undefined> = {
  upgrade(request, server) {
    paths.push(new URL(request.url).pathname);
    if (request.url.endsWith('/ws/info')) return Response.json({ streams: [] });
    if (request.url.endsWith('/ws/broken')) throw new Error('secret of the hub');
    return server.upgrade(request, { data: undefined }) ? undefined : new Response('no', { status: 426 });
  },
  websocket: {
    open(socket) {
      socket.send('hello');
    },
    message() {},
  },
  close() {},
};
const server = Bun.serve(serveOptions({ api, hub, host: '127.0.0.1', port: 0, maxRequestBodySize: 100_000 }));
const base = `http://127.0.0.1:${server.port}`;
afterAll(() => server.stop(true));

const greeting = (path: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`);
    socket.onmessage = ({ data }) => {
      resolve(String(data));
      socket.close();
    };
    socket.onerror = () => reject(new Error('refused'));
  });

describe('a port that cannot be opened', () => {
  const refusal = (host: string, port: number) => {
    try {
      listen({ api, hub, host, port }).stop(true);
    } catch (fault) {
      return (fault as Error).message;
    }
    throw new Error('it listens');
  };

  test.each(['999.1.1.1', 'no-such-host.invalid'])('of %s, which is no address: the line says so', (host) => {
    expect(refusal(host, 0)).toContain(`"${host}" is neither an address of this machine nor the name of one`);
  });

  test.each(['127.0.0.1', 'localhost'])('of %s, where another listens: no more than that is said', (host) => {
    const at = `cannot listen on ${host}, port ${server.port}`;
    expect(refusal(host, server.port!)).toBe(
      `${at}: another process listens there. Choose another with --port or --host`,
    );
  });

  test('of an address of another machine', () => {
    // A range that is for documents alone (RFC 5737).
    expect(refusal('192.0.2.1', 0)).toContain('this machine has no such address');
  });
});

describe('a listening server', () => {
  test('sends socket addresses to the hub, under every prefix', async () => {
    for (const path of ['/ws/ledger', '/v1/ws/ledger', '/api/ws/ledger?limit=1']) {
      expect(await greeting(path)).toBe('hello');
    }
    expect(paths).toEqual(['/ws/ledger', '/v1/ws/ledger', '/api/ws/ledger']);
    expect((await fetch(`${base}/wsx`)).status).toBe(404);
  });

  test('what the hub answers may be read by any page', async () => {
    const response = await fetch(`${base}/ws/info`, { headers: { Origin: 'https://example.org' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(await response.json()).toEqual({ streams: [] });
    const preflight = await fetch(`${base}/ws/info`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  test('a client that goes away in the middle of its body is no fault', async () => {
    const before = log.lines.length;
    const half =
      'POST /v1/stats/metrics HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      'Content-Length: 1000\r\n\r\n{"timestamps":[';
    const chunked =
      'POST /v1/stats/metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"tim\r\n';
    const answered = api.service.metrics;
    for (const sent of [half, chunked, half.slice(0, -15)]) {
      for (const how of ['end', 'terminate'] as const) {
        const gone = Promise.withResolvers<void>();
        await Bun.connect({
          hostname: '127.0.0.1',
          port: server.port!,
          socket: {
            open(socket) {
              socket.write(sent);
              setTimeout(() => socket[how](), 20);
            },
            data() {},
            close: () => gone.resolve(),
          },
        });
        await gone.promise;
      }
    }
    const counted = async () => {
      const text = await answered();
      return Number(/path="\/stats\/metrics",status="400"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    for (let i = 0; i < 1000 && (await counted()) < 6; i++) await Bun.sleep(10);
    expect(await counted()).toBe(6);
    expect(log.lines.slice(before)).toEqual([]);
  });

  test('a fault in the hub is the JSON 500', async () => {
    const response = await fetch(`${base}/ws/broken`);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('secret');
    expect(JSON.parse(text)).toMatchObject({ success: false, code: 'internal' });
  });

  test('the direct path and the full path give the same answer', async () => {
    const long = await fetch(`${base}/v1/ledger`);
    const short = await fetch(`${base}/v1/ledger`);
    expect(await short.text()).toBe(await long.text());
    const named = (response: Response) =>
      [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
    expect(named(short)).toEqual(named(long));
    expect(short.headers.get('x-request-id')).not.toBe(long.headers.get('x-request-id'));
    expect((await fetch(`${base}/v1/ledger`, { headers: { Accept: 'text/xml' } })).status).toBe(406);
  });

  test('a Host header that is no host makes no fault', async () => {
    for (const host of ['a b', '[', '%zz', 'x:99999999', '"><script>']) {
      for (const path of ['/v1/docs', '/openapi.json', '/v1/ledger', '/nothing']) {
        const { status } = await fetch(base + path, { headers: { Host: host } });
        expect([200, 400, 404], `${host} ${path}`).toContain(status);
      }
    }
  });

  test('HEAD has the length', async () => {
    const body = await (
      await fetch(`${base}/v1/ledger`, { headers: { 'Accept-Encoding': 'identity' } })
    ).text();
    const head = await fetch(`${base}/v1/ledger`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(body.length),
      '',
    ]);
  });

  test('bodies beyond the bound are 413', async () => {
    const ask = (body: string | ReadableStream) =>
      fetch(`${base}/v1/stats/metrics`, { method: 'POST', body, signal: AbortSignal.timeout(60_000) });
    expect((await ask('x'.repeat(70_000))).status).toBe(413);
    expect((await ask('x'.repeat(200_000))).status).toBe(413);
    const chunk = new TextEncoder().encode('x'.repeat(10_000));
    let left = 9;
    const chunked = new ReadableStream({
      pull(controller) {
        if (left-- > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });
    expect((await ask(chunked)).status).toBe(413);
  });

  test('stops after the running requests, and does not wait for idle connections', async () => {
    const entered = Promise.withResolvers<void>();
    const slow = route({
      method: 'GET',
      path: '/slow',
      section: '1',
      auth: 'none',
      tier: 'anonymous',
      example: {},
      summary: 'Takes its time',
      params: {},
      response: {},
      cost: 0,
      bucket: '/slow',
      handler: async () => {
        entered.resolve();
        await Bun.sleep(150);
        return { done: true };
      },
    });
    const other = fixture([emptyLedger(100, 500_000_000)], { routes: [slow] });
    const own = Bun.serve(serveOptions({ api: other.api, hub, host: '127.0.0.1', port: 0 }));
    const running = fetch(`http://127.0.0.1:${own.port}/v1/slow`);
    await entered.promise;
    const started = performance.now();
    const most = 30_000;
    await stopServing(own, hub, most);
    expect(performance.now() - started).toBeLessThan(most);
    expect(await (await running).json()).toMatchObject({ done: true });
    await expect(fetch(`http://127.0.0.1:${own.port}/v1/slow`)).rejects.toThrow();
  });

  test('stops although clients keep their connections busy', async () => {
    const other = fixture([emptyLedger(100, 500_000_000)]);
    const stopping = new AbortController();
    const own = Bun.serve(
      serveOptions({ api: other.api, hub, host: '127.0.0.1', port: 0, stopping: stopping.signal }),
    );
    let asked = 0;
    const busy = async () => {
      for (;;) {
        const response = await fetch(`http://127.0.0.1:${own.port}/v1/ledger?n=${++asked}`);
        await response.arrayBuffer();
      }
    };
    const all = Promise.allSettled(Array.from({ length: 32 }, busy));
    while (asked < 500) await Bun.sleep(1);
    stopping.abort();
    const started = performance.now();
    const grace = 30_000;
    await stopServing(own, hub, grace);
    // Without their connections closed they would go on for the whole of the grace.
    expect(performance.now() - started).toBeLessThan(grace / 2);
    expect((await all).map(({ status }) => status)).toEqual(Array(32).fill('rejected'));
  });
});

/**
 * The last credits of a wallet, spent at once over REST, streams and tools, with several keys: what was admitted is what was
 * counted, to a tenth; nothing is admitted beyond what is left; and it is counted after a kill.
 */
import { expect, test } from 'bun:test';
import { Wallet } from 'xrpl';
import { call } from '../api/mcp/served.ts';
import type { Answer } from '../sandbox-program.ts';
import { StoredRig } from './stored/rig.ts';

const CREDITS = 150;
const KEYS = 3;
/** What is sent at once costs more than there is. */
const [REST, TOOLS, PINGS] = [90, 9, 20];
/** What is spent is durable after a second at most; machines may be slow or shared. */
const DURABLE_MS = 4000;

/** A stream that is open. */
async function opened(url: string, headers: Record<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/ledger`, { headers } as never);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.onopen = () => resolve();
  socket.onclose = ({ code, reason }) => reject(new Error(`${code} ${reason}`));
  await promise;
  return socket;
}

/** Sends pings at once. @returns how many were answered until the others were refused, or all were */
async function pings(socket: WebSocket, count: number): Promise<number> {
  let answered = 0;
  const done = Promise.withResolvers<void>();
  socket.onmessage = ({ data }) => {
    if ((JSON.parse(String(data)) as Answer).type === 'pong' && ++answered === count) done.resolve();
  };
  socket.onclose = () => done.resolve();
  for (let i = 0; i < count; i++) socket.send('{"type":"ping"}');
  await done.promise;
  socket.close();
  return answered;
}

test('the last credits, over REST, streams and tools at once', async () => {
  const rig = new StoredRig({ developer: { 'credits-per-month': CREDITS } });
  const wallet = Wallet.generate();
  let asked = 0;
  // Each request comes from an address of its own: those of one are limited.
  const from = () => ({ 'X-Forwarded-For': `10.0.${Math.floor(++asked / 250)}.${1 + (asked % 250)}` });
  try {
    await rig.open([wallet], ['TKX']);
    const signed = (path: string, method = 'GET', body?: object) =>
      rig.ask(path, { method, headers: { ...rig.signed(wallet), ...from() }, ...(body && { body }) });
    const credits = async () => (await signed(`/keys/${wallet.classicAddress}/credits`)).body;
    const bought = { wallet: wallet.classicAddress, type: 'tier', tier: 'developer' };
    const { body: checkout } = await rig.ask('/keys/card/checkout', { method: 'POST', body: bought });
    rig.stripe.pay(checkout.sessionId);
    const { body, headers } = rig.stripe.event(checkout.sessionId, 'checkout.session.completed', Date.now());
    expect((await rig.ask('/keys/card/webhook', { method: 'POST', body, headers })).status).toBe(200);
    const keys: string[] = [];
    for (let i = 0; i < KEYS; i++)
      keys.push((await signed('/keys', 'POST', { name: `key ${i}` })).body.apiKey);
    expect(await credits()).toMatchObject({ tier: 'developer', balance: CREDITS, used: 0 });

    const { url } = rig.program;
    const by = (i: number) => ({ 'X-Api-Key': keys[i % KEYS]!, ...from() });
    const sockets = await Promise.all(keys.map((_, i) => opened(url, by(i))));
    const [answers, called, ponged] = await Promise.all([
      Promise.all(Array.from({ length: REST }, (_, i) => rig.ask('/tokens?limit=1', { headers: by(i) }))),
      Promise.all(
        Array.from({ length: TOOLS }, (_, i) =>
          call(`${url}/mcp`, 'tools/call', { name: 'search_tokens', arguments: { query: 'TKX' } }, by(i)),
        ),
      ),
      Promise.all(sockets.map((socket) => pings(socket, PINGS))),
    ]);
    const admitted = (replies: readonly { readonly status: number }[]) => {
      expect(replies.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
      return replies.filter(({ status }) => status === 200).length;
    };
    const tenths = 10 * admitted(answers) + 100 * admitted(called) + ponged.reduce((a, b) => a + b, 0);
    const shown = await credits();
    expect([shown.used * 10, shown.used + shown.balance]).toEqual([tenths, CREDITS]);

    // What is left is spent to the last tenth.
    const rest = Math.round(shown.balance * 10);
    for (let i = 0; i < Math.floor(rest / 10); i++)
      expect((await rig.ask('/tokens?limit=1', { headers: by(i) })).status).toBe(200);
    expect((await rig.ask('/tokens?limit=1', { headers: by(0) })).status).toBe(402);
    expect(await pings(await opened(url, by(1)), (rest % 10) + 1)).toBe(rest % 10);
    expect(await credits()).toMatchObject({ used: CREDITS, balance: 0 });
    await Bun.sleep(DURABLE_MS);
    await rig.kill();
    await rig.start();
    expect(await credits()).toMatchObject({ used: CREDITS, balance: 0 });
    expect((await rig.ask('/tokens?limit=1', { headers: by(0) })).status).toBe(402);
  } finally {
    await rig.close();
  }
}, 300_000);

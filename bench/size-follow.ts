/**
 * Following ledgers of 400 transactions at the main network's size: from the node's announcement to the last frame at
 * 300 sockets with subscriptions of their own, and the longest stall of the event loop while it also serves HTTP.
 * `bun bench/size-follow.ts [--share=0.1]`.
 *
 * First the frames without other load. Then stalls under load; the hour ends among those ledgers (BASE_CLOSE_TIME is five
 * minutes before it: ledger 75). Stalls are without the time that the thread waited for a core, which the machine's
 * other work adds.
 */
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';
import { quantile } from './latency.ts';
import { FollowingService, largestTokens, madeStore, SHARE, withCopy } from './size/rig.ts';

const SOCKETS = 300;
const WARM = 10;
const FRAME_ROUNDS = 50;
const STALL_ROUNDS = 100;
const TRANSACTIONS = 400;
/** After this time without a frame the ledger's last one has arrived. */
const QUIET_MS = 120;
const LEDGER_EVERY_MS = 400;
const CONNECTIONS = 2;

/** Each socket has a token, a chart or a book of its own; one in four follows everything. */
export function streams(origin: string, tokens: readonly string[], sockets = SOCKETS): string[] {
  return Array.from({ length: sockets }, (_, i) => {
    const md5 = tokens[i % tokens.length]!;
    const paths = [
      '/ws/sync',
      `/ws/token/${md5}?fields=trading&delta=true`,
      `/ws/ohlc/${md5}?interval=5m&vs_currency=XRP`,
      `/ws/history/${md5}?limit=30`,
    ];
    return origin + paths[i % paths.length]!;
  });
}

async function run(): Promise<Figure[]> {
  const rounds = WARM + FRAME_ROUNDS + STALL_ROUNDS;
  const { store, archive } = await madeStore(SHARE, { ledgers: rounds, transactions: TRANSACTIONS });
  return withCopy(store, async (dir) => {
    const following = await FollowingService.start(dir, archive);
    const peer = (name: string) => [process.execPath, `${import.meta.dir}/peers/${name}`];
    const sockets = new Child(peer('load-client.ts'), { core: 1 });
    const http = new Child(peer('http-client.ts'), { core: 1 });
    try {
      const tokens = await largestTokens(following, SOCKETS);
      sockets.send(`open ${SOCKETS} ${streams(`ws://127.0.0.1:${following.port}`, tokens).join(' ')}`);
      await sockets.receive('opened');
      // One after the other: a ledger that follows at once finds the frames of the one before on their way, and its own wait
      // for the least time between two flushes. Their longest is shown: what the service still prepares after a start.
      let longestAfterStart = 0;
      for (let i = 0; i < WARM; i++) {
        const { announced, last } = await lastFrame(following, sockets);
        longestAfterStart = Math.max(longestAfterStart, last - announced);
      }
      sockets.send('held');
      const held = Number(await sockets.receive('held'));
      if (held < SOCKETS) throw new Error(`the service holds ${held} of ${SOCKETS} sockets`);
      const latencies: number[] = [];
      const asked: number[] = [];
      for (let i = 0; i < FRAME_ROUNDS; i++) {
        const { announced, sent, last } = await lastFrame(following, sockets);
        latencies.push(Math.max(0, last - announced));
        asked.push(sent - announced);
      }
      const stall = await stallUnderLoad(following, http, tokens);
      const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => quantile(latencies, share));
      console.log(
        `close to last frame: p50 ${p50!.toFixed(1)} ms, p90 ${p90!.toFixed(1)} ms, p99 ${p99!.toFixed(1)} ms; ` +
          `of that until the node had sent the ledger: median ${quantile(asked, 0.5).toFixed(1)} ms; ` +
          `of the first ${WARM} ledgers after the start, at most ${longestAfterStart.toFixed(1)} ms`,
      );
      return [
        { name: 'size.frames', value: p99! },
        { name: 'size.stall', value: stall },
      ];
    } finally {
      await Promise.all([following.end(), sockets.end(), http.end()]);
    }
  });
}

/** When the node announced a ledger, when it had sent it, and when its last frame arrived; ms since the epoch. */
async function lastFrame(
  following: FollowingService,
  sockets: Child,
): Promise<{ announced: number; sent: number; last: number }> {
  const announced = await following.ledger();
  const sent = await following.sentAt();
  for (let before = -1; ; ) {
    sockets.send('last');
    const newest = Number(await sockets.receive('last'));
    if (newest === before) return { announced, sent, last: newest };
    before = newest;
    await Bun.sleep(QUIET_MS);
  }
}

/** The longest stall, ms, while ledgers are followed and lists, books and holders are requested without a pause. */
async function stallUnderLoad(
  following: FollowingService,
  http: Child,
  tokens: readonly string[],
): Promise<number> {
  const paths = [
    '/v1/tokens?limit=100&sort=marketcap',
    `/v1/orderbook?base=${tokens[0]}&quote=XRP&limit=20`,
    `/v1/holders/info/${tokens[0]}`,
    '/v1/pairs/XRP',
    '/health',
  ];
  await following.stalls();
  const ms = STALL_ROUNDS * LEDGER_EVERY_MS;
  http.send(`load ${following.port} ${ms} ${CONNECTIONS} ${paths.join(' ')}`);
  const stalls: [number, number][] = [];
  for (let i = 0; i < STALL_ROUNDS; i++) {
    const next = Bun.sleep(LEDGER_EVERY_MS);
    await following.ledger();
    await next;
    stalls.push(await following.stalls());
  }
  const answers = (await http.receive('loaded', ms)).split(' ')[0];
  const own = stalls.map(([, value]) => value).sort((a, b) => b - a);
  console.log(
    `${answers} answers while following; longest stalls of a ledger's time: ${own
      .slice(0, 5)
      .map((value) => value.toFixed(0))
      .join(', ')} ms, ` +
      `median ${quantile(own, 0.5).toFixed(1)} ms; ${Math.max(...stalls.map(([value]) => value)).toFixed(0)} ms with waiting for a core`,
  );
  return own[0]!;
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);

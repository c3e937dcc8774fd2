/**
 * 1,000 quotes a second over HTTP while the service follows ledgers of 400 transactions: from when a request is due to its
 * answer, and the longest stall of the event loop. `bun bench/quote-load.ts [--share=0.05]`.
 *
 * The state is a twentieth of the main network: 6,000 tokens, 12,500 offers, 1,000 pools. The service has core 0, the client
 * core 1. Stalls are without the time that the thread waited for a core.
 */
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';
import { quantile } from './latency.ts';
import type { Load } from './peers/quote-client.ts';
import { FollowingService, madeStore, withCopy } from './size/rig.ts';

const SHARE = Number(process.argv.find((word) => word.startsWith('--share='))?.slice(8) ?? 0.05);
const RATE = 1_000;
const TRANSACTIONS = 400;
const WARM = 5;
const LEDGERS = 20;
const LEDGER_EVERY_MS = 1_000;
const TOKENS = 400;
/** Of the requests, those that must have a quote: otherwise it is not quotes that are measured. */
const QUOTED_LEAST = 0.5;

interface Row {
  readonly md5: string;
  readonly issuer: string;
}

/** Tokens with the most locked in pools. */
async function tokensOf(following: FollowingService): Promise<Row[]> {
  const rows: Row[] = [];
  while (rows.length < TOKENS) {
    const path = `/v1/tokens?sort=tvl&limit=100&start=${rows.length}`;
    const { tokens } = await following.json<{ tokens: Row[] }>(path);
    if (tokens.length === 0) break;
    rows.push(...tokens);
  }
  return rows;
}

async function run(): Promise<Figure[]> {
  const { store, archive } = await madeStore(SHARE, {
    ledgers: 2 * WARM + LEDGERS,
    transactions: TRANSACTIONS,
  });
  return withCopy(store, async (dir) => {
    const following = await FollowingService.start(dir, archive);
    const client = new Child([process.execPath, `${import.meta.dir}/peers/quote-client.ts`], { core: 1 });
    try {
      for (let i = 0; i < WARM; i++) await following.ledger();
      const tokens = await tokensOf(following);
      const loaded = async (rounds: number): Promise<{ load: Load; stall: number }> => {
        const ms = rounds * LEDGER_EVERY_MS;
        const words = [following.url, RATE, ms, tokens[0]!.issuer, ...tokens.map(({ md5 }) => md5)];
        await following.stalls();
        client.send(`load ${words.join(' ')}`);
        for (let i = 0; i < rounds; i++) {
          const next = Bun.sleep(LEDGER_EVERY_MS);
          await following.ledger();
          await next;
        }
        const load = JSON.parse(await client.receive('loaded', ms)) as Load;
        return { load, stall: (await following.stalls())[1] };
      };
      // Code is compiled on the way.
      await loaded(WARM);
      const { load, stall } = await loaded(LEDGERS);
      const { times, without } = load;
      if (times.length < QUOTED_LEAST * (times.length + without))
        throw new Error(`${without} requests without a quote`);
      const [p50, p99] = [0.5, 0.99].map((share) => quantile(times, share)) as [number, number];
      console.log(
        `${times.length} quotes, ${without} answers that nothing can be had; p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
      );
      return [
        { name: 'quote.loaded', value: p99 },
        { name: 'quote.stall', value: stall },
      ];
    } finally {
      await Promise.all([following.end(), client.end()]);
    }
  });
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);

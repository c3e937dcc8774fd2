/** Following ledgers of 400 transactions while sockets with subscriptions of their own are served; they are read by another process. */
import { join } from 'node:path';
import { Child } from '../../../bench/child.ts';
import { quantile } from '../../../bench/latency.ts';
import { streams } from '../../../bench/size-follow.ts';
import { yieldTwice } from '../../../engine/event-loop.ts';
import { rig } from '../../ws/rig.ts';
import type { Sized } from './sized.ts';
import { coreBetweenTimers } from './yielding.ts';

const SOCKETS = 300;
const TRANSACTIONS = 400;
const WARM = 15;
const LEDGERS = 20;
const CLIENT = join(import.meta.dir, '..', '..', '..', 'bench', 'peers', 'load-client.ts');

export interface Followed {
  /** Milliseconds on a core of a ledger and its frames, median. */
  readonly total: number;
  /** The longest slice of a ledger, ms on a core, median. */
  readonly longest: number;
  /** Bytes of frames that a ledger sent, on average. */
  readonly bytes: number;
}

export async function followWithSockets(sized: Sized): Promise<Followed> {
  const { hub, server, faults, stop } = rig(sized.network);
  const client = new Child([process.execPath, CLIENT]);
  try {
    const tokens = sized.largest(SOCKETS).map((token) => sized.views.tokens.md5(token));
    const urls = streams(`ws://127.0.0.1:${server.port}`, tokens, SOCKETS);
    client.send(`open ${SOCKETS} ${urls.join(' ')}`);
    await client.receive('opened');
    const totals: number[] = [];
    const longests: number[] = [];
    let before = 0;
    for (let i = 0; i < WARM + LEDGERS; i++) {
      const apply = sized.next(TRANSACTIONS);
      if (i === WARM) before = hub.stats.bytesSent;
      const { longest, total } = await coreBetweenTimers(async () => {
        await apply();
        while (hub.stats.jobs > 0) await yieldTwice();
      });
      if (i < WARM) continue;
      totals.push(total);
      longests.push(longest);
    }
    if (faults.messages.length > 0) throw new Error(faults.messages[0]);
    const bytes = Math.round((hub.stats.bytesSent - before) / LEDGERS);
    return { total: quantile(totals, 0.5), longest: quantile(longests, 0.5), bytes };
  } finally {
    await client.end();
    await stop();
  }
}

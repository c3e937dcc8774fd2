/** Which large trades are a whale's (views/whales.ts), by brute force over rows and order books as readers see them. */
import type { Engine } from '../../engine/engine.ts';
import { DAY } from '../../engine/ripple-time.ts';
import type { Asker, Json } from '../api/routes/ask.ts';

/** XRP of the depth below the price, as rows and order books show it; 10,000 where there is none. */
async function depthOf(asset: string, engine: Engine, ask: Asker): Promise<number> {
  const [issuer, currency] = asset.split('_') as [string, string];
  const { tokens } = engine.state;
  const md5 = tokens.md5(tokens.find(issuer, currency)!);
  const { token } = (await ask.get(`/token/${md5}`)).body;
  const { bids } = (await ask.get(`/orderbook?base=${md5}&quote=XRP&limit=100`)).body;
  const near = (bids as Json[]).filter(({ price }) => Number(price) >= token.exch * 0.98);
  const bid = near.reduce((sum, { price, funded }) => sum + Number(price) * Number(funded), 0);
  return (token.depthMinus2 ?? 0) + bid || 10_000;
}

/** Of large trades, those for which there are 24 hours that sum up to the depth: every pair of begin and end is tried. */
export async function ofWhales(large: readonly Json[], engine: Engine, ask: Asker): Promise<Json[]> {
  const found = new Set<Json>();
  const groups = Map.groupBy(large, ({ account, asset }) => `${account} ${asset}`);
  for (const own of groups.values()) {
    const depth = await depthOf(own[0]!.asset, engine, ask);
    for (const first of own)
      for (const last of own) {
        const within = own.filter(({ time }) => first.time <= time && time <= last.time);
        if (last.time < first.time || last.time - first.time >= DAY * 1000) continue;
        const drops = within.reduce((sum, one) => sum + one.drops, 0);
        if (Math.abs(drops) < depth * 1e6) continue;
        for (const one of within) if (one.drops > 0 === drops > 0) found.add(one);
      }
  }
  return [...found];
}

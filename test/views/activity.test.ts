/**
 * What creators of tokens, their receivers and whales do, on the embedded network, against its ledgers read with the
 * reference codec: transactions and metadata of an account, and differences of balances computed here.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { transactionHash } from '../../engine/codec/hash.ts';
import { runToEnd } from '../../engine/event-loop.ts';
import { relatedTokens } from '../../engine/metrics/related-tokens.ts';
import { DAY, HOUR } from '../../engine/ripple-time.ts';
import { Network } from '../../views/network.ts';
import { heavyReadPool } from '../../workers/heavy-reads.ts';
import { type Asker, asker, type Json } from '../api/routes/ask.ts';
import {
  balancesOf,
  changeOf,
  type Followed,
  follow,
  pass,
  Recording,
  restart,
  units,
} from '../flows-world.ts';
import { activityTruth } from './activity-truth.ts';
import { ofWhales } from './whale-oracle.ts';

let followed: Followed;
let ask: Asker;
let network: Network;
let recording: Recording;
const naming = (address: string, type?: number) => recording.naming(address, type);

/** Code of a payment, the second byte of a transaction's first field. */
const PAYMENT = 0;

const agent = (name: string): string => {
  const found = [...followed.world.population.agents.known()].find(([known]) => known.startsWith(name));
  return found![1].address;
};

beforeAll(async () => {
  followed = follow('activity');
  recording = new Recording(followed.engine);
  network = new Network({ engine: followed.engine });
  await pass(followed, DAY + 9 * HOUR, 900);
  await pass(followed, 1.5 * HOUR, 120);
  await pass(followed, 2 * DAY + 6 * HOUR, 900);
  ask = asker(network);
});

describe('a creator', () => {
  const created = ['MEME', 'RUG', 'PAIR'];

  test('is who got the token first and opened its pool; else the issuer is', async () => {
    const { engine } = followed;
    for (const name of created) {
      const address = agent(`creator:${name}`);
      const issuer = agent(`issuer:${name}`);
      const [event] = (await ask.get(`/creator-activity/${address}?side=amm_create`)).body.events;
      const { token } = (await ask.get(`/token/${event.token}`)).body;
      expect([token.creator, token.issuer]).toEqual([address, issuer]);
      const holder = (await ask.get(`/holders/list/${event.token}?search=${address}`)).body.richList[0];
      if (holder) expect(holder.isCreator).toBe(true);
      const position = (await ask.get(`/holders/position/${event.token}/${address}`)).body;
      // Two decimals, rounded down, against four.
      expect(Math.abs(token.creatorHoldingPercent - position.holding)).toBeLessThan(0.011);
      expect(token.creatorHoldingPercent).toBeGreaterThan(0);
    }
    const { tokens, pools } = engine.state;
    const without = Array.from({ length: tokens.count - 1 }, (_, i) => i + 1).filter(
      (token) => tokens.pools[token] === 0 && pools.byAssets(0, token) === undefined,
    );
    expect(without.length).toBeGreaterThan(3);
    for (const token of without) {
      const { creator } = (await ask.get(`/token/${tokens.md5(token)}`)).body.token;
      const opened = (await ask.get(`/creator-activity/${creator}?side=amm_create`)).body.events;
      // Its pool may have been emptied since.
      const isOpener = opened.some((event: Json) => event.token === tokens.md5(token));
      expect(isOpener || creator === tokens.issuerText(token)).toBe(true);
    }
  });

  test('lists can be sorted by what creators hold', async () => {
    const { tokens } = (await ask.get('/tokens?sort=creatorHoldingPercent&limit=100')).body;
    const shares = tokens.map(({ creatorHoldingPercent }: Json) => creatorHoldingPercent ?? -1);
    expect(shares).toEqual(shares.toSorted((a: number, b: number) => b - a));
    expect(shares[0]).toBeGreaterThan(0);
  });

  test('has an event for each of its transactions that changed its tokens, with the exact difference', async () => {
    let compared = 0;
    for (const name of created) {
      const address = agent(`creator:${name}`);
      const issuer = agent(`issuer:${name}`);
      const { body } = await ask.get(`/creator-activity/${address}?limit=200`);
      const { currency } = body.events.find(({ side }: Json) => side === 'amm_create');
      const expected = naming(address)
        .map((read) => ({ ...read, change: changeOf(read.meta, address, issuer, currency) }))
        .filter(({ change, meta }) => change !== 0n && meta.TransactionResult === 'tesSUCCESS')
        .map(({ ledger, time, tx, change, meta }) => {
          const size = change < 0n ? -change : change;
          const sold = { Payment: tx.Destination === address ? 'sell' : 'transfer_out', OfferCreate: 'sell' }[
            tx.TransactionType as string
          ];
          const got = { Payment: tx.Account === address ? 'buy' : 'receive', OfferCreate: 'buy' }[
            tx.TransactionType as string
          ];
          const side =
            { AMMCreate: 'amm_create', AMMWithdraw: 'withdraw', AMMDeposit: 'deposit' }[
              tx.TransactionType as string
            ] ?? (change < 0n ? sold : got);
          return `${ledger} ${meta.TransactionIndex} ${time} ${side} ${tx.TransactionType} ${size}`;
        });
      const found = body.events
        .filter(
          ({ result, token, side }: Json) =>
            result === 'tesSUCCESS' &&
            side !== 'send' &&
            token === body.events.find((one: Json) => one.side === 'amm_create').token,
        )
        .toReversed()
        .map(
          (event: Json) =>
            `${event.ledger} ${event.time} ${event.side} ${event.type} ${units(event.tokenAmount)}`,
        );
      expect(found).toEqual(expected.map((line) => line.replace(/^(\d+) \d+/, '$1')));
      compared += found.length;
    }
    expect(compared).toBeGreaterThan(12);
  });

  test('XRP of sales and purchases is what the trades of the account were worth', async () => {
    const address = agent('creator:MEME');
    const { body } = await ask.get(`/creator-activity/${address}?limit=200`);
    const history = (await ask.get(`/history?account=${address}&limit=1000`)).body.data;
    const worth = history.reduce((sum: number, { xrp }: Json) => sum + xrp, 0);
    expect(body.stats.sell.xrp + body.stats.buy.xrp).toBeCloseTo(worth, 5);
    expect(body.stats.sell.count).toBe(body.events.filter(({ side }: Json) => side === 'sell').length);
    expect(body.stats.sell.count).toBe(8);
    expect(body.signals).toContainEqual({
      level: 'high',
      msg: 'The creator has sold for more XRP than it has bought for',
    });
    const rug = (await ask.get(`/creator-activity/${agent('creator:RUG')}`)).body;
    expect(rug.warning).toBe('The creator has taken nearly all the liquidity out that it had put in');
  });

  test('by token, by time, by side, by type, page by page, as a stream has them', async () => {
    const address = agent('creator:MEME');
    const all = (await ask.get(`/creator-activity/${address}?limit=200`)).body.events;
    const md5 = all.find(({ side }: Json) => side === 'amm_create').token;
    expect((await ask.get(`/creator-activity/${md5}?limit=200`)).body.events).toEqual(all);
    const times = all.map(({ time }: Json) => time);
    const [newest, middle] = [times[0], times[Math.floor(times.length / 2)]];
    const since = (await ask.get(`/creator-activity/${md5}?since=${middle}`)).body.events;
    expect(since).toEqual(all.filter(({ time }: Json) => time > middle));
    const before = (await ask.get(`/creator-activity/${md5}?before=${middle}`)).body.events;
    expect(before).toEqual(all.filter(({ time }: Json) => time < middle));
    expect((await ask.get(`/creator-activity/${md5}?since=${newest}`)).body).toMatchObject({
      count: 0,
      events: [],
    });
    const sides = (await ask.get(`/creator-activity/${md5}?side=sell,receive,nonsense`)).body.events;
    expect(sides).toEqual(all.filter(({ side }: Json) => side === 'sell' || side === 'receive'));
    expect((await ask.get(`/creator-activity/${md5}?side=nonsense`)).body.events).toEqual(all.slice(0, 50));
    const typed = (await ask.get(`/creator-activity/${md5}?type=ammcreate`)).body.events;
    expect(typed.map(({ type }: Json) => type)).toEqual(['AMMCreate']);
    const [first] = (await ask.get(`/creator-activity/${md5}?stream=true&limit=1`)).body.events;
    const { time, side, type, tokenAmount, xrpAmount, hash, result, currency, name } = all[0];
    expect(first).toMatchObject({
      h: hash,
      r: result,
      t: time,
      s: side,
      y: type,
      x: xrpAmount,
      a: tokenAmount,
      c: currency,
      n: name,
      token: md5,
    });
    for (const [sent, used] of [
      ['0', 1],
      ['201', 200],
      ['x', 50],
    ] as const)
      expect((await ask.get(`/creator-activity/${md5}?limit=${sent}`)).body.limit).toBe(used);
    expect((await ask.get('/creator-activity/XRP')).status).toBe(404);
    expect((await ask.get(`/creator-activity/${'0'.repeat(32)}`)).status).toBe(404);
    expect((await ask.get('/creator-activity/rrrrrrrrrrrrrrrrrrrrBZbvji')).status).toBe(404);
  });

  test('what it gave to others, and what these did with it', async () => {
    const address = agent('creator:MEME');
    const { events } = (await ask.get(`/creator-activity/${address}?limit=200&side=transfer_out`)).body;
    const given = events.filter(({ result }: Json) => result === 'tesSUCCESS');
    expect(given.length).toBeGreaterThan(0);
    for (const { destination, token, tokenAmount } of given) {
      const { body } = await ask.get(`/creator-activity/${token}/receiver/${destination}`);
      expect(body.stats.received).toEqual({ count: 1, tokens: tokenAmount });
      const sales = (await ask.get(`/history?md5=${token}&account=${destination}&limit=1000`)).body.data;
      const hashes = new Set(sales.map(({ hash }: Json) => hash));
      expect(body.stats.sell.count).toBe(hashes.size);
      expect(body.stats.sell.xrp).toBeCloseTo(
        sales.reduce((sum: number, { xrp }: Json) => sum + xrp, 0),
        5,
      );
      expect(body.behavior).toBe(hashes.size > 0 ? 'sold' : 'holding');
    }
    const [{ token }] = given;
    const nothing = (await ask.get(`/creator-activity/${token}/receiver/${agent('creator:RUG')}`)).body;
    expect(nothing).toMatchObject({ stats: { received: { count: 0, tokens: '0' } }, behavior: 'holding' });
    expect((await ask.get(`/creator-activity/${token}/receiver/no`)).status).toBe(400);
  });
});

describe('whales', () => {
  /** From the trade rows of all history: by transaction and token, what its signer got and gave. */
  async function recount(): Promise<Json[]> {
    const rows: Json[] = [];
    for (let cursor = ''; ; ) {
      const { views } = network;
      const page = await views.history.page({
        limit: 1000,
        offset: 0,
        type: 'trades',
        xrpOnly: false,
        direction: 'asc',
        ...(cursor && { cursor: Number(cursor) }),
      });
      rows.push(...page.data);
      if (!page.meta.hasMore) break;
      cursor = String(page.meta.nextCursor);
    }
    const blobs = new Map(
      recording.ledgers.flatMap((ledger) =>
        ledger.blobs.map(([tx]) => [transactionHash(tx).toHex().toUpperCase(), tx]),
      ),
    );
    const signerOf = (hash: string) => decode(Buffer.from(blobs.get(hash)!).toString('hex')).Account;
    const nets = new Map<string, Json>();
    for (const row of rows) {
      for (const leg of ['paid', 'got']) {
        const { issuer, currency, value } = row[leg];
        if (issuer === 'XRPL') continue;
        // A pool pays `paid` to the signer; on a book the signer pays it.
        const got = row.isAMM === (leg === 'paid');
        const key = `${row.ledger} ${row.hash} ${issuer}_${currency}`;
        const net = nets.get(key) ?? {
          hash: row.hash,
          time: row.time,
          asset: `${issuer}_${currency}`,
          units: 0n,
          drops: 0,
          trades: 0,
        };
        net.units += got ? units(value) : -units(value);
        net.drops += (got ? 1 : -1) * Math.round((row.xrp ?? 0) * 1e6);
        net.trades++;
        nets.set(key, net);
      }
    }
    return [...nets.values()]
      .filter(({ units: net, drops }) => net !== 0n && Math.abs(drops) >= 1e9 && drops > 0 === net > 0n)
      .map((net) => ({ ...net, account: signerOf(net.hash) }));
  }
  const brief = ({ time, account, side, amount, xrp, trades, hash }: Json) =>
    `${time} ${hash} ${account} ${side} ${units(amount)} ${Math.round(xrp * 1e6)} ${trades}`;

  test('of the feed are what signers bought and sold on balance for 1,000 XRP or more, and within a day for the depth of the market, against all trade rows', async () => {
    const large = await recount();
    const theirs = await ofWhales(large, followed.engine, ask);
    expect(large.length).toBeGreaterThan(theirs.length + 20);
    const expected = theirs.map((net) => {
      const size = net.units < 0n ? -net.units : net.units;
      return `${net.time} ${net.hash} ${net.account} ${net.units > 0n ? 'buy' : 'sell'} ${size} ${Math.abs(net.drops)} ${net.trades}`;
    });
    const { whales } = network.views;
    await whales.ready();
    const found = whales.events({ limit: 10_000 }).events.map(brief);
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(found.length).toBeGreaterThan(30);
    const { body } = await ask.get('/whale-activity/feed');
    expect(body).toMatchObject({ success: true, count: 30, limit: 30 });
    expect(body.events.map(brief)).toEqual(found.slice(0, 30));
    const times = body.events.map(({ time }: Json) => time);
    expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
    for (const { md5 } of body.events) expect(body.tokens[md5]).toMatchObject({ md5 });
  });

  test('of the store are those that came in live', async () => {
    const fresh = new Network({ engine: followed.engine }).views.whales;
    await fresh.ready();
    expect(fresh.events({ limit: 10_000 })).toEqual(network.views.whales.events({ limit: 10_000 }));
  });

  test('by side, size, time, token and account', async () => {
    const { body } = await ask.get('/whale-activity/feed?limit=100');
    const { events } = body;
    const large = events[0].xrp + 1;
    for (const [query, fits] of [
      ['side=sell', ({ side }: Json) => side === 'sell'],
      ['side=buy', ({ side }: Json) => side === 'buy'],
      [`minXrp=${large}`, ({ xrp }: Json) => xrp >= large],
      ['minXrp=-5', () => true],
      [`since=${events[20].time}`, ({ time }: Json) => time > events[20].time],
    ] as const) {
      const answer = (await ask.get(`/whale-activity/feed?limit=100&${query}`)).body.events;
      const expected = events.filter(fits);
      expect(answer.slice(0, expected.length)).toEqual(expected);
      expect(answer.every(fits)).toBe(true);
    }
    const whale = agent('whale');
    const own = (await ask.get(`/whale-activity/${whale}?limit=200`)).body;
    expect(own.events.length).toBeGreaterThan(10);
    for (const event of own.events) expect(event.account).toBe(whale);
    const [{ md5 }] = own.events;
    const ofToken = (await ask.get(`/whale-activity/${md5}?limit=200`)).body.events;
    for (const event of ofToken) expect(event.md5).toBe(md5);
    expect(ofToken).toEqual(expect.arrayContaining(own.events.filter((one: Json) => one.md5 === md5)));
    expect((await ask.get(`/whale-activity/${'0'.repeat(32)}`)).status).toBe(404);
    expect((await ask.get('/whale-activity/rrrrrrrrrrrrrrrrrrrrBZbvji')).status).toBe(404);
    for (const [sent, used] of [
      ['0', 1],
      ['101', 100],
      ['x', 30],
    ] as const)
      expect((await ask.get(`/whale-activity/feed?limit=${sent}`)).body.limit).toBe(used);
    expect((await ask.get(`/whale-activity/${md5}?limit=999`)).body.limit).toBe(200);
  });
});

describe('related tokens', () => {
  test('are those that the largest holders hold, too, against a count of every balance', async () => {
    const { engine } = followed;
    const { tokens, pools, accounts } = engine.state;
    const ids = Array.from({ length: tokens.count - 1 }, (_, i) => i + 1);
    const held = new Map(ids.map((token) => [token, balancesOf(engine, token)]));
    let rows = 0;
    for (const token of ids.filter((one) => tokens.pools[one] === 0)) {
      const isPool = (address: string) => pools.byAccount(accounts.findText(address)!) !== undefined;
      const audience = [...held.get(token)!.keys()].filter((address) => !isPool(address));
      const { body } = await ask.get(`/token/${tokens.md5(token)}/related`);
      expect(body).toMatchObject({ success: true, md5: tokens.md5(token), audience: audience.length });
      const expected = ids
        .filter((other) => other !== token && tokens.pools[other] === 0)
        .map((other) => {
          const shared = audience.filter((address) => held.get(other)!.has(address)).length;
          return {
            md5: tokens.md5(other),
            shared,
            score: shared / Math.sqrt(audience.length * held.get(other)!.size),
          };
        })
        .filter(({ shared }) => shared >= 2)
        .sort((a, b) => b.score - a.score)
        .slice(0, 20);
      const related = body.related.filter(({ type }: Json) => type === 'token');
      expect(related.map(({ score }: Json) => score)).toEqual(
        expected.map(({ score }) => Math.round(score * 1e6) / 1e6),
      );
      const shares = new Map(expected.map(({ md5, shared }) => [md5, shared]));
      for (const row of related.slice(0, 10)) {
        const known = shares.get(row.md5);
        // Of two with the same score at the end of the list, either may be in it.
        if (known !== undefined) expect(row.sharedHolders).toBe(known);
        rows++;
      }
    }
    expect(rows).toBeGreaterThan(30);
    expect((await ask.get('/token/XRP/related')).status).toBe(400);
    expect((await ask.get(`/token/${'0'.repeat(32)}/related`)).status).toBe(404);
  });

  test('are the same in a worker thread', async () => {
    const pool = heavyReadPool(2)!;
    const { engine } = followed;
    const { tokens } = engine.state;
    for (let token = 1; token < Math.min(tokens.count, 12); token++) {
      const { value } = await pool.of(engine.state).run('relateTokens', { token });
      expect(value).toEqual(runToEnd(relatedTokens(engine.state, token)));
    }
    await pool.close();
  });
});

describe('the flow of a token', () => {
  /** Successful payments of a token from one account to others, by the metadata: to whom, and how much left. */
  async function giftsOf(
    from: string,
    md5: string,
    issuer: string,
    currency: string,
    since: number,
  ): Promise<Map<string, bigint>> {
    const rows = (await ask.get(`/history?md5=${md5}&account=${from}&type=all&limit=1000`)).body.data;
    const traded = new Set(rows.map(({ hash }: Json) => hash));
    const found = new Map<string, bigint>();
    for (const { tx, meta, time, hash } of naming(from, PAYMENT)) {
      const { TransactionType, Account, Destination } = tx;
      if (TransactionType !== 'Payment' || Account !== from || Destination === from || time < since) continue;
      if (meta.TransactionResult !== 'tesSUCCESS' || Destination === issuer || traded.has(hash)) continue;
      const left =
        from === issuer
          ? changeOf(meta, Destination, issuer, currency)
          : -changeOf(meta, from, issuer, currency);
      if (left > 0n) found.set(Destination, (found.get(Destination) ?? 0n) + left);
    }
    return found;
  }

  test('has whom the creator and the issuer gave to, whom these gave to, and what they sold, against payments in the ledgers', async () => {
    let [levels1, sales] = [0, 0];
    const { tokens, accounts } = followed.engine.state;
    const rlusd = followed.world.population.economy.token('USDM').issuer.address;
    const gateway = Array.from({ length: tokens.count }, (_, id) => id).filter(
      (id) => id > 0 && tokens.pools[id] === 0 && tokens.issuerText(id) === rlusd,
    );
    const meme = (await ask.get(`/creator-activity/${agent('creator:MEME')}?side=amm_create`)).body.events[0]
      .token;
    for (const md5 of [meme, ...gateway.slice(0, 1).map((id) => tokens.md5(id))]) {
      const { body } = await ask.get(`/token/flow/${md5}`);
      const { creator, issuer, graph } = body;
      const currency = tokens.currencyText(tokens.byMd5(md5)!);
      const sources = [...new Set([creator, issuer])];
      const first = new Map<string, bigint>();
      for (const source of sources)
        for (const [to, amount] of await giftsOf(source, md5, issuer, currency, 0))
          if (!sources.includes(to)) first.set(to, (first.get(to) ?? 0n) + amount);
      const of = (type: string) => graph.nodes.filter((node: Json) => node.type === type);
      const got = new Map(of('level1').map(({ id, received }: Json) => [id, units(received)]));
      if (first.size <= 100) expect(got).toEqual(new Map(first));
      else for (const [id, received] of got) expect(received).toBe(first.get(id as string)!);
      expect(body.summary.recipientCount).toBe(Math.min(100, first.size));
      levels1 += got.size;
      for (const node of of('level1').slice(0, 8)) {
        expect(node).toMatchObject({ relation: 'direct' });
        expect(sources).toContain(node.from);
        const edges = graph.edges.filter(({ from }: Json) => from === node.id);
        for (const edge of edges) expect(graph.nodes.map(({ id }: Json) => id)).toContain(edge.to);
        const rows = (await ask.get(`/history?md5=${md5}&account=${node.id}&limit=1000`)).body.data;
        if (rows.length < 1000)
          expect(node.sells + node.buys).toBeLessThanOrEqual(
            new Set(rows.map(({ hash }: Json) => hash)).size,
          );
        sales += node.sells;
        const { stats } = (await ask.get(`/creator-activity/${md5}/receiver/${node.id}`)).body;
        expect(stats.sell.xrp, 'whole drops').toBe(Math.round(stats.sell.xrp * 1e6) / 1e6);
      }
      for (const node of of('level2').slice(0, 8)) {
        expect(node).toMatchObject({ relation: 'indirect' });
        const given = await giftsOf(node.from, md5, issuer, currency, 0);
        expect(given.has(node.id)).toBe(true);
      }
      expect(accounts.findText(creator)).toBeDefined();
    }
    expect(levels1).toBeGreaterThan(5);
    expect(sales).toBeGreaterThan(3);
  });

  test('the creator sold what its trades were worth; those it gave to sold half', async () => {
    const { body: activity } = await ask.get(`/creator-activity/${agent('creator:MEME')}?limit=200`);
    const { token } = activity.events.find(({ side }: Json) => side === 'amm_create');
    const { summary, graph } = (await ask.get(`/token/flow/${token}`)).body;
    expect(summary.creatorSoldXrp).toBeCloseTo(activity.stats.sell.xrp, 4);
    expect(summary.creatorDepositXrp).toBeCloseTo(
      activity.stats.amm_create.xrp + activity.stats.deposit.xrp,
      4,
    );
    const given = activity.events.filter(
      ({ side, result }: Json) => side === 'transfer_out' && result === 'tesSUCCESS',
    );
    for (const { destination, tokenAmount, hash } of given) {
      const node = graph.nodes.find(({ id }: Json) => id === destination);
      expect(node).toMatchObject({
        type: 'level1',
        received: tokenAmount,
        action: node.sells > 0 ? 'sold' : 'holding',
      });
      const edge = graph.edges.find(({ to }: Json) => to === destination);
      expect(edge.hashes).toEqual([hash]);
    }
    expect((await ask.get('/token/flow/XRP')).status).toBe(400);
    expect((await ask.get(`/token/flow/${'0'.repeat(32)}`)).status).toBe(404);
  });
});

activityTruth(() => ({ followed, ask, network, agent }));

test('a restart changes nothing of what creators did', async () => {
  const ids = ['MEME', 'RUG', 'PAIR'].map((name) => agent(`creator:${name}`));
  const page = (asked: Asker) =>
    Promise.all(ids.map(async (id) => (await asked.get(`/creator-activity/${id}?limit=200`)).body.events));
  const before = await page(ask);
  restart(followed);
  expect(await page(asker(followed.engine))).toEqual(before);
});

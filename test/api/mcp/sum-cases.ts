/** Sums of XRP in the answers of tools: of whole drops, so whole drops themselves. */
import { expect, test } from 'bun:test';
import type { Json } from '../routes/ask.ts';

interface Asked {
  /** Values of parameters, by name. */
  readonly values: () => Readonly<Record<string, unknown>>;
  readonly answer: (name: string, sent: object) => Promise<Json>;
}

/** Members that are sums of XRP, wherever they are in one of these answers. */
const SUMS: ReadonlySet<string> = new Set([
  'fees',
  'xrp',
  'received',
  'sent',
  'net',
  'spent',
  'victimXrp',
  'volume',
  'amount',
  'cashedOut',
  'direct',
  'overOthers',
  'toExchanges',
]);

const sumsOf = (value: Json, path = ''): [string, number][] =>
  Object.entries(value ?? {}).flatMap(([name, inner]): [string, number][] =>
    typeof inner === 'number'
      ? SUMS.has(name)
        ? [[`${path}${name}`, inner]]
        : []
      : typeof inner === 'object'
        ? sumsOf(inner as Json, `${path}${name}.`)
        : [],
  );

export function sumTests({ values, answer }: Asked): void {
  test('sums of XRP have no rounding errors in their last digits', async () => {
    const { id, account } = values();
    const hours = 24;
    const { most_transactions } = await answer('get_network_activity', { hours, most_transactions: true });
    const accounts = [account, ...most_transactions.map((one: Json) => one.account)];
    const asked: [string, object][] = [
      ['get_network_activity', { hours, top_senders: 'fees', exchange_flows: true, limit: 100 }],
      ['find_snipers', { id, window_secs: 86_400 }],
      ['find_sandwich_attacks', { id }],
      ['get_wash_trading', {}],
      ['get_escrows', {}],
      ['get_xrp_distribution', { by_label: true }],
      ...accounts.flatMap((one): [string, object][] =>
        ['get_payment_flows', 'get_cex_cashouts', 'get_offramp', 'get_wallet_risk'].map((name) => [
          name,
          { account: one },
        ]),
      ),
    ];
    let compared = 0;
    for (const [name, sent] of asked)
      for (const [place, sum] of sumsOf(await answer(name, sent))) {
        // What is washed of a volume is a share of it.
        if (place.includes('washed')) continue;
        expect(sum, `${name} ${JSON.stringify(sent)} ${place}`).toBe(Number(sum.toFixed(6)));
        compared++;
      }
    console.log(`${compared} sums`);
    expect(compared).toBeGreaterThan(200);
  });
}

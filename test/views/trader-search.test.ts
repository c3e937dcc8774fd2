/** Who trades a token, searched by a part of the address: of very many traders, while other work goes on. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { quiet } from '../live-rig.ts';

const TRADERS = 20_000;
const TOKEN = 1;
/** Addresses between which other work runs: 500 take about 3 ms. */
const A_SLICE = 1000;

test('a search among all traders of a token lets other work run', async () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const { accounts } = engine.state;
  const { positions, traders } = engine.traders;
  const bytes = new Uint8Array(20);
  for (let i = 1; i <= TRADERS; i++) {
    new DataView(bytes.buffer).setUint32(8, i * 2_654_435_761);
    const account = accounts.intern(bytes, 0);
    traders.findOrAdd(account);
    positions.traded(positions.add(account, TOKEN, 0), 700_000_000 + i);
  }
  const address = accounts.text(TRADERS >> 1);
  const search = address.slice(-10);
  const wanted = Array.from({ length: TRADERS }, (_, i) => accounts.text(i + 1)).filter((one) =>
    one.toLowerCase().includes(search.toLowerCase()),
  );
  let [rounds, isDone] = [0, false];
  const others = (): void => {
    rounds++;
    if (!isDone) setImmediate(others);
  };
  const { views } = new Network({ engine });
  const query = { token: TOKEN, interval: 'all', sort: 'lastActive', ascending: false } as const;
  const page = { offset: 0, limit: 100 };
  await views.traders.ofToken({ ...query, ...page });
  setImmediate(others);
  const found = await views.traders.ofToken({ ...query, ...page, search });
  isDone = true;
  expect(found.traders.map((one) => one.address)).toEqual(wanted);
  expect(found.total).toBe(wanted.length);
  expect(rounds).toBeGreaterThan(TRADERS / A_SLICE);
});

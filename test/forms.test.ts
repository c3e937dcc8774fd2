/** The forms that an option chooses: the contract's and those of `--compat`, the same wherever a row is shown. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { readOptions } from '../service/options.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { CONTRACT_FORMS, type Forms, readForms } from '../views/forms.ts';
import { Network } from '../views/network.ts';
import { type Asker, asker } from './api/routes/ask.ts';
import { Faults, type Frame, rig } from './ws/rig.ts';

const LEDGERS = 16;
/** The last ones are applied while clients listen. */
const LIVE = 4;
const WAIT_MS = 20_000;

describe('the option', () => {
  const compat = (...args: string[]): Forms => readOptions(args, {}).compat;

  test('none is the contract, each name chooses one form', () => {
    expect(compat()).toEqual(CONTRACT_FORMS);
    expect(compat('--compat', 'none')).toEqual(CONTRACT_FORMS);
    expect(compat('--compat', 'exch-number')).toEqual({ exchNumber: true, countTotal: false });
    expect(compat('--compat=count-total')).toEqual({ exchNumber: false, countTotal: true });
    expect(compat('--compat', 'exch-number, count-total')).toEqual({ exchNumber: true, countTotal: true });
    expect(readOptions([], { MILLRACE_COMPAT: 'exch-number' }).compat.exchNumber).toBe(true);
  });

  test.each(['exch', 'exch-number,', 'count-total,exchNumber', 'toString', ''])('%p is refused', (text) => {
    expect(() => compat('--compat', text)).toThrow(
      `--compat must be none, or exch-number and count-total separated by commas, not "${text}"`,
    );
  });
});

const compatForms = readForms('exch-number,count-total');

describe.skipIf(!corpusDir).each([
  ['the contract', undefined, 'string', 3],
  ['--compat exch-number,count-total', compatForms, 'number', undefined],
] as const)('rows by %s', (_name, forms, type, count) => {
  let engine: Engine;
  let network: Network;
  let ask: Asker;
  let house: ReturnType<typeof rig>;
  let apply: (at: number) => Promise<void>;

  beforeAll(async () => {
    const log = new Faults();
    engine = new Engine({ store: new MemoryStore(), log });
    network = new Network({ engine, forms });
    const chain = [...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: 60 })];
    apply = async (at) => {
      const packed = chain[at]!;
      await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
    };
    for (let at = 0; at < LEDGERS - LIVE; at++) await apply(at);
    ask = asker(network);
    house = rig(network);
  });
  afterAll(() => house?.stop());

  const priced = (rows: readonly Frame[]): Frame[] => rows.filter(({ exch }) => exch !== undefined);

  function check(rows: readonly Frame[]): void {
    expect(priced(rows).length).toBeGreaterThan(0);
    for (const { exch, md5 } of priced(rows)) {
      expect(typeof exch).toBe(type);
      expect(Number(exch)).toBe(network.views.tokens.price(network.views.tokens.resolve(md5)!)!);
    }
  }

  test('GET /tokens, full and lightweight, and what `count` is', async () => {
    for (const query of ['?limit=3', '?limit=3&lightweight=true']) {
      const { body } = await ask.get(`/tokens${query}`);
      check(body.tokens);
      expect(body.tokens).toHaveLength(3);
      expect(body.total).toBeGreaterThan(3);
      expect(body.count).toBe(count ?? body.total);
    }
    const { body } = await ask.get('/tokens?token_type=trustline&filter=U&limit=1');
    expect(body.total).toBeLessThan(network.views.tokens.total);
    expect(body.total).toBeGreaterThan(1);
    expect(body.count).toBe(count === undefined ? body.total : 1);
  });

  test('GET /token/{id} and POST /search', async () => {
    const { tokens } = (await ask.get('/tokens?limit=1')).body;
    check([(await ask.get(`/token/${tokens[0].md5}`)).body.token]);
    check((await ask.post('/search', { search: '' })).body.tokens);
    check((await ask.post('/search', { search: tokens[0].name })).body.tokens);
  });

  test('/ws/sync and /ws/token: first frames, updates, chosen fields and differences', async () => {
    const { ids } = network.views.tokens.list({ sort: 'vol24htx', ascending: false, offset: 0, limit: 1 });
    const traded = network.views.tokens.md5(ids[0]!);
    const sync = await house.open('/ws/sync');
    // Every ledger changes the row of XRP.
    const whole = await house.open('/ws/token/XRP?fields=all');
    const price = await house.open(`/ws/token/${traded}?fields=md5,exch`);
    const delta = await house.open(`/ws/token/${traded}?delta=1`);
    check((await sync.next()).tokens);
    for (const client of [whole, price, delta]) check([(await client.next()).token]);
    for (let at = LEDGERS - LIVE; at < LEDGERS; at++) await apply(at);
    const rows: Frame[] = [];
    while (priced(rows).length === 0)
      rows.push(...(await sync.next((frame) => frame.prevSeq !== undefined, WAIT_MS)).tokens);
    check(rows);
    check([(await whole.next((frame) => frame.type === 'update', WAIT_MS)).token]);
    for (const client of [sync, whole, price, delta]) client.socket.close();
    expect(house.faults.messages).toEqual([]);
  });
});

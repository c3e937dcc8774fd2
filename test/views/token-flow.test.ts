/**
 * XRP that recipients of a token take to exchanges, in made-up ledgers: an exchange requires destination tags; and XRP that
 * creators put into pools or take out.
 */
import { expect, test } from 'bun:test';
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { LEVEL_MAX } from '../../views/token-flow.ts';
import { asker } from '../api/routes/ask.ts';
import { temporaryDir } from '../data/tools.ts';
import { entryIndex, type Made, madeLedger, person, poolNodes } from '../engine/market/made.ts';
import { quiet } from '../live-rig.ts';

const ISSUER = person(2);
const [CREATED, EXCHANGE, SHOP] = [800_000_000, person(9), person(8)];
const amount = (value: string, issuer: string) => ({ currency: 'GFT', issuer, value });

const root = (n: number, more: object = {}): object => ({
  CreatedNode: {
    LedgerEntryType: 'AccountRoot',
    LedgerIndex: entryIndex(100 + n),
    NewFields: { Account: person(n), Balance: '100000000', Sequence: 1, ...more },
  },
});

/** A line of the token from its issuer, the lower account, with another balance. */
const line = (n: number, before: string | undefined, after: string): object => {
  const fields = {
    Balance: {
      currency: 'GFT',
      issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji',
      value: after === '0' ? '0' : `-${after}`,
    },
    LowLimit: amount('0', ISSUER),
    HighLimit: amount('1000', person(n)),
    Flags: 0x20000,
  };
  const node = { LedgerEntryType: 'RippleState', LedgerIndex: entryIndex(200 + n) };
  if (before === undefined) return { CreatedNode: { ...node, NewFields: fields } };
  const previous = { ...fields.Balance, value: before === '0' ? '0' : `-${before}` };
  return { ModifiedNode: { ...node, FinalFields: fields, PreviousFields: { Balance: previous } } };
};

const payment = (
  from: number | string,
  to: number | string,
  sent: unknown,
  nodes: object[],
  more: object = {},
): Made => ({
  tx: {
    TransactionType: 'Payment',
    Account: typeof from === 'string' ? from : person(from),
    Destination: typeof to === 'string' ? to : person(to),
    Amount: sent,
    ...more,
  },
  nodes,
});
const tagged = (from: number, to: string, xrp: number, tag: number) =>
  payment(from, to, String(xrp * 1e6), [], { DestinationTag: tag });

async function apply(engine: Engine, ledgers: readonly (readonly Made[])[]): Promise<void> {
  for (const [i, made] of ledgers.entries()) {
    const { packed, changes } = madeLedger(10 + i, CREATED + i * 10, made);
    await engine.applyLedger({ packed, changes: changes.words }, true);
  }
  await engine.drain();
}

test('is summed by exchange, and joins the addresses that used one tag', async () => {
  const { dir, remove } = temporaryDir();
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log: quiet });
  await apply(engine, [
    [
      payment(
        1,
        1,
        '1',
        [1, 2, 3, 4, 5, 6].map((n) => root(n)),
      ),
      payment(1, 2, '1', [
        root(9, { Flags: 0x20000, Domain: Buffer.from('exchange.example').toString('hex').toUpperCase() }),
        root(8),
      ]),
    ],
    // Before it got tokens: not a part of the flow.
    [tagged(3, EXCHANGE, 40, 7)],
    [
      payment(ISSUER, 3, amount('100', ISSUER), [line(3, undefined, '100')]),
      payment(ISSUER, 4, amount('50', ISSUER), [line(4, undefined, '50')]),
    ],
    [payment(3, 5, amount('30', ISSUER), [line(3, '100', '70'), line(5, undefined, '30')])],
    [
      tagged(3, EXCHANGE, 5, 7),
      tagged(3, EXCHANGE, 6, 7),
      tagged(4, EXCHANGE, 2, 8),
      tagged(5, EXCHANGE, 1, 7),
      // No exchange: it does not require tags. No customer's: without a tag. Nobody who got tokens.
      tagged(3, SHOP, 9, 7),
      payment(4, EXCHANGE, '3000000', []),
      tagged(6, EXCHANGE, 90, 7),
    ],
  ]);
  const { tokens } = engine.state;
  const md5 = tokens.md5(tokens.find(ISSUER, 'GFT')!);
  const { body } = await asker(engine).get(`/token/flow/${md5}`);
  expect(body).toMatchObject({ creator: ISSUER, issuer: ISSUER });
  expect(body.summary).toMatchObject({
    totalTransferred: '150',
    recipientCount: 2,
    holdingCount: 2,
    totalToExchanges: 14,
    totalSoldXrp: 0,
  });
  const brief = body.graph.nodes.map(
    ({
      id,
      type,
      received,
      from,
      action,
      transfersOut,
      exchangeDeposits,
      exchangeCount,
      exchangeKeys,
    }: Record<string, unknown>) => [
      id,
      type,
      received,
      from,
      action,
      transfersOut,
      exchangeDeposits,
      exchangeCount,
      exchangeKeys,
    ],
  );
  expect(brief).toEqual([
    [ISSUER, 'creator', '0', undefined, undefined, 2, 0, 0, []],
    [person(3), 'level1', '100', ISSUER, 'transferred', 1, 2, 1, [`${EXCHANGE}:7`]],
    [person(4), 'level1', '50', ISSUER, 'holding', 0, 1, 1, [`${EXCHANGE}:8`]],
    [person(5), 'level2', '30', person(3), 'holding', 0, 1, 1, [`${EXCHANGE}:7`]],
  ]);
  expect(body.graph.edges.map(({ from, to, amount }: Record<string, unknown>) => [from, to, amount])).toEqual(
    [
      [ISSUER, person(4), '50'],
      [ISSUER, person(3), '100'],
      [person(3), person(5), '30'],
    ],
  );
  expect(body.linkedAddresses).toEqual([{ exchangeKey: `${EXCHANGE}:7`, addresses: [person(3), person(5)] }]);
  expect(body.exchangeBreakdown).toEqual([
    {
      exchange: EXCHANGE,
      exchangeName: 'exchange.example',
      xrp: 14,
      addresses: [person(3), person(4), person(5)],
    },
  ]);
  await store.close();
  remove();
});

test('recipients whose tokens are back with the issuer hold none', async () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const everyone = [1, 2, 3, 4, 5].map((n) => root(n));
  await apply(engine, [
    [payment(1, 1, '1', everyone)],
    [3, 4, 5].map((n) => payment(ISSUER, n, amount('50', ISSUER), [line(n, undefined, '50')])),
    [
      payment(3, ISSUER, amount('50', ISSUER), [line(3, '50', '0')]),
      {
        tx: { TransactionType: 'Clawback', Account: ISSUER, Amount: amount('50', person(4)) },
        nodes: [line(4, '50', '0')],
      },
    ],
  ]);
  const { tokens } = engine.state;
  const md5 = tokens.md5(tokens.find(ISSUER, 'GFT')!);
  const { body } = await asker(engine).get(`/token/flow/${md5}`);
  expect(body.summary).toMatchObject({ totalTransferred: '150', recipientCount: 3, holdingCount: 1 });
  const actions = body.graph.nodes.map(({ id, action }: Record<string, unknown>) => [id, action]);
  expect(Object.fromEntries(actions)).toMatchObject({
    [person(3)]: 'transferred',
    [person(4)]: 'transferred',
    [person(5)]: 'holding',
  });
});

test('says that it is cut where a level has more recipients than are followed', async () => {
  for (const [recipients, truncated] of [
    [LEVEL_MAX, undefined],
    [LEVEL_MAX + 1, true],
  ] as const) {
    const engine = new Engine({ store: new MemoryStore(), log: quiet });
    const holders = Array.from({ length: recipients }, (_, i) => 20 + i);
    const given = holders.map((n) => payment(ISSUER, n, amount('1', ISSUER), [line(n, undefined, '1')]));
    await apply(engine, [
      [
        payment(
          1,
          1,
          '1',
          [1, 2, ...holders].map((n) => root(n)),
        ),
      ],
      given,
    ]);
    const { tokens } = engine.state;
    const md5 = tokens.md5(tokens.find(ISSUER, 'GFT')!);
    const { body } = await asker(engine).get(`/token/flow/${md5}`);
    expect(body.graph.nodes).toHaveLength(1 + LEVEL_MAX);
    expect(body.truncated).toBe(truncated);
  }
});

const [POOL, AMM] = [person(7), 1000];
const LP = `03${AMM.toString(16).toUpperCase().padStart(38, '0')}`;

/** What the issuer does in the pool of its token: the XRP and the LP tokens that are there before and after it. */
function inPool(TransactionType: string, xrp: [number, number], lp: [number, number]): Made {
  const lpTokens = (value: number) => ({ currency: LP, issuer: POOL, value: `${value}` });
  const modified = (LedgerEntryType: string, n: number, FinalFields: object, PreviousFields: object) => ({
    ModifiedNode: { LedgerEntryType, LedgerIndex: entryIndex(n), FinalFields, PreviousFields },
  });
  const issue = { currency: 'GFT', issuer: ISSUER };
  const amm = { Account: POOL, Asset2: issue, LPTokenBalance: lpTokens(lp[1]), TradingFee: 500 };
  const root = { Account: POOL, AMMID: entryIndex(AMM), Balance: `${xrp[1] * 1e6}`, Sequence: 1 };
  return {
    tx: { TransactionType, Account: ISSUER, Asset: { currency: 'XRP' }, Asset2: issue },
    nodes: [
      modified('AMM', AMM, amm, { LPTokenBalance: lpTokens(lp[0]) }),
      modified('AccountRoot', AMM + 2, root, { Balance: `${xrp[0] * 1e6}` }),
      modified('RippleState', AMM + 9, lpLine(lp[1]), { Balance: lpLine(lp[0]).Balance }),
    ],
  };
}

/** The issuer's line of LP tokens. */
function lpLine(value: number) {
  const limit = (issuer: string) => ({ currency: LP, issuer, value: '0' });
  const Balance = { currency: LP, issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: `${value}` };
  return { Balance, Flags: 0x10000, LowLimit: limit(ISSUER), HighLimit: limit(POOL) };
}

test('what a creator puts into the pool, and takes out, is an event, of XRP alone too', async () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const line = {
    CreatedNode: {
      LedgerEntryType: 'RippleState',
      LedgerIndex: entryIndex(AMM + 9),
      NewFields: lpLine(1000),
    },
  };
  const create = {
    tx: {
      TransactionType: 'AMMCreate',
      Account: ISSUER,
      Amount: '1000000000',
      Amount2: amount('500', ISSUER),
      TradingFee: 500,
    },
    nodes: [...poolNodes(POOL, 1e9, amount('500', ISSUER), AMM), line],
  };
  await apply(engine, [
    [payment(1, 1, '1', [root(1), root(2)])],
    [create],
    [inPool('AMMDeposit', [1000, 1050], [1000, 1024])],
    [inPool('AMMWithdraw', [1050, 90], [1024, 300])],
  ]);
  const { tokens } = engine.state;
  const md5 = tokens.md5(tokens.find(ISSUER, 'GFT')!);
  const { body } = await asker(engine).get(`/creator-activity/${md5}`);
  expect(body.events).toMatchObject([
    { side: 'withdraw', type: 'AMMWithdraw', xrpAmount: 960, tokenAmount: '0', token: md5 },
    { side: 'deposit', type: 'AMMDeposit', xrpAmount: 50, tokenAmount: '0', token: md5 },
    { side: 'amm_create', type: 'AMMCreate', xrpAmount: 1000, tokenAmount: '500', token: md5 },
  ]);
  expect(body.stats).toMatchObject({
    amm_create: { count: 1, xrp: 1000 },
    deposit: { count: 1, xrp: 50 },
    withdraw: { count: 1, xrp: 960 },
    netXrp: -90,
  });
  expect(body.warning).toBe('The creator has taken nearly all the liquidity out that it had put in');
  const { summary } = (await asker(engine).get(`/token/flow/${md5}`)).body;
  expect(summary).toMatchObject({ creatorDepositXrp: 1050, creatorWithdrawXrp: 960 });
});

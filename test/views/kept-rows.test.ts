/** Rows and texts that are kept from one ledger to the next, against those made again, of an embedded network with a population. */
import { expect, test } from 'bun:test';
import { FULL, field, integer } from '../../views/token-fields/field.ts';
import { TOKEN_FIELDS, TokenFields } from '../../views/token-fields.ts';
import { Views } from '../../views/views.ts';
import { jsonObject } from '../../ws/streams/field-choice.ts';
import { World } from '../sandbox/population/world.ts';
import { applyAll, newEngine } from './world.ts';

/** A minute each. */
const LEDGERS = 90;

/** A network, and views of it whose table of fields counts how often each of two fields is made. */
function counted() {
  const calls = { kept: 0, market: 0 };
  const counting = (name: keyof typeof calls, more: object) =>
    field({ name, about: name, schema: integer, sizes: FULL, ...more, value: () => ++calls[name] });
  const fields = new TokenFields([
    ...TOKEN_FIELDS.all,
    counting('kept', {}),
    counting('market', { isOfMarket: true }),
  ]);
  const engine = newEngine();
  return {
    world: new World({ seed: 'kept rows' }),
    engine,
    views: new Views(engine, { fields }),
    calls,
  };
}

const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));

test('what is kept of rows and fields is what is made again, after every ledger', async () => {
  const world = new World({ seed: 'kept rows' });
  const engine = newEngine();
  const views = new Views(engine);
  let texts = 0;
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    await applyAll(engine, [world.step().packed()]);
    await views.pools.prepare();
    for (let token = 0; token < engine.state.tokens.count; token++) {
      const made = jsonObject(views.tokens.texts(token));
      expect(jsonObject(views.tokens.watchedTexts(token))).toBe(made);
      expect(views.tokens.rowText(token)).toBe(made);
      texts++;
    }
    if (ledger % 30 !== 0) continue;
    const again = new Views(engine);
    await again.pools.prepare();
    for (let token = 0; token < engine.state.tokens.count; token++)
      for (const size of ['full', 'light', 'line'] as const)
        expect(parse(views.tokens.row(token, size))).toEqual(parse(again.tokens.row(token, size)));
  }
  expect(texts).toBeGreaterThan(10 * LEDGERS);
});

test('fields are made again when something happened to their token, those of the market each time', async () => {
  const { world, engine, views, calls } = counted();
  for (let ledger = 0; ledger < 60; ledger++) await applyAll(engine, [world.step().packed()]);
  const all = Array.from({ length: engine.state.tokens.count }, (_, token) => token);
  const names = ['kept', 'market'];
  for (const token of all) {
    views.tokens.row(token);
    views.tokens.watchedTexts(token, names);
  }
  let changed = 0;
  engine.onLedger((ledger) => {
    const { state } = ledger.events;
    const tokens = new Set([0, ...views.tokens.changed.of(ledger), ...state.repriced, ...state.holders]);
    const issuers = all.filter((token) => state.accounts.has(engine.state.tokens.issuer(token)));
    changed = new Set([...tokens, ...issuers]).size;
  });
  let made = 0;
  let mayBeMade = 0;
  for (let ledger = 0; ledger < 20; ledger++) {
    await applyAll(engine, [world.step().packed()]);
    const { kept, market } = calls;
    for (const token of all) views.tokens.watchedTexts(token, names);
    expect(calls.market - market).toBe(all.length);
    made += calls.kept - kept;
    mayBeMade += changed;
    for (const token of all) views.tokens.row(token);
  }
  // Partners of shares of a pool are forgotten, too.
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(20 * all.length);
  expect(made).toBeLessThanOrEqual(2 * mayBeMade);
});

/**
 * What an account held after an earlier ledger, asked for while ledgers follow without a pause or are pruned, and where some are
 * missing.
 */
import { expect, test } from 'bun:test';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { quiet } from '../live-rig.ts';
import { PrunedMemory } from '../pruned-memory.ts';
import { World } from '../sandbox/population/world.ts';

const BEFORE = 30;
const MEANWHILE = 150;
const STEP = 240;
const ASKED = 3;
/** Of the event loop, between ledgers: fewer than it takes to read the transactions of the account. */
const ROUNDS = 16;

const world = new World({ seed: 'snapshots while following' });
const ledgers = Array.from({ length: BEFORE + MEANWHILE }, () => world.step(STEP).packed().bytes);

async function apply(engine: Engine, bytes: Uint8Array): Promise<void> {
  const packed = new PackedLedger(bytes);
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
}

async function followed() {
  const store = new PrunedMemory();
  const engine = new Engine({ store, log: quiet, batch: { recentLedgers: 4 } });
  const ask = asker(new Network({ engine }));
  const held = new Map<string, number>();
  for (const [i, bytes] of ledgers.slice(0, BEFORE).entries()) {
    await apply(engine, bytes);
    const { accounts } = engine.state;
    if (i !== ASKED) continue;
    for (let id = 1; id < accounts.count; id++)
      held.set(accounts.text(id), Number(accounts.balanceDrops(id)) / 1e6);
  }
  const counts = [...held.keys()].map((account) => {
    const id = engine.state.accounts.findText(account)!;
    const walk = { from: 0, to: 0xffffffff, newestFirst: true };
    return [account, [...engine.accountIndex.of(id, walk)].length] as const;
  });
  const [account, count] = counts.toSorted(([, a], [, b]) => b - a)[0]!;
  expect(count).toBeGreaterThan(4 * ROUNDS);
  const ledger = new PackedLedger(ledgers[ASKED]!).ledgerIndex;
  return { store, engine, ask, ledger, account, xrp: held.get(account)! };
}

test('is there before the ledgers end', async () => {
  const { engine, ask, ledger, account, xrp } = await followed();
  let answer: Json | undefined;
  const asked = ask.get(`/account/snapshot/${account}?ledger=${ledger}`).then(({ body }: Json) => {
    answer = body;
  });
  for (const bytes of ledgers.slice(BEFORE)) {
    await apply(engine, bytes);
    for (let round = 0; round < ROUNDS; round++) await yieldToLoop();
    if (answer) break;
  }
  expect(answer).toMatchObject({ exists: true, xrp });
  await asked;
});

test('is not known where later ledgers are missing', async () => {
  const { engine, ask, ledger, account } = await followed();
  const path = `/account/snapshot/${account}?ledger=${ledger}`;
  expect((await ask.get(path)).status).toBe(200);
  const next = engine.head!.index + 1;
  engine.skipGap(next, next);
  await apply(engine, ledgers[BEFORE + 1]!);
  await engine.drain();
  expect((await ask.get(path)).body).toMatchObject({
    success: false,
    error: `Ledgers after ${ledger} are missing: what changed in them is not known`,
  });
});

test('is not known where later ledgers are pruned while they are read', async () => {
  const { store, engine, ask, ledger, account } = await followed();
  await engine.drain();
  const asked = ask.get(`/account/snapshot/${account}?ledger=${ledger}`);
  await yieldToLoop();
  store.oldest = ledger + BEFORE / 2;
  expect((await asked).body).toMatchObject({
    success: false,
    error: `Ledgers after ${ledger} are missing: what changed in them is not known`,
  });
});

/** Lines of accounts that are kept over ledgers, against lines that are read again. */
import { expect, test } from 'bun:test';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { runToEnd } from '../../engine/event-loop.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { HeldLines } from '../../views/accounts/held-lines.ts';
import { casesOf } from '../cases.ts';
import { quietLog as log } from '../engine/ledger/quiet.ts';
import { World } from '../sandbox/population/world.ts';

const seed = Number(process.env.SEED ?? 7_301);
const LEDGERS = casesOf(24, 200);
/** Seconds. */
const STEP = 1200;

const engine = new Engine({ store: new MemoryStore(), log });
const { accounts, lines } = engine.state;

function read(account: number): HeldLines {
  const held = new HeldLines(engine.state, account);
  runToEnd(held.reading());
  return held;
}

/** Everything that it says. */
function contentOf(held: HeldLines) {
  const rows = [...held.ordered(true)].map((place) => [
    held.line(place),
    held.token(place),
    held.balance(place),
    held.isHeld(place),
  ]);
  return { rows, count: held.count, zeros: held.zeros };
}

test('they are the same after every ledger', async () => {
  const world = new World({ seed: `held lines ${seed}` });
  const kept = new Map<number, HeldLines>();
  let changes = 0;
  let replaced = 0;
  for (let i = 0; i < LEDGERS; i++) {
    const packed = new PackedLedger(world.step(STEP).packed().bytes);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
    runToEnd(lines.byAccount.linking());
    for (let id = 1; id < accounts.count; id++) {
      let held = kept.get(id);
      if (!held?.isFollowing) {
        if (held) replaced++;
        held?.close();
        held = read(id);
        held.follow();
        kept.set(id, held);
      }
      const before = JSON.stringify(contentOf(held));
      held.update();
      const now = contentOf(held);
      if (JSON.stringify(now) !== before) changes++;
      const again = read(id);
      expect(now).toEqual(contentOf(again));
      expect(now.count).toBe(now.rows.filter(([, , , isHeld]) => isHeld).length);
    }
  }
  expect(changes).toBeGreaterThan(LEDGERS);
  console.log(`${kept.size} accounts, ${changes} changed, ${replaced} read again`);
  world.flush();
});

/** Burned LP tokens in token rows, against a walk over all lines and accounts of an embedded network with projects. */
import { expect, test } from 'bun:test';
import { accountOf, addressOf } from '../../engine/codec/arithmetic/amount.ts';
import { ACCOUNT_ONE } from '../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../../sandbox/protocol/fields.ts';
import { hasAny, Lsf } from '../../sandbox/protocol/flags.ts';
import * as keylets from '../../sandbox/protocol/keylets.ts';
import { Views } from '../../views/views.ts';
import { World } from '../sandbox/population/world.ts';
import { applyAll, newEngine } from './world.ts';

/** By then a few projects have been launched, and the LP tokens of some given to an issuer without keys. */
const LEDGERS = 62;

test('LP tokens are burned that the issuer holds when nobody can sign for it, also in rows and lists kept from before', async () => {
  const world = new World({ seed: 'burned', size: 'default' });
  const { network } = world;
  const engine = newEngine();
  const views = new Views(engine);
  const rowsOf = (of: Views) =>
    of.tokens
      .list({ sort: 'assessmentScore', ascending: false, offset: 0, limit: 1e6 })
      .ids.map((token) => JSON.parse(new TextDecoder().decode(of.tokens.row(token))));
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    await applyAll(engine, [world.step().packed()]);
    await views.pools.prepare();
    await views.tokens.listReady('assessmentScore');
    rowsOf(views);
  }
  const rows = rowsOf(views);
  const again = new Views(engine);
  await again.pools.prepare();
  expect(rows).toEqual(rowsOf(again));

  const view = network.closed.view();
  const entries = Array.from(network.closed.state.tree.items(), ({ entry }) => entry);
  const lines = entries.filter(({ LedgerEntryType }) => LedgerEntryType === 'RippleState');
  const cannotSign = (account: string): boolean => {
    const root = view.read(keylets.account(account));
    return hasAny(root?.Flags, Lsf.lsfDisableMaster) && root?.RegularKey === ACCOUNT_ONE;
  };
  const holderOf = (line: Readonly<Entry>, pool: string): string | undefined =>
    [line.LowLimit!.issuer, line.HighLimit!.issuer].find((account) => account !== pool);
  let burned = 0;
  for (const { name, AMM, lpBurnedPercent, lpBurnedHolders } of rows.filter((row) => row.AMM !== undefined)) {
    const pool = accountOf(AMM)!;
    const amm = view.read(view.read(keylets.account(pool))!.AMMID!)!;
    const code = amm.LPTokenBalance!.asset.slice(0, 40);
    const mine = lines.filter(
      (line) =>
        line.Balance!.asset.startsWith(code) &&
        [line.LowLimit!.issuer, line.HighLimit!.issuer].includes(pool) &&
        cannotSign(holderOf(line, pool)!),
    );
    const held = mine.reduce((sum, line) => sum + Math.abs(Number(line.Balance!.text())), 0);
    const percent = (100 * held) / Number(amm.LPTokenBalance!.text());
    expect(lpBurnedPercent, `${name} ${addressOf(pool)}`).toBeCloseTo(percent, 3);
    expect(lpBurnedHolders).toBe(mine.length);
    if (percent > 0) burned++;
  }
  expect(burned).toBeGreaterThan(1);
});

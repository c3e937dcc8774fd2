/** Sums of the report on scams, of entries that are given. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { WALLET_DRAINERS } from '../../engine/scams/rules/wallet-drainers.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { ScamReportView } from '../../views/scam-report.ts';
import { quietLog as log } from '../engine/ledger/quiet.ts';

test('XRP is summed to the drop', async () => {
  const entry = (account: string, xrp: number) => ({
    ...{ account, xrp, affected: 2, category: 'wallet_drainer', rule: 'wallet drainer' },
    ...{ verified: true, since: 0, evidence: [] },
  });
  const drainers = [entry('one', 0.1), entry('one', 0.2), entry('two', 0.000001)];
  const scams = {
    found: (rule: unknown) => (rule === WALLET_DRAINERS ? drainers : []),
    distinctOthers: async () => 2,
    spamSenders: async () => [],
    addresses: () => [],
  };
  const engine = new Engine({ store: new MemoryStore(), log });
  const { overview, top_scammers } = await new ScamReportView(engine, scams as never, {
    list: () => [],
    version: 0,
  }).report();
  expect([overview.total_xrp_stolen, overview.wallet_drainers.xrp_stolen]).toEqual([0.300001, 0.300001]);
  expect(top_scammers).toEqual([
    { account: 'one', xrp_stolen: 0.3, sales: 0 },
    { account: 'two', xrp_stolen: 0.000001, sales: 0 },
  ]);
});

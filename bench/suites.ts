/** The suites: the file of each, and the budgets it measures. Every budget is measured by exactly one suite. */
import type { BudgetName } from './budgets.ts';

export interface Suite {
  /** In this folder. It prints its figures as one line, `figures [...]`; other lines are only displayed. */
  readonly file: string;
  readonly budgets: readonly BudgetName[];
}

export const SUITES: Readonly<Record<string, Suite>> = {
  decode: { file: 'decode.ts', budgets: ['decode.partial', 'decode.json'] },
  state: { file: 'state.ts', budgets: ['memory.line'] },
  replay: { file: 'replay.ts', budgets: ['replay.reference', 'replay.bare'] },
  http: { file: 'http.ts', budgets: ['http.tokens', 'http.token', 'http.orderbook'] },
  candles: { file: 'candles.ts', budgets: ['candles.kept', 'candles.fiat', 'candles.fold'] },
  fanout: { file: 'fanout.ts', budgets: ['fanout.cpu', 'fanout.reach'] },
  latency: { file: 'latency.ts', budgets: ['latency.ledger'] },
  catchup: { file: 'catchup.ts', budgets: ['catchup.batches'] },
  live: { file: 'live.ts', budgets: ['live.inline'] },
  stall: { file: 'stall.ts', budgets: ['stall.replay'] },
  restart: { file: 'restart.ts', budgets: ['restart.ready'] },
  apply: { file: 'apply.ts', budgets: ['sandbox.apply'] },
  'first-start': {
    file: 'first-start.ts',
    budgets: ['sandbox.ready', 'sandbox.history', 'sandbox.memory'],
  },
  kernels: { file: 'kernels.ts', budgets: [] },
};

/** The suites: the file of each, and the budgets it measures. Every budget is measured by exactly one suite. */
import type { BudgetName } from './budgets.ts';

export interface Suite {
  /** In this folder. It prints its figures as one line, `figures [...]`, or `skipped: why`; other lines are only displayed. */
  readonly file: string;
  readonly budgets: readonly BudgetName[];
}

export const SUITES: Readonly<Record<string, Suite>> = {
  decode: { file: 'decode.ts', budgets: ['decode.partial', 'decode.json'] },
  state: { file: 'state.ts', budgets: ['memory.line'] },
  replay: { file: 'replay.ts', budgets: ['replay.reference', 'replay.bare'] },
  traders: { file: 'traders.ts', budgets: ['replay.traders', 'replay.signals'] },
  nfts: { file: 'nfts.ts', budgets: ['replay.nfts'] },
  source: { file: 'source.ts', budgets: ['source.small'] },
  http: {
    file: 'http.ts',
    budgets: ['http.tokens', 'http.token', 'http.thumb', 'http.orderbook', 'http.lists'],
  },
  'http-accounts': {
    file: 'http-accounts.ts',
    budgets: ['http.account-balance', 'http.account-tx', 'http.trustlines'],
  },
  'http-lists': { file: 'http-lists.ts', budgets: ['http.any-list'] },
  'http-chart': { file: 'http-chart.ts', budgets: ['http.ohlc'] },
  mcp: { file: 'mcp.ts', budgets: ['mcp.token', 'mcp.overhead', 'mcp.list'] },
  candles: { file: 'candles.ts', budgets: ['candles.kept', 'candles.fiat', 'candles.fold'] },
  fanout: { file: 'fanout.ts', budgets: ['fanout.cpu', 'fanout.paced', 'fanout.reach'] },
  latency: { file: 'latency.ts', budgets: ['latency.ledger'] },
  'latency-accounts': { file: 'latency-accounts.ts', budgets: ['latency.accounts'] },
  'account-history': { file: 'account-history.ts', budgets: ['accounts.history'] },
  'account-index': { file: 'account-index.ts', budgets: ['replay.account-index'] },
  catchup: { file: 'catchup.ts', budgets: ['catchup.batches'] },
  live: { file: 'live.ts', budgets: [] },
  stall: { file: 'stall.ts', budgets: ['stall.replay'] },
  heavy: {
    file: 'heavy.ts',
    budgets: ['heavy.stall', 'heavy.time', 'heavy.update', 'heavy.lock'],
  },
  clusters: { file: 'clusters.ts', budgets: ['clusters.time', 'clusters.stall'] },
  signals: { file: 'signals.ts', budgets: ['signals.rsi', 'signals.spread'] },
  quote: { file: 'quote.ts', budgets: ['quote.p50', 'quote.p99', 'quote.finder'] },
  gate: {
    file: 'gate.ts',
    budgets: ['gate.rate', 'gate.added', 'gate.flood', 'gate.clients', 'gate.addresses'],
  },
  'quote-load': { file: 'quote-load.ts', budgets: ['quote.loaded', 'quote.stall'] },
  pages: { file: 'pages.ts', budgets: ['pages.first', 'pages.task', 'pages.sockets', 'pages.idle'] },
  restart: { file: 'restart.ts', budgets: ['restart.ready'] },
  apply: { file: 'apply.ts', budgets: ['sandbox.apply'] },
  'first-start': {
    file: 'first-start.ts',
    budgets: ['sandbox.ready', 'sandbox.history', 'sandbox.memory'],
  },
  'size-start': { file: 'size-start.ts', budgets: ['size.listening', 'size.restored'] },
  'size-engine': {
    file: 'size-engine.ts',
    budgets: ['size.apply', 'size.restore', 'size.memory'],
  },
  'size-digest': { file: 'size-digest.ts', budgets: ['size.digest'] },
  'size-page': { file: 'size-page.ts', budgets: ['size.page'] },
  'size-write': { file: 'size-write.ts', budgets: ['size.written'] },
  'size-follow': { file: 'size-follow.ts', budgets: ['size.frames', 'size.stall'] },
  'size-serve': {
    file: 'size-serve.ts',
    budgets: ['size.holders', 'size.search', 'size.first', 'size.lists'],
  },
  'size-lists': { file: 'size-lists.ts', budgets: ['size.any-list'] },
  'size-snapshot': {
    file: 'size-snapshot.ts',
    budgets: ['size.snapshot', 'size.snapshot-memory', 'size.snapshot-resumed'],
  },
  'size-nfts': {
    file: 'size-nfts.ts',
    budgets: [
      'size.nft-start',
      'size.nft-memory',
      'size.nft-collections',
      'size.nft-members',
      'size.nft-traits',
      'size.nft',
    ],
  },
  'size-address': { file: 'size-address.ts', budgets: ['size.address'] },
  kernels: { file: 'kernels.ts', budgets: [] },
};

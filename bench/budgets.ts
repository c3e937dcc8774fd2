/**
 * All budgets. A figure is a ratio to an alternative measured in the same run, or (marked as such) an absolute value for
 * all supported machines. `least`: the figure must be at least the budget; `most`: at most.
 */
export interface Budget {
  readonly what: string;
  readonly against: string;
  readonly rule: 'least' | 'most';
  readonly budget: number;
  readonly unit: string;
}

export const BUDGETS = {
  'decode.partial': {
    what: 'decode transaction + metadata to what the engine needs, one core',
    against: 'ripple-binary-codec',
    rule: 'least',
    budget: 500,
    unit: 'x',
  },
  'decode.json': {
    what: 'decode transaction + metadata to full JSON, one core',
    against: 'ripple-binary-codec',
    rule: 'least',
    budget: 40,
    unit: 'x',
  },
  'replay.reference': {
    what: 'replay: proof + decode + apply + durable store, 100-transaction ledgers, 2 cores',
    against: 'the same loop with the reference codec',
    rule: 'least',
    budget: 20,
    unit: 'x',
  },
  'replay.bare': {
    what: 'replay, as above',
    against: 'a bare loop that only parses and stores trades',
    rule: 'least',
    budget: 0.25,
    unit: 'x',
  },
  'latency.ledger': {
    // 40 ms where the reference load takes 3.4 ms.
    what: 'a 400-transaction ledger: last byte in to last frame out, 1,000 sockets, p99',
    against: 'the reference load (bench/reference-load.ts)',
    rule: 'most',
    budget: 12,
    unit: 'x',
  },
  'catchup.batches': {
    what: 'main thread time per 30-transaction ledger in a replay, one proving thread: handed over one at a time',
    against: 'the same, handed over in batches',
    rule: 'least',
    budget: 1.1,
    unit: 'x',
  },
  'live.inline': {
    what: 'a 50-transaction ledger: announced by a node to frame received, proved inline, median',
    against: 'the same, proved by a thread of the pool',
    rule: 'most',
    budget: 0.8,
    unit: 'x',
  },
  'fanout.cpu': {
    what: 'one 500-byte frame to 5,000 sockets: CPU a frame',
    against: 'ws on Node',
    rule: 'most',
    budget: 0.2,
    unit: 'x',
  },
  'fanout.reach': {
    what: 'the same: frames delivered / frames due',
    against: 'absolute',
    rule: 'least',
    budget: 1,
    unit: '',
  },
  'http.tokens': {
    what: '/tokens?limit=100 full rows, any sort: requests/s',
    against: 'Bun.serve sending the same bytes static',
    rule: 'least',
    budget: 0.8,
    unit: 'x',
  },
  'http.token': {
    what: '/token/{id}: requests/s',
    against: 'Bun.serve sending the same bytes static',
    rule: 'least',
    budget: 0.7,
    unit: 'x',
  },
  'http.orderbook': {
    what: '/orderbook?limit=20: requests/s',
    against: 'Bun.serve sending the same bytes static',
    rule: 'least',
    budget: 0.6,
    unit: 'x',
  },
  'candles.kept': {
    what: 'charts of 500 candles, in XRP and dollars, each requested right after a trade of its token: time per chart',
    against: 'the same text from the store, without cached data',
    rule: 'least',
    budget: 10,
    unit: 'x',
  },
  'candles.fiat': {
    what: 'a chart of 500 candles of an hour in dollars, requested for the first time: time per chart',
    against: 'folding it from candles of a minute',
    rule: 'least',
    budget: 10,
    unit: 'x',
  },
  'candles.fold': {
    what: 'candles of a ledger, four currencies known, 16 ledgers per minute: time per ledger',
    against: 'candles in XRP alone',
    rule: 'most',
    budget: 1.4,
    unit: 'x',
  },
  'stall.replay': {
    // 50 ms where the reference load takes 3.4 ms.
    what: 'longest event-loop stall while replaying at full speed and serving',
    against: 'the reference load (bench/reference-load.ts)',
    rule: 'most',
    budget: 15,
    unit: 'x',
  },
  'restart.ready': {
    what: 'restart to ready with 1 million trust lines stored',
    against: 'absolute',
    rule: 'most',
    budget: 3,
    unit: 's',
  },
  'memory.line': {
    what: 'memory per trust line held hot, indices included',
    against: 'absolute',
    rule: 'most',
    budget: 64,
    unit: 'bytes',
  },
  'sandbox.apply': {
    what: 'embedded network: mixed transactions applied, signatures verified, ledgers hashed, one core',
    // 1,500 tx/s where the bare cost alone allows 17,700.
    against: 'the bare cost of verifying the signatures and hashing the same bytes',
    rule: 'least',
    budget: 0.085,
    unit: 'x',
  },
  'sandbox.ready': {
    what: 'first start on an empty folder: /tokens has rows with trades',
    against: 'absolute',
    rule: 'most',
    budget: 5,
    unit: 's',
  },
  'sandbox.history': {
    what: 'the same: seven days of history made, followed and served',
    against: 'absolute',
    rule: 'most',
    budget: 120,
    unit: 's',
  },
  'sandbox.memory': {
    what: 'the same: most memory the process had resident by then',
    against: 'absolute',
    rule: 'most',
    budget: 1_024,
    unit: 'MB',
  },
} as const satisfies Record<string, Budget>;

export type BudgetName = keyof typeof BUDGETS;

/** One measured figure. `ours` and `other` are the two sides of the ratio, for display. */
export interface Figure {
  readonly name: BudgetName;
  readonly value: number;
  readonly ours?: string;
  readonly other?: string;
}

export function holds(figure: Figure): boolean {
  const { rule, budget } = BUDGETS[figure.name];
  return rule === 'least' ? figure.value >= budget : figure.value <= budget;
}

import { ACCOUNT_BUDGETS } from './account-budgets.ts';
import { HTTP_BUDGETS } from './http-budgets.ts';
import { NFT_BUDGETS } from './nft-budgets.ts';

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
    budget: 0.4,
    unit: 'x',
  },
  'replay.traders': {
    what: 'apply + durable store with positions and traders, 100-transaction ledgers, main thread',
    against: 'the same without them',
    rule: 'least',
    budget: 0.8,
    unit: 'x',
  },
  'replay.signals': {
    what: 'the same with positions and all that signals are made of: every domain but state and market, relative strength',
    against: 'the same without them',
    rule: 'least',
    budget: 0.8,
    unit: 'x',
  },
  'source.small': {
    what: 'catching up from a node over loopback, ledgers of 8 transactions: ledgers/s',
    against:
      'a loop that only receives and parses the same answers, down to the fields of transactions and metadata',
    rule: 'least',
    budget: 0.6,
    unit: 'x',
  },
  'quote.p50': {
    what: 'a quote of up to 4 hops, exact output, 5,000 assets and 20,000 edges, median',
    against: "the embedded network's own path finder (absolute)",
    rule: 'most',
    budget: 0.5,
    unit: 'ms',
  },
  'quote.p99': {
    what: 'the same, p99',
    against: "the embedded network's own path finder (absolute)",
    rule: 'most',
    budget: 5,
    unit: 'ms',
  },
  'quote.finder': {
    what: 'a quote as above, median',
    against: "the embedded network's own path finder, same questions",
    rule: 'least',
    budget: 50,
    unit: 'x',
  },
  'quote.loaded': {
    what: '1,000 quotes a second over HTTP while ledgers of 400 transactions apply: from when one is due to its answer, p99',
    against: 'absolute',
    rule: 'most',
    budget: 10,
    unit: 'ms',
  },
  'quote.stall': {
    what: 'longest stall of the event loop meanwhile',
    against: 'absolute',
    rule: 'most',
    budget: 20,
    unit: 'ms',
  },
  'latency.ledger': {
    // 40 ms where the reference load takes 3.4 ms.
    what: 'a 400-transaction ledger: last byte in to last frame out, 1,000 sockets, p99',
    against: 'the reference load (bench/reference-load.ts)',
    rule: 'most',
    budget: 12,
    unit: 'x',
  },
  ...ACCOUNT_BUDGETS,
  'catchup.batches': {
    what: 'main thread time per 30-transaction ledger in a replay, one proving thread: handed over one at a time',
    against: 'the same, handed over in batches',
    rule: 'least',
    budget: 1.1,
    unit: 'x',
  },
  'fanout.cpu': {
    what: 'one 500-byte frame to 5,000 sockets: CPU a frame',
    against: 'ws on Node',
    rule: 'most',
    budget: 0.2,
    unit: 'x',
  },
  'fanout.paced': {
    what: '500-byte frames to 5,000 sockets, 50,000 frames/s in ten a second for each: CPU a frame',
    against: 'ws on Node',
    rule: 'most',
    budget: 0.333,
    unit: 'x',
  },
  'fanout.reach': {
    what: 'all loads of these: frames delivered / frames due',
    against: 'absolute',
    rule: 'least',
    budget: 1,
    unit: '',
  },
  ...HTTP_BUDGETS,
  ...NFT_BUDGETS,
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
  'heavy.stall': {
    what: 'ranking 300,000 holders of a token in a worker thread: longest stall of the main thread',
    against: 'ranking them on the main thread, in slices',
    rule: 'most',
    budget: 0.25,
    unit: 'x',
  },
  'heavy.time': {
    what: 'the same: time to the result',
    against: 'ranking them on the main thread, in slices',
    rule: 'most',
    budget: 1.5,
    unit: 'x',
  },
  'heavy.update': {
    what: 'bringing that ranking up to date after a ledger that changed 50 of its lines',
    against: 'ranking them again',
    rule: 'most',
    budget: 0.1,
    unit: 'x',
  },
  'heavy.lock': {
    what: 'applying an 8-transaction ledger: time for the sequence locks of all tables',
    against: 'the whole application',
    rule: 'most',
    budget: 0.01,
    unit: 'x',
  },
  'clusters.time': {
    what: 'groups of all 100,000 holders of a token that were funded together, over five hops, in a worker thread',
    against: 'absolute',
    rule: 'most',
    budget: 300,
    unit: 'ms',
  },
  'clusters.stall': {
    what: 'longest stall of the main thread meanwhile',
    against: 'absolute',
    rule: 'most',
    budget: 20,
    unit: 'ms',
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
  // The main network's size (bench/size/): every row at 8.5 million lines, 6.6 million accounts.
  'size.written': {
    what: "main network's size: bytes written to the disk for a 100-transaction ledger, checkpoints included",
    against: 'absolute',
    rule: 'most',
    budget: 0.5,
    unit: 'MB',
  },
  'size.listening': {
    what: "main network's size: start of the program to the first answer of /health",
    against: 'absolute',
    rule: 'most',
    budget: 0.5,
    unit: 's',
  },
  'size.restored': {
    what: 'the same, to ready',
    against: 'absolute',
    rule: 'most',
    budget: 4,
    unit: 's',
  },
  'size.stall': {
    what: "main network's size: longest stall while following 400-transaction ledgers and serving, an hour's end among them",
    against: 'absolute',
    rule: 'most',
    budget: 20,
    unit: 'ms',
  },
  'pages.first': {
    what: 'pages: a browser four times as slow as this machine, nothing kept, until the list of tokens has its rows; the longest of 5',
    against: 'absolute',
    rule: 'most',
    budget: 1_500,
    unit: 'ms',
  },
  'pages.task': {
    what: 'pages: longest task of the list while ledgers change some 500 of 20,000 tokens',
    against: 'absolute',
    rule: 'most',
    budget: 50,
    unit: 'ms',
  },
  'pages.sockets': {
    what: 'pages: sockets of one page, the most',
    against: 'absolute',
    rule: 'most',
    budget: 2,
    unit: '',
  },
  'pages.idle': {
    what: 'pages: requests of a page while no ledger closes',
    against: 'absolute',
    rule: 'most',
    budget: 0,
    unit: '',
  },
  'size.frames': {
    what: "main network's size: a 400-transaction ledger announced by a node to last frame at 300 sockets, p99",
    against: 'absolute',
    rule: 'most',
    budget: 40,
    unit: 'ms',
  },
  'size.holders': {
    what: "main network's size: /holders/info, ?freeze, ?search of the largest tokens after each ledger, p99",
    against: 'absolute',
    rule: 'most',
    budget: 20,
    unit: 'ms',
  },
  'size.search': {
    what: "main network's size: /search after each ledger, p99",
    against: 'absolute',
    rule: 'most',
    budget: 5,
    unit: 'ms',
  },
  'size.first': {
    what: "main network's size: longest stall from the first /pairs/XRP and the first list of each sort",
    against: 'absolute',
    rule: 'most',
    budget: 20,
    unit: 'ms',
  },
  'size.lists': {
    what: "main network's size: /tokens?limit=100 and /orderbook after each ledger, median time",
    against: 'the same with half a million lines',
    rule: 'most',
    budget: 1.2,
    unit: 'x',
  },
  'size.any-list': {
    what: "main network's size: the slowest list of 4.1 and 4.2 at limit 100, requests a second",
    against: 'Bun.serve static, same bytes',
    rule: 'least',
    budget: 0.7,
    unit: 'x',
  },
  'size.apply': {
    what: "main network's size: applying a 100-transaction ledger, median time of the main thread",
    against: 'the same with half a million lines',
    rule: 'most',
    budget: 1.3,
    unit: 'x',
  },
  'size.restore': {
    what: "main network's size: restoring a line, with all that belongs to it",
    against: 'the same with half a million lines',
    rule: 'most',
    budget: 1.2,
    unit: 'x',
  },
  'size.memory': {
    what: "main network's size: memory of a line, with all that belongs to it",
    against: 'the same with half a million lines',
    rule: 'most',
    budget: 1.2,
    unit: 'x',
  },
  'signals.rsi': {
    what: 'RSI of 20,000 tokens in 7 frames after a ledger that ends candles of 15 minutes of all of them',
    against: 'computed again from the last 100 closing prices of each',
    rule: 'least',
    budget: 20,
    unit: 'x',
  },
  'signals.spread': {
    what: 'Gini and HHI of a million holders after 100 changes of balances',
    against: 'the balances ordered again and the kernels run over all of them',
    rule: 'least',
    budget: 100,
    unit: 'x',
  },
  'size.digest': {
    what: "main network's size: the tool command `digest`, from start to end",
    against: 'absolute',
    rule: 'most',
    budget: 10,
    unit: 's',
  },
  'size.page': {
    what: "main network's size: loading one page of a snapshot, longest",
    against: 'absolute',
    rule: 'most',
    budget: 100,
    unit: 'ms',
  },
  'size.snapshot': {
    what: "main network's size: a snapshot of 20 million entries from a node, start to ready",
    against: 'a loop that only requests and parses the same pages',
    rule: 'most',
    budget: 1.1,
    unit: 'x',
  },
  'size.snapshot-memory': {
    what: 'the same: most memory of the process meanwhile',
    against: 'its memory after a restart',
    rule: 'most',
    budget: 1.5,
    unit: 'x',
  },
  'size.snapshot-resumed': {
    // Two steps of 30 pages may not be durable; one page is being loaded, three are ahead of it, the node counts one more.
    what: 'the same: pages requested again after kill -9 half-way',
    against: 'absolute',
    rule: 'most',
    budget: 66,
    unit: 'pages',
  },
  'size.address': {
    what: 'share of address space limits (100 GB to 1.1 TB) under which the service works or says in one line why not',
    against: 'absolute',
    rule: 'least',
    budget: 1,
    unit: '',
  },
  'gate.rate': {
    what: 'kept answers of /token/{id} behind the gate, without a key or with one, the lower: requests a second of a core',
    against: 'the same server without the gate',
    rule: 'least',
    budget: 0.9,
    unit: 'x',
  },
  'gate.added': {
    what: 'the same, the higher: CPU time that the gate adds to a request',
    against: 'absolute',
    rule: 'most',
    budget: 5,
    unit: 'us',
  },
  'gate.flood': {
    what: 'p99 of a token during a flood of 100,000 wrong signatures from as many addresses',
    against: 'absolute',
    rule: 'most',
    budget: 20,
    unit: 'ms',
  },
  'gate.clients': {
    what: 'p99 of 10,000 keys that go over their limit at once; counts must be exact',
    against: 'absolute',
    rule: 'most',
    budget: 10,
    unit: 'ms',
  },
  'gate.addresses': {
    what: 'memory of the tables once a million addresses have asked',
    against: 'absolute',
    rule: 'most',
    budget: 100,
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

/**
 * Quotes on a market of 5,000 assets and 20,000 edges: exact output, up to four hops, against the embedded network's own path finder
 * for the same questions on the same ledger. `bun bench/quote.ts`.
 *
 * The finder answers one source asset a question, as a quote does, at its usual level of search; its candidates are tried by the
 * engine that applies payments. Both sides run on one thread; the first questions of each are not counted.
 */
import { Amount } from '../engine/codec/arithmetic/amount.ts';
import { type Asset, currencyOf, issuerOf, XRP as NATIVE } from '../engine/codec/arithmetic/asset.ts';
import { bytesOf } from '../engine/codec/bytes.ts';
import { Changes } from '../engine/codec/changes.ts';
import { extractEntries } from '../engine/codec/extract.ts';
import { runToEnd } from '../engine/event-loop.ts';
import { assetOf } from '../engine/quotes/amounts.ts';
import { TokenGraph } from '../engine/quotes/graph.ts';
import type { QuoteRequest } from '../engine/quotes/quote.ts';
import { ledgerRules } from '../engine/quotes/rules.ts';
import { bestQuote } from '../engine/quotes/search.ts';
import { STATE_LIMITS } from '../engine/state/limits.ts';
import { State } from '../engine/state/state.ts';
import { XRP } from '../engine/state/tokens.ts';
import { PathRequest } from '../sandbox/paths/path-request.ts';
import { encodeEntry } from '../sandbox/protocol/encode.ts';
import { statePage } from '../support/state-page.ts';
import type { Figure } from './budgets.ts';
import { CLOSE_TIME, EDGES, type QuoteNetwork, quoteNetwork, TOKENS } from './quotes/network.ts';
import { Random } from './size/random.ts';

const SEED = 20_261_123;
const QUESTIONS = 2_000;
/** The finder takes so much longer that it gets fewer of the same questions. */
const FINDER_QUESTIONS = 60;
const WARM = 200;
const FINDER_WARM = 10;
const RULES = ledgerRules({ vaults: true, cleanup: true });
const TYPES = new Set(['AccountRoot', 'RippleState', 'Offer', 'AMM']);

interface Question {
  readonly spend: Asset;
  readonly deliver: Amount;
}

function stateOf({ entries }: QuoteNetwork): State {
  const state = new State(STATE_LIMITS);
  const page = statePage(
    entries
      .filter(({ LedgerEntryType }) => TYPES.has(LedgerEntryType!))
      .map((entry) => [bytesOf(entry.index), encodeEntry(entry)]),
  );
  state.applyEntries(page, new Changes(extractEntries(page)));
  runToEnd(state.rebuilding());
  const header = new Uint8Array(118);
  new DataView(header.buffer).setUint32(112, CLOSE_TIME);
  state.fees.applyHeader(header);
  return state;
}

function tokenOf({ accounts, currencies, tokens }: State, asset: Asset): number {
  if (asset === NATIVE) return XRP;
  return tokens.findPair(
    accounts.find(bytesOf(issuerOf(asset)), 0)!,
    currencies.find(bytesOf(currencyOf(asset)!), 0),
  );
}

/** Swaps worth 1 to 100 XRP between XRP and assets that both ends have. */
function questionsOf({ held, assets, values }: QuoteNetwork): Question[] {
  const random = new Random(SEED);
  const ends = [NATIVE, ...held];
  const pick = () => ends[random.below(ends.length)]!;
  return Array.from({ length: QUESTIONS + WARM }, () => {
    const spend = pick();
    let get = pick();
    while (get === spend) get = pick();
    const xrp = 10 ** (random.uniform() * 2);
    const units = xrp / values[assets.indexOf(get)]!;
    const deliver =
      get === NATIVE
        ? Amount.drops(BigInt(Math.round(xrp * 1e6)))
        : Amount.issued(get, BigInt(Math.round(units * 1e9)), -9);
    return { spend, deliver };
  });
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)]!;

export function quoteFigures(): Figure[] {
  const network = quoteNetwork(SEED);
  const state = stateOf(network);
  const graph = new TokenGraph(state);
  graph.update();
  const questions = questionsOf(network);
  const sender = state.accounts.find(bytesOf(network.sender), 0)!;
  const receiver = state.accounts.find(bytesOf(network.receiver), 0)!;
  const ours: number[] = [];
  let found = 0;
  questions.forEach(({ spend, deliver }, i) => {
    const [source, destination] = [tokenOf(state, spend), tokenOf(state, deliver.asset)];
    const amount = deliver.withAsset(assetOf(destination));
    const request: QuoteRequest = { source, destination, sender, receiver, side: 'out', amount };
    const started = performance.now();
    const quote = bestQuote(state, graph, request, RULES);
    const ms = performance.now() - started;
    if (i < WARM) return;
    ours.push(ms);
    if (quote?.isWhole) found += 1;
  });
  const theirs: number[] = [];
  let finderFound = 0;
  questions.slice(WARM - FINDER_WARM, WARM + FINDER_QUESTIONS).forEach(({ spend, deliver }, i) => {
    const request = new PathRequest({
      source: network.sender,
      destination: network.receiver,
      deliver,
      sendMax: undefined,
      sourceAssets: [spend],
      domain: undefined,
    });
    const started = performance.now();
    const alternatives = runToEnd(request.alternatives(network.view, network.books, false));
    const ms = performance.now() - started;
    if (i < FINDER_WARM) return;
    theirs.push(ms);
    if (alternatives?.length) finderFound += 1;
  });
  for (const times of [ours, theirs]) times.sort((a, b) => a - b);
  const [p50, p99, other] = [at(ours, 0.5), at(ours, 0.99), at(theirs, 0.5)];
  console.log(
    `${TOKENS} assets, ${graph.edges} of ${EDGES} edges; ${found} of ${QUESTIONS} quoted, p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(2)} ms; ` +
      `path finder: ${finderFound} of ${FINDER_QUESTIONS}, p50 ${other.toFixed(1)} ms`,
  );
  if (found < QUESTIONS / 2) throw new Error('most swaps of this market can be quoted');
  const text = (ms: number) => `${ms.toFixed(2)} ms`;
  return [
    { name: 'quote.p50', value: p50, ours: text(p50), other: text(other) },
    { name: 'quote.p99', value: p99, ours: text(p99), other: text(at(theirs, 0.99)) },
    { name: 'quote.finder', value: other / p50, ours: text(p50), other: text(other) },
  ];
}

if (import.meta.main) console.log(`figures ${JSON.stringify(quoteFigures())}`);

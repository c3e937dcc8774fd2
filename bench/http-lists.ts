/**
 * Every list of sections 4.1 and 4.2 at a limit of 100 (or its own, where that is less) against a `Bun.serve` that sends the
 * same bytes, measured as in http.ts, one route after another. The figure is that of the slowest. The lists are taken from the
 * route table, each of the token or account for which it is longest; answers below LEAST_BYTES are no lists of 100 rows and
 * are printed only. `bun bench/http-lists.ts`.
 */
import type { Route } from '../api/route.ts';
import { routes } from '../api/routes/index.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import type { BudgetName, Figure } from './budgets.ts';
import { againstStatic, type HttpRig, LEDGERS, largest, TRANSACTIONS, withService } from './http.ts';

const ROWS = 100;
const ROUNDS = 3;
const LEAST_BYTES = 8_000;
/** Tokens and accounts for which each list is requested, to find the longest. */
const TRIED = 40;

const isList = ({ method, section, params }: Route): boolean =>
  method === 'GET' && ['4.1', '4.2'].includes(section) && params.limit?.kind === 'int';

/** Addresses of one list. */
function pathsOf(row: Route, tokens: readonly string[], accounts: readonly string[]): string[] {
  const query = new URLSearchParams({ limit: String(ROWS) });
  const of = (token: string, account: string): string => {
    const value = (name: string): string =>
      /^(account|address)$/.test(name) ? account : name === 'sourceTag' ? String(row.example[name]) : token;
    for (const name of Object.keys(row.example))
      if (row.params[name]!.in === 'query' && name !== 'limit')
        query.set(name, /^(md5|base)$/.test(name) ? token : String(row.example[name]));
    return `/v1${row.path.replace(/\{(\w+)\}/g, (_, name) => value(name))}?${query}`;
  };
  return [...new Set(tokens.map((token, i) => of(token, accounts[i % accounts.length]!)))];
}

/**
 * The figure of the slowest list.
 * @param ids tokens @param accounts addresses, of which each list is measured for the one where it is longest
 */
export async function slowestList(
  rig: HttpRig,
  name: BudgetName,
  ids: readonly string[],
  accounts: readonly string[],
): Promise<Figure[]> {
  let slowest: Figure | undefined;
  for (const row of routes.filter(isList)) {
    const [path] = await largest(rig.url, pathsOf(row, ids, accounts), 1);
    const bytes = path && (await (await fetch(rig.url + path)).text()).length;
    if (!path || !bytes || bytes < LEAST_BYTES) {
      console.log(`${row.path}: ${bytes ?? 0} bytes, not a list of ${ROWS} rows here`);
      continue;
    }
    const figure = await againstStatic(rig, name, [path], ROUNDS);
    console.log(`${row.path}: ${figure.value.toFixed(2)}`);
    if (slowest === undefined || figure.value < slowest.value) slowest = figure;
  }
  return slowest ? [slowest] : [];
}

/** Tokens and traders for which lists are requested. */
export async function subjects(url: string): Promise<{ tokens: string[]; accounts: string[] }> {
  const read = async (path: string) => (await fetch(`${url}/v1${path}`)).json();
  const { tokens } = (await read(`/tokens?limit=${TRIED}`)) as { tokens: { md5: string }[] };
  const { data } = (await read(`/token/analytics/traders?limit=${TRIED}&sort=totalTrades`)) as {
    data: { address: string }[];
  };
  return {
    tokens: tokens.map(({ md5 }) => md5).filter((md5) => md5 !== 'xrp'),
    accounts: data.map(({ address }) => address),
  };
}

async function run(): Promise<Figure[]> {
  const chain = [...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS, interval: 60 })];
  return withService(chain, LEDGERS, async (rig) => {
    const { tokens, accounts } = await subjects(rig.url);
    return slowestList(rig, 'http.any-list', tokens, accounts);
  });
}

if (import.meta.main) {
  if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
  else console.log('recorded ledgers not found next to the checkout: nothing to measure');
}

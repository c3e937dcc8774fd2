/**
 * Answers about accounts against the same bytes sent static, as in http.ts: balances, the 20 newest transactions, 20 trust lines;
 * of accounts that hold the tokens of the list. `bun bench/http-accounts.ts`.
 */
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import type { BudgetName, Figure } from './budgets.ts';
import { againstStatic, type HttpRig, LEDGERS, largest, TRANSACTIONS, withService } from './http.ts';

/** Tokens whose largest holders are asked about. */
const TOKENS = 20;
const ROUNDS = 4;
const LONGEST_BYTES = 128 * 1024;

async function holders(url: string): Promise<string[]> {
  const { tokens } = (await (await fetch(`${url}/v1/tokens?limit=${TOKENS}`)).json()) as {
    tokens: { md5: string }[];
  };
  const found = new Set<string>();
  for (const { md5 } of tokens) {
    const answer = await (await fetch(`${url}/v1/holders/list/${md5}?limit=20`)).json();
    for (const { account } of (answer as { richList: { account: string }[] }).richList) found.add(account);
  }
  return [...found];
}

/** Of the answers that are not longer than most: some recorded transactions changed thousands of entries. */
async function typical(url: string, paths: readonly string[]): Promise<string[]> {
  const short: string[] = [];
  for (const path of paths)
    if ((await (await fetch(url + path)).arrayBuffer()).byteLength <= LONGEST_BYTES) short.push(path);
  return largest(url, short);
}

async function measured(rig: HttpRig): Promise<Figure[]> {
  const accounts = await holders(rig.url);
  const loads: [BudgetName, (account: string) => string][] = [
    ['http.account-balance', (account) => `/v1/account/balance/${account}`],
    ['http.account-tx', (account) => `/v1/account/tx/${account}?limit=20`],
    ['http.trustlines', (account) => `/v1/trustlines/${account}?limit=20`],
  ];
  const figures: Figure[] = [];
  for (const [name, pathOf] of loads)
    figures.push(await againstStatic(rig, name, await typical(rig.url, accounts.map(pathOf)), ROUNDS));
  return figures;
}

if (import.meta.main) {
  if (corpusDir) {
    const chain = [...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS })];
    console.log(`figures ${JSON.stringify(await withService(chain, LEDGERS, measured))}`);
  } else console.log('recorded ledgers not found next to the checkout: nothing to measure');
}

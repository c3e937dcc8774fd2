/**
 * The declarative path tests that rippled had: small ledgers as data, and the number of alternatives found on them. Their
 * paths were recorded from a finder of 2015; today's may differ.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpusDir } from '../../../support/corpus.ts';
import { MarketRig } from '../flow/market-rig.ts';
import { ask, pathText, payment } from './finding.ts';

interface Expected {
  readonly src: string;
  readonly dst: string;
  readonly send: string;
  readonly via: string;
  readonly n_alternatives?: number;
  readonly alternatives?: readonly { amount: string; paths: string[][] }[];
}

interface Case {
  readonly name: string;
  readonly ledger: {
    readonly accounts: Record<
      string,
      { balance: string[]; trusts?: string[]; offers?: [pays: string, gets: string][] }
    >;
  };
  readonly paths_expected: Record<string, Record<string, Expected>>;
}

const file = corpusDir && join(corpusDir, 'vectors/pathfinding_declarative.json');
const cases: readonly Case[] = file ? JSON.parse(readFileSync(file, 'utf8')).cases : [];

/** XRP without a decimal point is in drops. */
const dropsAsXrp = (text: string) =>
  text.includes('/') || text.includes('.') ? text : `${Number(text) / 1e6}`;

/** `ABC/G3|$` is a book, `ABC/G3|G3` an account. */
function shortStep(step: string): string {
  const [asset, account] = step.split('|');
  return account === '$' ? asset! : account!;
}

function build({ accounts }: Case['ledger']): MarketRig {
  const market = new MarketRig();
  for (const [name, { balance }] of Object.entries(accounts)) {
    market.rig.fundWith(name, BigInt(Math.round(Number(dropsAsXrp(balance[0]!)) * 1e6)));
    market.do({ TransactionType: 'AccountSet', Account: market.address(name), SetFlag: 8 });
  }
  for (const [name, { balance, trusts = [] }] of Object.entries(accounts)) {
    for (const limit of trusts) market.give(name, limit.replace(/^[^/]*/, '0'), limit.split('/')[0]);
    for (const held of balance.slice(1)) {
      const asset = held.slice(held.indexOf('/'));
      const trusted = trusts.find((limit) => limit.endsWith(asset));
      market.give(name, held, trusted?.split('/')[0] ?? held.split('/')[0]);
    }
  }
  for (const [name, { offers = [] }] of Object.entries(accounts))
    for (const [pays, gets] of offers) market.offer(name, dropsAsXrp(pays), dropsAsXrp(gets));
  return market;
}

describe.skipIf(!file)('declarative path tests', () => {
  for (const each of cases)
    for (const [group, expectations] of Object.entries(each.paths_expected))
      for (const [name, { src, dst, send, via, n_alternatives, alternatives }] of Object.entries(
        expectations,
      ))
        test(`${each.name}: ${group} ${name}, ${src} sends ${send} to ${dst} by ${via}`, () => {
          const market = build(each.ledger);
          const asked = {
            from: src,
            to: dst,
            deliver: send,
            spend: [via === 'XRP' ? 'XRP' : `${via}/${src}`],
          };
          const found = ask(market, asked);
          const wanted = n_alternatives ?? alternatives?.length;
          if (wanted !== undefined) expect(found.length).toBe(wanted);
          // Where the vector gives costs and paths, they must be equal.
          for (const [i, { amount, paths }] of (alternatives ?? []).entries()) {
            expect(found[i]!.source.json()).toEqual(market.amount(amount));
            for (const path of paths)
              expect(pathText(market, found[i]!)).toContain(path.map(shortStep).join(' '));
          }
          for (const alternative of found)
            expect(market.rig.apply(payment(market, asked, alternative)).result).toBe('tesSUCCESS');
        });
});

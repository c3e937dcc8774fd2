/** How well the rules found what scenarios did. */
import type { Engine } from '../../../engine/engine.ts';
import { NFT_COPIES } from '../../../engine/scams/rules/nft-copies.ts';
import { scamRule } from '../../../engine/scams/rules.ts';
import { SCAM_KINDS, type ScamKind, type ScenarioRun } from './scenario-run.ts';

export interface ScamScore {
  readonly kind: ScamKind | 'phishing' | 'other';
  readonly precision: number;
  readonly recall: number;
  /** How many were found, and how many there are. */
  readonly found: number;
  readonly guilty: number;
  /** r-addresses that were found and did nothing of the kind. */
  readonly wrong: readonly string[];
  /** Those that did and were not found. */
  readonly missed: readonly string[];
}

export function scoresOf(engine: Engine, run: ScenarioRun): ScamScore[] {
  const { scams, state } = engine;
  const found = new Map<string, Set<string>>();
  const add = (category: string, account: number) =>
    found.set(category, (found.get(category) ?? new Set()).add(state.accounts.text(account)));
  // Of those that give NFTs away only media show who copies: views/nfts/copies.ts.
  for (const row of scams.actors.listedRows.filter((one) => scams.actors.rule[one] !== NFT_COPIES.number))
    add(scamRule(scams.actors.rule[row]!).category, scams.actors.actor[row]!);
  for (const row of scams.impersonation.listedRows)
    add('impersonation', state.tokens.issuer(scams.impersonation.token[row]!));
  const scoreOf = (kind: ScamScore['kind'], guilty: ReadonlySet<string>): ScamScore => {
    const accounts = found.get(kind) ?? new Set<string>();
    const right = accounts.intersection(guilty).size;
    return {
      kind,
      precision: accounts.size === 0 ? 1 : right / accounts.size,
      recall: guilty.size === 0 ? 1 : right / guilty.size,
      found: accounts.size,
      guilty: guilty.size,
      wrong: [...accounts.difference(guilty)],
      missed: [...guilty.difference(accounts)],
    };
  };
  const kinds = SCAM_KINDS.filter((kind) => run.scenarios.has(kind));
  // The memo of the dust lures to a site: it is phishing, too.
  const phishers = new Set(run.scenarios.has('dust_spam') ? [run.guilty('dust_spam')] : []);
  return [
    ...kinds.map((kind) => scoreOf(kind, new Set([run.guilty(kind)]))),
    scoreOf('phishing', phishers),
    scoreOf('other', new Set()),
  ];
}

/**
 * Fixtures: what exists on this network, for developers and tests: the accounts by role, the tokens and collections, one
 * ledger entry of each type, the catalogue, and the scenarios with their ground truth.
 *
 * Cost: a walk over the directories of a dozen accounts; requested rarely.
 */

import { addressOf, assetJson } from '../../engine/codec/arithmetic/amount.ts';
import { type Asset, issuerOf, XRP } from '../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../engine/codec/json.ts';
import { RIPPLE_EPOCH, WEEK } from '../../engine/ripple-time.ts';
import type { Network } from '../node/network.ts';
import type { EntryType } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { nftTaxon } from '../protocol/nft-id.ts';
import type { Agent, Agents } from './agents.ts';
import type { CatalogueFamily } from './catalogue/family.ts';
import { CATALOGUE_LABEL } from './catalogue/family.ts';
import { MPT_HOLDERS } from './catalogue/tokens.ts';
import { BLUE_CHIP_TAXON, COLLECTORS } from './collectors.ts';
import { EXCHANGES } from './exchanges.ts';
import type { GroundTruth } from './ground-truth.ts';
import { CROWD, HOLDERS } from './holders.ts';
import type { Projects } from './projects/projects.ts';
import { projectRows } from './projects/rows.ts';
import { DROP_TAXON } from './scenarios/nfts.ts';
import { ARBITRAGEURS, ORACLES, PROVIDERS, TRADERS } from './setup.ts';
import type { SimulationStep } from './simulation-step.ts';
import type { Economy, Token } from './tokens.ts';
import { KEPT_WEEKS, weekAt, weekOfId } from './week.ts';
import type { Weeks } from './weeks.ts';

export interface FixtureSources {
  readonly network: Network;
  readonly agents: Agents;
  readonly economy: Economy;
  readonly projects: Projects;
  readonly groundTruth: GroundTruth;
  readonly weeks: Weeks;
  readonly families: readonly CatalogueFamily[];
  /** A step after the newest durable ledger, used only to read its state. */
  readonly step: SimulationStep;
}

const NOTES: Readonly<Record<string, string>> = {
  stablecoin: 'pegged to the US dollar; loses its peg for one hour a week',
  deep: 'deep book and pool',
  volatile: 'moves by tens of percent a day',
  crowd: 'several hundred small holders, by airdrop',
};
const HOLDERS_LISTED = 8;

const unixOf = (rippleTime: number): number => rippleTime + RIPPLE_EPOCH;

/** Accounts with a positive balance of a token. */
function holdersOf(step: SimulationStep, asset: Asset): string[] {
  const issuer = issuerOf(asset);
  return step
    .owned(issuer, 'RippleState')
    .filter(({ Balance }) => Balance?.asset.slice(0, 40) === asset.slice(0, 40))
    .map(({ LowLimit, HighLimit }) => (LowLimit!.issuer === issuer ? HighLimit!.issuer : LowLimit!.issuer))
    .filter((account) => step.holds(account, asset) > 0);
}

function tokenRow(step: SimulationStep, token: Token): JsonObject {
  const pool = step.view.read(keylets.amm(token.asset, XRP))?.Account;
  return {
    name: token.name,
    ...(assetJson(token.asset) as JsonObject),
    issuer: token.issuer.address,
    holders: holdersOf(step, token.asset).length,
    amm: pool === undefined ? null : addressOf(pool),
    ...(token.role === 'common' ? {} : { role: token.role, note: NOTES[token.role] ?? '' }),
    ...(token.role === 'stablecoin' ? { peg_usd: 1 } : {}),
  };
}

function collectionRows({ weeks, agents, step }: FixtureSources): JsonObject[] {
  const minted = (agent: Agent): number => step.accountRoot(agent)?.MintedNFTokens ?? 0;
  const left = (agent: Agent): number => minted(agent) - (step.accountRoot(agent)?.BurnedNFTokens ?? 0);
  const row = (name: string, agent: Agent, taxon: number, role: string, note: string): JsonObject => ({
    name,
    issuer: agent.address,
    taxon,
    role,
    note,
    items: minted(agent),
  });
  const drops = weeks.listed(step.now - step.epoch).filter(({ kind }) => kind === 'nft-drop');
  return [
    row('Blue chip', agents.get('studio'), BLUE_CHIP_TAXON, 'blue-chip', 'minted slowly, traded for weeks'),
    ...drops
      .filter(({ id, accounts }) => weekOfId(id) === 0 || left(accounts.dropper!) > 0)
      .map(({ id, accounts }) => {
        const week = weekOfId(id);
        const name = week === 0 ? 'Drop' : `Drop of week ${week}`;
        return row(name, accounts.dropper!, DROP_TAXON, 'drop', 'minted out within one hour');
      }),
  ];
}

/** For each type of entry, the agent whose owner directory contains one. */
const OBJECTS: readonly (readonly [EntryType, string])[] = [
  ['Offer', 'maker:COR/XRP'],
  ['RippleState', 'trader:0'],
  ['Oracle', 'oracle:0'],
  ['PayChannel', 'object:a'],
  ['Escrow', 'object:a'],
  ['Check', 'object:a'],
  ['Ticket', 'account:a'],
  ['SignerList', 'account:shared'],
  ['Delegate', 'account:a'],
  ['DepositPreauth', 'account:b'],
  ['MPTokenIssuance', 'mpt:issuer'],
  ['MPToken', 'mpt:holder:1'],
  ['Credential', 'identity:a'],
  ['PermissionedDomain', 'identity:issuer'],
  ['DID', 'identity:a'],
  ['Vault', 'vault:owner'],
  ['Bridge', 'bridge:door'],
  ['NFTokenOffer', 'nft-scammer'],
];

function objectsOf({ agents, step, economy }: FixtureSources): JsonObject {
  const found: JsonObject = { AMM: keylets.amm(economy.token('COR').asset, XRP) };
  for (const [type, name] of OBJECTS) {
    const entry = step.owned(agents.get(name).account, type)[0];
    if (entry !== undefined) found[type] = entry.index;
  }
  return found;
}

function catalogueRows({ families, groundTruth }: FixtureSources): JsonObject[] {
  const done = new Map(
    groundTruth.rowsOf(0).flatMap((row) => (row.step === CATALOGUE_LABEL ? [[row.id, row]] : [])),
  );
  return families
    .flatMap(({ rows }) => rows)
    .flatMap(({ id, kind, about, tx }) => {
      const row = done.get(id);
      return row?.result === undefined ? [] : [{ id, kind, about, result: row.result, hash: row.hash, tx }];
    });
}

function scenarioRows({ weeks, groundTruth, step }: FixtureSources): JsonObject[] {
  return weeks
    .listed(step.now - step.epoch)
    .map(({ id, kind, about, accounts, token, from, to, expected }) => ({
      id,
      kind,
      about,
      week: weekOfId(id),
      accounts: Object.fromEntries(Object.entries(accounts).map(([role, { address }]) => [role, address])),
      ...(token === undefined ? {} : { token: assetJson(token) as JsonObject }),
      from: unixOf(groundTruth.epoch + from),
      to: unixOf(groundTruth.epoch + to),
      expected: { ...expected },
      facts: { ...groundTruth.factsOf(id) },
      transactions: groundTruth
        .rowsOf(weekOfId(id))
        .filter((row) => row.id === id && row.result !== undefined)
        .map(({ step: label = '', type, account, hash, ledger, closeTime = 0, result = '' }) => ({
          step: label,
          type,
          account,
          hash,
          ledger,
          time: unixOf(closeTime),
          result,
        })),
    }));
}

/** Shape of `/testnet/fixtures`, and beside it `weeks` and `scenarios`: the first week's, and those of the weeks kept.
 * Times are Unix seconds, `generated_at` ms. */
export function fixtures(sources: FixtureSources): JsonObject {
  const { network, agents, economy, projects, step, groundTruth } = sources;
  const tokens = economy.tokens.filter(({ role }) => role !== 'common');
  const studio = agents.get('studio');
  const blueChip = [studio, ...agents.group('collector', COLLECTORS)]
    .flatMap(({ account }) => step.nfts(account))
    .find((id) => nftTaxon(id) === BLUE_CHIP_TAXON);
  const deep = economy.token('COR');
  return {
    network_id: network.networkId,
    generated_at: unixOf(step.now) * 1_000,
    age_seconds: Math.max(0, network.time - step.now),
    population: {
      size: groundTruth.size,
      epoch: unixOf(groundTruth.epoch),
      traders: TRADERS,
      makers: economy.markets.length,
      arbitrageurs: ARBITRAGEURS,
      providers: PROVIDERS,
      holders: HOLDERS,
      crowd: CROWD,
      collectors: COLLECTORS,
      oracles: ORACLES,
      mpt_holders: MPT_HOLDERS,
      projects: projects.all.length,
      exchanges: projects.all.length > 0 ? EXCHANGES : 0,
    },
    accounts: {
      issuer: economy.token('USDM').issuer.address,
      holders: holdersOf(step, deep.asset).slice(0, HOLDERS_LISTED).map(addressOf),
      trader: agents.get('trader:0').address,
      busy: economy.markets.slice(0, 4).map(({ maker }) => maker.address),
    },
    tokens: tokens.map((token) => tokenRow(step, token)),
    more_tokens: economy.tokens.filter(({ role }) => role === 'common').map((token) => tokenRow(step, token)),
    projects: projectRows(step, projects),
    collections: collectionRows(sources),
    nft: blueChip ?? null,
    objects: objectsOf(sources),
    catalogue: catalogueRows(sources),
    weeks: { seconds: WEEK, now: weekAt(step.now - step.epoch), kept: KEPT_WEEKS },
    scenarios: scenarioRows(sources),
  };
}

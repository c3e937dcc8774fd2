/** The tool about validators and amendments, as far as ledgers and the node that they come from show them. */
import { isJsonObject, type Json } from '../../../engine/codec/values.ts';
import { unixMs } from '../../../engine/ripple-time.ts';
import { badRequest } from '../../../requests/errors.ts';
import type { Network } from '../../../views/network.ts';
import { nodeRead } from '../../ledger/node-reads.ts';
import type { JsonObject } from '../json-rpc.ts';
import { flag, tool } from '../tool.ts';

/** Indexes of the two entries that every ledger has once (keylets of rippled). */
const AMENDMENTS = '7DB0788C020F02780A673DC74757F23823FA3014C1866E72CC4CD8B226CD6EF4';
const NEGATIVE_UNL = '2E8A59AA9D3B5B186B0B9E0F62E6C02587CA74A4D778938E957B6357D364B244';

const integer = { type: 'integer' };
const list = { type: 'array' };

/** What no ledger and no node shows: it would have to be asked of sites, which this service does not believe. */
const NOT_SHOWN = {
  releases: 'versions that other operators run are not on the ledger',
  commits_days: 'commits are not on the ledger',
  agreement_hours: 'validations of single validators are not part of ledgers',
  locations: 'places of validators are not on the ledger',
} as const;

export const validatorTools = [
  tool({
    name: 'get_validators',
    title: 'Validators and amendments',
    about:
      'Quorum, proposers, validators that count as offline (negative UNL), and amendments: enabled, with a majority and since when, known to the node. What neither ledgers nor the node show is named in notShown.',
    routes: ['POST /rpc'],
    params: {
      amendment: { kind: 'text', about: 'Only this one: name or id', maxLength: 100 },
      history: flag('Names of all that are enabled'),
      releases: flag('Versions in use'),
      commits_days: { kind: 'int', about: 'Commits of so many days', min: 1, max: 365 },
      agreement_hours: { kind: 'int', about: 'Agreement in so many hours', min: 1, max: 720 },
      locations: flag('Places'),
    },
    ifNone: 'Without amendment, all are listed',
    answer: {
      properties: {
        quorum: integer,
        proposers: integer,
        enabled: integer,
        amendments: list,
        offline: list,
        notShown: {},
      },
    },
    run: async (input, { network }) => {
      const [info, amendments, offline] = [
        await infoOf(network),
        await amendmentsOf(network),
        await offlineOf(network),
      ];
      const asked = input.amendment === undefined ? undefined : String(input.amendment).toLowerCase();
      const chosen = amendments.filter(({ name, id, enabled }) =>
        asked === undefined ? !enabled : name.toLowerCase() === asked || id.toLowerCase() === asked,
      );
      if (asked !== undefined && chosen.length === 0)
        throw badRequest('The node knows no such amendment', 'Without amendment, all are listed');
      const enabled = amendments.filter((one) => one.enabled);
      const hidden = Object.entries(NOT_SHOWN).filter(
        ([name]) => input[name] !== undefined && input[name] !== false,
      );
      return {
        ...info,
        enabled: enabled.length,
        amendments: chosen,
        ...(input.history === true && { enabledNames: enabled.map(({ name }) => name) }),
        offline,
        ...(hidden.length > 0 && { notShown: Object.fromEntries(hidden) }),
      };
    },
  }),
];

/** Members that the node tells; others are absent. */
async function infoOf(network: Network): Promise<JsonObject> {
  const { info } = await nodeRead(network, { command: 'server_info' });
  const of = isJsonObject(info) ? info : {};
  const { validation_quorum, last_close, validator_list, build_version, amendment_blocked } = of;
  const proposers = isJsonObject(last_close) ? last_close.proposers : undefined;
  const trusted = isJsonObject(validator_list) ? validator_list.count : undefined;
  return {
    ...(typeof validation_quorum === 'number' && { quorum: validation_quorum }),
    ...(typeof proposers === 'number' && { proposers }),
    ...(typeof trusted === 'number' && { trusted }),
    ...(typeof build_version === 'string' && { nodeVersion: build_version }),
    ...(amendment_blocked === true && { nodeIsOutdated: true }),
  };
}

interface Amendment {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** The node would go on with it. */
  readonly known: boolean;
  /** Since when it has a majority, ISO. */
  readonly majoritySince?: string;
}

async function amendmentsOf(network: Network): Promise<Amendment[]> {
  const [{ features }, majorities] = [
    await nodeRead(network, { command: 'feature' }),
    await majoritiesOf(network),
  ];
  if (!isJsonObject(features)) return [];
  return Object.entries(features)
    .flatMap(([id, one]) => (isJsonObject(one) ? [{ id, one }] : []))
    .map(({ id, one: { name, enabled, supported } }) => ({
      id,
      name: String(name ?? id),
      enabled: enabled === true,
      known: supported === true,
      ...(majorities.has(id) && { majoritySince: majorities.get(id)! }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Of amendments that wait for their two weeks, by id. */
async function majoritiesOf(network: Network): Promise<ReadonlyMap<string, string>> {
  const rows = (await entryOf(network, AMENDMENTS))?.Majorities;
  const found = new Map<string, string>();
  for (const row of Array.isArray(rows) ? rows : []) {
    const one = isJsonObject(row) ? row.Majority : undefined;
    if (isJsonObject(one) && typeof one.CloseTime === 'number')
      found.set(String(one.Amendment), new Date(unixMs(one.CloseTime)).toISOString());
  }
  return found;
}

/** Public keys of validators of the negative UNL. */
async function offlineOf(network: Network): Promise<string[]> {
  const rows = (await entryOf(network, NEGATIVE_UNL))?.DisabledValidators;
  return (Array.isArray(rows) ? rows : []).flatMap((row) => {
    const one = isJsonObject(row) ? row.DisabledValidator : undefined;
    return isJsonObject(one) ? [String(one.PublicKey)] : [];
  });
}

/** undefined: the ledger does not have it. */
async function entryOf(network: Network, index: string): Promise<Record<string, Json> | undefined> {
  const { node } = await nodeRead(network, { command: 'ledger_entry', index });
  return isJsonObject(node) ? (node as Record<string, Json>) : undefined;
}

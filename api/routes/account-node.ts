/** Section 4.3: what columns do not have, and the node that ledgers come from does (see ledger/node-reads.ts). */
import { isJsonObject, type Json, type JsonObject } from '../../engine/codec/values.ts';
import type { Network } from '../../views/network.ts';
import { account, addressParam } from '../common.ts';
import { samples } from '../examples.ts';
import { listIn, nodeList, nodeRead } from '../ledger/node-reads.ts';
import { type Route, route } from '../route.ts';
import { anyObject, boolean, describe, list, object, string } from '../schema.ts';
import { ofAccount } from './account-schemas.ts';
import { addressOf } from './trader-schemas.ts';

const PAGE_MAX = 400;
/** Checks that are read of an account: pages of PAGE_MAX. */
const CHECK_PAGES = 5;
const HOT_WALLETS_MAX = 50;

const shared = { ...ofAccount, unavailable: true } as const;

const page = {
  limit: { in: 'query', kind: 'int', default: 200, min: 10, max: PAGE_MAX, about: 'Most rows to answer' },
  marker: { in: 'query', kind: 'text', maxLength: 256, about: '`marker` of the page before' },
} as const;

/** The node's own members; an error of it is in `result`. */
const nodeAnswer = (...members: readonly string[]) =>
  object({
    ...Object.fromEntries(members.map((name) => [`${name}?`, {}])),
    'ledger_index?': {},
    'ledger_hash?': {},
    'validated?': {},
    'limit?': describe({}, 'Most rows of a list'),
    'marker?': describe({}, 'Pass it for the next page'),
    'result?': describe(anyObject, 'An error of the node'),
  });

const sent = (marker: string | undefined) => (marker === undefined || marker === '' ? {} : { marker });

const lines = route({
  ...shared,
  path: '/account/trustlines/{account}',
  example: { account: samples.account, limit: 20 },
  summary: 'Trust lines in the form of account_lines, with qualities and flags of both sides',
  params: { account, ...page, peer: addressParam('Only lines with this account') },
  response: nodeAnswer('account', 'lines'),
  handler: ({ account, limit, marker, peer }, { network }) => {
    const command = { command: 'account_lines', account: addressOf(account), limit, ...sent(marker) };
    return nodeList(network, { ...command, ...(peer !== undefined && { peer: addressOf(peer) }) }, 'lines');
  },
});

const currencies = route({
  ...shared,
  path: '/account/currencies/{account}',
  example: { account: samples.account },
  summary: 'Currencies that an account can send and receive',
  params: { account },
  response: nodeAnswer('send_currencies', 'receive_currencies'),
  handler: ({ account }, { network }) =>
    nodeRead(network, { command: 'account_currencies', account: addressOf(account) }),
});

const gateway = route({
  ...shared,
  path: '/account/gateway/{account}',
  example: { account: samples.account },
  summary:
    'What an issuer owes, by currency, without what its own wallets hold; 503 where the node takes too long',
  params: {
    account,
    hotwallet: {
      in: 'query',
      kind: 'list',
      maxItems: HOT_WALLETS_MAX,
      about: 'r-addresses of the issuer’s own wallets',
    },
  },
  response: nodeAnswer('account', 'obligations', 'balances', 'assets', 'frozen_balances', 'locked'),
  handler: ({ account, hotwallet = [] }, { network }) =>
    nodeRead(network, {
      command: 'gateway_balances',
      account: addressOf(account),
      strict: true,
      ...(hotwallet.length > 0 && { hotwallet: hotwallet.map(addressOf) }),
    }),
});

const nfts = route({
  ...shared,
  path: '/account/nfts/{account}',
  example: { account: samples.account },
  summary: 'NFTs that an account owns, as account_nfts',
  params: { account, ...page },
  response: nodeAnswer('account', 'account_nfts'),
  handler: ({ account, limit, marker = '' }, { network }) =>
    nftPage(network, addressOf(account), limit, marker),
});

/**
 * Nodes send more NFTs than are asked for: rippled at least 20, and Clio counts pages of the ledger, with up to 32 each. A page
 * that ends among them has a marker of this service, with which the node is asked for the same ones again:
 *
 *     <marker that the node was asked with>.<NFTokenID of its first row>.<NFTokenID of the last row shown>.<its limit>
 *
 * With a smaller limit than that the node might not reach the last row shown.
 * As with rippled's own markers, a page cannot go on after an NFT that the account has no more; nor where another node answers,
 * which begins with another one: Clio begins with the last page of the ledger.
 */
async function nftPage(network: Network, account: string, limit: number, marker: string) {
  const [asked = '', begin, after, before = ''] = marker.split('.', 4);
  const most = Math.min(PAGE_MAX, Math.max(limit, Number(before)));
  if (Number.isNaN(most)) return INVALID_MARKER;
  const command = { command: 'account_nfts', account, limit: most, ...sent(asked) };
  const { marker: next, ...answer } = await nodeRead(network, command);
  if (answer.result !== undefined) return answer;
  const all = listIn(answer, 'account_nfts');
  const first = after === undefined ? 0 : 1 + all.findIndex((row) => idOf(row) === after);
  if (begin !== undefined && (first === 0 || idOf(all[0]) !== begin)) return INVALID_MARKER;
  const rows = all.slice(first, first + limit);
  const more = first + limit < all.length ? `${asked}.${idOf(all[0])}.${idOf(rows.at(-1))}.${most}` : next;
  return { ...answer, account_nfts: rows, limit, ...(more !== undefined && { marker: more }) };
}

const idOf = (row: Json | undefined): string => (isJsonObject(row) ? String(row.NFTokenID) : '');

/** As nodes say it. */
const INVALID_MARKER = {
  result: {
    status: 'error',
    error: 'invalidParams',
    error_code: 31,
    error_message: "Invalid field 'marker'.",
  },
};

const objects = route({
  ...shared,
  path: '/account/objects/{account}',
  example: { account: samples.account },
  summary: 'Ledger entries that an account owns, as account_objects',
  params: {
    account,
    type: {
      in: 'query',
      kind: 'text',
      maxLength: 64,
      about: 'Only entries of this type: offer, escrow, check, nft_offer, ...',
    },
    ...page,
  },
  response: nodeAnswer('account', 'account_objects'),
  handler: ({ account, type, limit, marker }, { network }) =>
    nodeList(
      network,
      {
        command: 'account_objects',
        account: addressOf(account),
        limit,
        ...(type !== undefined && type !== '' && { type: nodeType(type.toLowerCase()) }),
        ...sent(marker),
      },
      'account_objects',
    ),
});

/** Names of types that clients send, and the node's. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['trustline', 'state'],
  ['nftoffer', 'nft_offer'],
  ['nftokenoffer', 'nft_offer'],
  ['nftokenpage', 'nft_page'],
  ['channel', 'payment_channel'],
  ['signers', 'signer_list'],
]);
const nodeType = (type: string): string => TYPE_NAMES.get(type) ?? type;

const noRipple = route({
  ...shared,
  path: '/account/noripple/{account}',
  example: { account: samples.account, role: 'user' },
  summary: 'Settings of an account that rippling makes dangerous, as noripple_check',
  params: {
    account,
    role: {
      in: 'query',
      kind: 'enum',
      values: ['gateway', 'user'],
      default: 'user',
      about: 'Checked as an issuer, or as a holder',
    },
    limit: page.limit,
  },
  response: nodeAnswer('problems', 'transactions'),
  handler: ({ account, role, limit }, { network }) =>
    nodeRead(network, {
      command: 'noripple_check',
      account: addressOf(account),
      role,
      limit,
      transactions: true,
    }),
});

const channels = route({
  ...shared,
  path: '/account/channels/{account}',
  example: { account: samples.account },
  summary: 'Payment channels that an account opened, as account_channels',
  params: { account, destination: addressParam('Only channels to this account'), ...page },
  response: nodeAnswer('account', 'channels'),
  handler: ({ account, destination, limit, marker }, { network }) =>
    nodeList(
      network,
      {
        command: 'account_channels',
        account: addressOf(account),
        limit,
        ...(destination !== undefined && { destination_account: addressOf(destination) }),
        ...sent(marker),
      },
      'channels',
    ),
});

const checks = route({
  ...shared,
  path: '/account/checks/{account}',
  example: { account: samples.account },
  summary: `Checks that an account wrote or may cash: the first ${CHECK_PAGES * PAGE_MAX} entries`,
  params: { account },
  response: object({
    account: string,
    objects: list(anyObject),
    'truncated?': describe(boolean, 'There are more'),
    'result?': describe(anyObject, 'An error of the node'),
  }),
  handler: ({ account }, { network }) => allChecks(addressOf(account), network),
});

async function allChecks(account: string, network: Network) {
  const objects: JsonObject[] = [];
  let marker: unknown;
  for (let read = 0; read < CHECK_PAGES; read++) {
    const command = { command: 'account_objects', account, type: 'check', limit: PAGE_MAX };
    const answer = await nodeList(
      network,
      { ...command, ...(marker !== undefined && { marker }) },
      'account_objects',
    );
    if (answer.result !== undefined) return { account, objects, result: answer.result as object };
    objects.push(...(answer.account_objects as JsonObject[]));
    ({ marker } = answer);
    if (marker === undefined) return { account, objects };
  }
  return { account, objects, truncated: true };
}

const depositAuthorized = route({
  ...shared,
  path: '/account/deposit-authorized',
  example: { source: samples.account, destination: samples.account },
  summary: 'Whether an account may pay another, as deposit_authorized',
  params: {
    source: { ...addressParam('Who pays'), required: true },
    destination: { ...addressParam('Who is paid'), required: true },
  },
  response: nodeAnswer('deposit_authorized', 'source_account', 'destination_account'),
  handler: ({ source, destination }, { network }) =>
    nodeRead(network, {
      command: 'deposit_authorized',
      source_account: addressOf(source),
      destination_account: addressOf(destination),
    }),
});

export const accountNodeRoutes: Route[] = [
  lines,
  currencies,
  gateway,
  nfts,
  objects,
  noRipple,
  channels,
  checks,
  depositAuthorized,
];

/** `subscribe` and `unsubscribe` (rippled `Subscribe.cpp`, `Unsubscribe.cpp`). */
import { encodeNodePublic } from 'xrpl';
import type { AccountId } from '../../../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../engine/codec/values.ts';
import { bookBase } from '../../protocol/keylets.ts';
import { ledgerMembers } from '../messages.ts';
import { type Session, STREAMS, type StreamName } from '../session.ts';
import { bookPage } from './book-offers.ts';
import { type BookSelection, bookSelection } from './book-params.ts';
import type { Command, CommandContext } from './command.ts';
import { expectedField, RpcError } from './errors.ts';
import { loadMembers } from './load.ts';
import { accountIdOf, booleanParam } from './params.ts';

/** Digits of a directory's key that identify the book. */
const BOOK_DIGITS = 48;
/** Offers of a side in a snapshot. */
const SNAPSHOT_OFFERS = 60;
/** Books of one request that get a snapshot. */
const SNAPSHOTS_MAX = 64;
const NAMES: ReadonlySet<string> = new Set(STREAMS);

/** The session that subscribes: only a WebSocket can receive messages. @throws RpcError invalidParams */
function sessionOf({ session }: CommandContext): Session {
  if (session === undefined) throw new RpcError('invalidParams');
  return session;
}

/** A list parameter; undefined when it is absent. @throws RpcError invalidParams */
function listOf(params: JsonObject, name: string): Json[] | undefined {
  const list = params[name];
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw expectedField(name, 'array');
  return list;
}

function streamsOf(params: JsonObject): StreamName[] {
  return (listOf(params, 'streams') ?? []).map((name) => {
    const stream = name === 'rt_transactions' ? 'transactions_proposed' : name;
    if (typeof stream !== 'string' || !NAMES.has(stream)) throw new RpcError('malformedStream');
    return stream as StreamName;
  });
}

/** Accounts of the first present list of these names; none when there is no list. @throws RpcError actMalformed */
function accountsOf(params: JsonObject, ...names: string[]): AccountId[] {
  const list = names.map((name) => listOf(params, name)).find((found) => found !== undefined);
  if (list === undefined) return [];
  const ids = list.map(accountIdOf);
  if (ids.length === 0 || ids.includes(undefined)) throw new RpcError('actMalformed');
  return ids as AccountId[];
}

/** A book to watch, both sides of it, or of which a snapshot is wanted. */
interface BookSubscription {
  readonly book: BookSelection;
  readonly both: boolean;
  readonly snapshot: boolean;
}

function booksOf(params: JsonObject): BookSubscription[] {
  return (listOf(params, 'books') ?? []).map((json) => {
    if (!isJsonObject(json)) throw new RpcError('invalidParams');
    if (json.taker !== undefined && accountIdOf(json.taker) === undefined) throw new RpcError('badIssuer');
    return {
      book: bookSelection(json),
      both: booleanParam(json, 'both') || booleanParam(json, 'both_sides'),
      snapshot: booleanParam(json, 'snapshot') || booleanParam(json, 'state_now'),
    };
  });
}

const baseOf = (book: BookSelection): string => bookBase(book).slice(0, BOOK_DIGITS);

const reversed = (book: BookSelection): BookSelection => ({
  ...book,
  takerPays: book.takerGets,
  takerGets: book.takerPays,
});

const basesOf = ({ book, both }: BookSubscription): string[] =>
  both ? [baseOf(book), baseOf(reversed(book))] : [baseOf(book)];

/** The snapshot for a subscriber to books: `offers`, or `bids` and `asks` of a book watched from both sides. */
function snapshots(requests: readonly BookSubscription[], { network }: CommandContext): JsonObject {
  if (requests.filter(({ snapshot }) => snapshot).length > SNAPSHOTS_MAX)
    throw new RpcError('slowDown', 'Too many books at once.');
  const view = network.validated.view();
  const answer: { [name: string]: Json[] } = {};
  const add = (name: string, book: BookSelection): void => {
    const known = answer[name] ?? [];
    answer[name] = known;
    known.push(...bookPage(view, book, SNAPSHOT_OFFERS));
  };
  for (const { book, both, snapshot } of requests) {
    if (!snapshot) continue;
    add(both ? 'bids' : 'offers', book);
    if (both) add('asks', reversed(book));
  }
  return answer;
}

/** The answer to a subscriber to `server`. */
function serverMembers({ network, node }: CommandContext): JsonObject {
  return {
    ...loadMembers(network),
    hostid: 'embedded',
    pubkey_node: encodeNodePublic(bytesOf(node.publicKey)),
    random: hexOf(node.entropy()) + hexOf(node.entropy()),
    server_status: 'full',
  };
}

interface SubscriptionRequest {
  readonly streams: StreamName[];
  readonly accounts: AccountId[];
  readonly accountsProposed: AccountId[];
  readonly books: BookSubscription[];
}

function requestOf(params: JsonObject, session: Session): SubscriptionRequest {
  const lists = ['accounts', 'accounts_proposed', 'rt_accounts', 'books'];
  // Before any is parsed: a long list is as much work as many lists.
  session.admit(lists.reduce((sum, name) => sum + (listOf(params, name)?.length ?? 0), 0));
  return {
    streams: streamsOf(params),
    accounts: accountsOf(params, 'accounts'),
    accountsProposed: accountsOf(params, 'accounts_proposed', 'rt_accounts'),
    books: booksOf(params),
  };
}

export const subscribe: Command = {
  name: 'subscribe',
  run(params, context) {
    const { network, apiVersion } = context;
    if (params.url !== undefined) throw new RpcError('notSupported', 'Messages go to WebSockets only.');
    const session = sessionOf(context);
    if (params.account_history_tx_stream !== undefined) throw new RpcError('notSupported');
    const { streams, accounts, accountsProposed, books } = requestOf(params, session);
    // All of it is well-formed: from here it takes effect.
    const snapshot = snapshots(books, context);
    for (const stream of streams) session.streams.set(stream, apiVersion);
    for (const account of accounts) session.accounts.set(account, apiVersion);
    for (const account of accountsProposed) session.accountsProposed.set(account, apiVersion);
    for (const base of books.flatMap(basesOf)) session.books.set(base, apiVersion);
    return {
      ...(streams.includes('server') ? serverMembers(context) : {}),
      ...(streams.includes('ledger') ? ledgerMembers(network, network.validated) : {}),
      ...snapshot,
    };
  },
};

export const unsubscribe: Command = {
  name: 'unsubscribe',
  run(params, context) {
    const session = sessionOf(context);
    const { streams, accounts, accountsProposed, books } = {
      streams: streamsOf(params),
      accounts: accountsOf(params, 'accounts'),
      accountsProposed: accountsOf(params, 'accounts_proposed', 'rt_accounts'),
      books: booksOf(params),
    };
    for (const stream of streams) session.streams.delete(stream);
    for (const account of accounts) session.accounts.delete(account);
    for (const account of accountsProposed) session.accountsProposed.delete(account);
    for (const base of books.flatMap(basesOf)) session.books.delete(base);
    return {};
  },
};

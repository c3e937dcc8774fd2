/**
 * Path finding: `ripple_path_find` once, `path_find` for a session that gets an update at every ledger (rippled
 * `RipplePathFind.cpp`, `PathFind.cpp`, `PathRequest.cpp`).
 *
 * `path_find create` is answered from a small search at once; a full one follows as a message, and again after each
 * closed ledger. A ledger that closes while a search still runs is left out.
 */

import { addressOf, currencyJson } from '../../../engine/codec/arithmetic/amount.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import { runInSlices, yieldToLoop } from '../../../engine/event-loop.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { PathFinder } from '../../paths/path-finder.ts';
import {
  type Alternative,
  destinationCurrencies,
  type PathQuestion,
  PathRequest,
} from '../../paths/path-request.ts';
import type { PathStep } from '../../protocol/fields.ts';
import type { Network } from '../network.ts';
import type { PathSubscription, Session } from '../session.ts';
import type { Command, CommandContext } from './command.ts';
import { RpcError } from './errors.ts';
import { chooseState } from './ledger-choice.ts';
import { checkAccounts, pathQuestion } from './path-params.ts';

/** Kinds of a path step, as bits (rippled `STPathElement`). */
const STEP_ACCOUNT = 0x01;
const STEP_CURRENCY = 0x10;
const STEP_ISSUER = 0x20;

function stepJson({ account, currency, issuer }: PathStep): JsonObject {
  const json: JsonObject = {};
  let type = 0;
  if (account !== undefined) {
    json.account = addressOf(account);
    type |= STEP_ACCOUNT;
  }
  if (currency !== undefined) {
    json.currency = currencyJson(currency);
    type |= STEP_CURRENCY;
  }
  if (issuer !== undefined) {
    json.issuer = addressOf(issuer);
    type |= STEP_ISSUER;
  }
  return { ...json, type };
}

/** @param legacy for `ripple_path_find`, which always contains an empty `paths_canonical` */
const alternativeJson = (found: Alternative, all: boolean, legacy: boolean): JsonObject => ({
  source_amount: found.source.json() as Json,
  ...(all ? { destination_amount: found.delivered.json() as Json } : {}),
  paths_computed: found.paths.map((path) => path.map(stepJson)),
  ...(legacy ? { paths_canonical: [] } : {}),
});

const questionJson = ({ source, destination, deliver }: PathQuestion): JsonObject => ({
  source_account: addressOf(source),
  destination_account: addressOf(destination),
  destination_amount: deliver.json() as Json,
});

const idJson = (id: Json | undefined): JsonObject => (id === undefined ? {} : { id });

async function search(
  finder: PathFinder,
  request: PathRequest,
  view: ReadView,
  { fast, legacy }: { readonly fast: boolean; readonly legacy: boolean },
): Promise<JsonObject> {
  const alternatives = await finder.find(request, view, fast);
  if (alternatives === undefined) throw new RpcError('internal');
  return {
    ...questionJson(request.question),
    full_reply: !fast,
    alternatives: alternatives.map((found) => alternativeJson(found, request.all, legacy)),
  };
}

/**
 * The ledger that a command names, with the members that describe it. By default the newest closed one; where ledgers are
 * closed by hand the open one, as with every other command (rippled `doRipplePathFind`: stand-alone).
 */
function ledgerOf(
  { network, node }: CommandContext,
  params: JsonObject,
): { view: ReadView; members: JsonObject } {
  const named = ['ledger', 'ledger_index', 'ledger_hash'].some((name) => params[name] !== undefined);
  return named || node.manual
    ? chooseState(network, params)
    : { view: network.validated.view(), members: { status: 'success' } };
}

export const ripplePathFind: Command = {
  name: 'ripple_path_find',
  async run(params, context) {
    const { network, id = params.id } = context;
    const { view, members } = ledgerOf(context, params);
    if (network.pathFinder.busy) throw new RpcError('tooBusy');
    const question = pathQuestion(params);
    checkAccounts(view, question);
    const found = await search(network.pathFinder, new PathRequest(question), view, {
      fast: false,
      legacy: true,
    });
    const currencies = await runInSlices(destinationCurrencies(view, question.destination));
    return { ...found, destination_currencies: currencies.map(currencyJson), ...idJson(id), ...members };
  },
};

/** A path request that a session keeps open. */
class OpenRequest implements PathSubscription {
  readonly #network: Network;
  readonly #session: Session;
  readonly #request: PathRequest;
  readonly #id: JsonObject;
  readonly #onFault: CommandContext['onFault'];
  #answer: JsonObject = {};
  #searching = false;

  constructor({ network, id, onFault }: CommandContext, session: Session, question: PathQuestion) {
    this.#network = network;
    this.#session = session;
    this.#request = new PathRequest(question);
    this.#id = idJson(id);
    this.#onFault = onFault;
  }

  /** The newest answer. */
  get answer(): JsonObject {
    return this.#answer;
  }

  async search(fast: boolean): Promise<JsonObject> {
    this.#searching = true;
    try {
      const view = this.#network.validated.view();
      checkAccounts(view, this.#request.question);
      const found = await search(this.#network.pathFinder, this.#request, view, { fast, legacy: false });
      this.#answer = { ...found, ...this.#id };
    } catch (fault) {
      if (!(fault instanceof RpcError)) throw fault;
      this.#answer = fault.json() as JsonObject;
      if (fast) throw fault;
    } finally {
      this.#searching = false;
    }
    return this.#answer;
  }

  /** Searches again, and sends the answer unless the session has sent another request in between. */
  update(): void {
    if (this.#searching) return;
    void this.search(false).then(
      (answer) => {
        if (this.#session.pathFind === this) this.#session.send({ type: 'path_find', ...answer });
      },
      (fault) => this.#onFault(fault, 'path_find'),
    );
  }
}

export const pathFind: Command = {
  name: 'path_find',
  session: true,
  async run(params, context) {
    const { network } = context;
    const session = context.session!;
    const { subcommand } = params;
    if (typeof subcommand !== 'string') throw new RpcError('invalidParams');
    if (subcommand === 'create') {
      session.pathFind = undefined;
      if (network.pathFinder.busy) throw new RpcError('tooBusy');
      const request = new OpenRequest(context, session, pathQuestion(params));
      const answer = await request.search(true);
      session.pathFind = request;
      // After the answer to this command.
      void yieldToLoop().then(() => request.update());
      return answer;
    }
    const request = session.pathFind;
    if (subcommand !== 'close' && subcommand !== 'status') throw new RpcError('invalidParams');
    if (request === undefined) throw new RpcError('noPathRequest');
    if (subcommand === 'status') return { ...request.answer, status: 'success' };
    session.pathFind = undefined;
    return { ...request.answer, closed: true };
  },
};

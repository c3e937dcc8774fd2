/**
 * The state before a recorded transaction, rebuilt from its metadata, to apply the transaction again.
 *
 * Metadata shows what a transaction touched: the fields before are the final ones with the previous ones over them.
 * What it does not show is put in as the least that could have been there:
 *  - keys listed in directory pages: those of the entries that went, a filler where the page stayed, 32 fillers where
 *    the transaction added a page after it, a root where only a later page was touched;
 *  - accounts that are named but were not touched, with 1,000 XRP and no flags but lsfAllowTrustLineLocking for escrows;
 *  - neighbours of touched NFT pages, full, so that they are not merged; the page of an NFT that is offered.
 */
import type { Outcome } from '../../../../engine/sandbox/apply/environment.ts';
import { transactionOfFields } from '../../../../engine/sandbox/apply/transaction.ts';
import { applyTransaction } from '../../../../engine/sandbox/apply/transactor.ts';
import { EntryTable } from '../../../../engine/sandbox/ledger/tables.ts';
import type { Fees } from '../../../../engine/sandbox/ledger/view.ts';
import {
  type Rules,
  rulesAt,
  rulesOf,
  SANDBOX_RULES,
} from '../../../../engine/sandbox/protocol/amendments.ts';
import { Amount } from '../../../../engine/sandbox/protocol/amount.ts';
import type { Hex } from '../../../../engine/sandbox/protocol/asset.ts';
import { issuerOf } from '../../../../engine/sandbox/protocol/asset.ts';
import { fromJson, toJson } from '../../../../engine/sandbox/protocol/encode.ts';
import type {
  Entry,
  EntryType,
  Fields,
  TransactionFields,
} from '../../../../engine/sandbox/protocol/fields.ts';
import { Lsf } from '../../../../engine/sandbox/protocol/flags.ts';
import * as keylets from '../../../../engine/sandbox/protocol/keylets.ts';
import { ledgerFiles, readLedger, readLines } from '../../../corpus.ts';
import { MapView } from '../rig.ts';

type Json = Record<string, unknown>;

export interface Recorded {
  readonly hash: string;
  readonly network: string;
  readonly ledgerIndex: number;
  /** Ripple epoch seconds. */
  readonly closeTime: number;
  readonly tx: Json;
  readonly meta: Json;
}

interface Node {
  readonly kind: string;
  readonly type: EntryType;
  readonly index: Hex;
  readonly before?: Entry;
  readonly created?: Fields;
  readonly json: Json;
}

const PAGE_ENTRIES = 32;
/** From here on mainnet asked 1 XRP and 0.2 XRP an entry; before 10 and 2, before 2021-09 20 and 5. */
const RESERVE_2024 = 786_412_800;
const RESERVE_2021 = 685_152_000;

/** The close time of a ledger of mainnet, by those of ledgers before and after that are known. */
function closeTimeOf(ledgerIndex: number, known: readonly (readonly [number, number])[]): number {
  const after = known.findIndex(([index]) => index >= ledgerIndex);
  const [high, highTime] = known[after === -1 ? known.length - 1 : after]!;
  const [low, lowTime] = known[Math.max((after === -1 ? known.length : after) - 1, 0)]!;
  if (high === low) return highTime;
  return Math.round(lowTime + ((ledgerIndex - low) * (highTime - lowTime)) / (high - low));
}

/** Recorded transactions of the types, those in whole ledgers included, each once. */
export function recordedOf(types: readonly string[]): Recorded[] {
  const found = new Map<string, Recorded>();
  const lines = readLines('tx.jsonl.gz') as Json[];
  const known = lines
    .filter(({ network, close_time }) => network === 'mainnet' && close_time !== undefined)
    .map(({ ledger_index, close_time }) => [Number(ledger_index), Number(close_time)] as const)
    .sort(([a], [b]) => a - b);
  for (const line of lines) {
    if (!types.includes(String(line.type))) continue;
    found.set(String(line.hash), {
      hash: String(line.hash),
      network: String(line.network),
      ledgerIndex: Number(line.ledger_index ?? (line.tx as Json).LastLedgerSequence ?? 90_000_000),
      closeTime: Number(
        line.close_time ?? (line.network === 'mainnet' ? closeTimeOf(Number(line.ledger_index), known) : 0),
      ),
      tx: line.tx as Json,
      meta: line.meta as Json,
    });
  }
  for (const name of ledgerFiles()) {
    const ledger = readLedger(name);
    for (const { hash, tx, meta } of ledger.transactions ?? []) {
      if (!types.includes(String(tx.TransactionType)) || found.has(hash)) continue;
      const closeTime = Number(ledger.header.close_time ?? closeTimeOf(ledger.ledger_index, known));
      found.set(hash, {
        hash,
        network: ledger.network,
        ledgerIndex: ledger.ledger_index,
        closeTime,
        tx,
        meta,
      });
    }
  }
  return [...found.values()];
}

function nodesOf(meta: Json): Node[] {
  return (meta.AffectedNodes as Json[]).map((wrapped) => {
    const [kind, json] = Object.entries(wrapped)[0] as [string, Json];
    const type = json.LedgerEntryType as EntryType;
    const index = String(json.LedgerIndex);
    if (kind === 'CreatedNode') {
      return { kind, type, index, created: fromJson((json.NewFields ?? {}) as never), json };
    }
    const before = {
      ...fromJson((json.FinalFields ?? {}) as never),
      ...fromJson((json.PreviousFields ?? {}) as never),
      LedgerEntryType: type,
      index,
    } as Entry;
    if (json.PreviousTxnID !== undefined) {
      before.PreviousTxnID = String(json.PreviousTxnID);
      before.PreviousTxnLgrSeq = Number(json.PreviousTxnLgrSeq);
    }
    return { kind, type, index, before, json };
  });
}

const filler = (text: string, at: number): Hex =>
  new Bun.CryptoHasher('sha256').update(`${text}:${at}`).digest('hex').toUpperCase();

/** Fields that a transaction may have added: metadata does not say that they were not there before. */
function dropAdded(node: Node, nodes: readonly Node[], tx: TransactionFields): void {
  const before = node.before as Entry & Record<string, unknown>;
  const previous = (node.json.PreviousFields ?? {}) as Json;
  const created = new Set(nodes.filter(({ kind }) => kind === 'CreatedNode').map(({ index }) => index));
  for (const name of ['PreviousPageMin', 'NextPageMin'] as const) {
    if (created.has(String(before[name])) && previous[name] === undefined) delete before[name];
  }
  const names: string[] = [];
  const minter = tx.Issuer ?? tx.Account;
  if (tx.TransactionType === 'NFTokenMint' && before.Account === minter) {
    names.push('MintedNFTokens');
    if (before.MintedNFTokens === 1) names.push('FirstNFTokenSequence');
  }
  if (tx.TransactionType === 'NFTokenBurn' && before.Account === tx.NFTokenID!.slice(8, 48))
    names.push('BurnedNFTokens');
  if (tx.TransactionType === 'EscrowCreate' && !tx.Amount!.isNative) names.push('LockedAmount');
  if (tx.TransactionType === 'EscrowFinish' || tx.TransactionType === 'EscrowCancel') {
    const escrow = nodes.find(({ type }) => type === 'Escrow')!.before!;
    const receiver = tx.TransactionType === 'EscrowFinish' ? escrow.Destination : escrow.Account;
    if (before.LedgerEntryType === 'MPToken' && before.Account === receiver) names.push('MPTAmount');
  }
  for (const name of names) if (previous[name] === undefined) delete before[name];
}

/** The directory pages that list an entry: root and page number. */
function listings(fields: Fields, type: EntryType): [Hex, bigint | undefined][] {
  const owner = fields.Owner ?? fields.Account ?? fields.Issuer;
  const found: [Hex, bigint | undefined][] = [];
  if (owner !== undefined)
    found.push([keylets.ownerDirectory(owner), fields.OwnerNode ?? fields.IssuerNode ?? 0n]);
  if (type === 'NFTokenOffer') {
    const sell = ((fields.Flags ?? 0) & 1) !== 0;
    const root = sell ? keylets.nftSellOffers(fields.NFTokenID!) : keylets.nftBuyOffers(fields.NFTokenID!);
    found.push([root, fields.NFTokenOfferNode ?? 0n]);
  }
  if (type === 'Escrow') {
    found.push([keylets.ownerDirectory(fields.Destination!), fields.DestinationNode]);
    if (!fields.Amount!.isNative)
      found.push([keylets.ownerDirectory(issuerOf(fields.Amount!.asset)), fields.IssuerNode]);
  }
  if (type === 'RippleState') {
    found.push([keylets.ownerDirectory(issuerOf(fields.LowLimit!.asset)), fields.LowNode ?? 0n]);
    found.push([keylets.ownerDirectory(issuerOf(fields.HighLimit!.asset)), fields.HighNode ?? 0n]);
  }
  if (type === 'Check' || type === 'PayChannel') {
    found.push([keylets.ownerDirectory(fields.Destination!), fields.DestinationNode]);
  }
  if (type === 'Credential' && fields.Subject !== fields.Issuer) {
    found.push([keylets.ownerDirectory(fields.Subject!), fields.SubjectNode ?? 0n]);
  }
  return found;
}

/** Puts keys into the directory pages, and roots where only a later page was touched. */
function fillDirectories(entries: Map<Hex, Entry>, nodes: readonly Node[]): void {
  const listed = new Map<Hex, Hex[]>();
  for (const { before, kind, type, index } of nodes) {
    if (kind !== 'DeletedNode' || type === 'DirectoryNode') continue;
    for (const [root, page] of listings(before!, type)) {
      if (page === undefined) continue;
      const key = keylets.directoryPage(root, page);
      listed.set(key, [...(listed.get(key) ?? []), index]);
    }
  }
  const grown = new Set(
    nodes
      .filter(({ created, type }) => type === 'DirectoryNode' && created?.RootIndex !== undefined)
      .filter(({ created, index }) => created!.RootIndex !== index)
      .map(({ created }) => keylets.directoryPage(created!.RootIndex!, created!.IndexPrevious ?? 0n)),
  );
  for (const { kind, type, index, before } of nodes) {
    if (type !== 'DirectoryNode' || before === undefined) continue;
    const keys = [...(listed.get(index) ?? [])];
    const wanted = grown.has(index) ? PAGE_ENTRIES : keys.length + (kind === 'DeletedNode' ? 0 : 1);
    for (let at = 0; keys.length < wanted; at += 1) keys.push(filler(index, at));
    before.Indexes = keys.sort();
  }
  for (const { created, type } of nodes) {
    if (created === undefined || type === 'DirectoryNode') continue;
    for (const [root, page] of listings(created, type)) {
      if (page === undefined || page === 0n || entries.has(root)) continue;
      entries.set(root, {
        LedgerEntryType: 'DirectoryNode',
        index: root,
        Flags: 0,
        RootIndex: root,
        Indexes: [filler(root, 0)],
        IndexNext: page,
        IndexPrevious: page,
      });
    }
  }
}

function addAccounts(entries: Map<Hex, Entry>, tx: TransactionFields): void {
  const named = [tx.Destination, tx.Owner, tx.Issuer, tx.Subject, tx.Authorize, tx.NFTokenID?.slice(8, 48)];
  for (const amount of [tx.Amount, tx.NFTokenBrokerFee, tx.LimitAmount, tx.SendMax]) {
    if (amount !== undefined && !amount.isNative) named.push(issuerOf(amount.asset));
  }
  for (const { Credential } of tx.AcceptedCredentials ?? []) named.push(Credential?.Issuer);
  for (const { Signer } of tx.Signers ?? []) named.push(Signer?.Account);
  for (const entry of [...entries.values()]) {
    if (entry.LedgerEntryType === 'NFTokenOffer') named.push(entry.NFTokenID!.slice(8, 48));
    if (entry.Amount !== undefined && !entry.Amount.isNative) named.push(issuerOf(entry.Amount.asset));
  }
  for (const id of named) {
    if (id === undefined || entries.has(keylets.account(id))) continue;
    entries.set(keylets.account(id), {
      LedgerEntryType: 'AccountRoot',
      index: keylets.account(id),
      Account: id,
      Balance: Amount.drops(1_000_000_000n),
      Flags: tx.TransactionType === 'EscrowCreate' ? Lsf.lsfAllowTrustLineLocking : 0,
      OwnerCount: 0,
      Sequence: 1,
    });
  }
  if (tx.Signers === undefined) return;
  const index = keylets.signerList(tx.Account);
  if (entries.has(index)) return;
  const SignerEntries = tx.Signers.map(({ Signer }) => ({
    SignerEntry: { Account: Signer!.Account, SignerWeight: 1 },
  }));
  entries.set(index, {
    LedgerEntryType: 'SignerList',
    index,
    Flags: 0,
    SignerQuorum: 1,
    SignerEntries,
    SignerListID: 0,
  });
}

/** A page of an account that holds these, linked to nothing. */
const pageWith = (index: Hex, ids: readonly Hex[]): Entry => ({
  LedgerEntryType: 'NFTokenPage',
  index,
  Flags: 0,
  NFTokens: ids.map((NFTokenID) => ({ NFToken: { NFTokenID } })),
});

function addPages(entries: Map<Hex, Entry>, tx: TransactionFields, result: unknown): void {
  for (const page of [...entries.values()].filter(
    ({ LedgerEntryType }) => LedgerEntryType === 'NFTokenPage',
  )) {
    for (const [link, back] of [
      ['PreviousPageMin', 'NextPageMin'],
      ['NextPageMin', 'PreviousPageMin'],
    ] as const) {
      const key = page[link];
      if (key === undefined || entries.has(key)) continue;
      const ids = Array.from(
        { length: PAGE_ENTRIES },
        (_, at) => filler(key, at).slice(0, 40) + key.slice(40),
      );
      entries.set(key, { ...pageWith(key, ids), [back]: page.index });
    }
  }
  if (tx.TransactionType !== 'NFTokenCreateOffer' || result === 'tecNO_ENTRY') return;
  const holder = tx.Owner ?? tx.Account;
  entries.set(keylets.nftPageMax(holder), pageWith(keylets.nftPageMax(holder), [tx.NFTokenID!]));
}

/** The state before, as far as it can be known. */
export function stateBefore(recorded: Recorded): Entry[] {
  const nodes = nodesOf(recorded.meta);
  const succeeded = recorded.meta.TransactionResult === 'tesSUCCESS';
  const tx = fromJson(recorded.tx as never) as TransactionFields;
  const entries = new Map<Hex, Entry>();
  for (const node of nodes) {
    if (node.before === undefined) continue;
    if (succeeded) dropAdded(node, nodes, tx);
    entries.set(node.index, node.before);
  }
  fillDirectories(entries, nodes);
  addAccounts(entries, tx);
  addPages(entries, tx, recorded.meta.TransactionResult);
  return [...entries.values()];
}

function feesAt(closeTime: number, network: string): Fees {
  if (network !== 'mainnet' || closeTime >= RESERVE_2024)
    return { base: 10n, reserve: 1_000_000n, increment: 200_000n };
  if (closeTime >= RESERVE_2021) return { base: 10n, reserve: 10_000_000n, increment: 2_000_000n };
  return { base: 10n, reserve: 20_000_000n, increment: 5_000_000n };
}

/** Some seconds after the time that an escrow waited for, where it is not recorded when it was finished. */
function timeFrom(entries: readonly Entry[]): number {
  const escrow = entries.find(({ LedgerEntryType }) => LedgerEntryType === 'Escrow');
  return (escrow?.FinishAfter ?? 800_000_000) + 4;
}

function executeUnder(recorded: Recorded, rules: Rules, complete?: Complete): Outcome {
  const { network, meta } = recorded;
  const entries = stateBefore(recorded);
  complete?.(entries, recorded);
  const closeTime = recorded.closeTime || timeFrom(entries);
  const header = {
    index: recorded.ledgerIndex,
    parentHash: '0'.repeat(64),
    // The last close was some seconds before this one.
    parentCloseTime: closeTime - 3,
    closeTime,
    totalDrops: 99_990_000_000_000_000n,
  };
  const view = new MapView(header, rules, feesAt(closeTime, network), false, entries);
  const parent = meta.ParentBatchID === undefined ? {} : { parentBatchId: String(meta.ParentBatchID) };
  return applyTransaction(new EntryTable(view), transactionOfFields(fromJson(recorded.tx as never)), {
    networkId: Number(recorded.tx.NetworkID ?? 0),
    index: Number(meta.TransactionIndex ?? 0),
    ...parent,
  });
}

/** Puts into the state what metadata of the type does not show. */
type Complete = (entries: Entry[], recorded: Recorded) => void;

const rulesWithout = (rules: Rules, without: readonly string[]): Rules =>
  rulesOf([...rules.names].filter((name) => !without.includes(name)));

/** Applies a recorded transaction to what was there before it. `without` turns amendments off. */
export function executeAgain(
  recorded: Recorded,
  without: readonly string[] = [],
  complete?: Complete,
): Outcome {
  const base = recorded.network === 'mainnet' ? rulesAt(recorded.closeTime) : SANDBOX_RULES;
  return executeUnder(recorded, rulesWithout(base, without), complete);
}

/**
 * The rules a ledger may have had: of mainnet those of its time. Of other networks it is not recorded which amendments
 * they had: those of mainnet at the time or all, without some that the networks of the time did not know.
 */
function rulesFor({ network, closeTime }: Recorded): Rules[] {
  if (network === 'mainnet') return [rulesAt(closeTime)];
  const early = [
    'fixNFTokenRemint',
    'fixRemoveNFTokenAutoTrustLine',
    'fixUniversalNumber',
    'fixIncludeKeyletFields',
  ];
  const recent = ['fixIncludeKeyletFields', 'fixTokenEscrowV1'];
  const late = [[], recent, early].map((names) => rulesWithout(SANDBOX_RULES, names));
  return closeTime > 0 ? [rulesAt(closeTime), ...late] : late;
}

/** As `executeAgain`, under each of the rules there may have been. @returns `differences`, none when one set fits. */
export function differencesUnderRules(recorded: Recorded): string[] {
  let found: string[] = [];
  for (const rules of rulesFor(recorded)) {
    found = differences(recorded, executeUnder(recorded, rules));
    if (found.length === 0) break;
  }
  return found;
}

/** A metadata node in one form: sorted, UInt64 without zeros in front, without what the API adds. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, plain(inner)]),
  );
}

function nodeMap(meta: Json): Map<string, string> {
  const nodes = (meta.AffectedNodes as Json[]).map((wrapped) => {
    const [kind, node] = Object.entries(wrapped)[0] as [string, Json];
    const again: Json = { ...node };
    for (const part of ['FinalFields', 'PreviousFields', 'NewFields']) {
      if (node[part] !== undefined) again[part] = toJson(fromJson(node[part] as never));
    }
    return [String(node.LedgerIndex), JSON.stringify(plain({ [kind]: again }))] as const;
  });
  return new Map(nodes);
}

/** How the outcome differs from what was recorded: empty when result and all touched entries are equal. */
export function differences(recorded: Recorded, outcome: Outcome): string[] {
  const result = String(recorded.meta.TransactionResult);
  if (outcome.result !== result) return [`result ${outcome.result}, recorded ${result}`];
  if (outcome.metadata === undefined) return ['no metadata'];
  const made = nodeMap(toJson(outcome.metadata) as Json);
  const wanted = nodeMap(recorded.meta);
  const found: string[] = [];
  for (const [index, node] of wanted) {
    if (made.get(index) !== node)
      found.push(`recorded ${node}\n      made     ${made.get(index) ?? 'not touched'}`);
  }
  for (const [index, node] of made) if (!wanted.has(index)) found.push(`touched too: ${node}`);
  return found;
}

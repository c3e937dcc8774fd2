/**
 * The auction slot and the votes of pools, from the latest stored change of their AMM entries. Where the ledger of that is not
 * stored (older than the first snapshot, or pruned) a node is asked; what it sends is shown until a stored ledger changes the entry.
 */
import { type AssetBytes, ammKey } from '../../engine/codec/amm-key.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { isJsonObject, type JsonObject } from '../../engine/codec/values.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Source } from '../../engine/ledger/source.ts';
import type { State } from '../../engine/state/state.ts';
import { TokenKind, XRP } from '../../engine/state/tokens.ts';
import { ammSlots } from './amm-slots.ts';
import { findEntryJson } from './entry-json.ts';

/** Entries of nodes that are kept, the latest: about 2 kB each. */
const SENT_MAX = 1_000;

/** An AMM entry that a node sent. */
interface SentEntry {
  readonly entry: JsonObject;
  /** It is of this ledger. */
  readonly ledger: number;
}

export class PoolSlots {
  readonly #engine: Engine;
  readonly #source: Pick<Source, 'request'> | undefined;
  readonly #sent = new Map<number, SentEntry>();
  /** Answers that were asked for at the newest ledger, by pool: once, whether they came or not. */
  readonly #asked = new Map<number, Promise<void>>();
  #askedAt = 0;

  /** @param source undefined: no node is asked */
  constructor(engine: Engine, source: Pick<Source, 'request'> | undefined) {
    this.#engine = engine;
    this.#source = source;
  }

  /** Members of /amm/info beside those of the pool itself; none where the entry is not known. */
  of(pool: number): Partial<ReturnType<typeof ammSlots>> {
    const index = entryIndex(this.#engine.state, pool);
    const entry = index && this.#entry(pool, index);
    return entry ? ammSlots(entry, this.#engine.head?.closeTime ?? 0) : {};
  }

  /** Asks a node for what `of` does not know. @returns undefined: there is nothing to wait for */
  ready(pool: number): Promise<void> | undefined {
    const index = entryIndex(this.#engine.state, pool);
    if (!index || !this.#source?.request || this.#entry(pool, index)) return undefined;
    const newest = this.#engine.head?.index ?? 0;
    if (this.#askedAt !== newest) this.#asked.clear();
    this.#askedAt = newest;
    const asked = this.#asked.get(pool) ?? this.#ask(pool, hexOf(index));
    this.#asked.set(pool, asked);
    return asked;
  }

  #entry(pool: number, index: Uint8Array): JsonObject | undefined {
    const found = findEntryJson(this.#engine, index);
    if (typeof found === 'object') return found.node;
    const sent = this.#sent.get(pool);
    const unbroken = this.#engine.ledgerRanges().at(-1)?.[0];
    // A later ledger that is not stored may have changed it.
    if (found === 'deleted' || !sent || unbroken === undefined || unbroken > sent.ledger + 1)
      return undefined;
    return sent.entry;
  }

  async #ask(pool: number, index: string): Promise<void> {
    const command = { command: 'ledger_entry', index, ledger_index: 'validated', api_version: 2 };
    const answer = await this.#source?.request?.(command).catch(() => undefined);
    if (!answer || answer.index !== index || typeof answer.ledger_index !== 'number') return;
    const { node: entry, ledger_index: ledger } = answer;
    if (!isJsonObject(entry) || entry.LedgerEntryType !== 'AMM') return;
    this.#sent.delete(pool);
    this.#sent.set(pool, { entry, ledger });
    if (this.#sent.size > SENT_MAX) this.#sent.delete(this.#sent.keys().next().value!);
  }
}

/** Of the AMM entry; undefined for pools of MPTs: theirs is not yet specified. */
function entryIndex(state: State, pool: number): Uint8Array | undefined {
  const [one, two] = [
    assetBytes(state, state.pools.asset1(pool)),
    assetBytes(state, state.pools.asset2(pool)),
  ];
  return one && two && ammKey(one, two);
}

/** undefined for an MPT. */
function assetBytes({ tokens, accounts, currencies }: State, token: number): AssetBytes | undefined {
  if (token === XRP) return { currency: new Uint8Array(20), issuer: new Uint8Array(20) };
  if (tokens.kind(token) === TokenKind.mpt) return undefined;
  return { currency: currencies.bytes(tokens.codes[token]!), issuer: accounts.bytes(tokens.issuer(token)) };
}

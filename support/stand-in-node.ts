/**
 * A stand-in node: rippled's WebSocket protocol (subscribe, ledger, ledger_data, ledger_entry, server_info, ping) with
 * the data of packed ledgers, and with faults that can be switched on. It shares only the packed format with the client
 * side, and opens no socket: `FakeNode` listens on loopback, `MemoryNode` runs inside the process on the test's clock.
 */
import { decode } from 'ripple-binary-codec';
import type { PackedLedger } from '../engine/codec/packed.ts';

/** Faults of the node, all off by default. They can be changed at any time. */
export interface Faults {
  /** Does not announce these ledgers (but serves them). */
  silentAbout: Set<number>;
  /** Announces each pair of ledgers in the wrong order. */
  reorder: boolean;
  /** Announces each ledger this many further times. */
  duplicates: number;
  /** Keeps its socket open and answers, but closes no new ledger. */
  stale: boolean;
  /** Delay of each answer, ms. */
  delay: number;
  /** Accepts connections and commands and never answers. */
  hang: boolean;
  /** Answers subscriptions only. */
  hangOnLedgers: boolean;
  /** Answers that it does not have these ledgers. */
  missing: Set<number>;
  /** Sends this wrong. */
  falsify:
    | undefined
    | 'hash'
    | 'announced hash'
    | 'blob'
    | 'other ledger'
    | 'wrong types'
    | 'dropped transaction';
  /** Answers `ledger` with frames that are not JSON. */
  garbage: undefined | string | Uint8Array;
  /** Answers `ledger` with a frame of this many characters. */
  oversize: number;
  /** Changes this entry (hex index) in ledger_data. */
  alterEntry: string | undefined;
  /** Closes the socket after every so many ledger_data pages. */
  dropAfterPages: number;
  /** Has the headers of ledgers below this index, but no longer their state. */
  stateFrom: number;
}

/** The form of answers: rippled with API version 1 or 2, Clio, or headers as JSON fields. */
export type Shape = 'v1' | 'v2' | 'clio' | 'json';

export interface StateEntry {
  /** Hex. */
  readonly index: string;
  readonly data: string;
}

export interface StatePage {
  readonly state: readonly StateEntry[];
  /** Where the next page begins; undefined: this is the last. */
  readonly marker: string | undefined;
}

export interface NodeOptions {
  /** Ascending; the first `closed` ones are known to the node, the others close later. */
  readonly ledgers: readonly PackedLedger[];
  /** How many are closed at the start; all when absent. */
  readonly closed?: number;
  readonly shape?: Shape;
  /** State of every ledger, ascending by index. */
  readonly state?: readonly StateEntry[];
  /** Gives pages of a state that is not held; in the place of `state`. */
  readonly pageOf?: (marker: string | undefined, entries: number) => StatePage;
  /** Entries of a ledger_data page, at most. */
  readonly pageEntries?: number;
  /** The answer to server_definitions; a node without one does not know the command. */
  readonly definitions?: Json;
}

/** The node's end of a connection. */
export interface Connection {
  readonly data: { subscribed: boolean };
  send(text: string | Uint8Array): unknown;
  close(): void;
  terminate(): void;
}
type Json = Record<string, unknown>;

const unknownCommand: Json = { error: 'unknownCmd', error_code: 32, error_message: 'Unknown method.' };

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();
const other = (digits: string) => (digits.startsWith('0') ? '1' : '0') + digits.slice(1);

export abstract class StandInNode {
  /** Named in what it says of closed ledgers; undefined: it says none, as older nodes. */
  networkId: number | undefined;
  readonly faults: Faults = {
    silentAbout: new Set(),
    reorder: false,
    duplicates: 0,
    stale: false,
    delay: 0,
    hang: false,
    hangOnLedgers: false,
    missing: new Set(),
    falsify: undefined,
    garbage: undefined,
    oversize: 0,
    alterEntry: undefined,
    dropAfterPages: 0,
    stateFrom: 0,
  };
  /** Number of commands received, by name. */
  readonly requests: Record<string, number> = {};
  connections = 0;
  #pages = 0;
  #closed: number;
  #delayedLedger: PackedLedger | undefined;
  #options: NodeOptions;
  readonly #sockets = new Set<Connection>();

  constructor(options: NodeOptions) {
    this.#options = options;
    this.#closed = options.closed ?? options.ledgers.length;
  }

  abstract get url(): string;

  /** Runs a function after a delay. */
  protected abstract delayed(ms: number, run: () => void): void;

  /** Number of closed ledgers. */
  get closed(): number {
    return this.#closed;
  }

  /** Switches to another chain, as after a reset: its connections end. */
  switchTo(ledgers: readonly PackedLedger[], closed: number): void {
    this.#options = { ...this.#options, ledgers };
    this.#closed = closed;
    this.dropSockets();
  }

  /** Closes the next ledgers and announces them. */
  advance(count = 1): void {
    for (let i = 0; i < count && this.#closed < this.#options.ledgers.length; i++) {
      if (this.faults.stale) return;
      const ledger = this.#options.ledgers[this.#closed++]!;
      if (this.faults.silentAbout.has(ledger.ledgerIndex)) continue;
      if (this.faults.reorder && !this.#delayedLedger) {
        this.#delayedLedger = ledger;
        continue;
      }
      this.#announce(ledger);
      if (this.#delayedLedger) this.#announce(this.#delayedLedger);
      this.#delayedLedger = undefined;
    }
  }

  /** Sends a text on every connection. */
  broadcast(text: string): void {
    for (const socket of this.#sockets) socket.send(text);
  }

  dropSockets(): void {
    for (const socket of [...this.#sockets]) socket.terminate();
  }

  protected opened(socket: Connection): void {
    this.connections++;
    this.#sockets.add(socket);
  }

  protected lost(socket: Connection): void {
    this.#sockets.delete(socket);
  }

  #announce(ledger: PackedLedger): void {
    const isFalse = this.faults.falsify === 'announced hash';
    const message = JSON.stringify({
      type: 'ledgerClosed',
      fee_base: 10,
      fee_ref: 10,
      ledger_hash: isFalse ? other(hex(ledger.hash)) : hex(ledger.hash),
      ledger_index: ledger.ledgerIndex,
      ledger_time: ledger.closeTime,
      reserve_base: 10_000_000,
      reserve_inc: 2_000_000,
      ...this.#network(),
      txn_count: ledger.count,
      validated_ledgers: this.#range(),
    });
    for (const socket of this.#sockets) {
      if (!socket.data.subscribed) continue;
      for (let i = 0; i <= this.faults.duplicates; i++) socket.send(message);
    }
  }

  #range(): string {
    const known = this.#options.ledgers.slice(0, this.#closed);
    return known.length === 0 ? 'empty' : `${known[0]!.ledgerIndex}-${known.at(-1)!.ledgerIndex}`;
  }

  protected receive(socket: Connection, text: string): void {
    const command: Json = JSON.parse(text);
    const name = String(command.command);
    this.requests[name] = (this.requests[name] ?? 0) + 1;
    if (this.faults.hang || (this.faults.hangOnLedgers && name !== 'subscribe')) return;
    if (name === 'ledger' && this.faults.garbage !== undefined) {
      socket.send(this.faults.garbage);
      return;
    }
    if (name === 'ledger' && this.faults.oversize > 0) {
      socket.send(
        JSON.stringify({ id: command.id, status: 'success', pad: 'x'.repeat(this.faults.oversize) }),
      );
      return;
    }
    const reply = this.#answer(socket, name, command);
    const head = { id: command.id, type: 'response' };
    const body =
      'error' in reply
        ? { status: 'error', ...reply, request: command }
        : {
            status: 'success',
            result: reply,
            ...(command.api_version ? { api_version: command.api_version } : {}),
          };
    const answer = JSON.stringify({ ...body, ...head });
    if (this.faults.delay > 0) this.delayed(this.faults.delay, () => socket.send(answer));
    else socket.send(answer);
    if (
      name === 'ledger_data' &&
      this.faults.dropAfterPages &&
      ++this.#pages % this.faults.dropAfterPages === 0
    )
      socket.close();
  }

  #answer(socket: Connection, name: string, command: Json): Json {
    switch (name) {
      case 'subscribe':
        socket.data.subscribed = true;
        return this.#subscribed();
      case 'unsubscribe':
        socket.data.subscribed = false;
        return {};
      case 'ping':
        return {};
      case 'server_definitions':
        return this.#options.definitions ?? unknownCommand;
      case 'server_info':
        return this.#serverInfo();
      case 'ledger':
        return this.#ledger(command);
      case 'ledger_data':
        return this.#ledgerData(command);
      case 'ledger_entry':
        return this.#ledgerEntry(command);
      default:
        return unknownCommand;
    }
  }

  #subscribed(): Json {
    const ledger = this.#options.ledgers[this.#closed - 1];
    if (!ledger) return { validated_ledgers: 'empty' };
    return {
      fee_base: 10,
      fee_ref: 10,
      ledger_hash: hex(ledger.hash),
      ledger_index: ledger.ledgerIndex,
      ledger_time: ledger.closeTime,
      ...this.#network(),
      reserve_base: 10_000_000,
      reserve_inc: 2_000_000,
      validated_ledgers: this.#range(),
    };
  }

  #network(): Json {
    return this.networkId === undefined ? {} : { network_id: this.networkId };
  }

  #serverInfo(): Json {
    const ledger = this.#options.ledgers[this.#closed - 1];
    return {
      info: {
        build_version: '2.6.0',
        complete_ledgers: this.#range(),
        network_id: 1,
        server_state: 'full',
        validated_ledger: ledger && {
          age: 2,
          hash: hex(ledger.hash),
          seq: ledger.ledgerIndex,
          base_fee_xrp: 0.00001,
        },
      },
    };
  }

  #find(command: Json): PackedLedger | undefined {
    const known = this.#options.ledgers.slice(0, this.#closed);
    const { ledger_index, ledger_hash } = command;
    const found =
      typeof ledger_hash === 'string'
        ? known.find((ledger) => hex(ledger.hash) === ledger_hash)
        : typeof ledger_index === 'string' && !/^\d+$/.test(ledger_index)
          ? known.at(-1)
          : known.find((ledger) => ledger.ledgerIndex === Number(ledger_index));
    return found && this.faults.missing.has(found.ledgerIndex) ? undefined : found;
  }

  #ledger(command: Json): Json {
    let ledger = this.#find(command);
    if (this.faults.falsify === 'other ledger')
      ledger = this.#options.ledgers.find((candidate) => candidate !== ledger) ?? ledger;
    if (!ledger) return { error: 'lgrNotFound', error_code: 21, error_message: 'ledgerNotFound' };
    const { shape = 'v1' } = this.#options;
    const transactions = command.transactions === true ? this.#transactions(ledger, command) : undefined;
    if (this.faults.falsify === 'dropped transaction') transactions?.pop();
    const fields =
      command.binary !== true || shape === 'json'
        ? headerFields(ledger, shape)
        : { ledger_data: hex(ledger.header), closed: true };
    const hash = this.faults.falsify === 'hash' ? other(hex(ledger.hash)) : hex(ledger.hash);
    return {
      ledger:
        this.faults.falsify === 'wrong types'
          ? [7]
          : { ...fields, ...(transactions ? { transactions } : {}) },
      ledger_hash: hash,
      ledger_index: ledger.ledgerIndex,
      validated: true,
    };
  }

  #transactions(ledger: PackedLedger, command: Json): Json[] {
    const { shape = 'v1' } = this.#options;
    const rows: Json[] = [];
    for (let i = 0; i < ledger.count; i++) {
      const [tx, meta] = [hex(ledger.tx(i)), hex(ledger.meta(i))];
      if (command.binary !== true) rows.push({ ...decode(tx), metaData: decode(meta) });
      else if (shape === 'v2') rows.push({ tx_blob: tx, meta_blob: meta, hash: 'F'.repeat(64) });
      else rows.push({ tx_blob: tx, meta });
    }
    // The order of the transaction tree, not of application, as rippled sends it.
    rows.reverse();
    const first = rows[0];
    if (this.faults.falsify === 'blob' && first) first.tx_blob = alterDigit(String(first.tx_blob));
    return rows;
  }

  #ledgerData(command: Json): Json {
    const ledger = this.#find(command);
    if (!ledger || ledger.ledgerIndex < this.faults.stateFrom)
      return { error: 'lgrNotFound', error_code: 21, error_message: 'ledgerNotFound' };
    const { pageEntries = 256 } = this.#options;
    const limit = Math.min(pageEntries, Number(command.limit ?? pageEntries));
    const { state, marker } = this.#statePage(command.marker as string | undefined, limit);
    return {
      ledger_hash: hex(ledger.hash),
      ledger_index: ledger.ledgerIndex,
      validated: true,
      ...(command.marker ? {} : { ledger: { ledger_data: hex(ledger.header), closed: true } }),
      state,
      ...(marker === undefined ? {} : { marker }),
    };
  }

  #statePage(marker: string | undefined, limit: number): StatePage {
    const { state = [], pageOf } = this.#options;
    if (pageOf) return pageOf(marker, limit);
    const from = state.findIndex(({ index }) => index > (marker ?? ''));
    const page = from < 0 ? [] : state.slice(from, from + limit);
    const more = from >= 0 && from + limit < state.length;
    return {
      state: page.map(({ index, data }) => ({
        index,
        data: index === this.faults.alterEntry ? alterDigit(data) : data,
      })),
      // rippled's marker is the key before the next entry.
      marker: more ? keyBefore(state[from + limit]!.index) : undefined,
    };
  }

  #ledgerEntry(command: Json): Json {
    const ledger = this.#find({ ledger_index: 'validated', ...command });
    const entry = this.#options.state?.find(({ index }) => index === command.index);
    if (!ledger || !entry)
      return { error: 'entryNotFound', error_code: 95, error_message: 'Entry not found.' };
    return {
      index: entry.index,
      ledger_hash: hex(ledger.hash),
      ledger_index: ledger.ledgerIndex,
      validated: true,
      ...(command.binary === true
        ? { node_binary: entry.data }
        : { node: { ...decode(entry.data), index: entry.index } }),
    };
  }
}

/** Changes one digit in the middle, so that the blob stays hex of the same length. */
function alterDigit(blob: string): string {
  const at = blob.length >> 1;
  return blob.slice(0, at) + (blob[at] === '0' ? '1' : '0') + blob.slice(at + 1);
}

function keyBefore(index: string): string {
  return (BigInt(`0x${index}`) - 1n).toString(16).toUpperCase().padStart(64, '0');
}

function headerFields(ledger: PackedLedger, shape: Shape): Json {
  const { header, view } = ledger;
  const at = (offset: number, length: number) => hex(header.subarray(offset, offset + length));
  const number = (offset: number) => new DataView(header.buffer, header.byteOffset).getUint32(offset);
  return {
    account_hash: at(76, 32),
    close_flags: header[117],
    close_time: number(112),
    close_time_resolution: header[116],
    closed: true,
    ledger_hash: hex(ledger.hash),
    ledger_index: shape === 'v1' ? String(ledger.ledgerIndex) : ledger.ledgerIndex,
    parent_close_time: number(108),
    parent_hash: at(12, 32),
    total_coins: String(view.getBigUint64(44)),
    transaction_hash: at(44, 32),
  };
}

/** A hash of everything a store answers: state, history and indices, read the way the service reads them. */
import { Changes, Node } from '../../engine/codec/changes.ts';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import type { Store } from '../../engine/store.ts';
import { quietLog } from '../engine/ledger/quiet.ts';

export function restoredEngine(store: Store): Engine {
  const engine = new Engine({ store, log: quietLog });
  engine.restore();
  return engine;
}

export function answersOf(store: Store, engine: Engine): string {
  const hasher = new Bun.CryptoHasher('sha256');
  const add = (...parts: unknown[]): undefined => {
    for (const part of parts) hasher.update(part instanceof Uint8Array ? part : JSON.stringify(part ?? null));
    return undefined;
  };
  add(engine.digest(), store.ledgerRanges(), store.firstLedger());
  for (const [first, last] of store.ledgerRanges()) {
    for (let index = first; index <= last; index++) {
      const bytes = store.ledger(index);
      add(index, bytes);
      if (bytes) addLedger(store, bytes, add);
    }
  }
  store.trades({}, (...row) => add(...row));
  for (let token = 0; token < engine.state.tokens.count; token++) {
    store.tokenTrades(token, {}, (...row) => add(...row));
    store.records('holders', [token], {}, (...row) => add(...row));
    for (let level = 0; level < 8; level++) store.candles(level, token, {}, (...row) => add(...row));
  }
  for (let account = 0; account < engine.state.accounts.count; account++)
    store.accountTrades(account, {}, (...row) => add(...row));
  for (let fiat = 0; fiat < 4; fiat++) store.records('rates', [fiat], {}, (...row) => add(...row));
  return hasher.digest('hex');
}

function addLedger(store: Store, bytes: Uint8Array, add: (...parts: unknown[]) => undefined): void {
  const packed = new PackedLedger(bytes);
  const changes = new Changes(prepared(packed, prepare(packed.bytes)).changes);
  add(store.ledgerAt(packed.closeTime));
  for (let tx = 0; tx < changes.transactions; tx++) add(store.transaction(changes.hash(tx)));
  for (let node = 0; node < changes.nodes; node++) {
    const at = changes.node(node, Node.indexAt);
    add(store.entry(packed.bytes.subarray(at, at + 32)));
  }
}

/** `ledger_entry`: one entry of a ledger's state (rippled `LedgerEntry.cpp`). */
import { hexOf } from '../../../engine/codec/bytes.ts';
import { encodeEntry } from '../../protocol/encode.ts';
import { entryJson, looseBoolean } from './account-choice.ts';
import type { Command } from './command.ts';
import { SELECTORS } from './entry-selectors.ts';
import { RpcError } from './errors.ts';
import { chooseState } from './ledger-choice.ts';

export const ledgerEntry: Command = {
  name: 'ledger_entry',
  run(params, { network, apiVersion }) {
    const [name, ...more] = Object.keys(SELECTORS).filter((field) => params[field] !== undefined);
    if (more.length > 0) throw new RpcError('invalidParams', 'Too many fields provided.');
    const { view, members } = chooseState(network, params);
    if (name === undefined) {
      const unknown = { ...members, error: 'unknownOption', error_code: undefined, error_message: undefined };
      throw apiVersion === 1
        ? new RpcError('invalidParams', undefined, unknown)
        : new RpcError('invalidParams', 'No ledger_entry params provided.');
    }
    const [selector, type] = SELECTORS[name]!;
    const key = selector(params[name]!, name, params);
    const entry = view.read(key);
    if (entry === undefined) throw new RpcError('entryNotFound');
    if (type !== undefined && entry.LedgerEntryType !== type) throw new RpcError('unexpectedLedgerType');
    const node = looseBoolean(params, 'binary')
      ? { node_binary: hexOf(encodeEntry(entry)) }
      : { node: entryJson(entry) };
    return { ...members, index: key, ...node };
  },
};

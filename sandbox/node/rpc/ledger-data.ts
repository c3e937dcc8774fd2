/**
 * `ledger_data`: the whole state of a ledger in pages, in the order of the entries' indices (rippled `LedgerData.cpp`).
 * An entry counts against the limit whether its type is wanted or not.
 */

import { HASH_ZERO } from '../../../engine/codec/arithmetic/asset.ts';
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { encodeEntry } from '../../protocol/encode.ts';
import { entryJson } from './account-choice.ts';
import type { Command } from './command.ts';
import { entryTypeParam } from './entry-types.ts';
import { expectedField } from './errors.ts';
import { headerJson } from './header-json.ts';
import { chooseState } from './ledger-choice.ts';
import { booleanParam, HASH, LIMITS, limitParam } from './params.ts';

export const ledgerData: Command = {
  name: 'ledger_data',
  run(params, { network, apiVersion, admin }) {
    const { view, closed, members } = chooseState(network, params);
    const binary = booleanParam(params, 'binary');
    const { marker } = params;
    if (marker !== undefined && (typeof marker !== 'string' || !HASH.test(marker)))
      throw expectedField('marker', 'valid');
    const type = entryTypeParam(params.type);
    const limit = limitParam(params, binary ? LIMITS.ledgerDataBinary : LIMITS.ledgerDataJson, admin);
    const state: JsonObject[] = [];
    // As in rippled, the next page begins after the key in the marker.
    let key = typeof marker === 'string' ? marker.toUpperCase() : HASH_ZERO;
    let next = view.successor(key);
    for (let seen = 0; next !== undefined && seen < limit; next = view.successor(key), seen++) {
      key = next;
      const entry = view.read(key)!;
      if (type !== undefined && type !== entry.LedgerEntryType) continue;
      state.push(binary ? { data: hexOf(encodeEntry(entry)), index: key } : entryJson(entry));
    }
    const first = marker === undefined && closed;
    return {
      ...(first
        ? {
            ledger: binary
              ? { ledger_data: hexOf(closed.headerBytes), closed: true }
              : headerJson(closed, apiVersion),
          }
        : {}),
      ...members,
      state,
      ...(next === undefined ? {} : { marker: key }),
    };
  },
};

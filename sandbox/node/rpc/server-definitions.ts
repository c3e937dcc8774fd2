/** `server_definitions`: types, fields, codes, flags and formats of the protocol (rippled `ServerDefinitions.cpp`). */
import shipped from 'ripple-binary-codec/dist/enums/definitions.json';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { sha512Half } from '../../../engine/codec/hash.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { Command } from './command.ts';
import { invalidField } from './errors.ts';

const { hash: _published, ...TABLES } = shipped as unknown as JsonObject;
const HASH = hexOf(sha512Half(new TextEncoder().encode(JSON.stringify(TABLES))));

export const serverDefinitions: Command = {
  name: 'server_definitions',
  run({ hash }) {
    if (hash !== undefined && (typeof hash !== 'string' || !/^[0-9A-Fa-f]{64}$/.test(hash)))
      throw invalidField('hash');
    // A client that has these already gets only the hash.
    if (typeof hash === 'string' && hash.toUpperCase() === HASH) return { hash: HASH };
    return { ...TABLES, hash: HASH };
  },
};

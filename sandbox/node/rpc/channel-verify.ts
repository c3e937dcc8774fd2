/** `channel_verify`: whether a claim on a payment channel is signed by a key (rippled `PayChanClaim.cpp`). */

import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { ACCOUNT_PUBLIC_KEY, base58CheckBytes } from '../../../engine/codec/base58check.ts';
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import { keyTypeOf } from '../../../engine/codec/public-keys.ts';
import { verify } from '../../../engine/codec/signatures.ts';
import { claimBytes } from '../../protocol/keys.ts';
import type { Command } from './command.ts';
import { missingField, RpcError } from './errors.ts';
import { evenHex, HASH, U64_MAX } from './params.ts';

const HEX = /^[0-9A-Fa-f]+$/;
const KEY_BYTES = 33;

/** A public key in base58 or hex. */
function keyOf(value: Json | undefined): Hex | undefined {
  if (typeof value !== 'string') return undefined;
  const bytes = base58CheckBytes(value, ACCOUNT_PUBLIC_KEY, KEY_BYTES);
  const key = bytes ? hexOf(bytes) : HEX.test(value) ? evenHex(value) : '';
  return keyTypeOf(key) === undefined ? undefined : key;
}

function dropsOf(value: Json | undefined): bigint | undefined {
  const drops = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
  return drops !== undefined && drops <= U64_MAX ? drops : undefined;
}

export const channelVerify: Command = {
  name: 'channel_verify',
  run(params: JsonObject) {
    for (const name of ['public_key', 'channel_id', 'amount', 'signature'])
      if (params[name] === undefined) throw missingField(name);
    const key = keyOf(params.public_key);
    if (key === undefined) throw new RpcError('publicMalformed');
    const { channel_id: channel, signature } = params;
    if (typeof channel !== 'string' || !HASH.test(channel)) throw new RpcError('channelMalformed');
    const drops = dropsOf(params.amount);
    if (drops === undefined) throw new RpcError('channelAmtMalformed');
    if (typeof signature !== 'string' || !HEX.test(signature)) throw new RpcError('invalidParams');
    return {
      signature_verified: verify(key, claimBytes(channel.toUpperCase(), drops), evenHex(signature)),
    };
  },
};

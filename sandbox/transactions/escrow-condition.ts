/**
 * Crypto-conditions of escrows: a condition is the SHA-256 of a secret, its fulfillment the secret. Of the types of
 * draft-thomas-crypto-conditions-02 the network supports one, PREIMAGE-SHA-256, in DER:
 *
 *     condition    A0 len  80 20 <sha-256 of the secret>  81 len <length of the secret>
 *     fulfillment  A0 len  80 len <secret, at most 128 bytes>
 *
 * Rules: rippled `conditions/Condition.cpp`, `Fulfillment.cpp`, `detail/utils.h`.
 */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';

const CONDITION_BYTES_MAX = 128;
const FULFILLMENT_BYTES_MAX = 256;
const SECRET_BYTES_MAX = 128;
const FINGERPRINT_BYTES = 32;
/** Context-specific tags, constructed (0xA0) and primitive (0x80), with the number of the element. */
const CONSTRUCTED_0 = 0xa0;
const PRIMITIVE_0 = 0x80;
const PRIMITIVE_1 = 0x81;
/** A length field with more bytes than this cannot belong to a value of allowed size. */
const LENGTH_BYTES_MAX = 8;
/** A 32-bit integer, with a leading zero byte when its top bit is set. */
const INTEGER_BYTES_MAX = 5;

interface Condition {
  readonly fingerprint: Hex;
  /** Length of the secret, in bytes. */
  readonly cost: number;
}

/** Reads the elements of DER data, one after the other. */
class Elements {
  readonly #bytes: Uint8Array;
  #at = 0;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** The contents of the next element; undefined if it has another tag or does not end within the data. */
  take(tag: number): Uint8Array | undefined {
    if (this.#bytes[this.#at] !== tag) return undefined;
    this.#at += 1;
    const length = this.#length();
    if (length === undefined || length > this.#bytes.length - this.#at) return undefined;
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #length(): number | undefined {
    const first = this.#bytes[this.#at];
    if (first === undefined) return undefined;
    this.#at += 1;
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count === 0 || count > LENGTH_BYTES_MAX || count > this.#bytes.length - this.#at) return undefined;
    let length = 0;
    for (let i = 0; i < count; i += 1) {
      length = length * 256 + this.#bytes[this.#at]!;
      this.#at += 1;
    }
    return length === 0 ? undefined : length;
  }
}

/** The contents of data that consists of one element. */
function wholeElement(bytes: Uint8Array, tag: number): Uint8Array | undefined {
  const elements = new Elements(bytes);
  const contents = elements.take(tag);
  return elements.atEnd ? contents : undefined;
}

/** An unsigned integer of at most 32 bits. Leading zeros are accepted, as on the public network. */
function integerOf(bytes: Uint8Array): number | undefined {
  const first = bytes[0];
  if (first === undefined || bytes.length > INTEGER_BYTES_MAX || first >= 0x80) return undefined;
  if (bytes.length === INTEGER_BYTES_MAX && first !== 0) return undefined;
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function parseCondition(text: Hex): Condition | undefined {
  if (text.length > 2 * CONDITION_BYTES_MAX) return undefined;
  const body = wholeElement(bytesOf(text), CONSTRUCTED_0);
  if (body === undefined) return undefined;
  const elements = new Elements(body);
  const fingerprint = elements.take(PRIMITIVE_0);
  const costBytes = elements.take(PRIMITIVE_1);
  if (fingerprint?.length !== FINGERPRINT_BYTES || costBytes === undefined || !elements.atEnd)
    return undefined;
  const cost = integerOf(costBytes);
  if (cost === undefined || cost > SECRET_BYTES_MAX) return undefined;
  return { fingerprint: hexOf(fingerprint), cost };
}

/** The secret in a fulfillment. */
function parseFulfillment(text: Hex): Uint8Array | undefined {
  const body = wholeElement(bytesOf(text), CONSTRUCTED_0);
  if (body === undefined || body.length > FULFILLMENT_BYTES_MAX) return undefined;
  const secret = wholeElement(body, PRIMITIVE_0);
  return secret === undefined || secret.length > SECRET_BYTES_MAX ? undefined : secret;
}

/** Whether hex text is a condition that the network supports. */
export const isCondition = (condition: Hex): boolean => parseCondition(condition) !== undefined;

/** Whether a fulfillment fulfils a condition, both hex. False when either is malformed. */
export function fulfils(fulfillment: Hex, condition: Hex): boolean {
  const asked = parseCondition(condition);
  const secret = parseFulfillment(fulfillment);
  if (asked === undefined || secret === undefined) return false;
  const hash = new Bun.CryptoHasher('sha256').update(secret).digest();
  return asked.cost === secret.length && asked.fingerprint === hexOf(hash);
}

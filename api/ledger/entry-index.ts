/**
 * Index (key) of a ledger entry from its identifying fields: SHA512Half of a two-byte space key and these fields
 * (https://xrpl.org/docs/references/protocol/ledger-data/common-fields, rippled `Indexes.cpp`).
 */
import { type AssetBytes, ammKey } from '../../engine/codec/amm-key.ts';
import { accountBytes } from '../../engine/codec/base58.ts';
import { bytesOf } from '../../engine/codec/bytes.ts';
import { currencyBytes } from '../../engine/codec/currency.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import { badRequest } from '../../requests/errors.ts';
import { isHashForm } from '../../requests/identifiers.ts';

/** The letter of each space key; its other byte is zero. */
const spaces = {
  account: 'a',
  depositPreauth: 'p',
  directory: 'd',
  escrow: 'u',
  offer: 'o',
  ownerDirectory: 'O',
  ticket: 'T',
} as const;

function key(space: keyof typeof spaces, ...parts: readonly Uint8Array[]): Uint8Array {
  return sha512Half(Uint8Array.of(0, spaces[space].charCodeAt(0)), ...parts);
}

type Fields = Readonly<Record<string, unknown>>;

/** Every way in which a client may identify an entry. @throws ApiError 400 if a value has the wrong form. */
export const entryIndexBy: Readonly<Record<string, (value: unknown) => Uint8Array>> = {
  index: (value) => hash('index', value),
  account_root: (value) => key('account', address('account_root', value)),
  check: (value) => hash('check', value),
  payment_channel: (value) => hash('payment_channel', value),
  nft_page: (value) => hash('nft_page', value),
  directory: directoryIndex,
  offer: (value) => sequenced('offer', 'offer', value, 'account', 'seq'),
  escrow: (value) => sequenced('escrow', 'escrow', value, 'owner', 'seq'),
  ticket: (value) => sequenced('ticket', 'ticket', value, 'account', 'ticket_seq'),
  deposit_preauth: (value) => {
    if (typeof value === 'string') return hash('deposit_preauth', value);
    const { owner, authorized } = fields('deposit_preauth', value);
    return key(
      'depositPreauth',
      address('deposit_preauth.owner', owner),
      address('deposit_preauth.authorized', authorized),
    );
  },
  amm: ammIndex,
};

function hash(name: string, value: unknown): Uint8Array {
  if (typeof value !== 'string' || !isHashForm(value)) throw badRequest(`${name} is not 64 hex digits`);
  return bytesOf(value.toUpperCase());
}

function address(name: string, value: unknown): Uint8Array {
  const bytes = typeof value === 'string' && value.length <= 64 ? accountBytes(value) : undefined;
  if (!bytes) throw badRequest(`${name} is not an account address`);
  return bytes;
}

function fields(name: string, value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest(`${name} is neither an index nor an object`);
  return value as Fields;
}

function unsigned(name: string, value: unknown): Uint8Array {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > 0xffffffff)
    throw badRequest(`${name} is not an unsigned 32-bit number`);
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

function sequenced(
  space: keyof typeof spaces,
  name: string,
  value: unknown,
  owner: string,
  sequence: string,
): Uint8Array {
  if (typeof value === 'string') return hash(name, value);
  const object = fields(name, value);
  return key(
    space,
    address(`${name}.${owner}`, object[owner]),
    unsigned(`${name}.${sequence}`, object[sequence]),
  );
}

/** By index, or page `sub_index` of an owner's or of another root's directory. */
function directoryIndex(value: unknown): Uint8Array {
  if (typeof value === 'string') return hash('directory', value);
  const object = fields('directory', value);
  const root =
    object.owner !== undefined
      ? key('ownerDirectory', address('directory.owner', object.owner))
      : hash('directory.dir_root', object.dir_root);
  const page = Number(object.sub_index ?? 0);
  if (!Number.isSafeInteger(page) || page < 0) throw badRequest('directory.sub_index is not a page number');
  if (page === 0) return root;
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(page));
  return key('directory', root, bytes);
}

/** The pool of two assets. */
function ammIndex(value: unknown): Uint8Array {
  if (typeof value === 'string') return hash('amm', value);
  const object = fields('amm', value);
  return ammKey(asset('amm.asset', object.asset), asset('amm.asset2', object.asset2));
}

function asset(name: string, value: unknown): AssetBytes {
  if (value === 'XRP') return { currency: new Uint8Array(20), issuer: new Uint8Array(20) };
  const { currency, issuer } = fields(name, value);
  if (currency === 'XRP') return { currency: new Uint8Array(20), issuer: new Uint8Array(20) };
  const code = typeof currency === 'string' && currency.length <= 40 ? currencyBytes(currency) : undefined;
  if (!code) throw badRequest(`${name}.currency is not a currency code`);
  return { currency: code, issuer: address(`${name}.issuer`, issuer) };
}

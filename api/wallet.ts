/**
 * Who signed a request (section 5 of the contract): `X-Wallet` says who, `X-Signature` signs `<wallet>:<timestamp>` with the
 * master key of that account, which `X-Public-Key` gives.
 *
 * A signature of secp256k1 takes the main thread 0.4 ms to verify, so it comes last: after the time, whether the key is that
 * wallet's, and whether the wallet may do at all what it asks for.
 */
import { deriveAddress, verify } from 'ripple-keypairs';
import { accountBytes } from '../engine/codec/base58.ts';
import type { Engine } from '../engine/engine.ts';
import { AccountFlag } from '../engine/state/accounts.ts';
import { ApiError } from '../requests/errors.ts';

/** A signature is valid for so long after its timestamp. */
const VALID_MS = 5 * 60_000;
/** Clocks of clients run ahead by no more. */
const AHEAD_MS = 60_000;

const TIMESTAMP = /^\d{13}$/;
const PUBLIC_KEY = /^(?:ED|02|03)[0-9A-F]{64}$/;
const SIGNATURE = /^(?:[0-9A-F]{2}){8,72}$/;

const refused = (text: string) =>
  new ApiError('unauthorized', text, {
    hint: 'Send X-Wallet, X-Timestamp (Unix ms), X-Public-Key and X-Signature (of <wallet>:<timestamp>)',
  });

/** The wallet that a request names, with what shows that it is its own. */
export interface WalletClaim {
  /** r-address. */
  readonly wallet: string;
  /** @throws ApiError 401 when the signature is not the wallet's */
  verify(): void;
}

/** @param now Unix ms. @throws ApiError 401 when anything but the signature itself is wrong */
export function walletClaim({ headers }: Request, { state }: Engine, now: number): WalletClaim {
  const wallet = headers.get('x-wallet') ?? '';
  const timestamp = headers.get('x-timestamp') ?? '';
  const publicKey = (headers.get('x-public-key') ?? '').toUpperCase();
  const signature = (headers.get('x-signature') ?? '').toUpperCase();
  if (wallet === '' || signature === '') throw refused('No wallet signature');
  const age = now - Number(timestamp);
  if (!TIMESTAMP.test(timestamp) || age > VALID_MS || age < -AHEAD_MS)
    throw refused('The timestamp is not one of the last 5 minutes');
  if (!PUBLIC_KEY.test(publicKey) || !SIGNATURE.test(signature))
    throw refused('Public key or signature is malformed');
  if (addressOf(publicKey) !== wallet) throw refused('The public key is not the master key of the wallet');
  const account = state.accounts.find(accountBytes(wallet)!, 0);
  // What an account has given up for ever, its blackholed master key among it, is no proof.
  if (account !== undefined && state.accounts.flags[account]! & AccountFlag.disableMaster)
    throw refused('The master key of the wallet is disabled');
  const message = Buffer.from(`${wallet}:${timestamp}`).toString('hex');
  return {
    wallet,
    verify: () => {
      if (!isSigned(message, signature, publicKey)) throw refused('The signature is wrong');
    },
  };
}

/** undefined: no point of the curve. */
function addressOf(publicKey: string): string | undefined {
  try {
    return deriveAddress(publicKey);
  } catch {
    return undefined;
  }
}

function isSigned(message: string, signature: string, publicKey: string): boolean {
  try {
    return verify(message, signature, publicKey);
  } catch {
    return false;
  }
}

/** What the OpenAPI document says of credentials and limits: the schemes, and of each row what it needs and may answer. */
import type { JsonSchema } from '../requests/param.ts';
import type { Route } from './route.ts';

/** The headers that a wallet sends together. */
const WALLET = ['Wallet', 'WalletTimestamp', 'WalletSignature', 'WalletPublicKey'] as const;

const header = (name: string, description: string): JsonSchema => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
});

export const securitySchemes: Readonly<Record<string, JsonSchema>> = {
  ApiKey: header('X-Api-Key', 'A key made by POST /keys: higher limits, and credits'),
  ApiKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'apiKey',
    description: 'The same for images, where no header can be sent',
  },
  Wallet: header('X-Wallet', 'r-address of the wallet that signs'),
  WalletTimestamp: header('X-Timestamp', 'Unix ms, within 5 minutes of now'),
  WalletSignature: header(
    'X-Signature',
    'Hex signature of the text `<wallet>:<timestamp>`, ed25519 or secp256k1. One that was seen before, on a read too, changes nothing',
  ),
  WalletPublicKey: header(
    'X-Public-Key',
    'Hex: the master key of the wallet, or its regular key. Not needed once the account has signed a transaction, which shows the key; for watch lists always',
  ),
  AdminKey: header('X-Admin-Key', 'Key of the operator'),
  PlatformKey: header('X-Api-Key', "The platform's own key"),
};

const all = (names: readonly string[]): JsonSchema => Object.fromEntries(names.map((name) => [name, []]));

/** What a row needs: one of these. */
export function securityOf({ auth, keyInQuery }: Route): readonly JsonSchema[] {
  const key = [all(['ApiKey']), ...(keyInQuery ? [all(['ApiKeyInQuery'])] : [])];
  switch (auth) {
    case 'none':
      return [{}, ...key];
    case 'key':
      return key;
    case 'wallet':
      return [all(WALLET)];
    case 'admin':
      return [all(['AdminKey']), all(WALLET)];
    case 'platform':
      return [all(['PlatformKey'])];
  }
}

/** Statuses of the gate: a key that does not work is refused everywhere. */
export function gateStatuses({ auth, tier, cost, owner, refusesBrowserKey }: Route): number[] {
  const statuses = [401, 429];
  if (cost > 0) statuses.push(402);
  if (auth === 'admin' || auth === 'platform' || tier !== 'anonymous' || owner || refusesBrowserKey)
    statuses.push(403);
  return statuses;
}

const shown = (type: string, description: string): JsonSchema => ({ description, schema: { type } });

/** Headers of every answer where limits are in force. */
export const limitHeaders: Readonly<Record<string, JsonSchema>> = {
  'X-RateLimit-Limit': shown('integer', 'Of the minute without a key, of the second with one'),
  'X-RateLimit-Remaining': shown('integer', 'Requests that are left of it'),
  'X-RateLimit-Reset': shown('integer', 'Seconds until it ends'),
  'X-RateLimit-Daily-Remaining': shown('integer', 'Requests that are left of the day, where it has a limit'),
  'X-Credits-Used': shown('number', "Of the running cycle's allowance; with a key whose credits are counted"),
  'X-Credits-Remaining': shown('number', 'Of the allowance and those bought; the same'),
  RateLimit: shown(
    'string',
    'The window with the fewest requests left: its name, how many (r), seconds until it ends (t)',
  ),
  'RateLimit-Policy': shown('string', 'All windows: name, requests (q), seconds (w)'),
};

/** References to them. */
export const limitHeaderRefs: JsonSchema = Object.fromEntries(
  Object.keys(limitHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** XRP of the test network for whoever asks: as existing clients of the contract read it. */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { COOLDOWN_HOURS, FAUCET_XRP } from '../../platform/faucet.ts';
import { ApiError, badRequest, notConfigured, unavailable } from '../../requests/errors.ts';
import { patterns } from '../../requests/identifiers.ts';
import type { Network } from '../../views/network.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { describe, integer, number, object, string } from '../schema.ts';
import { shared } from './testnet-schemas.ts';
import { addressOf } from './trader-schemas.ts';

const ofFaucet = { ...shared, path: '/faucet', bucket: '/faucet' } as const;

/** @throws ApiError 503 */
function faucetOf({ faucet }: Network) {
  if (faucet) return faucet;
  throw notConfigured(
    'The faucet is that of the embedded network, and another test network is shown',
    'Start with --testnet sandbox',
  );
}

const state = route({
  ...ofFaucet,
  example: {},
  summary: 'What the faucet of the test network has, and what it pays',
  params: {},
  response: object({
    address: string,
    balance: describe(number, 'XRP'),
    defaultAmount: describe(number, 'XRP that each address gets'),
    maxAmount: number,
  }),
  handler: (_, { network, engine }) => {
    const { address } = faucetOf(network);
    const { accounts } = engine.state;
    const id = accounts.findText(address);
    const drops = id === undefined ? 0n : accounts.balanceDrops(id);
    const balance = Number(drops) / DROPS_PER_XRP;
    return { address, balance, defaultAmount: FAUCET_XRP, maxAmount: FAUCET_XRP };
  },
});

const claim = route({
  ...ofFaucet,
  method: 'POST',
  example: { destination: samples.account },
  summary: `Pays ${FAUCET_XRP} XRP of the test network to an address, once in ${COOLDOWN_HOURS} hours`,
  params: {
    destination: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: 64,
      pattern: patterns.account,
      about: 'r-address; the payment activates it',
    },
  },
  response: object({
    hash: describe(string, 'Of the payment, which is validated with the next ledger'),
    destination: string,
    amount: describe(number, 'XRP'),
    cooldownHours: integer,
  }),
  handler: async ({ destination: text }, { network, service }) => {
    const destination = addressOf(text);
    const faucet = faucetOf(network);
    if (destination === faucet.address) throw badRequest('This is the address of the faucet itself');
    const claimed = await faucet.claim(destination, service.now()).catch(() => {
      throw unavailable(
        'The test network did not answer: whether it paid is not known',
        `GET /testnet/${destination} shows it after the next ledger`,
      );
    });
    if (claimed.kind === 'cooldown') throw toWait(claimed.retryMs);
    if (claimed.kind === 'refused') throw unavailable(claimed.reason, 'Try again later');
    return { hash: claimed.hash, destination, amount: FAUCET_XRP, cooldownHours: COOLDOWN_HOURS };
  },
});

function toWait(ms: number): ApiError {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  return new ApiError('rate_limited', 'cooldown active', {
    hint: `Each address is paid once in ${COOLDOWN_HOURS} hours`,
    headers: { 'Retry-After': String(seconds) },
    extra: { retryAfterSeconds: seconds, retryAfter: seconds },
  });
}

export const faucetRoutes: Route[] = [state, claim];

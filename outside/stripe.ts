/**
 * Stripe as card processor: Checkout Sessions and signed events.
 *
 *     POST /v1/checkout/sessions         https://docs.stripe.com/api/checkout/sessions/create
 *     GET  /v1/checkout/sessions/{id}    https://docs.stripe.com/api/checkout/sessions/retrieve
 *     Stripe-Signature: t=...,v1=...     https://docs.stripe.com/webhooks#verify-manually
 *
 * The signature is the HMAC-SHA-256 of `<t>.<body>` by the endpoint's secret. Messages of more than five minutes ago are
 * refused, as Stripe's own libraries do; the same message twice is harmless, because an invoice is applied once. Requests
 * carry an Idempotency-Key, so that a repeated one makes no second session.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type CardCheckout,
  CardError,
  CardMessageError,
  type CardProcessor,
  type CardSession,
  type CardState,
} from '../platform/billing/card.ts';
import { boundedText, type FetchBounds, OutsideError, type Sent } from './bounded-fetch.ts';

const BASE = 'https://api.stripe.com';
/** The protocol this driver speaks. */
const API_VERSION = '2024-06-20';
const BOUNDS: FetchBounds = { timeoutMs: 15_000, bytesMax: 256 * 1024 };
/** Messages are valid for so long, ms. */
const TOLERANCE_MS = 5 * 60_000;
/** Signatures that one message may have: two, while a secret is being changed. */
const SIGNATURES_MAX = 8;
/** Stripe ends a session 30 minutes to 24 hours after it was made, not sooner. */
const SESSION_LEAST_S = 30 * 60;
/** What clocks may differ by: a time that is too soon is refused. */
const CLOCK_S = 60;

/** Events after which a session may have been paid. */
const EVENTS: readonly unknown[] = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
];

/** Events after which the money may have gone back: by the operator, or by the customer's bank. */
const REFUNDS: readonly unknown[] = ['charge.refunded', 'charge.dispute.closed'];

export interface StripeSettings {
  /** `sk_live_...` or `rk_...`. */
  readonly secretKey: string;
  /** `whsec_...`: of the endpoint to which Stripe sends events. */
  readonly webhookSecret: string;
  /** Another address than Stripe's. */
  readonly baseUrl?: string | undefined;
  /** Unix ms. */
  readonly now: () => number;
}

type Json = Readonly<Record<string, unknown>>;

export class Stripe implements CardProcessor {
  readonly name = 'stripe';
  readonly #settings: StripeSettings;

  constructor(settings: StripeSettings) {
    this.#settings = settings;
  }

  async checkout({ invoice, title, usdCents, expiresAt, ...urls }: CardCheckout): Promise<CardSession> {
    const least = Math.ceil(this.#settings.now() / 1000) + SESSION_LEAST_S + CLOCK_S;
    const form = new URLSearchParams({
      mode: 'payment',
      client_reference_id: invoice,
      success_url: urls.successUrl,
      cancel_url: urls.cancelUrl,
      expires_at: String(Math.max(least, Math.ceil(expiresAt / 1000))),
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': String(usdCents),
      'line_items[0][price_data][product_data][name]': title,
      'metadata[invoice]': invoice,
    });
    const session = await this.#ask('/v1/checkout/sessions', {
      method: 'POST',
      body: form.toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': `checkout-${invoice}`,
      },
    });
    const { id, url } = session;
    if (typeof id !== 'string' || id === '' || id.length > 255)
      throw new CardError('a session without an id');
    if (typeof url !== 'string' || !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw new CardError('a session without an address');
    return { id, url };
  }

  async state(session: string): Promise<CardState> {
    return stateOf(await this.#ask(`/v1/checkout/sessions/${encodeURIComponent(session)}`, {}), answerFault);
  }

  read(body: string, headers: Headers, now: number): CardState | undefined {
    this.#check(body, headers.get('stripe-signature') ?? '', now);
    const { type, data } = objectIn(body, messageFault);
    const wanted = EVENTS.includes(type);
    if (!wanted && !REFUNDS.includes(type)) return undefined;
    const about = (data as Json | null | undefined)?.object;
    if (typeof about !== 'object' || about === null)
      throw new CardMessageError('an event without what it is about');
    return wanted ? stateOf(about as Json, messageFault) : refundOf(about as Json);
  }

  /** @throws CardMessageError */
  #check(body: string, header: string, now: number): void {
    const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?]);
    const time = parts.find(([name]) => name === 't')?.[1] ?? '';
    if (!/^\d{1,12}$/.test(time)) throw new CardMessageError('no time in Stripe-Signature');
    if (Math.abs(now - Number(time) * 1000) > TOLERANCE_MS)
      throw new CardMessageError('not a message of now');
    const expected = createHmac('sha256', this.#settings.webhookSecret).update(`${time}.${body}`).digest();
    const isOurs = parts
      .filter(([name]) => name === 'v1')
      .slice(0, SIGNATURES_MAX)
      .some(([, hex = '']) => {
        const signature = Buffer.from(hex, 'hex');
        return signature.length === expected.length && timingSafeEqual(signature, expected);
      });
    if (!isOurs) throw new CardMessageError('the signature is wrong');
  }

  /** @throws CardError */
  async #ask(path: string, request: Sent): Promise<Json> {
    const { secretKey, baseUrl = BASE } = this.#settings;
    const headers = {
      ...request.headers,
      authorization: `Bearer ${secretKey}`,
      'stripe-version': API_VERSION,
    };
    try {
      const text = await boundedText(baseUrl + path, BOUNDS, undefined, { ...request, headers });
      return objectIn(text, answerFault);
    } catch (fault) {
      throw fault instanceof OutsideError ? new CardError(`Stripe: ${fault.message}`) : fault;
    }
  }
}

/** What a charge, or a dispute of one, says. @returns undefined: the money has not gone back, or only a part of it */
function refundOf({ object, refunded, status, payment_intent, amount }: Json): CardState | undefined {
  const isBack = object === 'dispute' ? status === 'lost' : refunded === true;
  if (!isBack || typeof payment_intent !== 'string' || payment_intent === '') return undefined;
  const usdCents = Number.isSafeInteger(amount) ? (amount as number) : 0;
  return { session: '', status: 'refunded', payment: payment_intent.slice(0, 255), usdCents };
}

/** Of what makes no sense: in an answer, another one may be asked for; in a message, none is sent in its place. */
type Fault = (reason: string) => Error;
const answerFault: Fault = (reason) => new CardError(reason);
const messageFault: Fault = (reason) => new CardMessageError(reason);

function stateOf(session: Json, fault: Fault): CardState {
  const { id, status, payment_status, payment_intent, amount_total, currency } = session;
  if (typeof id !== 'string') throw fault('a session without an id');
  const isPaid = payment_status === 'paid' && currency === 'usd' && Number.isSafeInteger(amount_total);
  return {
    session: id,
    status: isPaid ? 'paid' : status === 'expired' ? 'expired' : 'unpaid',
    payment: typeof payment_intent === 'string' ? payment_intent.slice(0, 255) : '',
    usdCents: isPaid ? (amount_total as number) : 0,
  };
}

function objectIn(text: string, fault: Fault): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fault('not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault('not a JSON object');
  return value as Json;
}

/** What is sold and how it is paid, as the options say. */
import type { Log } from '../engine/log.ts';
import { Stripe } from '../outside/stripe.ts';
import { Billing } from '../platform/billing/billing.ts';
import type { CardProcessor } from '../platform/billing/card.ts';
import type { Customers } from '../platform/customers.ts';
import type { Options } from './options.ts';

export function makeBilling(options: Options, customers: Customers, log: Log): Billing {
  const { paymentAddress: address } = options;
  return new Billing({ customers, address, card: cardProcessor(options), log, now: Date.now });
}

function cardProcessor({ stripeKey, stripeWebhookSecret, stripeUrl }: Options): CardProcessor | undefined {
  if (stripeKey === undefined || stripeWebhookSecret === undefined) return undefined;
  return new Stripe({
    secretKey: stripeKey,
    webhookSecret: stripeWebhookSecret,
    baseUrl: stripeUrl || undefined,
    now: Date.now,
  });
}

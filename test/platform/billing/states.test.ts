/**
 * Random sequences of what wallets, processors, operators and the clock do, against a model of section 3 of the contract:
 * partner requests, subscriptions and invoices, over restarts. API keys have their own (../api-keys.test.ts).
 */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlatformStore } from '../../../data/platform-store.ts';
import { BILLING_COLLECTIONS, Billing } from '../../../platform/billing/billing.ts';
import { INVOICE_MS, type Invoice, statusOf } from '../../../platform/billing/invoices.ts';
import { PartnerError } from '../../../platform/billing/partners.ts';
import type { Purchase } from '../../../platform/billing/purchase.ts';
import { CUSTOMER_COLLECTIONS, Customers } from '../../../platform/customers.ts';
import { SOLD_TIERS } from '../../../platform/terms.ts';
import { DEFAULT_TIERS } from '../../../requests/admission-settings.ts';
import { casesOf } from '../../cases.ts';
import { quiet } from '../../live-rig.ts';
import { momentOf, randomOf, TermModel } from '../term-model.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const REUSED_FROM = 10 * MINUTE;
const KEPT = 7 * DAY;
const STEPS = casesOf(400, 10_000);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const WALLETS = ['rS1', 'rS2', 'rS3'];
const PRICE = 500;
/** In the order of what they have: a wallet has the higher of what was bought and what was granted. */
const RANKS = ['free', 'developer', 'partner', 'business', 'professional'];

const dir = mkdtempSync(join(tmpdir(), 'millrace-states-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface ModelInvoice {
  readonly id: string;
  readonly wallet: string;
  readonly purchase: Purchase;
  readonly session: string | undefined;
  readonly createdAt: number;
  isPaid: boolean;
  isRefunded: boolean;
  /** The money went back before it was known to be paid. */
  isRefundNoted: boolean;
  number: number | undefined;
}

/** What must be so. */
class Model {
  now = Date.UTC(2026, 10, 23);
  readonly partners = new Map<string, 'none' | 'pending' | 'approved' | 'declined'>();
  readonly terms = new Map(WALLETS.map((wallet) => [wallet, new TermModel()]));
  readonly bought = new Map<string, number>();
  readonly invoices: ModelInvoice[] = [];
  numbers = 0;

  pass(ms: number): void {
    this.now += ms;
    for (const terms of this.terms.values()) terms.pass(ms);
  }

  pay(invoice: ModelInvoice): void {
    if (invoice.isPaid) return;
    invoice.isPaid = true;
    if (invoice.isRefundNoted) {
      invoice.isRefunded = true;
      return;
    }
    const { wallet, purchase } = invoice;
    if (purchase.type === 'tier')
      this.terms.get(wallet)!.buy(purchase.tier, (purchase.billing === 'yearly' ? 365 : 30) * DAY);
    else this.bought.set(wallet, (this.bought.get(wallet) ?? 0) + purchase.credits);
  }

  refund(invoice: ModelInvoice): void {
    if (!invoice.isPaid) invoice.isRefundNoted = true;
    if (!invoice.isPaid || invoice.isRefunded) return;
    invoice.isRefunded = true;
    const { wallet, purchase } = invoice;
    if (purchase.type === 'tier')
      this.terms.get(wallet)!.refund(purchase.tier, (purchase.billing === 'yearly' ? 365 : 30) * DAY);
    else this.bought.set(wallet, this.bought.get(wallet)! - purchase.credits);
  }

  tier(wallet: string): string {
    const granted = this.partners.get(wallet) === 'approved' ? 'partner' : 'free';
    const sold = this.terms.get(wallet)!.running ?? 'free';
    return RANKS[Math.max(RANKS.indexOf(granted), RANKS.indexOf(sold))]!;
  }

  statusOf({ isPaid, isRefunded, createdAt }: ModelInvoice): string {
    if (isRefunded) return 'refunded';
    if (isPaid) return 'applied';
    return this.now < createdAt + INVOICE_MS ? 'created' : 'expired';
  }
}

test(`${STEPS} random steps leave what the model has`, async () => {
  console.log(`states: SEED=${seed}`);
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const model = new Model();
  const open = async () => {
    const store = await openPlatformStore({
      dir,
      network: 0,
      collections: [...CUSTOMER_COLLECTIONS, ...BILLING_COLLECTIONS],
    });
    const customers = new Customers((tier) => DEFAULT_TIERS[tier].creditsPerMonth);
    customers.attach(store);
    const now = () => model.now;
    const billing = new Billing({ customers, address: undefined, card: undefined, log: quiet, now });
    billing.invoices.attach(store);
    billing.partners.attach(store);
    return { store, customers, billing };
  };
  let shop = await open();
  for (const wallet of WALLETS) await shop.customers.credits.open(wallet, model.now);

  const purchase = (): Purchase =>
    random(3) === 0
      ? { type: 'credits', package: 'starter', credits: 1_000_000 }
      : { type: 'tier', tier: pick(SOLD_TIERS), billing: random(3) === 0 ? 'yearly' : 'monthly' };

  const isRefused = (change: Promise<unknown>) =>
    change.then(
      () => false,
      (fault: unknown) => {
        if (!(fault instanceof PartnerError)) throw fault;
        return true;
      },
    );

  const note = ({ id, wallet, purchase, way, createdAt }: Invoice) =>
    model.invoices.push({
      id,
      wallet,
      purchase,
      session: way.by === 'card' ? way.session : undefined,
      createdAt,
      isPaid: false,
      isRefunded: false,
      isRefundNoted: false,
      number: undefined,
    });

  const steps: readonly ((wallet: string, step: number) => Promise<void>)[] = [
    async function asksToBePartner(wallet) {
      const before = model.partners.get(wallet) ?? 'none';
      const refused = await isRefused(
        shop.billing.partners.request(wallet, 'https://a.example/', 'me', model.now),
      );
      expect(refused).toBe(before === 'pending' || before === 'approved');
      if (!refused) model.partners.set(wallet, 'pending');
    },
    async function isReviewed(wallet) {
      const { partners } = shop.billing;
      const isApproved = random(8) === 0;
      const refused = await isRefused(
        isApproved ? partners.approve(wallet, model.now) : partners.decline(wallet, 'no credit', model.now),
      );
      expect(refused).toBe(model.partners.get(wallet) !== 'pending');
      if (!refused) model.partners.set(wallet, isApproved ? 'approved' : 'declined');
    },
    async function buysByCard(wallet, step) {
      const wanted = { wallet, purchase: purchase(), usdCents: PRICE };
      note(
        await shop.billing.invoices.createCard(wanted, `session${step}`, `card${step}`, momentOf(model.now)),
      );
    },
    async function hearsOfTheCard() {
      const invoice = model.invoices.findLast(({ session }) => session !== undefined && random(3) === 0);
      if (!invoice || model.now > invoice.createdAt + KEPT) return;
      const status = pick(['paid', 'paid', 'unpaid', 'expired'] as const);
      const usdCents = pick([PRICE, PRICE, PRICE + 1, PRICE - 1]);
      const { session = '' } = invoice;
      await shop.billing.cardSays({ session, status, payment: `pi-${session}`, usdCents });
      if (status === 'paid' && usdCents >= PRICE) model.pay(invoice);
    },
    async function refundsACard() {
      const invoice = model.invoices.findLast(({ session }) => session !== undefined && random(4) === 0);
      if (!invoice || random(3) !== 0) return;
      const payment = `pi-${invoice.session}`;
      await shop.billing.cardSays({ session: '', status: 'refunded', payment, usdCents: PRICE });
      model.refund(invoice);
    },
    async function buysForXrp(wallet) {
      const wanted = { wallet, purchase: purchase(), usdCents: PRICE };
      const made = await shop.billing.invoices.createXrp(wanted, 1_000_000, 0, momentOf(model.now));
      const known = model.invoices.find(({ id }) => id === made.id);
      const open = model.invoices.find(
        (one) =>
          one.session === undefined &&
          one.wallet === wallet &&
          one.createdAt + INVOICE_MS - model.now >= REUSED_FROM &&
          Bun.deepEquals(one.purchase, wanted.purchase),
      );
      expect(known?.id).toBe(open?.id);
      if (!known) note(made);
    },
    async function fetchesAnInvoice() {
      const invoice = model.invoices.at(-1 - random(8));
      if (!invoice || (!invoice.isPaid && model.now > invoice.createdAt + KEPT)) return;
      const shown = await shop.billing.invoices.numbered(invoice.id);
      invoice.number ??= ++model.numbers;
      expect(shown?.number).toBe(invoice.number);
    },
    async function passesTime() {
      model.pass(pick([MINUTE, 5 * MINUTE, 31 * MINUTE, DAY, 20 * DAY]));
    },
    async function restarts() {
      if (random(8) !== 0) return;
      if (random(2) === 0) await shop.customers.close();
      await shop.store.close();
      shop = await open();
    },
  ];

  for (let step = 0; step < STEPS; step++) {
    await pick(steps)(pick(WALLETS), step);
    for (const wallet of WALLETS) {
      const { customers, billing } = shop;
      expect(billing.partners.of(wallet)?.status ?? 'none').toBe(model.partners.get(wallet) ?? 'none');
      expect(customers.plans.tierOf(wallet, model.now)).toBe(model.tier(wallet) as never);
      expect(customers.credits.of(wallet)?.tier(model.now)).toBe(model.tier(wallet) as never);
      expect(customers.plans.of(wallet).purchasedCredits).toBe(model.bought.get(wallet) ?? 0);
    }
    for (const invoice of model.invoices.slice(-20)) {
      const kept = shop.billing.invoices.get(invoice.id);
      if (kept) expect(statusOf(kept, model.now)).toBe(model.statusOf(invoice) as never);
      else expect(!invoice.isPaid && model.now > invoice.createdAt + KEPT).toBe(true);
    }
  }
  // All of it has happened, if there were steps enough: few may leave every invoice paid, or none.
  if (STEPS >= 10_000)
    expect(new Set(model.invoices.map((invoice) => model.statusOf(invoice))).size).toBeGreaterThan(1);
  await shop.customers.close();
  await shop.store.close();
}, 300_000);

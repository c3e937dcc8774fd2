/** One wallet that uses the service until it is gone, and knows what must be there afterwards. */
import { expect } from 'bun:test';
import { Wallet } from 'xrpl';
import { WEBHOOK_SECRET as WEBHOOK } from '../../outside/stand-in-stripe.ts';
import type { Answer } from '../../sandbox-program.ts';
import { png } from '../../workers/image-files.ts';
import { Cell } from './cells.ts';
import type { Reply, Sent, StoredRig } from './rig.ts';

const PROJECT = {
  name: 'stored',
  url: 'https://stored.example',
  category: 'analytics',
  description: 'A test.',
  expectedDaily: 'lt1k',
};
/** What is spent is durable after a second at most; machines may be slow or shared. */
const SPENDING_MS = 4000;
const DOMAINS = 15;

interface Key {
  readonly secret: string;
  readonly cell: Cell<{ name: string; status: string } | null>;
}

interface Invoice {
  readonly id: string;
  readonly tag: number;
  readonly drops: number;
}

/** The card processor sends each message until it is answered. */
interface Session {
  /** Messages that were answered. */
  paid: boolean;
  refunded: boolean;
  /** Messages that were sent. */
  paidSent: boolean;
  refundSent: boolean;
}

type Draws = (below: number) => number;

/** Reporters of each domain, by all clients. */
export type Reported = Map<string, { answered: Set<string>; sent: Set<string> }>;

export class StoredClient {
  readonly wallet = Wallet.generate();
  readonly invoices = new Map<string, Invoice>();
  readonly sessions = new Map<string, Session>();
  /** `key requestId kind` of feedback. */
  readonly feedback = { answered: new Set<string>(), sent: new Set<string>() };
  answers = 0;
  /** The newest signature that wrote something. */
  #lastSigned: Record<string, string> | undefined;
  readonly #rig: StoredRig;
  readonly #at: number;
  readonly #draws: Draws;
  readonly #reported: Reported;
  readonly #keys = new Map<string, Key>();
  /** Keys whose answer was lost. */
  #unknownKeys = 0;
  readonly #watched = new Map<string, Cell<boolean>>();
  readonly #texts = new Cell<string | null>(null);
  readonly #partner = new Cell<{ creditUrl: string; status: string } | null>(null);
  readonly #name = new Cell<string | null>(null);
  /** Of the image that was answered last, Unix ms. */
  #imageAt = 0;
  /** Credits used, as the last check found it, and what was spent since. */
  #used = 0;
  #spent: { at: number; credits: number }[] = [];
  readonly #terms = new Cell(0);
  #writes = 0;

  constructor(rig: StoredRig, at: number, draws: Draws, reported: Reported) {
    this.#rig = rig;
    this.#at = at;
    this.#draws = draws;
    this.#reported = reported;
  }

  get address(): string {
    return this.wallet.classicAddress;
  }

  /** One thing after another until the service is gone. @throws GoneError then */
  async work(md5s: readonly string[], onAnswer: () => void): Promise<never> {
    const acts = [
      () => this.#changeKeys(),
      () => this.#spend(),
      () => this.#spend(),
      () => this.#watch(md5s),
      () => this.#report(),
      () => this.#sendFeedback(),
      () => this.#buy(),
      () => this.#pay(),
      () => this.#checkout(),
      () => this.#cardSays(),
      () => this.#changePartner(),
      () => this.#write(md5s[this.#at]!),
      () => this.#writeImage(md5s[this.#at]!),
      () => this.#identify(),
    ];
    for (;;) {
      await acts[this.#draws(acts.length)]!();
      this.answers++;
      onAnswer();
    }
  }

  /** Compares all that the routes show of it. */
  async check(md5s: readonly string[]): Promise<void> {
    await this.#checkKeys();
    await this.#checkCredits();
    const { body } = await this.#signed('/watchlist', {}, `?account=${this.address}`);
    for (const [md5, cell] of this.#watched) cell.check(body.watchlist.includes(md5), `watched ${md5}`);
    expect(new Set(body.watchlist).size, 'nothing watched twice').toBe(body.watchlist.length);
    for (const [id, { tag, drops }] of this.invoices) {
      const { status, body } = await this.#ask(`/keys/purchase/${id}`);
      expect([status, body.payment?.destinationTag, body.payment?.drops], id).toEqual([
        200,
        tag,
        String(drops),
      ]);
    }
    const md5 = md5s[this.#at]!;
    const token = await this.#ask(`/token/${md5}?desc=yes`);
    this.#texts.check(token.body.token.description ?? null, `description of ${md5}`);
    expect(token.body.token.imgUpdated ?? 0, `image of ${md5}`).toBeGreaterThanOrEqual(this.#imageAt);
    const { body: identity } = await this.#asAdmin(`/account/${this.address}/admin`);
    this.#name.check(identity.editable.name, `name of ${this.address}`);
    await this.#checkReplay();
  }

  get #buysTerms(): boolean {
    return this.#at === 0;
  }

  /** What it has bought in credits and days, of what was answered: the service sends no other. */
  async checkBought(xrpApplied: number): Promise<void> {
    for (const [id, session] of this.sessions) {
      // The processor goes on until it is answered.
      if (session.paidSent) await this.#cardPaid(id, session);
      if (session.refundSent) await this.#cardRefunded(id, session);
    }
    const sold = [...this.sessions.values()].filter(({ paid, refunded }) => paid && !refunded).length;
    const { body } = await this.#signed(`/keys/${this.address}/credits`);
    if (body.success !== false)
      expect(body.purchased, `credits of ${this.address}`).toBe(1_000_000 * (sold + xrpApplied));
    else expect(sold + xrpApplied >= 0).toBeTrue();
  }

  async #checkKeys(): Promise<void> {
    const { status, body } = await this.#signed(`/keys/${this.address}`);
    const found = new Map<string, Answer>((body.keys ?? []).map((key: Answer) => [key.id, key]));
    expect([200, 404]).toContain(status);
    for (const [id, { cell, secret }] of this.#keys) {
      const key = found.get(id);
      cell.check(key ? { name: key.name, status: key.status } : null, `key ${id}`);
      const { status } = await this.#ask('/keys/costs', { headers: this.#keyed(secret) });
      expect(status, `key ${id} works`).toBe(cell.written?.status === 'active' ? 200 : 401);
      if (cell.written === null) this.#keys.delete(id);
      found.delete(id);
    }
    expect(found.size, 'keys nobody was answered').toBeLessThanOrEqual(this.#unknownKeys);
    this.#unknownKeys = found.size;
  }

  async #checkCredits(): Promise<void> {
    const { status, body } = await this.#signed(`/keys/${this.address}/credits`);
    if (status === 404) return;
    const before = this.#spent.filter(({ at }) => at < this.#rig.killedAt - SPENDING_MS);
    const sum = (spent: readonly { credits: number }[]) =>
      spent.reduce((all, { credits }) => all + credits, 0);
    expect(body.used, 'credits used').toBeLessThanOrEqual(this.#used + sum(this.#spent));
    // With a paid term a cycle of its own begins.
    if (!this.#buysTerms) expect(body.used, 'credits used').toBeGreaterThanOrEqual(this.#used + sum(before));
    this.#used = body.used;
    this.#spent = [];
    const { body: plan } = await this.#signed(`/keys/${this.address}/subscription`);
    const { creditUrl, status: stands } = plan.partnerRequest ?? {};
    this.#partner.check(creditUrl ? { creditUrl, status: stands } : null, 'partner request');
    if (stands === 'approved') expect(plan.subscription.tier, 'tier of a partner').toBe('partner');
    const [term] = plan.subscription.terms;
    const days = term ? (term.end - term.start) / 86_400_000 : 0;
    this.#terms.check(days, 'days of the developer tier');
  }

  /** A signature that has written something writes nothing again. */
  async #checkReplay(): Promise<void> {
    const headers = this.#lastSigned;
    if (!headers) return;
    const body = { name: 'again' };
    const { status } = await this.#ask('/keys', { method: 'POST', body, headers });
    expect(status, 'a signature that was used').toBe(401);
  }

  async #changeKeys(): Promise<void> {
    const known = [...this.#keys].filter(([, { cell }]) => cell.written !== null);
    const [id, key] = known[this.#draws(known.length + 1)] ?? [];
    if (!id || !key) {
      if (known.length >= 8) return;
      const name = `key ${++this.#writes}`;
      this.#unknownKeys++;
      const { status, body } = await this.#signed('/keys', {
        method: 'POST',
        body: { name, project: PROJECT, agreePolicy: true },
      });
      this.#unknownKeys--;
      expect(status, JSON.stringify(body)).toBe(200);
      this.#keys.set(body.id, { secret: body.apiKey, cell: new Cell({ name, status: 'active' }) });
      return;
    }
    const { cell } = key;
    const { name, status } = cell.written!;
    const path = `/keys/${this.address}/${id}`;
    if (this.#draws(2) === 0 && status === 'active') {
      const next = { name: `key ${++this.#writes}`, status };
      await cell.write(next, () => this.#taken(path, { method: 'PUT', body: { name: next.name } }));
    } else {
      const next = status === 'active' ? { name, status: 'revoked' } : null;
      await cell.write(next, () => this.#taken(path, { method: 'DELETE' }));
    }
  }

  get #active(): [string, Key] | undefined {
    const active = [...this.#keys].filter(([, { cell }]) => cell.written?.status === 'active');
    return active[this.#draws(active.length || 1)];
  }

  async #spend(): Promise<void> {
    const [, key] = this.#active ?? [];
    if (key) await this.#paying(key, 1, '/tokens?limit=1');
  }

  /** A request that costs credits. */
  async #paying({ secret }: Key, credits: number, path: string, sent: Sent = {}): Promise<Reply> {
    const spent = { at: Number.POSITIVE_INFINITY, credits };
    this.#spent.push(spent);
    const reply = await this.#ask(path, { ...sent, headers: this.#keyed(secret) });
    expect([200, 409, 429], JSON.stringify(reply.body)).toContain(reply.status);
    spent.at = Date.now();
    return reply;
  }

  async #watch(md5s: readonly string[]): Promise<void> {
    const md5 = md5s[this.#draws(md5s.length)]!;
    const cell = this.#watched.get(md5) ?? new Cell(false);
    this.#watched.set(md5, cell);
    const body = { md5, account: this.address, action: cell.written ? 'remove' : 'add' };
    await cell.write(!cell.written, () => this.#taken('/watchlist', { method: 'POST', body }));
  }

  async #report(): Promise<void> {
    const [, key] = this.#active ?? [];
    if (!key) return;
    const domain = `scam-${this.#draws(DOMAINS)}.example`;
    const of = this.#reported.get(domain) ?? { answered: new Set(), sent: new Set() };
    this.#reported.set(domain, of);
    of.sent.add(this.address);
    await this.#paying(key, 1, '/scams/report', { method: 'POST', body: { domain, category: 'phishing' } });
    of.answered.add(this.address);
  }

  async #sendFeedback(): Promise<void> {
    const [id, key] = this.#active ?? [];
    if (!id || !key) return;
    const requestId = `abcdef01-${(++this.#writes).toString(16)}`;
    const body = { requestId, kind: 'wrong_value' };
    const text = `${id} ${requestId} ${body.kind}`;
    this.feedback.sent.add(text);
    const { status } = await this.#paying(key, 1, '/feedback', { method: 'POST', body });
    expect(status).toBe(200);
    this.feedback.answered.add(text);
  }

  async #buy(): Promise<void> {
    const body = { wallet: this.address, type: 'credits', package: 'starter' };
    const { status, body: made } = await this.#ask('/keys/purchase', { method: 'POST', body });
    // While the service catches up there is no price.
    if (status === 503) return;
    expect(status, JSON.stringify(made)).toBe(200);
    const { destinationTag: tag, drops } = made.payment;
    this.invoices.set(made.invoiceId, { id: made.invoiceId, tag, drops: Number(drops) });
  }

  /** In full, a part of it, or again. */
  async #pay(): Promise<void> {
    const all = [...this.invoices.values()];
    const invoice = all[all.length - 1 - this.#draws(Math.min(2, all.length || 1))];
    if (!invoice) return;
    const Amount = String(this.#draws(3) === 0 ? Math.ceil(invoice.drops / 2) : invoice.drops);
    await this.#rig.submit(this.wallet, {
      TransactionType: 'Payment',
      Destination: this.#rig.merchant.classicAddress,
      DestinationTag: invoice.tag,
      Amount,
    });
  }

  async #checkout(): Promise<void> {
    const isTier = this.#buysTerms && this.#draws(2) === 0;
    const product = isTier ? { type: 'tier', tier: 'developer' } : { type: 'credits', package: 'starter' };
    const body = { wallet: this.address, ...product };
    const { status, body: made } = await this.#ask('/keys/card/checkout', { method: 'POST', body });
    expect(status, JSON.stringify(made)).toBe(200);
    if (isTier) {
      this.#rig.stripe.pay(made.sessionId);
      // Sent until it is answered, also over a kill: the next check finds the days that were or the days that are.
      await this.#terms.write(this.#terms.written + 30, async () => {
        await this.#message(this.#rig.stripe.event(made.sessionId, 'checkout.session.completed', Date.now()));
        return true;
      });
      return;
    }
    this.sessions.set(made.sessionId, { paid: false, refunded: false, paidSent: false, refundSent: false });
  }

  /** A payment or a refund, in any order, again and again. */
  async #cardSays(): Promise<void> {
    const all = [...this.sessions];
    const [id, session] = all[this.#draws(all.length || 1)] ?? [];
    if (!id || !session) return;
    if (this.#draws(3) > 0) await this.#cardPaid(id, session);
    else await this.#cardRefunded(id, session);
  }

  async #cardPaid(id: string, session: Session): Promise<void> {
    this.#rig.stripe.pay(id);
    session.paidSent = true;
    if (this.#draws(4) === 0) {
      const { status } = await this.#ask(`/keys/card/status/${id}?wallet=${this.address}`);
      expect(status).toBe(200);
    } else await this.#message(this.#rig.stripe.event(id, 'checkout.session.completed', Date.now()));
    session.paid = true;
  }

  async #cardRefunded(id: string, session: Session): Promise<void> {
    session.refundSent = true;
    const object = { object: 'charge', refunded: true, payment_intent: `pi_${id}`, amount: 500 };
    const body = JSON.stringify({ id: 'evt_2', object: 'event', type: 'charge.refunded', data: { object } });
    await this.#message({ body, headers: this.#rig.stripe.signed(body, Date.now(), WEBHOOK) });
    session.refunded = true;
  }

  async #message({ body, headers }: { body: string; headers: Headers }): Promise<void> {
    headers.set('X-Forwarded-For', `10.1.0.${this.#at}`);
    const reply = await this.#rig.ask('/keys/card/webhook', { method: 'POST', body, headers });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  }

  /** Asks for the partner tier, or the admin says what comes of it. */
  async #changePartner(): Promise<void> {
    const before = this.#partner.written;
    if (before?.status === 'pending') {
      const decision = this.#draws(2) === 0 ? 'approve' : 'decline';
      const path = `/keys/partner-requests/${this.address}/${decision}`;
      await this.#partner.write({ ...before, status: `${decision}d` }, async () => {
        const body = decision === 'decline' ? { reason: 'No credit is shown.' } : {};
        const { status, body: answer } = await this.#asAdmin(path, { method: 'POST', body });
        expect(status, JSON.stringify(answer)).toBe(200);
        return true;
      });
      return;
    }
    if (before?.status === 'approved' || !this.#active) return;
    const creditUrl = `https://stored.example/${++this.#writes}`;
    await this.#partner.write({ creditUrl, status: 'pending' }, async () => {
      const path = `/keys/${this.address}/partner-request`;
      const { status } = await this.#signed(path, { method: 'POST', body: { creditUrl, contact: 'me' } });
      // 403: no key of it has been used yet.
      expect([200, 403]).toContain(status);
      return status === 200;
    });
  }

  /** The admin names the account. */
  async #identify(): Promise<void> {
    const name = `account ${++this.#writes}`;
    await this.#name.write(name, async () => {
      const path = `/account/${this.address}/admin`;
      const { status, body } = await this.#asAdmin(path, { method: 'PATCH', body: { name } });
      expect(status, JSON.stringify(body)).toBe(200);
      return true;
    });
  }

  #asAdmin(path: string, sent: Sent = {}): Promise<Reply> {
    return this.#ask(path, { ...sent, headers: { 'X-Admin-Key': this.#rig.admin, ...this.#from } });
  }

  async #writeImage(md5: string): Promise<void> {
    const headers = { ...this.#rig.signed(this.#rig.issuer), ...this.#from };
    const imageData = png(40, 40, { colour: [this.#draws(256), 30, 40, 255] }).toString('base64');
    const { status, body } = await this.#ask(`/token/${md5}/image`, {
      method: 'POST',
      body: { imageData },
      headers,
    });
    // 429: it was written less than three seconds ago; 503: too many images are encoded.
    expect([200, 429, 503], JSON.stringify(body)).toContain(status);
    if (status === 200) this.#imageAt = body.imgUpdated;
  }

  /** As the issuer: each client has a token of its own. */
  async #write(md5: string): Promise<void> {
    const description = `what ${this.#at} says: ${++this.#writes}`;
    await this.#texts.write(description, async () => {
      const headers = { ...this.#rig.signed(this.#rig.issuer), ...this.#from };
      const sent = { method: 'POST', body: { description }, headers };
      const { status, body } = await this.#ask(`/token/${md5}/metadata`, sent);
      // 429: it was written less than three seconds ago.
      expect([200, 429], JSON.stringify(body)).toContain(status);
      return status === 200;
    });
  }

  async #taken(path: string, sent: Sent): Promise<boolean> {
    const { status, body } = await this.#signed(path, sent);
    expect(status, JSON.stringify(body)).toBe(200);
    return true;
  }

  async #signed(path: string, sent: Sent = {}, query = ''): Promise<Reply> {
    const headers = { ...this.#rig.signed(this.wallet), ...this.#from };
    const reply = await this.#ask(path + query, { ...sent, headers });
    if (reply.status === 200 && (sent.method ?? 'GET') !== 'GET') this.#lastSigned = headers;
    return reply;
  }

  #ask(path: string, sent: Sent = {}): Promise<Reply> {
    return this.#rig.ask(path, { headers: this.#from, ...sent });
  }

  /** Each client has an address of its own: what one does is no other's limit. */
  get #from(): Record<string, string> {
    return { 'X-Forwarded-For': `10.0.0.${this.#at + 1}` };
  }

  #keyed(secret: string): Record<string, string> {
    return { 'X-Api-Key': secret, ...this.#from };
  }
}

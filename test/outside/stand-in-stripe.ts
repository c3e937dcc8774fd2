/** A stand-in for Stripe on loopback: sessions in memory, and events signed as Stripe documents it. */

export interface StandInSession {
  readonly id: string;
  readonly form: URLSearchParams;
  payment_status: string;
  status: string;
  currency: string;
  amount_total: number;
}

export const SECRET_KEY = 'sk_test_stand_in';
export const WEBHOOK_SECRET = 'whsec_stand_in';

export class StandInStripe {
  readonly sessions = new Map<string, StandInSession>();
  /** Answers the next request in place of what it should be. */
  next: Response | undefined;
  readonly #byIdempotency = new Map<string, string>();
  readonly #server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => this.#answer(request) });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  /** The customer pays. */
  pay(id: string): void {
    Object.assign(this.sessions.get(id)!, { payment_status: 'paid', status: 'complete' });
  }

  /** An event of a session, as it is sent. @param at Unix ms. @param secret of the endpoint */
  event(id: string, type: string, at: number, secret = WEBHOOK_SECRET): { body: string; headers: Headers } {
    const body = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object: this.#shown(id) } });
    return { body, headers: this.signed(body, at, secret) };
  }

  signed(body: string, at: number, ...secrets: readonly string[]): Headers {
    const time = Math.floor(at / 1000);
    const signatures = secrets.map((secret) => {
      const hmac = new Bun.CryptoHasher('sha256', secret).update(`${time}.${body}`).digest('hex');
      return `v1=${hmac}`;
    });
    return new Headers({ 'Stripe-Signature': [`t=${time}`, ...signatures, 'v0=00'].join(',') });
  }

  #shown(id: string) {
    const { form, ...session } = this.sessions.get(id)!;
    const payment_intent = session.payment_status === 'paid' ? `pi_${id}` : null;
    return {
      ...session,
      object: 'checkout.session',
      payment_intent,
      client_reference_id: form.get('client_reference_id'),
      url: `https://checkout.stripe.example/c/pay/${id}`,
    };
  }

  async #answer(request: Request): Promise<Response> {
    const { next } = this;
    this.next = undefined;
    if (next) return next;
    const fault = (status: number, message: string) => Response.json({ error: { message } }, { status });
    if (request.headers.get('authorization') !== `Bearer ${SECRET_KEY}`) return fault(401, 'Invalid API Key');
    if (!request.headers.get('stripe-version')) return fault(400, 'No version');
    const { pathname } = new URL(request.url);
    const [, id] = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(pathname) ?? [];
    if (id !== undefined && request.method === 'GET')
      return this.sessions.has(id) ? Response.json(this.#shown(id)) : fault(404, 'No such session');
    if (pathname !== '/v1/checkout/sessions' || request.method !== 'POST') return fault(404, 'Unrecognized');
    return this.#create(await request.text(), request.headers.get('idempotency-key') ?? '', fault);
  }

  #create(body: string, key: string, fault: (status: number, message: string) => Response): Response {
    const form = new URLSearchParams(body);
    const amount = Number(form.get('line_items[0][price_data][unit_amount]'));
    const lasts = Number(form.get('expires_at')) * 1000 - Date.now();
    if (form.get('mode') !== 'payment') return fault(400, 'mode');
    if (!Number.isInteger(amount) || amount < 50) return fault(400, 'unit_amount');
    if (lasts < 30 * 60_000 || lasts > 24 * 3_600_000) return fault(400, 'expires_at');
    if (!form.get('success_url') || !form.get('line_items[0][price_data][product_data][name]'))
      return fault(400, 'missing');
    const known = this.#byIdempotency.get(key);
    const id = known ?? `cs_test_${this.sessions.size + 1}`;
    if (known === undefined) {
      this.#byIdempotency.set(key, id);
      const currency = form.get('line_items[0][price_data][currency]')!;
      const made = { id, form, payment_status: 'unpaid', status: 'open', currency, amount_total: amount };
      this.sessions.set(id, made);
    }
    return Response.json(this.#shown(id));
  }
}

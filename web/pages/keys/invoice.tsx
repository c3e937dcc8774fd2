/** One invoice: what to pay where, as QR code, link and text, until when, and that it was paid. */
import * as format from '../../format.ts';
import type { Answer } from '../../net/rest.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { Unanswered } from '../../parts/unanswered.tsx';
import { qrCode } from '../../qr.ts';
import { linkTo } from '../../router.ts';

type Standing = Answer<'/keys/purchase/{invoiceId}'>;

const STATES: Readonly<Record<Standing['status'], string>> = {
  created: 'Waiting for the payment',
  applied: 'Paid: what was bought is there',
  expired: 'Expired: do not pay it any more',
  refunded: 'Refunded: what was bought has been taken back',
};

export function Invoice({ id }: { readonly id: string }) {
  const shown = useAnswer('/keys/purchase/{invoiceId}', { invoiceId: id });
  return (
    <section class="keys">
      <h1>Invoice</h1>
      {shown.value ? <Payment standing={shown.value} /> : <Unanswered shown={shown} what="This invoice" />}
      <p>
        <a href={linkTo(['keys'])}>Keys and credits</a>
      </p>
    </section>
  );
}

function Payment({ standing }: { readonly standing: Standing }) {
  const { status, payment, expiresAt, price } = standing;
  const isOpen = status === 'created';
  const facts: Fact[] = [
    ['State', <strong class={`invoice-${status}`}>{STATES[status]}</strong>],
    ['For', whatOf(standing)],
    ['Price', `${format.amount(price)} USD`],
    ['Amount', `${payment.amount} XRP`],
    ['Received', `${payment.received} XRP`],
    ['Destination', <Copyable text={payment.destination} what="the destination" />],
    [
      'Destination tag',
      <Copyable text={String(payment.destinationTag)} what="the destination tag">
        <strong>{payment.destinationTag}</strong>
      </Copyable>,
    ],
    [isOpen ? 'Pay before' : 'Was to be paid before', format.time(expiresAt)],
  ];
  return (
    <div class="card invoice">
      {isOpen && <Code text={payment.uri} />}
      <div>
        <Facts facts={facts} />
        {isOpen && (
          <>
            <p>
              <a href={payment.uri}>Open in a wallet</a>
            </p>
            <p class="notice">
              Pay in XRP and with the destination tag: without it the payment is not found. Several payments
              add up.
            </p>
          </>
        )}
      </div>
    </div>
  );
}

const whatOf = ({ type, credits, tier, billing }: Standing): string =>
  type === 'credits'
    ? `${format.whole(credits)} credits`
    : `${tier} tier, ${billing === 'yearly' ? '365' : '30'} days`;

/** Modules around the code that stay light, so that readers find it. */
const QUIET = 4;

function Code({ text }: { readonly text: string }) {
  const rows = qrCode(text);
  const size = rows.length + 2 * QUIET;
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
    .join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of the payment">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

type CardStatus = Answer<'/keys/card/status/{sessionId}'>['status'];

/** Ledgers between two askings: the service asks the processor each time, until it is paid. */
const CARD_EVERY = 5;

/** A payment by card, where its processor has sent the customer back. */
export function CardState({ session, wallet }: { readonly session: string; readonly wallet: string }) {
  const asked = { sessionId: session, wallet };
  const shown = useAnswer('/keys/card/status/{sessionId}', asked, { follow: CARD_EVERY });
  return (
    <section class="keys">
      <h1>Payment by card</h1>
      {shown.value ? (
        <p class="card" role="status">
          {cardText(shown.value.status)}
        </p>
      ) : (
        <Unanswered shown={shown} what="This payment" />
      )}
      <p>
        <a href={linkTo(['keys'])}>Keys and credits</a>
      </p>
    </section>
  );
}

function cardText(status: CardStatus): string {
  if (status === 'complete') return 'Paid: what was bought is there.';
  if (status === 'expired') return 'It was not paid in time.';
  if (status === 'refunded') return STATES.refunded;
  return 'Not paid yet.';
}

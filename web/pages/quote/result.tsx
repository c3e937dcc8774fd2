/** The quote: what is spent and received, the way, warnings, other ways, and the ready transaction. */
import type { Route } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { RawJson } from '../../parts/raw-json.tsx';
import { Value } from '../../parts/value.tsx';
import { paymentOf } from './payment.ts';
import type { Asked, Quote, QuoteFrame } from './quote.ts';

/** Warnings about the payer that mean nothing while nobody was named. */
const OF_PAYER = ['insufficient_balance', 'line_frozen', 'dest_limit_low'];

interface ResultProps {
  readonly asked: Asked;
  readonly frame: QuoteFrame | undefined;
  /** Why there is none. */
  readonly refusal: string | undefined;
}

export function Result({ asked, frame, refusal }: ResultProps) {
  const names = useNames(asked);
  if (asked.from === asked.to) return <p class="card empty">Choose two different tokens.</p>;
  if (refusal !== undefined)
    return (
      <div class="card quote-result">
        <p class="failure">{format.text(refusal, 200)}</p>
      </div>
    );
  if (!frame) return <div class="card quote-result" aria-busy="true" />;
  const { quote, ledger_index, requiresTrustline } = frame;
  if (!quote)
    return (
      <p class="card quote-result empty">
        No way leads from {names.from} to {names.to} for this amount.
      </p>
    );
  return (
    <section class="card quote-result">
      <div class="card-title">
        <h2>You receive</h2>
        <span class="quiet">as of ledger {format.whole(ledger_index)}</span>
      </div>
      <p class="quote-amount" title={format.exact(quote.destination_amount.value)}>
        <Value of={quote.destination_amount.value}>{format.amount(quote.destination_amount.value)}</Value>{' '}
        <bdi>{names.to}</bdi>
        <span class="quiet"> for </span>
        <Value of={quote.source_amount.value}>{format.amount(quote.source_amount.value)}</Value>{' '}
        <bdi>{names.from}</bdi>
      </p>
      {quote.partial && <p class="notice">Only a part of the amount can be swapped.</p>}
      <Terms quote={quote} asked={asked} names={names} />
      <h3>Way</h3>
      {quote.route.map((strand) => (
        <Strand strand={strand} names={names} />
      ))}
      <Warnings quote={quote} asked={asked} />
      <Alternatives frame={frame} names={names} />
      <Transaction quote={quote} asked={asked} needsLine={requiresTrustline !== null} name={names.to} />
    </section>
  );
}

interface Names {
  readonly from: string;
  readonly to: string;
  /** By md5: of the two ends. */
  readonly of: ReadonlyMap<string, string>;
}

function useNames({ from, to }: Asked): Names {
  const source = useAnswer(
    from === 'XRP' || from === '' ? undefined : '/token/{id}',
    { id: from },
    { follow: 'once' },
  );
  const target = useAnswer(
    to === 'XRP' || to === '' ? undefined : '/token/{id}',
    { id: to },
    { follow: 'once' },
  );
  const [a, b] = [source.value?.token, target.value?.token];
  const name = (id: string, token: { name?: string } | undefined) =>
    id === 'XRP' ? 'XRP' : format.text(token?.name, 24);
  const ends = [a, b].flatMap((token) =>
    token?.md5 ? [[token.md5, format.text(token.name, 24)] as const] : [],
  );
  return { from: name(from, a), to: name(to, b), of: new Map(ends) };
}

function Terms({ quote, asked, names }: { quote: Quote; asked: Asked; names: Names }) {
  const { execution_rate, price_impact, amm_price_change, suggested_slippage, minimum_received } = quote;
  const terms: readonly (readonly [string, string])[] = [
    ['Rate', `1 ${names.from} = ${format.price(execution_rate)} ${names.to}`],
    ['Price impact', `${price_impact.percent}, ${format.amount(price_impact.xrp)} XRP`],
    ['Price of the pool moves', format.change(amm_price_change)],
    ['From books', `${format.amount(quote.from_orderbook)} ${names.to}`],
    ['From pools', `${format.amount(quote.from_amm)} ${names.to}`],
    ['Fee of pools', quote.amm_pool_fee ?? format.NONE],
    ['Suggested tolerance', format.percent(suggested_slippage, 2)],
  ];
  const least: readonly (readonly [string, string])[] =
    asked.side === 'spend' ? [['At least', `${format.amount(minimum_received)} ${names.to}`]] : [];
  return (
    <dl class="quote-terms">
      {[...least, ...terms].map(([title, text]) => (
        <div>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** One way among those that share the amount: its tokens, and how much of each step goes through a pool. */
function Strand({ strand: { share, tokens, poolShares }, names }: { strand: Route; names: Names }) {
  const nameOf = (token: Route['tokens'][number]) =>
    names.of.get(String(token.md5)) ?? format.text(readable(String(token.currency)), 24);
  return (
    <div class="strand" style={{ '--share': `${share}%` }}>
      <span class="number">{format.percent(share)}</span>{' '}
      {tokens.map((token, at) => (
        <>
          {at > 0 && (
            <span class="quiet">
              {' → '}
              <small>{stepText(poolShares[at - 1])}</small>
              {' → '}
            </span>
          )}
          <bdi>{nameOf(token)}</bdi>
        </>
      ))}
    </div>
  );
}

/** Ways that give less. */
function Alternatives({ frame: { alternatives }, names }: { frame: QuoteFrame; names: Names }) {
  return alternatives.length === 0 ? null : (
    <>
      <h3>Other ways</h3>
      {alternatives.map(({ route, destination_amount, source_amount }) => (
        <div class="alternative">
          <p class="quiet">
            {format.amount(destination_amount.value)} {names.to} for {format.amount(source_amount.value)}{' '}
            {names.from}
          </p>
          {route.map((strand) => (
            <Strand strand={strand} names={names} />
          ))}
        </div>
      ))}
    </>
  );
}

const stepText = (poolShare: number | null | undefined): string =>
  poolShare === null || poolShare === undefined
    ? 'issuer'
    : poolShare === 0
      ? 'book'
      : poolShare === 100
        ? 'pool'
        : `${format.percent(poolShare)} pool, rest book`;

/** A code of 40 digits as the text that it mostly is. */
function readable(currency: string): string {
  if (currency.length !== 40) return currency;
  const bytes = (currency.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  const text = String.fromCharCode(...bytes.filter((byte) => byte !== 0));
  return /^[\x20-\x7e]+$/.test(text) ? text : `${currency.slice(0, 8)}…`;
}

function Warnings({ quote, asked }: { quote: Quote; asked: Asked }) {
  const shown = quote.warnings.filter(({ code }) => asked.account !== undefined || !OF_PAYER.includes(code));
  return (
    <ul class="quote-warnings" aria-label="Warnings">
      {shown.map(({ message }) => (
        <li>{message}</li>
      ))}
    </ul>
  );
}

interface TransactionProps {
  readonly quote: Quote;
  readonly asked: Asked;
  readonly needsLine: boolean;
  readonly name: string;
}

/** Nothing is signed here: the JSON goes to a wallet of the reader's choice. */
function Transaction({ quote, asked, needsLine, name }: TransactionProps) {
  if (asked.account === undefined)
    return (
      <p class="quiet">With your address there is a ready transaction here. No secret is ever asked for.</p>
    );
  const payment = paymentOf(quote, { ...asked, account: asked.account });
  const json = JSON.stringify(payment, undefined, 2);
  return (
    <>
      {needsLine && <p class="notice">This account needs a trust line for {name} first.</p>}
      <RawJson value={payment} title="Transaction to sign" />
      <a download="payment.json" href={`data:application/json,${encodeURIComponent(json)}`}>
        Download the transaction
      </a>
    </>
  );
}

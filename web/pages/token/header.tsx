/** Name, price, changes, and the figures of the day. */
import * as format from '../../format.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Change, Value } from '../../parts/value.tsx';
import { linkTo } from '../../router.ts';
import type { TokenRow } from './token-row.ts';

const CHANGES = [
  ['pro5m', '5 min'],
  ['pro1h', '1 h'],
  ['pro24h', '24 h'],
  ['pro7d', '7 d'],
] as const;

export function Header({ token }: { token: TokenRow }) {
  const { exch } = token;
  return (
    <header class="token-header card">
      <div class="token-title">
        <h1>
          <bdi class="cut" title={format.text(token.name, 400)}>
            {format.text(token.name)}
          </bdi>
        </h1>
        <bdi class="quiet cut">{format.text(token.user || token.domain)}</bdi>
        {token.tags?.slice(0, 6).map((tag) => (
          <a class="tag" href={linkTo(['tokens'], { tag })}>
            {format.text(tag, 24)}
          </a>
        ))}
      </div>
      <div class="token-price">
        <strong class="number">
          <Value of={exch}>{`${format.price(format.inCurrency(exch))} ${format.unit()}`}</Value>
        </strong>
        {CHANGES.map(([key, title]) => (
          <span>
            <span class="quiet">{title} </span>
            <Change of={token[key]}>{format.change(token[key])}</Change>
          </span>
        ))}
      </div>
      <Facts token={token} />
    </header>
  );
}

/** Not XRP, whose issuer is the ledger itself. */
const isIssued = (token: TokenRow): token is TokenRow & { readonly issuer: string } =>
  token.issuer !== undefined && token.issuer !== 'XRPL';

function Facts({ token }: { token: TokenRow }) {
  const xrp = (value: number | undefined) => `${format.amount(format.inCurrency(value))} ${format.unit()}`;
  const facts: readonly (readonly [string, number | string | undefined, string])[] = [
    ['Volume 24 h', token.vol24hxrp, xrp(token.vol24hxrp)],
    ['Market cap', token.marketcap, xrp(token.marketcap)],
    ['In pools', token.tvl, xrp(token.tvl)],
    ['Supply', token.supply, format.amount(token.supply)],
    ['Holders', token.holders, format.whole(token.holders)],
    ['Trust lines', token.trustlines, format.whole(token.trustlines)],
    ['Trades 24 h', token.vol24htx, format.whole(token.vol24htx)],
    ['Traders 24 h', token.uniqueTraders24h, format.whole(token.uniqueTraders24h)],
    ['RSI 1 h', token.rsi1h, format.amount(token.rsi1h)],
    ['Top 10 hold', token.top10, format.percent(token.top10)],
  ];
  return (
    <dl class="token-facts">
      {facts.map(([title, of, text]) => (
        <div>
          <dt>{title}</dt>
          <dd>
            <Value of={of}>{of === undefined ? format.NONE : text}</Value>
          </dd>
        </div>
      ))}
      <div class="token-facts-wide">
        <dt>Issuer</dt>
        <dd>
          {isIssued(token) ? (
            <Copyable text={token.issuer} what="the address of the issuer" class="mono cut" />
          ) : (
            <span class="mono">{token.issuer}</span>
          )}
        </dd>
      </div>
      <div class="token-facts-wide">
        <dt>Id</dt>
        <dd>
          <Copyable text={token.md5} what="the id of the token" class="mono cut" />
        </dd>
      </div>
    </dl>
  );
}

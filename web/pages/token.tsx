/**
 * One token: price and figures, candles, trades, order book, pools; then review, traders, holders, creator and flow. One stream says which ledgers touched it; what has no
 * stream of its own is asked for again after those, and after no others.
 */
import { useState } from 'preact/hooks';

import * as format from '../format.ts';
import type { Failure } from '../net/rest.ts';
import { type Frame, useStream } from '../net/stream.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Unanswered } from '../parts/unanswered.tsx';
import type { PageProps } from '../router.ts';
import { useTitle } from '../title.ts';
import { Book } from './token/book.tsx';
import { Header } from './token/header.tsx';
import { Market } from './token/market.tsx';
import { Pools } from './token/pools.tsx';
import { Sections } from './token/sections.tsx';
import type { TokenRow } from './token/token-row.ts';
import { Trades } from './token/trades.tsx';

export default function Token({ place: { segments } }: PageProps) {
  const id = segments[1] ?? '';
  // Any form of identifier; the stream knows the md5 alone.
  const first = useAnswer('/token/{id}', { id }, { follow: 'once' });
  const token = first.value?.token as TokenRow | undefined;
  if (first.failure && !token) return <Missing shown={first} />;
  return token ? <Shown key={token.md5} first={token} /> : <div class="loading" />;
}

function Shown({ first }: { first: TokenRow }) {
  const [token, setToken] = useState(first);
  const [version, setVersion] = useState(0);
  const { md5 } = first;
  const isIssued = first.issuer !== 'XRPL';
  useStream({
    path: `/ws/token/${md5}`,
    query: { fields: 'full' },
    onFrame: (frame: Frame) => {
      if (!frame.token) return;
      setToken((before) => ({ ...before, ...frame.token }));
      setVersion((before) => before + 1);
    },
  });
  useTitle(`${format.text(token.name, 30)} ${format.price(format.inCurrency(token.exch))} ${format.unit()}`);
  return (
    <article class="token">
      <Header token={token} />
      <div class="token-market">
        <Market token={token} version={version} />
        {isIssued && <Book token={token} version={version} />}
        <Trades token={token} version={version} />
        <Pools token={token} version={version} />
      </div>
      <Sections token={token} isIssued={isIssued} />
    </article>
  );
}

function Missing({ shown }: { shown: { readonly failure?: Failure } }) {
  // 400: no identifier of a token.
  const isUnknown = shown.failure?.status === 404 || shown.failure?.status === 400;
  return (
    <section>
      <h1>{isUnknown ? 'Token not found' : 'Token'}</h1>
      {isUnknown ? <p>{shown.failure?.message}</p> : <Unanswered shown={shown} what="This token" />}
    </section>
  );
}

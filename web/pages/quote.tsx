/**
 * What a swap would give: type an amount, see the way it takes through books and pools, what it does to the price, and
 * the transaction that does it, ready to be signed elsewhere. Followed by a stream: the quote changes with the ledgers.
 */
import { useState } from 'preact/hooks';
import { isAddress } from '../address.ts';
import type { Tokens } from '../api-types.d.ts';
import * as format from '../format.ts';
import type { Answer } from '../net/rest.ts';
import { type Frame, useStream } from '../net/stream.ts';
import { useAnswer } from '../net/use-answer.ts';
import type { Shown } from '../net/use-repeated.ts';
import { Choices } from '../parts/choices.tsx';
import { Search } from '../parts/search.tsx';
import { useRested } from '../rested.ts';
import { type PageProps, replaceQuery } from '../router.ts';
import { Depth } from './quote/depth.tsx';
import type { Asked, QuoteFrame } from './quote/quote.ts';
import { Result } from './quote/result.tsx';

const XRP = 'XRP';
/** An account that nobody has: a quote is had without saying who one is. */
const NOBODY = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
const SLIPPAGES = ['0.005', '0.01', '0.02', '0.05'] as const;
const SIDES = ['spend', 'receive'] as const;
/** Typing goes on faster than this. */
const REST_MS = 250;
const NO_AMOUNT = 'Type an amount above zero, in digits with a point.';
const DECIMAL = /^\d{1,20}(\.\d{1,20})?$/;

export default function Quote({ place: { query } }: PageProps) {
  const first = useAnswer('/tokens', { limit: 1, sort: 'tvl', skip_metrics: true }, { follow: 'once' });
  const asked: Asked = {
    from: query.get('from') ?? XRP,
    to: query.get('to') ?? (first.value?.tokens[0] as Tokens | undefined)?.md5 ?? '',
    amount: query.get('amount') ?? '100',
    side: query.get('side') === 'receive' ? 'receive' : 'spend',
    account: isAddress(query.get('account') ?? '') ? query.get('account')! : undefined,
    slippage: SLIPPAGES.find((one) => one === query.get('slippage')) ?? '0.02',
  };
  const rested = useRested(asked, REST_MS);
  const { frame, refusal } = useQuote(rested);
  const noTarget = asked.to === '' ? whyNone(first) : undefined;
  return (
    <section class="quote">
      <h1>Quote</h1>
      <div class="quote-columns">
        <Form asked={asked} typed={query.get('account') ?? ''} />
        <Result asked={rested} frame={frame} refusal={isAmount(rested) ? (noTarget ?? refusal) : NO_AMOUNT} />
      </div>
      {isComplete(rested) && frame?.quote && <Depth asked={rested} payer={rested.account ?? NOBODY} />}
    </section>
  );
}

/** Why there is no token to swap into where the address names none; undefined until that is known. */
function whyNone({ value, failure }: Shown<Answer<'/tokens'>>): string | undefined {
  if (value) return 'No token has a pool yet: choose one.';
  return failure?.message;
}

const isComplete = ({ from, to, amount }: Asked) => to !== '' && from !== to && isAmount({ amount });

const isAmount = ({ amount }: Pick<Asked, 'amount'>) => DECIMAL.test(amount) && Number(amount) > 0;

interface Quoted {
  /** Undefined until the first one of what is asked. */
  readonly frame?: QuoteFrame;
  /** Why the service does not quote it. */
  readonly refusal?: string;
}

/** The newest quote. */
function useQuote(asked: Asked): Quoted {
  const [quoted, setQuoted] = useState<Quoted & { readonly of: string }>();
  const { from, to, amount, side, account, slippage } = asked;
  const key = JSON.stringify(asked);
  useStream(
    isComplete(asked)
      ? {
          path: '/ws/quote',
          query: {
            source_token: from,
            destination_token: to,
            [side === 'spend' ? 'source_value' : 'destination_value']: amount,
            source_account: account ?? NOBODY,
            slippage,
          },
          onFrame: (frame: Frame) => 'quote' in frame && setQuoted({ of: key, frame }),
          onRefused: (reason) => setQuoted({ of: key, refusal: `Not quoted: ${reason}.` }),
        }
      : undefined,
  );
  return quoted?.of === key ? quoted : {};
}

function Form({ asked, typed }: { asked: Asked; typed: string }) {
  return (
    <form class="card quote-form" onSubmit={(event) => event.preventDefault()}>
      <Choices
        label="Exact amount"
        values={SIDES}
        value={asked.side}
        titleOf={(side) => (side === 'spend' ? 'spend exactly' : 'receive exactly')}
        onChoose={(side) => replaceQuery({ side })}
      />
      <label>
        Amount
        <input
          type="text"
          inputMode="decimal"
          value={asked.amount}
          maxLength={40}
          aria-invalid={!isAmount(asked)}
          onInput={(event) => replaceQuery({ amount: event.currentTarget.value.trim() })}
        />
      </label>
      <Asset label="From" id={asked.from} other={asked.to} name="from" />
      <button type="button" onClick={() => replaceQuery({ from: asked.to, to: asked.from })}>
        ⇅ Turn around
      </button>
      <Asset label="To" id={asked.to} other={asked.from} name="to" />
      <label>
        Your address, for its balances and a ready transaction (optional)
        <input
          type="text"
          class="mono"
          value={typed}
          maxLength={40}
          placeholder="r…"
          aria-invalid={typed !== '' && asked.account === undefined}
          onInput={(event) => replaceQuery({ account: event.currentTarget.value.trim() })}
        />
      </label>
      <Choices
        label="Tolerance"
        values={SLIPPAGES}
        value={asked.slippage}
        titleOf={(one) => `${format.percent(Number(one) * 100)} tolerance`}
        onChoose={(slippage) => replaceQuery({ slippage })}
      />
    </form>
  );
}

interface AssetProps {
  readonly label: string;
  readonly id: string;
  readonly other: string;
  readonly name: 'from' | 'to';
}

function Asset({ label, id, other, name }: AssetProps) {
  const { value } = useAnswer(
    id === XRP || id === '' ? undefined : '/token/{id}',
    { id },
    { follow: 'once' },
  );
  const token = value?.token;
  // The same token on both sides is no swap: the sides change places.
  const choose = (md5: string) => replaceQuery(md5 === other ? { from: other, to: id } : { [name]: md5 });
  return (
    <div class="quote-asset">
      <span class="quiet">{label}</span>
      <strong>
        <bdi>{id === XRP ? XRP : format.text(token?.name)}</bdi>{' '}
        <bdi class="quiet">{format.text(token?.user || token?.domain)}</bdi>
      </strong>
      <Search
        id={`${name}-found`}
        label={`Another token to swap ${name}`}
        also={[{ md5: XRP, name: XRP, user: 'native', exch: 1 }]}
        onChoose={({ md5 }) => choose(md5)}
      />
    </div>
  );
}

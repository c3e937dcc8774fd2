/** What to buy, for which wallet, and how to pay. An invoice in XRP gets a page; a card is paid at its processor. */
import { useState } from 'preact/hooks';
import { isAddress } from '../../address.ts';
import * as format from '../../format.ts';
import { type Answer, post } from '../../net/rest.ts';
import type { Shown } from '../../net/use-repeated.ts';
import { Choices } from '../../parts/choices.tsx';
import { linkTo } from '../../router.ts';

const WAYS = ['xrp', 'card'] as const;
const BILLINGS = ['monthly', 'yearly'] as const;

interface Props {
  readonly tiers: Answer<'/keys/tiers'> | undefined;
  readonly packages: Shown<Answer<'/keys/packages'>>;
}

export function Buy({ tiers, packages }: Props) {
  const [wallet, setWallet] = useState('');
  const [product, setProduct] = useState('credits starter');
  const [billing, setBilling] = useState<(typeof BILLINGS)[number]>('monthly');
  const [way, setWay] = useState<(typeof WAYS)[number]>('xrp');
  const [said, setSaid] = useState('');
  const [type = '', name = ''] = product.split(' ');
  const buy = async (event: Event) => {
    event.preventDefault();
    if (!isAddress(wallet)) return setSaid('The wallet is not an r-address.');
    const bought = type === 'credits' ? { package: name } : { tier: name, billing };
    const wanted = { wallet, type, ...bought };
    setSaid('');
    if (way === 'xrp') {
      const { value, failure } = await post('/keys/purchase', wanted);
      if (value) location.hash = linkTo(['keys', 'invoice', value.invoiceId]);
      else setSaid(failure.message);
      return;
    }
    const { value, failure } = await post('/keys/card/checkout', wanted);
    if (value) location.href = value.checkoutUrl;
    else setSaid(failure.message);
  };
  const sold = (tiers?.tiers ?? []).filter(({ price }) => price !== null && price > 0);
  return (
    <form class="card keys-form" onSubmit={buy}>
      <h2>Buy</h2>
      <label>
        For the wallet
        <input
          type="text"
          class="mono"
          value={wallet}
          maxLength={40}
          placeholder="r…"
          autocomplete="off"
          onInput={(event) => setWallet(event.currentTarget.value.trim())}
        />
      </label>
      <label>
        What
        <select value={product} onChange={(event) => setProduct(event.currentTarget.value)}>
          {(packages.value?.packages ?? []).map(({ name, credits, price }) => (
            <option value={`credits ${name}`}>
              {`${format.whole(credits)} credits, ${format.amount(price)} USD`}
            </option>
          ))}
          {packages.failure && !packages.value && <option disabled>{packages.failure.message}</option>}
          {sold.map(({ name, price }) => (
            <option value={`tier ${name}`}>{`${name} tier, ${format.amount(price)} USD a month`}</option>
          ))}
        </select>
      </label>
      {type === 'tier' && (
        <Choices
          label="Term"
          values={BILLINGS}
          value={billing}
          titleOf={(one) => (one === 'monthly' ? '30 days' : '365 days')}
          onChoose={(one) => setBilling(one)}
        />
      )}
      <Choices
        label="Pay with"
        values={WAYS}
        value={way}
        titleOf={(one) => (one === 'xrp' ? 'XRP' : 'card')}
        onChoose={(one) => setWay(one)}
      />
      <button type="submit">{way === 'xrp' ? 'Make an invoice' : 'Pay by card'}</button>
      <p class="failure" role="status">
        {format.text(said, 200)}
      </p>
    </form>
  );
}

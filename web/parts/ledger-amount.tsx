/** Amounts and assets as transactions name them: XRP in drops, tokens of issuers, multi-purpose tokens. */

import { shifted, xrpOfDrops } from '../../explain/decimal.ts';
import { type AmountJson, type AssetJson, currencyText, isMpt } from '../../explain/json.ts';
import * as format from '../format.ts';
import { mptPlaces } from '../net/mpt-places.ts';
import { linkTo } from '../router.ts';

export function LedgerAmount({ amount }: { readonly amount: AmountJson }) {
  if (typeof amount === 'string')
    return /^-?\d+$/.test(amount) ? (
      <Value value={xrpOfDrops(amount)} asset={{ currency: 'XRP' }} />
    ) : (
      <span>an amount that was not recorded</span>
    );
  return <Value value={amount.value} asset={amount} />;
}

interface ValueProps {
  /** Decimal text, shown with every digit; of an MPT in its smallest unit. */
  readonly value: string;
  readonly asset: AssetJson;
  readonly signed?: boolean;
}

export function Value(props: ValueProps) {
  return isMpt(props.asset) ? <MptValue {...props} id={props.asset.mpt_issuance_id} /> : <Shown {...props} />;
}

function MptValue({ id, ...props }: ValueProps & { readonly id: string }) {
  const places = mptPlaces(id);
  if (places === 'asked') return <Amount number="…" asset={props.asset} />;
  if (places === 'unknown') return <Shown {...props} unit="smallest units of " />;
  return <Shown {...props} value={shifted(props.value, places)} />;
}

/** @param unit between number and asset */
function Shown({ value, asset, signed = false, unit = '' }: ValueProps & { readonly unit?: string }) {
  const sign = signed && !value.startsWith('-') ? '+' : '';
  return <Amount number={`${sign}${format.exact(value)}`} asset={asset} unit={unit} />;
}

const Amount = ({ number, asset, unit = '' }: { number: string; asset: AssetJson; unit?: string }) => (
  <span class="amount">
    <span class="number">{number}</span> {unit}
    <Asset asset={asset} />
  </span>
);

/** Tokens link to their page. */
export function Asset({ asset }: { readonly asset: AssetJson }) {
  if (isMpt(asset)) {
    const { mpt_issuance_id: id } = asset;
    return (
      <a href={linkTo(['token', id])} title={id}>
        {`MPT ${format.shortAddress(id)}`}
      </a>
    );
  }
  const { currency, issuer } = asset;
  const name = format.text(currencyText(currency));
  if (!issuer) return <span>{name}</span>;
  return (
    <a href={linkTo(['token', `${issuer}_${currency}`])} title={`${name} of ${issuer}`}>
      <bdi class="cut name">{name}</bdi>
    </a>
  );
}

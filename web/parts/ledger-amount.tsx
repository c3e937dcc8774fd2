/** Amounts and assets as transactions name them: XRP in drops, tokens of issuers, multi-purpose tokens. */

import { xrpOfDrops } from '../../explain/decimal.ts';
import { type AmountJson, type AssetJson, currencyText, isMpt } from '../../explain/json.ts';
import * as format from '../format.ts';
import { linkTo } from '../router.ts';

export function LedgerAmount({ amount }: { readonly amount: AmountJson }) {
  if (typeof amount === 'string')
    return /^\d+$/.test(amount) ? (
      <Value value={xrpOfDrops(amount)} asset={{ currency: 'XRP' }} />
    ) : (
      <span>an amount that was not recorded</span>
    );
  return <Value value={amount.value} asset={amount} />;
}

/** @param value decimal text; shown with every digit */
export function Value({
  value,
  asset,
  signed = false,
}: {
  value: string;
  asset: AssetJson;
  signed?: boolean;
}) {
  const sign = signed && !value.startsWith('-') ? '+' : '';
  return (
    <span class="amount">
      <span class="number">{`${sign}${format.exact(value)}`}</span> <Asset asset={asset} />
    </span>
  );
}

/** Tokens link to their page. */
export function Asset({ asset }: { readonly asset: AssetJson }) {
  if (isMpt(asset)) {
    const { mpt_issuance_id: id } = asset;
    return <span title={id}>{`MPT ${format.shortAddress(id)}`}</span>;
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

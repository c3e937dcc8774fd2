/** The market as a whole, in a line above the list. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Change, Value } from '../../parts/value.tsx';

export function Figures() {
  const { value } = useAnswer('/tokens', { limit: 1, lightweight: true }, { follow: 5 });
  const global = (value?.global ?? {}) as Record<string, number | undefined>;
  const day = (value?.H24 ?? {}) as Record<string, number | undefined>;
  const xrp = (amount: number | undefined) => format.amount(format.inCurrency(amount));
  const unit = format.unit();
  return (
    <dl class="figures">
      <div>
        <dt>Market cap</dt>
        <dd>
          <Value of={global.gMarketcap}>{`${xrp(global.gMarketcap)} ${unit}`}</Value>
        </dd>
      </div>
      <div>
        <dt>Volume 24 h</dt>
        <dd>
          <Value of={global.gDexVolume}>{`${xrp(global.gDexVolume)} ${unit}`}</Value>{' '}
          <Change of={global.gDexVolumePro}>{format.change(global.gDexVolumePro)}</Change>
        </dd>
      </div>
      <div>
        <dt>In pools</dt>
        <dd>
          <Value of={global.gTVL}>{`${xrp(global.gTVL)} ${unit}`}</Value>
        </dd>
      </div>
      <div>
        <dt>Traders 24 h</dt>
        <dd>
          <Value of={day.uniqueTraders24H}>{format.whole(day.uniqueTraders24H)}</Value>
        </dd>
      </div>
    </dl>
  );
}

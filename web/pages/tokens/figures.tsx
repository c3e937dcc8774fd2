/** The market as a whole, in a line above the list. */
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Figures, inUnit } from '../../parts/figures.tsx';

export function MarketFigures() {
  const { value } = useAnswer('/tokens', { limit: 1, lightweight: true }, { follow: 5 });
  const global = (value?.global ?? {}) as Record<string, number | undefined>;
  const day = (value?.H24 ?? {}) as Record<string, number | undefined>;
  return (
    <Figures
      figures={[
        { title: 'Market cap', of: global.gMarketcap, text: inUnit(global.gMarketcap) },
        {
          title: 'Volume 24 h',
          of: global.gDexVolume,
          text: inUnit(global.gDexVolume),
          change: global.gDexVolumePro,
        },
        { title: 'In pools', of: global.gTVL, text: inUnit(global.gTVL), change: global.gTVLPro },
        { title: 'Traders 24 h', of: day.uniqueTraders24H, text: format.whole(day.uniqueTraders24H) },
      ]}
    />
  );
}

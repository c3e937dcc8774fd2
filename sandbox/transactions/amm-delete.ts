/** AMMDelete: deletes the rest of an empty pool that has too many trust lines for one transaction (rippled AMMDelete.cpp). */
import type { Rule } from '../apply/rule.ts';
import { deleteAmmAccount } from '../assets/amm-removal.ts';
import { amm as ammKey } from '../protocol/keylets.ts';
import { checkNoMpt } from './amm-checks.ts';

export const ammDelete: Rule = {
  type: 'AMMDelete',
  amendment: 'AMM',
  flags: 0,
  preflight: checkNoMpt,
  preclaim(view, tx) {
    const amm = view.read(ammKey(tx.Asset!, tx.Asset2!));
    if (amm === undefined) return 'terNO_AMM';
    return amm.LPTokenBalance!.isZero ? 'tesSUCCESS' : 'tecAMM_NOT_EMPTY';
  },
  apply: ({ view, tx }) => deleteAmmAccount(view, tx.Asset!, tx.Asset2!),
};

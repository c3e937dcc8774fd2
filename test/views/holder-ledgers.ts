/** Made-up ledgers that change the holders of one token: balances move, lines come and go, some are frozen. */
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Prepared } from '../../engine/ledger/prepare.ts';
import { entryIndex, madeLedger } from '../engine/market/made.ts';

/** lsfLowFreeze, lsfHighFreeze, and none, mostly. */
const FREEZES = [0, 0, 0, 0, 0x400000, 0x800000, 0xc00000];

/** Nodes of a ledger: some of each kind. */
const CHANGED = 30;
const CREATED = 6;
const DELETED = 6;

/**
 * The next ledger, with other balances of lines picked at random.
 * @param token issued, with lines
 */
export function holderLedger(engine: Engine, token: number, index: number, random: () => number): Prepared {
  const { lines, tokens, accounts } = engine.state;
  const list = lines.holders(token);
  const issuer = tokens.issuerText(token);
  const currency = tokens.currencyText(token);
  const issuerId = accounts.findText(issuer)!;
  const amount = (value: string, account: string) => ({ currency, issuer: account, value });
  const node = (kind: string, holder: string, isLow: boolean, value: string, n: number): object => {
    const balance = isLow || value === '0' ? value : `-${value}`;
    return {
      [kind]: {
        LedgerEntryType: 'RippleState',
        LedgerIndex: entryIndex(index * 1000 + n),
        [kind === 'CreatedNode' ? 'NewFields' : 'FinalFields']: {
          Balance: amount(balance, 'rrrrrrrrrrrrrrrrrrrrBZbvji'),
          LowLimit: amount(isLow ? '1000000000' : '0', isLow ? holder : issuer),
          HighLimit: amount(isLow ? '0' : '1000000000', isLow ? issuer : holder),
          Flags: (isLow ? 0x10000 : 0x20000) | FREEZES[random() % FREEZES.length]!,
        },
      },
    };
  };
  const nodes: object[] = [];
  for (let n = 0; n < CHANGED + DELETED; n++) {
    const holder = lines.holderAccount(list[random() % list.length]!, token);
    const isLow = accounts.isBelow(holder, issuerId);
    const kind = n < CHANGED ? 'ModifiedNode' : 'DeletedNode';
    // Some empty, some equal, some of any magnitude.
    const value = n >= CHANGED || n % 5 === 0 ? '0' : n % 5 === 1 ? '7' : String(random() / 1000);
    nodes.push(node(kind, accounts.text(holder), isLow, value, n));
  }
  for (let n = 0; n < CREATED; n++) {
    const id = Uint8Array.from({ length: 20 }, () => random() & 0xff);
    const isLow = Buffer.compare(id, accounts.bytes(issuerId)) < 0;
    nodes.push(node('CreatedNode', accountText(id, 0), isLow, String(random() / 1000), 100 + n));
  }
  const { packed, changes } = madeLedger(index, 800_000_000 + index * 4, [
    { tx: { TransactionType: 'Payment', Destination: issuer, Amount: '1' }, nodes },
  ]);
  return { packed, changes: changes.words };
}

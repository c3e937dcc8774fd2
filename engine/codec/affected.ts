/**
 * The accounts that each transaction of a ledger affects, as rippled counts them (`TxMeta::getAffectedAccounts`): every account
 * that the final or new fields of an affected entry name, and the issuers of limits, of what offers give and want, and of MPTs.
 *
 *     starts   | of transaction 0 | of 1 | ... | count |        offsets | 20 bytes of an account | ... |
 *
 * The walk over the metadata (extract.ts) meets all of these fields anyway. Goal: one look at a table for each field. Non-goals:
 * each account once: one that is named again soon after is left out, others come again.
 */
import { sameBytes } from './bytes.ts';
import { CONTEXT_CELLS } from './layout.ts';
import { isZeroRange } from './skip.ts';

const ACCOUNT_TYPE = 8;
const ACCOUNT_BYTES = 20;
/** TakerPays, TakerGets, LowLimit and HighLimit are the fields 4 to 7 of amounts: `(type << 8) | nth`. */
const TAKER_PAYS = 0x0604;
const HIGH_LIMIT = 0x0607;
const MPT_ISSUANCE_ID = 0x1501;
/** Where in an amount its issuer is: issued, after value and currency; MPT, after kind, value and sequence. */
const ISSUER_IN_ISSUED = 28;
const ISSUER_IN_MPT = 13;
const ISSUER_IN_MPT_ID = 4;

/** How a field names an account. */
const Named = { none: 0, account: 1, amount: 2, issuanceId: 3 } as const;

/** By field code. */
const NAMED = new Uint8Array(CONTEXT_CELLS)
  .fill(Named.account, ACCOUNT_TYPE << 8, (ACCOUNT_TYPE + 1) << 8)
  .fill(Named.amount, TAKER_PAYS, HIGH_LIMIT + 1)
  .fill(Named.issuanceId, MPT_ISSUANCE_ID, MPT_ISSUANCE_ID + 1);

/** So many that were named last are looked through for the same account. */
const LOOKED_THROUGH = 16;

export class AffectedAccounts {
  /** Offsets of the accounts, one transaction after another. */
  offsets: Uint32Array;
  count = 0;
  /** Where those of each transaction begin. */
  readonly starts: Uint32Array;
  /** Whether the fields that are walked now are final or new ones of an entry. */
  isNaming = false;
  readonly #bytes: Uint8Array;
  #first = 0;

  /** @param room for so many accounts; it grows */
  constructor(bytes: Uint8Array, transactions: number, room: number) {
    this.#bytes = bytes;
    this.starts = new Uint32Array(transactions);
    this.offsets = new Uint32Array(room);
  }

  /** The accounts that are named from now on are those of this transaction. */
  begin(transaction: number): void {
    this.starts[transaction] = this.count;
    this.#first = this.count;
  }

  /** A field was walked. @param next behind its value */
  field(code: number, at: number, next: number): void {
    const named = NAMED[code]!;
    if (named === Named.none) return;
    if (named === Named.account) {
      // Behind the length; an account that is absent has none.
      if (next - at === ACCOUNT_BYTES + 1) this.#add(at + 1);
    } else if (named === Named.issuanceId) this.#add(at + ISSUER_IN_MPT_ID);
    else {
      const first = this.#bytes[at]!;
      if (first & 0x80) this.#add(at + ISSUER_IN_ISSUED);
      else if (first & 0x20) this.#add(at + ISSUER_IN_MPT);
    }
  }

  #add(at: number): void {
    const bytes = this.#bytes;
    const { offsets, count } = this;
    if (isZeroRange(bytes, at, at + ACCOUNT_BYTES)) return;
    const oldest = Math.max(this.#first, count - LOOKED_THROUGH);
    for (let i = count - 1; i >= oldest; i--)
      if (sameBytes(bytes, offsets[i]!, bytes, at, ACCOUNT_BYTES)) return;
    if (count === offsets.length) this.#grow();
    this.offsets[count] = at;
    this.count++;
  }

  #grow(): void {
    const grown = new Uint32Array(this.offsets.length * 2);
    grown.set(this.offsets);
    this.offsets = grown;
  }
}

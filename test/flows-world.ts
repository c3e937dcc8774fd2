/** The embedded network in this process and an engine that follows it, for tests of who moved what. */
import { decode } from 'ripple-binary-codec';
import { accountBytes } from '../engine/codec/base58.ts';
import { transactionHash } from '../engine/codec/hash.ts';
import { Engine } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { unixMs } from '../engine/ripple-time.ts';
import { MemoryStore } from '../support/memory-store.ts';
import type { Json } from './api/routes/ask.ts';
import { quiet } from './live-rig.ts';
import { World } from './sandbox/population/world.ts';

export interface Followed {
  readonly world: World;
  readonly store: MemoryStore;
  engine: Engine;
}

/** @param seed of the population */
export function follow(seed: string): Followed {
  const store = new MemoryStore();
  return { world: new World({ seed }), store, engine: new Engine({ store, log: quiet }) };
}

/** Goes on for so long. @param step seconds between ledgers. @param onLedger after each */
export async function pass(
  followed: Followed,
  seconds: number,
  step: number,
  onLedger: (engine: Engine) => void = () => {},
): Promise<void> {
  const { world, engine } = followed;
  const end = world.network.closed.closeTime + seconds;
  while (world.network.closed.closeTime < end) {
    const packed = world.step(step).packed();
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
    onLedger(engine);
  }
  await engine.drain();
}

/** Goes on with what is durable. */
export function restart(followed: Followed): void {
  followed.engine = new Engine({ store: followed.store, log: quiet });
  followed.engine.restore();
}

/** What every account holds of a token: exact text by r-address; nothing is absent. */
export function balancesOf({ state }: Engine, token: number): Map<string, string> {
  const { lines, accounts, tokens } = state;
  const held = Array.from(lines.holders(token), (line): [string, string] => [
    accounts.text(lines.holderAccount(line, token)),
    tokens.text(token, ...lines.balanceRaw(line, token)),
  ]);
  return new Map(held.filter(([, balance]) => balance !== '0' && !balance.startsWith('-')));
}

/** Units of 10^-40. */
export function units(text: string): bigint {
  const [number, exponent = '0'] = text.toLowerCase().split('e');
  const negative = number!.startsWith('-');
  const [whole, part = ''] = number!.replace('-', '').split('.');
  const value = BigInt(whole! + part) * 10n ** BigInt(40 - part.length + Number(exponent));
  return negative ? -value : value;
}

/** By how much a transaction changed what an account holds of a token, units. */
export function changeOf(meta: Json, address: string, issuer: string, currency: string): bigint {
  let change = 0n;
  for (const node of meta.AffectedNodes) {
    const { LedgerEntryType, FinalFields, NewFields, PreviousFields } = Object.values(node)[0] as Json;
    const fields = FinalFields ?? NewFields;
    if (LedgerEntryType !== 'RippleState' || fields?.Balance?.currency !== currency) continue;
    const ends = [fields.LowLimit.issuer, fields.HighLimit.issuer];
    if (!ends.includes(address) || !ends.includes(issuer)) continue;
    const sign = ends[0] === address ? 1n : -1n;
    const before = NewFields ? '0' : (PreviousFields?.Balance?.value ?? fields.Balance.value);
    change += sign * (units(fields.Balance.value) - units(before));
  }
  return change;
}

interface Read {
  readonly ledger: number;
  readonly time: number;
  readonly hash: string;
  readonly tx: Json;
  readonly meta: Json;
}

/** The transactions of the ledgers that an engine applies from now on. */
export class Recording {
  readonly ledgers: { index: number; time: number; blobs: [Uint8Array, Uint8Array][] }[] = [];

  constructor(engine: Engine) {
    engine.onLedger(({ packed }) => {
      const blobs = Array.from({ length: packed.count }, (_, i): [Uint8Array, Uint8Array] => [
        packed.tx(i).slice(),
        packed.meta(i).slice(),
      ]);
      this.ledgers.push({ index: packed.ledgerIndex, time: packed.closeTime, blobs });
    });
  }

  /** Every transaction whose bytes name an account, oldest first, by the reference codec. @param type code below 256 */
  naming(address: string, type?: number): Read[] {
    const id = Buffer.from(accountBytes(address)!);
    return this.ledgers.flatMap(({ index, time, blobs }) =>
      blobs
        .filter(([tx]) => type === undefined || (tx[1] === 0 && tx[2] === type))
        .filter((pair) =>
          pair.some((blob) => Buffer.from(blob.buffer, blob.byteOffset, blob.length).includes(id)),
        )
        .map(([tx, meta]) => ({
          ledger: index,
          time: unixMs(time),
          hash: transactionHash(tx).toHex().toUpperCase(),
          tx: decode(Buffer.from(tx).toString('hex')),
          meta: decode(Buffer.from(meta).toString('hex')),
        })),
    );
  }
}

/** The auction slot and the votes of a pool, from the latest stored change of its AMM entry. */
import { type AssetBytes, ammKey } from '../../engine/codec/amm-key.ts';
import type { Engine } from '../../engine/engine.ts';
import type { State } from '../../engine/state/state.ts';
import { TokenKind, XRP } from '../../engine/state/tokens.ts';
import { ammSlots } from './amm-slots.ts';
import { findEntryJson } from './entry-json.ts';

/** Members of /amm/info beside those of the pool itself; none where the entry cannot be rebuilt from stored ledgers. */
export function poolSlots(engine: Engine, pool: number): Partial<ReturnType<typeof ammSlots>> {
  const { state, head } = engine;
  const [one, two] = [
    assetBytes(state, state.pools.asset1(pool)),
    assetBytes(state, state.pools.asset2(pool)),
  ];
  // The index of pools of MPTs is not yet specified.
  if (!one || !two) return {};
  const found = findEntryJson(engine, ammKey(one, two));
  return typeof found === 'object' ? ammSlots(found.node, head?.closeTime ?? 0) : {};
}

/** undefined for an MPT. */
function assetBytes({ tokens, accounts, currencies }: State, token: number): AssetBytes | undefined {
  if (token === XRP) return { currency: new Uint8Array(20), issuer: new Uint8Array(20) };
  if (tokens.kind(token) === TokenKind.mpt) return undefined;
  return { currency: currencies.bytes(tokens.codes[token]!), issuer: accounts.bytes(tokens.issuer(token)) };
}

/** Random transactions that move value: payments, offers, pools, checks, escrows, channels, vaults. */
import { assetJson } from '../../../engine/codec/arithmetic/amount.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import type { TestAccount } from '../rig.ts';
import type { Json, RandomLedger } from './world.ts';

/** Makes a transaction of `from`, with `to` as the other side. The sender of the result may be another account. */
export type Maker = (world: RandomLedger, from: TestAccount, to: TestAccount) => Json;
/** By type: the weight, and the maker. */
export type Makers = Readonly<Record<string, readonly [weight: number, make: Maker]>>;

const NOTHING = 'AB'.repeat(32);
/** PREIMAGE-SHA-256 of no bytes. */
const CONDITION = `A0258020E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855810100`;
const FULFILLMENT = 'A0028000';

/** An amount of an asset. */
export function amountOf({ draw }: RandomLedger, asset: Json, most = 60): unknown {
  if (asset.mpt_issuance_id !== undefined) return { ...asset, value: String(1 + draw.below(5_000)) };
  if (asset.issuer === undefined) return String(1 + Math.floor(draw.next() ** 3 * most * 1e6));
  return { ...asset, value: draw.decimal(draw.chance(0.1) ? 1e9 : most) };
}

export function mptAsset(world: RandomLedger): Json | undefined {
  const issuance = world.any('MPTokenIssuance', ({ Issuer }) => world.personOf(Issuer) !== undefined);
  return issuance && { mpt_issuance_id: keylets.mptId(issuance.Sequence ?? 0, issuance.Issuer as string) };
}

export function someAmount(world: RandomLedger, mpts = 0): unknown {
  const mpt = world.draw.chance(mpts) ? mptAsset(world) : undefined;
  return amountOf(world, mpt ?? world.draw.pick(world.assets()));
}

function assetOfAmount(amount: unknown): Json {
  if (typeof amount !== 'object' || amount === null) return { currency: 'XRP' };
  const { value: _value, ...asset } = amount as Json;
  return asset;
}

const payment: Maker = (world, from, to) => {
  const { draw } = world;
  const Amount = someAmount(world, 0.15);
  const domain = world.any('PermissionedDomain')?.index ?? NOTHING;
  const credentials = world.all('Credential').filter(({ Subject }) => Subject === from.id);
  return {
    Destination: draw.chance(0.05) ? from.address : to.address,
    Amount,
    ...draw.some(0.1, { DestinationTag: 5 }),
    ...draw.some(0.05, { DomainID: domain }),
    ...(credentials.length > 0 ? draw.some(0.2, { CredentialIDs: [draw.pick(credentials).index] }) : {}),
    ...draw.some(0.5, {
      SendMax: draw.chance(0.4) ? amountOf(world, assetOfAmount(Amount)) : someAmount(world),
    }),
    ...draw.some(0.25, {
      Paths: [[draw.pick(world.assets())], [{ account: draw.pick(world.actors).address }]],
    }),
    ...draw.some(0.1, { DeliverMin: amountOf(world, assetOfAmount(Amount)) }),
    Flags: draw.flags(0x1_0000, 0x2_0000, 0x2_0000, 0x4_0000),
  };
};

const offer: Maker = (world, from) => {
  const { draw } = world;
  const domain = world.any('PermissionedDomain')?.index;
  return {
    TakerPays: someAmount(world),
    TakerGets: someAmount(world),
    Flags: draw.pick([0, 0, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0xa_0000, 0x10_0000]),
    ...draw.some(0.15, { Expiration: world.now + draw.below(60) }),
    ...draw.some(0.1, { OfferSequence: world.sequenceOf(from.address) - 1 - draw.below(9) }),
    ...(domain === undefined ? {} : draw.some(0.15, { DomainID: domain })),
  };
};

/** The assets of a pool, its shares' asset, and one side. */
function poolOf(world: RandomLedger): { pair: Json; side: Json; other: Json; share: Json } {
  const amm = world.any('AMM');
  if (amm === undefined) {
    const [side, other] = world.assets() as [Json, Json];
    return {
      pair: { Asset: side, Asset2: other },
      side,
      other,
      share: { currency: `03${NOTHING.slice(26)}` },
    };
  }
  const both = [amm.Asset, amm.Asset2].map((asset) => assetJson(asset as string) as Json);
  const [side, other] = (world.draw.chance(0.5) ? both : both.reverse()) as [Json, Json];
  return {
    pair: { Asset: side, Asset2: other },
    side,
    other,
    share: assetJson(amm.LPTokenBalance!.asset) as Json,
  };
}

const pooled =
  (tokensField: 'LPTokenOut' | 'LPTokenIn'): Maker =>
  (world) => {
    const { draw } = world;
    const { pair, side, other, share } = poolOf(world);
    const Amount = amountOf(world, side, 40);
    const tokens = { [tokensField]: { ...share, value: draw.decimal(100) } };
    const kinds: Json[] = [
      { Amount, Amount2: amountOf(world, other, 40), Flags: 0x10_0000 },
      { Amount, Flags: 0x8_0000 },
      { ...tokens, Flags: 0x1_0000 },
      { ...tokens, Amount, Flags: 0x20_0000 },
      { Amount, EPrice: tokensField === 'LPTokenOut' ? Amount : tokens.LPTokenIn, Flags: 0x40_0000 },
      tokensField === 'LPTokenOut'
        ? { Amount, Amount2: amountOf(world, other), TradingFee: draw.below(1_002), Flags: 0x80_0000 }
        : { Flags: 0x2_0000 },
    ];
    return { ...pair, ...draw.pick(kinds) };
  };

const ammBid: Maker = (world) => {
  const { draw } = world;
  const { pair, share } = poolOf(world);
  return {
    ...pair,
    ...draw.some(0.5, { BidMin: { ...share, value: draw.decimal(50) } }),
    ...draw.some(0.4, { BidMax: { ...share, value: draw.decimal(500) } }),
    ...draw.some(0.3, { AuthAccounts: [{ AuthAccount: { Account: draw.pick(world.actors).address } }] }),
  };
};

/** A transaction about an entry, mostly sent by a permitted account. */
function about(
  world: RandomLedger,
  entry: Entry | undefined,
  who: (string | undefined)[],
  fields: Json,
): Json {
  const person = entry && world.draw.chance(0.85) ? world.personOf(world.draw.pick(who)) : undefined;
  return { ...(person ? { Account: person.address } : {}), ...fields };
}

const checkCash: Maker = (world) => {
  const { draw } = world;
  const check = world.any('Check');
  const asset = check ? (assetJson(check.SendMax!.asset) as Json) : { currency: 'XRP' };
  const amount = { [draw.pick(['Amount', 'DeliverMin'])]: amountOf(world, asset, 5) };
  return about(world, check, [check?.Destination], { CheckID: check?.index ?? NOTHING, ...amount });
};

const checkCancel: Maker = (world) => {
  const check = world.any('Check');
  return about(world, check, [check?.Account, check?.Destination], { CheckID: check?.index ?? NOTHING });
};

const escrowCreate: Maker = (world, _from, to) => {
  const { draw } = world;
  return {
    Destination: to.address,
    Amount: someAmount(world, 0.2),
    ...draw.some(0.8, { FinishAfter: world.now + 1 + draw.below(40) }),
    ...draw.some(0.6, { CancelAfter: world.now + 20 + draw.below(80) }),
    ...draw.some(0.3, { Condition: CONDITION }),
  };
};

const escrowEnd =
  (finish: boolean): Maker =>
  (world, from) => {
    const escrow = world.any('Escrow');
    const key = escrow?.Condition === undefined ? {} : { Condition: CONDITION, Fulfillment: FULFILLMENT };
    return about(world, escrow, [escrow?.Destination, escrow?.Account], {
      Owner: escrow ? world.addressOf(escrow.Account) : from.address,
      OfferSequence: escrow?.Sequence ?? 1,
      ...(finish ? world.draw.some(0.9, key) : {}),
    });
  };

const channelCreate: Maker = (world, from, to) => ({
  Destination: to.address,
  Amount: String(1 + world.draw.below(1e7)),
  SettleDelay: world.draw.below(60),
  PublicKey: from.publicKey,
  ...world.draw.some(0.3, { CancelAfter: world.now + world.draw.below(100) }),
});

const channelUse: Maker = (world) => {
  const { draw } = world;
  const channel = world.any('PayChannel');
  const balance = String((channel?.Balance?.drops ?? 0n) + BigInt(draw.below(100_000)));
  const signed = { PublicKey: channel?.PublicKey ?? 'AB', Signature: 'ABCD' };
  return about(world, channel, [channel?.Account, channel?.Destination], {
    Channel: channel?.index ?? NOTHING,
    ...draw.some(0.8, { Balance: balance, Amount: balance, ...draw.some(0.4, signed) }),
    Flags: draw.pick([0, 0, 0x1_0000, 0x2_0000]),
  });
};

const channelFund: Maker = (world) => {
  const channel = world.any('PayChannel');
  return about(world, channel, [channel?.Account], {
    Channel: channel?.index ?? NOTHING,
    Amount: String(1 + world.draw.below(1e6)),
    ...world.draw.some(0.3, { Expiration: world.now + world.draw.below(120) }),
  });
};

const vaultAmount = (world: RandomLedger, vault: Entry | undefined): unknown =>
  vault ? amountOf(world, assetJson(vault.Asset as string) as Json) : someAmount(world);

const vaultMove =
  (out: boolean): Maker =>
  (world, _from, to) => {
    const { draw } = world;
    const vault = world.any('Vault');
    const shares = { mpt_issuance_id: vault?.ShareMPTID, value: String(1 + draw.below(3e6)) };
    return {
      VaultID: vault?.index ?? NOTHING,
      Amount: out && vault && draw.chance(0.4) ? shares : vaultAmount(world, vault),
      ...(out ? draw.some(0.25, { Destination: to.address }) : {}),
    };
  };

const vaultCreate: Maker = (world) => {
  const { draw } = world;
  const domain = world.any('PermissionedDomain')?.index ?? NOTHING;
  return {
    Asset: (draw.chance(0.3) ? mptAsset(world) : undefined) ?? draw.pick(world.assets()),
    ...draw.some(0.3, { Flags: 0x1_0000, ...draw.some(0.5, { DomainID: domain }) }),
    ...draw.some(0.3, { AssetsMaximum: draw.decimal(1e5) }),
    ...draw.some(0.2, { Scale: draw.below(20) }),
  };
};

const vaultOwned =
  (fields: (world: RandomLedger, to: TestAccount, vault: Entry | undefined) => Json): Maker =>
  (world, _from, to) => {
    const vault = world.any('Vault');
    const more = fields(world, to, vault);
    return about(world, vault, [vault?.Owner], { VaultID: vault?.index ?? NOTHING, ...more });
  };

export const TRADE: Makers = {
  Payment: [16, payment],
  OfferCreate: [12, offer],
  OfferCancel: [
    1,
    (world) => {
      const entry = world.any('Offer');
      return about(world, entry, [entry?.Account], { OfferSequence: entry?.Sequence ?? 1 });
    },
  ],
  AMMCreate: [
    2,
    (world) => {
      const [one, two] = [world.draw.pick(world.assets()), world.draw.pick(world.assets())];
      return {
        Amount: amountOf(world, one, 300),
        Amount2: amountOf(world, two, 300),
        TradingFee: world.draw.below(1_002),
      };
    },
  ],
  AMMDeposit: [5, pooled('LPTokenOut')],
  AMMWithdraw: [5, pooled('LPTokenIn')],
  AMMVote: [2, (world) => ({ ...poolOf(world).pair, TradingFee: world.draw.below(1_005) })],
  AMMBid: [2, ammBid],
  AMMDelete: [0.5, (world) => poolOf(world).pair],
  AMMClawback: [
    1,
    (world, _from, to) => {
      const { pair, side } = poolOf(world);
      const issuer = world.actors.find(({ address }) => address === side.issuer) ?? world.issuers[0]!;
      const Amount = { ...side, value: world.draw.decimal(10) };
      const more = world.draw.some(0.6, { Amount });
      return { Account: issuer.address, Holder: to.address, ...pair, ...more, Flags: world.draw.below(2) };
    },
  ],
  CheckCreate: [3, (world, _from, to) => ({ Destination: to.address, SendMax: someAmount(world) })],
  CheckCash: [3, checkCash],
  CheckCancel: [1, checkCancel],
  EscrowCreate: [4, escrowCreate],
  EscrowFinish: [4, escrowEnd(true)],
  EscrowCancel: [2, escrowEnd(false)],
  PaymentChannelCreate: [2, channelCreate],
  PaymentChannelFund: [1, channelFund],
  PaymentChannelClaim: [3, channelUse],
  VaultCreate: [1, vaultCreate],
  VaultSet: [
    1,
    vaultOwned(({ draw }) => ({ AssetsMaximum: draw.decimal(1e4), ...draw.some(0.5, { Data: 'AB' }) })),
  ],
  VaultDeposit: [5, vaultMove(false)],
  VaultWithdraw: [4, vaultMove(true)],
  VaultClawback: [
    1,
    vaultOwned((world, to, vault) => ({
      Holder: to.address,
      ...world.draw.some(0.6, { Amount: vaultAmount(world, vault) }),
    })),
  ],
  VaultDelete: [0.5, vaultOwned(() => ({}))],
};

/** Random transactions that change settings: accounts, keys, lines, tokens, NFTs, credentials, domains, oracles, bridges. */
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import type { TestAccount } from '../rig.ts';
import { amountOf, type Maker, type Makers, mptAsset, someAmount } from './trade.ts';
import type { Json, RandomLedger } from './world.ts';

const NOTHING = 'CD'.repeat(32);
const KINDS = ['ABCD', '4B5943'];
/** Not asfDefaultRipple: a vault's asset that can no longer ripple is `tecINTERNAL` on the network, too. */
const CLEARABLE = [1, 2, 3, 5, 6, 7, 9, 10, 12, 13, 14, 15, 16, 17, 18];
const ACCOUNT_FLAGS = [1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18];

const credential = (world: RandomLedger): Json => ({
  Credential: { Issuer: world.draw.pick(world.actors).address, CredentialType: world.draw.pick(KINDS) },
});

const accountSet: Maker = (world, from) => {
  const { draw } = world;
  return {
    ...draw.some(0.5, { SetFlag: draw.pick(ACCOUNT_FLAGS) }),
    ...draw.some(0.7, { ClearFlag: draw.pick(CLEARABLE) }),
    // Twice over a line with a quality in below par, half of the greatest amount overflows (CheckCash asks for it).
    ...draw.some(0.15, { TransferRate: draw.pick([0, 1e9, 1_002_500_000, 1_500_000_000, 5]) }),
    ...draw.some(0.15, { TickSize: draw.pick([0, 2, 3, 5, 15, 16]) }),
    ...draw.some(0.1, { Domain: draw.hex(draw.below(9)) }),
    ...draw.some(0.1, { EmailHash: draw.pick([draw.hex(16), '0'.repeat(32)]) }),
    ...draw.some(0.05, { MessageKey: draw.pick(['', 'AB', from.publicKey]) }),
    ...draw.some(0.1, { NFTokenMinter: draw.pick(world.actors).address }),
  };
};

/**
 * Each code has one issuer, but for one that all others issue: whoever freezes a line of one issuer and trades another's
 * of the same code breaks the network's own invariant (`TransfersNotFrozen` takes every account on a line for an issuer).
 */
const trustSet: Maker = (world, _from, to) => {
  const { draw } = world;
  const asset = draw.chance(0.8)
    ? draw.pick(world.assets().slice(1))
    : { currency: 'GBP', issuer: to.address };
  return {
    LimitAmount: { ...asset, value: draw.pick(['0', '50', '1e5']) },
    ...draw.some(0.15, { QualityIn: draw.pick([0, 1e9, 990_000_000, 1_020_000_000]) }),
    ...draw.some(0.15, { QualityOut: draw.pick([0, 1e9, 980_000_000]) }),
    Flags: draw.flags(0x1_0000, 0x2_0000, 0x4_0000, 0x10_0000, 0x20_0000, 0x40_0000, 0x80_0000),
  };
};

const signerListSet: Maker = (world) => {
  const { draw } = world;
  const members = [...new Set([draw.pick(world.actors), draw.pick(world.actors), draw.pick(world.actors)])];
  if (draw.chance(0.3)) return { SignerQuorum: 0 };
  return {
    SignerQuorum: 1 + draw.below(4),
    SignerEntries: members.map(({ address }) => ({
      SignerEntry: { Account: address, SignerWeight: draw.below(3) },
    })),
  };
};

const depositPreauth: Maker = (world, _from, to) =>
  world.draw.pick([
    { Authorize: to.address },
    { Unauthorize: to.address },
    { AuthorizeCredentials: [credential(world)] },
    { UnauthorizeCredentials: [credential(world), credential(world)] },
  ]);

/** An NFT and its owner. */
function someNft(world: RandomLedger): { owner: string; id: string } {
  const page = world.any('NFTokenPage');
  const token = page && world.draw.pick(page.NFTokens as readonly Json[]);
  const id = (token?.NFToken as { NFTokenID?: string } | undefined)?.NFTokenID ?? NOTHING;
  return { owner: world.addressOf(page?.index.slice(0, 40) ?? world.actors[0]!.id), id };
}

const nftMint: Maker = (world, _from, to) => {
  const { draw } = world;
  return {
    NFTokenTaxon: draw.below(5),
    Flags: draw.flags(1, 2, 8, 8, 8, 16),
    ...draw.some(0.4, { TransferFee: draw.pick([0, 1, 500, 50_000, 50_001]) }),
    ...draw.some(0.3, { URI: draw.hex(1 + draw.below(20)) }),
    ...draw.some(0.15, { Issuer: to.address }),
    ...draw.some(0.2, { Amount: someAmount(world), ...draw.some(0.3, { Destination: to.address }) }),
  };
};

const nftOffer: Maker = (world, _from, to) => {
  const { draw } = world;
  const { owner, id } = someNft(world);
  const terms = { NFTokenID: id, Amount: draw.chance(0.15) ? '0' : someAmount(world) };
  const more = {
    ...draw.some(0.2, { Destination: to.address }),
    ...draw.some(0.2, { Expiration: world.now + draw.below(90) }),
  };
  return draw.chance(0.5)
    ? { Account: owner, ...terms, ...more, Flags: 1 }
    : { ...terms, ...more, Owner: owner };
};

const nftAccept: Maker = (world) => {
  const { draw } = world;
  const sell = world.any('NFTokenOffer', ({ Flags }) => (Flags ?? 0) === 1);
  const buy = world.any('NFTokenOffer', (entry) => {
    const forSale = sell === undefined || draw.chance(0.3) || entry.NFTokenID === sell.NFTokenID;
    return (entry.Flags ?? 0) === 0 && forSale;
  });
  const both = sell && buy && draw.chance(0.5);
  if (both)
    return {
      NFTokenSellOffer: sell.index,
      NFTokenBuyOffer: buy.index,
      ...draw.some(0.5, { NFTokenBrokerFee: someAmount(world) }),
    };
  if (buy && draw.chance(0.5)) return { Account: someNft(world).owner, NFTokenBuyOffer: buy.index };
  return { NFTokenSellOffer: sell?.index ?? NOTHING };
};

const mptCreate: Maker = (world) => {
  const { draw } = world;
  return {
    Flags: draw.flags(2, 4, 8, 16, 32, 64) | (draw.chance(0.7) ? 0x68 : 0),
    ...draw.some(0.5, { TransferFee: draw.pick([0, 1, 1_000, 50_000]) }),
    ...draw.some(0.3, { MaximumAmount: draw.pick(['1000', '9223372036854775807']) }),
    ...draw.some(0.1, { DomainID: world.any('PermissionedDomain')?.index ?? NOTHING }),
  };
};

/** About an issuance, sent by its issuer. */
function byMptIssuer(world: RandomLedger, fields: Json): Json {
  const id = (mptAsset(world)?.mpt_issuance_id as string | undefined) ?? NOTHING.slice(16);
  const issuer: TestAccount | undefined = world.personOf(id.slice(8));
  const sender = issuer && world.draw.chance(0.9) ? { Account: issuer.address } : {};
  return { ...sender, MPTokenIssuanceID: id, ...fields };
}

const mptAuthorize: Maker = (world, from, to) => {
  const { draw } = world;
  const flags = { Flags: draw.pick([0, 0, 0, 1]) };
  if (draw.chance(0.3)) return byMptIssuer(world, { Holder: to.address, ...flags });
  return { ...byMptIssuer(world, flags), Account: from.address };
};

const clawback: Maker = (world, _from, to) => {
  const mpt = world.draw.chance(0.5) ? mptAsset(world) : undefined;
  if (mpt) {
    const { MPTokenIssuanceID: _id, ...sender } = byMptIssuer(world, {});
    return { ...sender, Amount: amountOf(world, mpt), Holder: to.address };
  }
  const Amount = { currency: 'USD', issuer: to.address, value: world.draw.decimal(20) };
  return { Account: world.draw.pick(world.issuers).address, Amount };
};

const oracleSet: Maker = (world) => {
  const { draw } = world;
  const quoted = [...new Set([draw.pick(['USD', 'EUR', 'BTC']), draw.pick(['USD', 'JPY'])])];
  const PriceDataSeries = quoted.map((QuoteAsset) => ({
    PriceData: {
      BaseAsset: 'XRP',
      QuoteAsset,
      ...draw.some(0.8, { AssetPrice: draw.below(1e6).toString(16), Scale: draw.below(22) }),
    },
  }));
  const LastUpdateTime = world.now + RIPPLE_EPOCH + draw.below(400) - 100;
  return {
    OracleDocumentID: draw.below(3),
    LastUpdateTime,
    Provider: 'AB',
    AssetClass: 'CD',
    PriceDataSeries,
  };
};

const credentialUse: Maker = (world, from, to) => {
  const found = world.any('Credential');
  const person = world.personOf(found?.Subject) ?? from;
  return {
    Account: person.address,
    Issuer: found ? world.addressOf(found.Issuer) : to.address,
    CredentialType: found?.CredentialType ?? 'ABCD',
  };
};

const domainSet: Maker = (world, from) => {
  const own = world.any('PermissionedDomain', ({ Owner }) => Owner === from.id);
  return {
    AcceptedCredentials: [credential(world), ...(world.draw.chance(0.3) ? [credential(world)] : [])],
    ...(own ? world.draw.some(0.5, { DomainID: own.index }) : {}),
  };
};

const delegateSet: Maker = ({ draw }, _from, to) => {
  const values = [
    ...new Set([draw.pick([1, 8, 21, 26, 65_537, 65_540]), draw.pick([1, 20, 65_545, 65_548])]),
  ];
  return {
    Authorize: to.address,
    Permissions: draw.chance(0.15)
      ? []
      : values.map((PermissionValue) => ({ Permission: { PermissionValue } })),
  };
};

/** Bridges between the issuers' chains; most are refused, some by late checks. */
const bridge = (world: RandomLedger): Json => ({
  LockingChainDoor: world.actors[0]!.address,
  LockingChainIssue: { currency: 'XRP' },
  IssuingChainDoor: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  IssuingChainIssue: { currency: 'XRP' },
});

const xchain =
  (fields: (world: RandomLedger, to: TestAccount) => Json): Maker =>
  (world, _from, to) => ({ XChainBridge: bridge(world), ...fields(world, to) });

const drops = ({ draw }: RandomLedger): string => String(draw.below(2_000_000));

const attestation = (world: RandomLedger, to: TestAccount): Json => ({
  AttestationSignerAccount: world.draw.pick(world.actors).address,
  PublicKey: to.publicKey,
  Signature: 'AB',
  OtherChainSource: to.address,
  Amount: drops(world),
  AttestationRewardAccount: world.draw.pick(world.actors).address,
  WasLockingChainSend: world.draw.below(2),
});

export const SETTINGS: Makers = {
  AccountSet: [5, accountSet],
  TrustSet: [7, trustSet],
  SetRegularKey: [1, ({ draw, actors }) => draw.some(0.6, { RegularKey: draw.pick(actors).address })],
  SignerListSet: [2, signerListSet],
  TicketCreate: [2, ({ draw }) => ({ TicketCount: draw.pick([0, 1, 2, 5, 251]) })],
  DepositPreauth: [3, depositPreauth],
  NFTokenMint: [5, nftMint],
  NFTokenBurn: [
    1,
    (world) => {
      const { owner, id } = someNft(world);
      return { ...world.draw.some(0.7, { Account: owner }), NFTokenID: id };
    },
  ],
  NFTokenCreateOffer: [6, nftOffer],
  NFTokenCancelOffer: [1, (world) => ({ NFTokenOffers: [world.any('NFTokenOffer')?.index ?? NOTHING] })],
  NFTokenAcceptOffer: [5, nftAccept],
  NFTokenModify: [
    1,
    (world) => {
      const { owner, id } = someNft(world);
      return { Account: world.addressOf(id.slice(8, 48)), Owner: owner, NFTokenID: id, URI: 'AB' };
    },
  ],
  MPTokenIssuanceCreate: [1, mptCreate],
  MPTokenIssuanceSet: [
    2,
    (world, _from, to) =>
      byMptIssuer(world, { Flags: world.draw.below(4), ...world.draw.some(0.5, { Holder: to.address }) }),
  ],
  MPTokenIssuanceDestroy: [0.5, (world) => byMptIssuer(world, {})],
  MPTokenAuthorize: [6, mptAuthorize],
  Clawback: [2, clawback],
  OracleSet: [2, oracleSet],
  OracleDelete: [1, ({ draw }) => ({ OracleDocumentID: draw.below(3) })],
  DIDSet: [
    1,
    ({ draw }) => ({ ...draw.some(0.6, { URI: draw.hex(draw.below(3)) }), Data: draw.hex(draw.below(3)) }),
  ],
  DIDDelete: [1, () => ({})],
  CredentialCreate: [
    4,
    ({ draw, now }, _from, to) => ({
      Subject: to.address,
      CredentialType: draw.pick(KINDS),
      ...draw.some(0.3, { Expiration: now + draw.below(90) }),
    }),
  ],
  CredentialAccept: [4, credentialUse],
  CredentialDelete: [1, credentialUse],
  PermissionedDomainSet: [2, domainSet],
  PermissionedDomainDelete: [
    0.5,
    (world) => {
      const domain = world.any('PermissionedDomain');
      return {
        Account: world.addressOf(domain?.Owner ?? world.actors[0]!.id),
        DomainID: domain?.index ?? NOTHING,
      };
    },
  ],
  DelegateSet: [2, delegateSet],
  AccountDelete: [0.3, (_world, _from, to) => ({ Destination: to.address })],
  XChainCreateBridge: [
    1,
    (world) => ({
      Account: world.actors[0]!.address,
      ...xchain((w) => ({ SignatureReward: drops(w), MinAccountCreateAmount: drops(w) }))(
        world,
        world.actors[0]!,
        world.actors[1]!,
      ),
    }),
  ],
  XChainModifyBridge: [0.5, xchain((world) => ({ SignatureReward: drops(world) }))],
  XChainCreateClaimID: [
    1,
    xchain((world, to) => ({ SignatureReward: drops(world), OtherChainSource: to.address })),
  ],
  XChainCommit: [
    1,
    xchain((world) => ({ XChainClaimID: world.draw.below(3).toString(16), Amount: drops(world) })),
  ],
  XChainClaim: [
    1,
    xchain((world, to) => ({
      XChainClaimID: world.draw.below(3).toString(16),
      Destination: to.address,
      Amount: drops(world),
    })),
  ],
  XChainAccountCreateCommit: [
    0.5,
    xchain((world, to) => ({
      Destination: to.address,
      Amount: drops(world),
      SignatureReward: drops(world),
    })),
  ],
  XChainAddClaimAttestation: [
    1,
    xchain((world, to) => ({
      ...attestation(world, to),
      XChainClaimID: world.draw.below(3).toString(16),
    })),
  ],
  XChainAddAccountCreateAttestation: [
    0.5,
    xchain((world, to) => ({
      ...attestation(world, to),
      Destination: to.address,
      SignatureReward: drops(world),
      XChainAccountCreateCount: '1',
    })),
  ],
};

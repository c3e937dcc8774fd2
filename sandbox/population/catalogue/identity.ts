/** Identity and prices: credentials, DIDs, permissioned domains, oracles; and single NFTs. */
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import type { Agent, Agents } from '../agents.ts';
import { hex } from '../hex.ts';
import type { SimulationStep } from '../simulation-step.ts';
import { currencyCode } from '../tokens.ts';
import { CatalogueFamily, xrp } from './family.ts';

const KYC = hex('KYC');

export function identity(agents: Agents): CatalogueFamily {
  const family = new CatalogueFamily(agents, 'identity');
  const [issuer, a, b] = ['issuer', 'a', 'b'].map((name) => family.agent(name)) as [Agent, Agent, Agent];
  family.fund(0, 100, issuer, a, b);
  for (const [agent, id] of [
    [a, 'credential-create'],
    [b, 'credential-create-second'],
  ] as const)
    family.row(2, id, 'CredentialCreate', 'A credential is offered', issuer, {
      Subject: agent.account,
      CredentialType: KYC,
      URI: hex('https://kyc.example/1'),
    });
  family.row(4, 'credential-accept', 'CredentialAccept', 'A credential is accepted', a, {
    Issuer: issuer.account,
    CredentialType: KYC,
  });
  family.row(
    6,
    'credential-delete',
    'CredentialDelete',
    'A credential is given up before it was accepted',
    issuer,
    {
      Subject: b.account,
      CredentialType: KYC,
    },
  );
  family.row(8, 'domain-set', 'PermissionedDomainSet', 'A domain for holders of a credential', issuer, {
    AcceptedCredentials: [{ Credential: { Issuer: issuer.account, CredentialType: KYC } }],
  });
  family.prepare(10, issuer, {
    TransactionType: 'PermissionedDomainSet',
    AcceptedCredentials: [{ Credential: { Issuer: a.account, CredentialType: KYC } }],
  });
  family.row(12, 'domain-delete', 'PermissionedDomainDelete', 'A domain is given up', issuer, (step) => {
    const domain = step.owned(issuer.account, 'PermissionedDomain').at(-1);
    return domain && { DomainID: domain.index };
  });
  family.row(14, 'did-set', 'DIDSet', 'A decentralised identifier', a, {
    URI: hex('did:example:a'),
    Data: hex('x'),
  });
  family.prepare(14, b, { TransactionType: 'DIDSet', URI: hex('did:example:b') });
  family.row(16, 'did-delete', 'DIDDelete', 'An identifier is given up', b, {});
  const price = (step: SimulationStep) => ({
    OracleDocumentID: 1,
    Provider: hex('catalogue'),
    AssetClass: hex('commodity'),
    LastUpdateTime: step.closeTime + RIPPLE_EPOCH,
    PriceDataSeries: [
      {
        PriceData: {
          BaseAsset: currencyCode('XAU'),
          QuoteAsset: currencyCode('USD'),
          AssetPrice: 390_000n,
          Scale: 2,
        },
      },
    ],
  });
  family.row(18, 'oracle-set', 'OracleSet', 'The price of gold', b, price);
  family.row(22, 'oracle-delete', 'OracleDelete', 'An oracle is given up', b, { OracleDocumentID: 1 });
  return family;
}

export function nfts(agents: Agents): CatalogueFamily {
  const family = new CatalogueFamily(agents, 'nft');
  const [a, b] = ['a', 'b'].map((name) => family.agent(name)) as [Agent, Agent];
  family.fund(0, 100, a, b);
  const mine = (step: SimulationStep, agent: Agent) => step.nfts(agent.account)[0];
  const listing = (step: SimulationStep) => step.owned(a.account, 'NFTokenOffer')[0]?.index;
  family.row(2, 'nft-mint', 'NFTokenMint', 'An NFT whose URI may change', a, {
    NFTokenTaxon: 42,
    TransferFee: 1_000,
    URI: hex('ipfs://first'),
    Flags: Tf.tfTransferable | Tf.tfMutable | Tf.tfBurnable,
  });
  family.row(4, 'nft-modify', 'NFTokenModify', 'Its URI is changed', a, (step) => {
    const id = mine(step, a);
    return id && { NFTokenID: id, URI: hex('ipfs://second') };
  });
  const list = (step: SimulationStep) => {
    const id = mine(step, a);
    return id && { NFTokenID: id, Amount: xrp(9), Flags: Tf.tfSellNFToken };
  };
  family.row(6, 'nft-list', 'NFTokenCreateOffer', 'It is offered for sale', a, list);
  family.row(8, 'nft-cancel-offer', 'NFTokenCancelOffer', 'The offer is withdrawn', a, (step) => {
    const offer = listing(step);
    return offer && { NFTokenOffers: [offer] };
  });
  family.row(10, 'nft-list-again', 'NFTokenCreateOffer', 'It is offered again', a, list);
  family.row(12, 'nft-accept', 'NFTokenAcceptOffer', 'Somebody buys it', b, (step) => {
    const offer = listing(step);
    return offer && { NFTokenSellOffer: offer };
  });
  family.row(14, 'nft-burn', 'NFTokenBurn', 'Its owner burns it', b, (step) => {
    const id = mine(step, b);
    return id && { NFTokenID: id };
  });
  return family;
}

/** Identity and prices: credentials, DIDs, permissioned domains, oracles; and single NFTs. */
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import { hex } from '../hex.ts';
import type { People, Person } from '../people.ts';
import { currencyCode } from '../tokens.ts';
import type { Turn } from '../turn.ts';
import { Book, xrp } from './book.ts';

const KYC = hex('KYC');

export function identity(people: People): Book {
  const book = new Book(people, 'identity');
  const [issuer, a, b] = ['issuer', 'a', 'b'].map((name) => book.person(name)) as [Person, Person, Person];
  book.fund(0, 100, issuer, a, b);
  for (const [person, id] of [
    [a, 'credential-create'],
    [b, 'credential-create-second'],
  ] as const)
    book.row(2, id, 'CredentialCreate', 'A credential is offered', issuer, {
      Subject: person.account,
      CredentialType: KYC,
      URI: hex('https://kyc.example/1'),
    });
  book.row(4, 'credential-accept', 'CredentialAccept', 'A credential is accepted', a, {
    Issuer: issuer.account,
    CredentialType: KYC,
  });
  book.row(
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
  book.row(8, 'domain-set', 'PermissionedDomainSet', 'A domain for holders of a credential', issuer, {
    AcceptedCredentials: [{ Credential: { Issuer: issuer.account, CredentialType: KYC } }],
  });
  book.also(10, issuer, {
    TransactionType: 'PermissionedDomainSet',
    AcceptedCredentials: [{ Credential: { Issuer: a.account, CredentialType: KYC } }],
  });
  book.row(12, 'domain-delete', 'PermissionedDomainDelete', 'A domain is given up', issuer, (turn) => {
    const domain = turn.owned(issuer.account, 'PermissionedDomain').at(-1);
    return domain && { DomainID: domain.index };
  });
  book.row(14, 'did-set', 'DIDSet', 'A decentralised identifier', a, {
    URI: hex('did:example:a'),
    Data: hex('x'),
  });
  book.also(14, b, { TransactionType: 'DIDSet', URI: hex('did:example:b') });
  book.row(16, 'did-delete', 'DIDDelete', 'An identifier is given up', b, {});
  const price = (turn: Turn) => ({
    OracleDocumentID: 1,
    Provider: hex('catalogue'),
    AssetClass: hex('commodity'),
    LastUpdateTime: turn.closeTime + RIPPLE_EPOCH,
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
  book.row(18, 'oracle-set', 'OracleSet', 'The price of gold', b, price);
  book.row(22, 'oracle-delete', 'OracleDelete', 'An oracle is given up', b, { OracleDocumentID: 1 });
  return book;
}

export function nfts(people: People): Book {
  const book = new Book(people, 'nft');
  const [a, b] = ['a', 'b'].map((name) => book.person(name)) as [Person, Person];
  book.fund(0, 100, a, b);
  const mine = (turn: Turn, person: Person) => turn.nfts(person.account)[0];
  const listing = (turn: Turn) => turn.owned(a.account, 'NFTokenOffer')[0]?.index;
  book.row(2, 'nft-mint', 'NFTokenMint', 'An NFT whose URI may change', a, {
    NFTokenTaxon: 42,
    TransferFee: 1_000,
    URI: hex('ipfs://first'),
    Flags: Tf.tfTransferable | Tf.tfMutable | Tf.tfBurnable,
  });
  book.row(4, 'nft-modify', 'NFTokenModify', 'Its URI is changed', a, (turn) => {
    const id = mine(turn, a);
    return id && { NFTokenID: id, URI: hex('ipfs://second') };
  });
  const list = (turn: Turn) => {
    const id = mine(turn, a);
    return id && { NFTokenID: id, Amount: xrp(9), Flags: Tf.tfSellNFToken };
  };
  book.row(6, 'nft-list', 'NFTokenCreateOffer', 'It is offered for sale', a, list);
  book.row(8, 'nft-cancel-offer', 'NFTokenCancelOffer', 'The offer is withdrawn', a, (turn) => {
    const offer = listing(turn);
    return offer && { NFTokenOffers: [offer] };
  });
  book.row(10, 'nft-list-again', 'NFTokenCreateOffer', 'It is offered again', a, list);
  book.row(12, 'nft-accept', 'NFTokenAcceptOffer', 'Somebody buys it', b, (turn) => {
    const offer = listing(turn);
    return offer && { NFTokenSellOffer: offer };
  });
  book.row(14, 'nft-burn', 'NFTokenBurn', 'Its owner burns it', b, (turn) => {
    const id = mine(turn, b);
    return id && { NFTokenID: id };
  });
  return book;
}

/** All commands of the node by name. */
import { accountInfo } from './account-info.ts';
import { accountCurrencies, accountLines } from './account-lines.ts';
import { accountNfts } from './account-nfts.ts';
import { accountObjects } from './account-objects.ts';
import { accountChannels, accountOffers } from './account-offers.ts';
import { accountTx } from './account-tx.ts';
import { aggregatePrice } from './aggregate-price.ts';
import { ammInfo } from './amm-info.ts';
import { bookChanges } from './book-changes.ts';
import { bookOffers } from './book-offers.ts';
import { channelVerify } from './channel-verify.ts';
import type { Command } from './command.ts';
import { depositAuthorized } from './deposit-authorized.ts';
import { feature } from './feature.ts';
import { fee } from './fee.ts';
import { gatewayBalances } from './gateway-balances.ts';
import { ledger } from './ledger.ts';
import { ledgerAccept } from './ledger-accept.ts';
import { ledgerData } from './ledger-data.ts';
import { ledgerEntry } from './ledger-entry.ts';
import { ledgerClosed, ledgerCurrent, ledgerHeader, ledgerIndex } from './ledger-plain.ts';
import { mptHolders } from './mpt-holders.ts';
import { nftHistory, nftInfo, nftsByIssuer } from './nft-commands.ts';
import { nftBuyOffers, nftSellOffers } from './nft-offers.ts';
import { noRippleCheck } from './noripple-check.ts';
import { ownerInfo } from './owner-info.ts';
import { pathFind, ripplePathFind } from './path-find.ts';
import { ping, random } from './plain.ts';
import { txReduceRelay } from './relay.ts';
import { sandboxFixtures } from './sandbox-fixtures.ts';
import { serverDefinitions } from './server-definitions.ts';
import { manifest, serverInfo, serverState, version } from './server-info.ts';
import { channelAuthorize, sign, signFor, walletPropose } from './signing.ts';
import { simulate } from './simulate.ts';
import { submit, submitMultisigned } from './submit.ts';
import { subscribe, unsubscribe } from './subscribe.ts';
import { transactionEntry, tx } from './tx.ts';
import { txHistory } from './tx-history.ts';
import { vaultInfo } from './vault-info.ts';

const rows: readonly Command[] = [
  accountChannels,
  accountCurrencies,
  accountInfo,
  accountLines,
  accountNfts,
  accountObjects,
  accountOffers,
  accountTx,
  aggregatePrice,
  ammInfo,
  bookChanges,
  bookOffers,
  channelAuthorize,
  channelVerify,
  depositAuthorized,
  feature,
  fee,
  gatewayBalances,
  ledger,
  ledgerAccept,
  ledgerClosed,
  ledgerCurrent,
  ledgerData,
  ledgerEntry,
  ledgerHeader,
  ledgerIndex,
  manifest,
  mptHolders,
  nftBuyOffers,
  nftHistory,
  nftInfo,
  nftSellOffers,
  nftsByIssuer,
  noRippleCheck,
  ownerInfo,
  pathFind,
  ping,
  random,
  ripplePathFind,
  sandboxFixtures,
  serverDefinitions,
  serverInfo,
  serverState,
  sign,
  signFor,
  simulate,
  submit,
  submitMultisigned,
  subscribe,
  transactionEntry,
  tx,
  txHistory,
  txReduceRelay,
  unsubscribe,
  vaultInfo,
  version,
  walletPropose,
];

export const COMMANDS: ReadonlyMap<string, Command> = new Map(rows.map((row) => [row.name, row]));

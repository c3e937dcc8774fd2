/** The stream table. The documentation and `/ws/info` are made from these rows. */
import type { Stream } from '../stream.ts';
import { accountBalanceStream, accountPairStream } from './account-balance.ts';
import { accountOffersStream, trustlinesStream } from './account-lists.ts';
import { accountTxStream, accountWatchStream } from './account-transactions.ts';
import { ammStream } from './amm.ts';
import { creatorStream } from './creator.ts';
import { historyStream } from './history.ts';
import { holdersStream } from './holders.ts';
import { ledgerStream } from './ledger.ts';
import { ohlcStream } from './ohlc.ts';
import { orderbookStream } from './orderbook.ts';
import { quoteStream } from './quote.ts';
import { syncStream } from './sync.ts';
import { tokenStream } from './token.ts';

export const streams: readonly Stream[] = [
  syncStream,
  tokenStream,
  ohlcStream,
  historyStream,
  orderbookStream,
  holdersStream,
  ledgerStream,
  creatorStream,
  ammStream,
  quoteStream,
  accountBalanceStream,
  accountPairStream,
  accountOffersStream,
  trustlinesStream,
  accountWatchStream,
  accountTxStream,
];

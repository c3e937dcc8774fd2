/** Running totals of one engine, read by /metrics and /health. Plain numbers: the engine knows no metrics library. */
export class Counters {
  ledgersApplied = 0;
  transactionsApplied = 0;
  tradesSeen = 0;
  tradesLeftOut = 0;
  ledgersRefused = 0;
  duplicatesDropped = 0;
  gapsRepaired = 0;
  endpointSwitches = 0;
  unknownFields = 0;
  readerFallbacks = 0;
  commits = 0;
  commitBytes = 0;
}

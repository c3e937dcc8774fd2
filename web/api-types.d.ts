/** Written by test/web/answer-types.ts from the OpenAPI document. Not edited by hand. */

export interface Answers {
"GET /": {
success: true
attribution?: string
took: number
name: string
version: string
baseUrl: string
docs: string
openapi: string
reference: string
health: string
streams: string
}
"GET /health": {
success: true
attribution?: string
took: number
status: ("healthy" | "degraded")
ready: boolean
timestamp: number
version: string
uptime: number
services: {
database: Database
rippled: Database
cache: Database
}
reason?: string
progress: ({
stage: ("opening" | "rebuilding" | "restoring" | "checking" | "migrating" | "snapshot" | "catching up")
share: (number | null)
} | null)
ledger: ({
index: number
closeTime: number
age_seconds: number
behind: number
ranges: number[][]
rangesTotal: number
state: ("complete" | "partial")
} | null)
disk: ({
fileBytes: number
usedBytes: number
freeBytes: number
diskFreeBytes?: number
writtenBytesPerDay?: number
growthBytesPerDay?: number
fullAt?: number
} | null)
}
"GET /docs": {
success: true
attribution?: string
took: number
version: string
baseUrl: string
openapi: string
reference: {
caching: Record<string, unknown>
patterns: Record<string, unknown>
}
methodology: {
name: string
fields: string[]
text: string
}[]
calibration?: ({
of: string
horizonDays: number
asOf: number
predictions: number
brier: number
brierOfBase: number
bands: {
from: number
to: number
predicted: number
happened: number
count: number
collapsed: number
}[]
} | null)
limits: Record<string, unknown>
errors: {
code: string
status: number
about: string
}[]
routes: {
method: string
path: string
summary: string
auth: string
tier: string
cost: number
bucket: string
section: string
}[]
}
"GET /openapi.json": Record<string, unknown>
"GET /tokens": {
success: true
attribution?: string
took: number
ledger_index?: number
total: number
count: number
start: number
limit: number
tagName: string
sortBy: string
sortType: string
token_type: (string | null)
tokens: Tokens[]
tags?: string[]
tokenCreation?: {
date: string
totalTokens: number
platforms: {
[k: string]: number
}
}[]
exch?: Exch
H24?: H
global?: Global
}
"GET /tokens/slugs": {
success: true
attribution?: string
took: number
ledger_index?: number
count: number
total: number
truncated: boolean
slugs: string[]
}
"GET /token/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
total: number
exch?: Exch
H24?: H
global?: Global
token: (Tokens & {
description?: string
creatorLastAction?: {
side: string
type: string
result: string
hash: string
time: number
xrp: number
token: string
amountType: ("token" | "xrp")
}
})
}
"POST /search": {
success: true
attribution?: string
took: number
ledger_index?: number
tokens: {
md5?: string
issuer?: string
currency?: string
name?: string
user?: string
slug?: string
tokenType?: string
mptIssuanceID?: string
metadata?: Metadata
icon?: string
origin?: string
verified?: number
kyc?: boolean
tags?: string[]
dateon?: number
date?: string
domain?: string
creator?: string
exch?: (string | number)
usd?: string
marketcap?: number
dom?: number
pro5m?: number
pro1h?: number
pro24h?: number
pro7d?: number
pro30d?: number
/**
 * @minItems 2
 * @maxItems 2
 */
maxMin24h?: [number, number]
athDistance?: number
amount?: string
supply?: string
vol24hxrp?: number
vol24htx?: number
vol24h?: number
vol24hAMM?: number
vol24hOrderbook?: number
liquidityRatio?: number
holders?: number
trustlines?: number
top10?: number
creatorHoldingPercent?: number
uniqueTraders24h?: number
buy24hxrp?: number
sell24hxrp?: number
buyerPressure?: number
tvl?: number
isOMCF?: string
tradingFee?: number
AMM?: string
lpBurnedPercent?: number
views24h?: number
trendingScore?: number
assessmentScore?: number
}[]
collections: {
slug: string
name: string
logoImage?: string
account: string
items: number
owners: number
floor?: number
marketcap?: {
amount: number
}
totalVolume: number
verified: boolean
}[]
nfts: {
_id: string
NFTokenID: string
account?: string
issuer: string
taxon: number
cid: string
cslug: string
total: number
flags: number
royalty: number
transferFee: number
sequence: number
serial: number
is_burned: boolean
status: ("live" | "burned")
date?: number
burnedAt?: number
modifiedAt?: number
scam: boolean
scamType?: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
volume: number
url?: string
cost?: Cost
cfloor?: {
amount: number
}
name?: string
collection?: (string | Record<string, unknown>)
collectionVerified?: boolean
meta?: Record<string, unknown>
files?: Files[]
rarity_rank?: number
props?: Props[]
editions: number
}[]
pools: Pools[]
order: string[]
account: ({
address: string
balance?: number
rank: (number | null)
} | null)
pagination: {
offset: number
limit: number
total: number
hasMore: boolean
maxResults: number
}
exch?: Exch
}
"POST /token/{md5}/metadata": {
success: true
attribution?: string
took: number
ledger_index?: number
updated: string[]
}
"POST /token/{md5}/image": {
success: true
attribution?: string
took: number
ledger_index?: number
md5: string
imgUpdated: number
}
"GET /ohlc/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
length: number
format: string[]
resolution: string
interval: string
interval_seconds: number
vs_currency: string
inverted: boolean
base_interval: string
preAgg: boolean
cb?: number
ohlc: number[][]
}
"GET /sparkline/batch": {
success: true
attribution?: string
took: number
ledger_index?: number
period: string
maxPoints: number
vsCurrency: string
sparklines: {
[k: string]: string[]
}
}
"GET /sparkline/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
chartColor: string
period: string
percentChange: number
lightweight: boolean
max_points?: number
vsCurrency: string
data: {
prices: string[]
timestamps: number[]
max: (string | null)
min: (string | null)
}
}
"GET /token/{id}/series": {
success: true
attribution?: string
took: number
ledger_index?: number
md5: string
interval: string
metrics: string[]
limit: number
count: number
series: {
time: number
exch?: number
usd?: number
volxrp?: number
vol?: number
trades?: number
holders?: number
trustlines?: number
top10?: number
top20?: number
top50?: number
top100?: number
uniqueTraders24h?: number
tvl?: number
supply?: number
marketcap?: number
}[]
}
"GET /holders/info/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
richInfo: RichInfo
}
"GET /holders/graph/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
length: number
history: RichInfo[]
}
"GET /holders/list/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
summary: {
top10Hold?: number
top20Hold?: number
top50Hold?: number
top100Hold?: number
frozen: number
}
length: number
offset: number
limit: number
sort: string
order: string
richList: {
account: string
balance: string
holding: number
rank: number
freeze: boolean
frozenByIssuer?: boolean
isCreator: boolean
xrpBalance: (string | null)
lastActive: (number | null)
name: (string | null)
domain: (string | null)
funder: (string | null)
isAMM?: boolean
value?: number
balance24h?: string
tradedPct?: number
tradeCount?: number
source?: string
acquisition?: {
dexPct: number
ammPct: number
lpPct: number
transferPct: number
}
pnl?: number
roi?: number
unrealized?: number
bought?: number
sold?: number
lastTrade?: number
}[]
}
"GET /holders/ranks/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
ranks: {
[k: string]: number | null
}
total: number
source: string
}
"GET /holders/position/{id}/{address}": {
success: true
attribution?: string
took: number
ledger_index?: number
account: string
md5: string
balance: string
holding: number
rank: (number | null)
holders: number
}
"GET /holders/empty/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
accounts: string[]
count: number
total: number
excluded: number
offset?: number
limit?: number
}
"GET /holders/movers/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
limit: number
holders: number
movers: number
buyersTotal: number
sellersTotal: number
boughtTotal: string
soldTotal: string
boughtTotalXrp: number
soldTotalXrp: number
since?: number
pressure?: {
m15: M
m30: M
h1: M
h4: M
h24: M
}
buyers: Buyers[]
sellers: Buyers[]
}
"GET /rsi": {
success: true
attribution?: string
took: number
ledger_index?: number
timeframe: ("15m" | "1h" | "4h" | "24h" | "7d" | "30d" | "90d")
sort: string
order: string
filters: {
filter?: string
tag?: string
origin?: string
minMarketCap?: number
maxMarketCap?: number
minVolume24h?: number
maxVolume24h?: number
minPriceChange24h?: number
maxPriceChange24h?: number
minRsi15m?: number
maxRsi15m?: number
minRsi1h?: number
maxRsi1h?: number
minRsi4h?: number
maxRsi4h?: number
minRsi24h?: number
maxRsi24h?: number
minRsi7d?: number
maxRsi7d?: number
minRsi30d?: number
maxRsi30d?: number
minRsi90d?: number
maxRsi90d?: number
activeOnly: boolean
minHolders?: number
minTVL?: number
excludeNeutral: boolean
minUniqueTraders?: number
}
tokens: Tokens2[]
count: number
total: number
start: number
limit: number
exch: Exch
cached?: boolean
}
"GET /stats": {
success: true
attribution?: string
took: number
ledger_index?: number
total: number
exch: Exch
H24: H
global: Global
}
"GET /stats/rates": {
success: true
attribution?: string
took: number
ledger_index?: number
total: number
exch: Exch
H24: H
global: Global
rate1: (number | null)
rate2: (number | null)
}
"POST /stats/metrics": {
success: true
attribution?: string
took: number
ledger_index?: number
length: number
history: {
timestamp: number
XRP: (number | null)
USD: (number | null)
EUR: (number | null)
JPY: (number | null)
CNY: (number | null)
}[]
}
"GET /stats/marketcap-history": {
success: true
attribution?: string
took: number
ledger_index?: number
from: string
to: string
length: number
history: {
date: string
gMarketcap: number
unfilteredMarketcap: number
tokenCount: number
}[]
}
"GET /tags": {
success: true
attribution?: string
took: number
ledger_index?: number
exch: Exch
H24: H
global: Global
tags: string[]
}
"GET /stats/oracles": {
success: true
attribution?: string
took: number
ledger_index?: number
quote: string
count: number
total: number
limit: number
oracles: {
account: string
document_id: number
price: string
last_update: number
}[]
}
"GET /history": {
success: true
attribution?: string
took: number
ledger_index?: number
data: Data[]
meta: Meta
}
"GET /orderbook": {
success: true
attribution?: string
took: number
pair: string
base: Asset
quote: Asset
limit: number
bids: Bids[]
asks: Bids[]
ledger_index: number
}
"GET /pairs": GETPairs
"GET /pairs/{id}": GETPairs
"GET /amm": {
success: true
attribution?: string
took: number
ledger_index?: number
summary: {
totalLiquidity: number
xrpTokenLiquidity: number
tokenTokenLiquidity: number
totalVolume24h: number
totalVolume7d: number
totalFees24h: number
totalFees7d: number
avgFee: number
}
offset: number
limit: number
page: number
total: number
count: number
totalPages: number
sort: string
status: string
pools: Pools[]
}
"GET /amm/info": {
success: true
attribution?: string
took: number
amm: {
account: string
amount: Amount
amount2: Amount
asset_frozen: boolean
asset2_frozen: boolean
lp_token: Paid
trading_fee: number
spot_price?: string
lp_holders: number
created?: number
auction_slot?: {
account: string
auth_accounts?: {
account: string
}[]
discounted_fee: number
expiration?: number
price?: Paid
time_interval?: number
}
vote_slots?: {
account: string
trading_fee: number
vote_weight: number
}[]
}
ledger_index: number
ledger_hash: (string | null)
validated: boolean
}
"POST /dex/quote": {
status: "success"
attribution?: string
took: number
requiresTrustline: ({
currency: string
issuer: string
} | null)
quote: {
source_amount: SourceAmount
destination_amount: SourceAmount
minimum_received: string
execution_rate: number
price_impact: PriceImpact
amm_price_change: (number | null)
suggested_slippage: number
slippage_tolerance: number
from_orderbook: string
from_amm: string
amm_pool_fee: (string | null)
amm_trading_fee_bps: (number | null)
paths: Paths[][]
paths_count: number
route: Route[]
partial: boolean
destination_account?: string
warnings: Warnings[]
}
alternatives: {
source_amount: SourceAmount
destination_amount: SourceAmount
minimum_received: string
execution_rate: number
price_impact: PriceImpact
amm_price_change: (number | null)
suggested_slippage: number
slippage_tolerance: number
from_orderbook: string
from_amm: string
amm_pool_fee: (string | null)
amm_trading_fee_bps: (number | null)
paths: Paths[][]
paths_count: number
route: Route[]
partial: boolean
destination_account?: string
}[]
ledger_index: number
}
"GET /creator-activity/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
id: string
creator: string
limit: number
count: number
events: ({
time: number
side: string
type: string
tokenAmount: string
xrpAmount: number
hash: string
ledger: number
result: string
currency: string
name: string
token: string
destination?: string
source?: string
destinationTag?: number
} | {
h: string
r: string
t: number
s: string
y: string
x: number
a: string
c: string
n: string
d?: string
token: string
fa?: string
})[]
stats: {
buy: Buy
sell: Buy
deposit: Buy
withdraw: Buy
amm_create: Buy
transfer_out: {
count: number
}
sellBuyRatio: (number | null)
netXrp: number
}
signals: {
level: string
msg: string
}[]
warning: (string | null)
nfts?: Nfts[]
truncated?: boolean
}
"GET /creator-activity/{id}/receiver/{address}": {
success: true
attribution?: string
took: number
ledger_index?: number
address: string
creator: string
token: string
stats: {
received: Received
sell: Buy
transfer_out: Received
deposit: {
count: number
}
}
behavior: string
truncated?: boolean
}
"GET /token/{md5}/related": {
success: true
attribution?: string
took: number
ledger_index?: number
md5: string
audience: number
count: number
related: Related[]
}
"GET /nft/collections/{slug}/related": {
success: true
attribution?: string
took: number
cid: string
slug: string
audience: number
count: number
related: Related[]
}
"GET /token/flow/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
md5: string
creator: string
issuer: string
summary: {
totalTransferred: string
totalSoldXrp: number
recipientCount: number
holdingCount: number
totalToExchanges: number
creatorBoughtXrp: number
creatorBoughtTokens: string
creatorSoldXrp: number
creatorSoldTokens: string
creatorDepositXrp: number
creatorDepositTokens: string
creatorWithdrawXrp: number
creatorWithdrawTokens: string
}
graph: {
nodes: {
id: string
type: ("creator" | "issuer" | "level1" | "level2")
label: (string | null)
received: string
soldXrp: number
boughtXrp: number
sells: number
buys: number
relation?: ("direct" | "indirect")
from?: string
action?: ("sold" | "transferred" | "holding")
transfersOut: number
exchangeDeposits: number
exchangeCount: number
exchangeKeys: string[]
}[]
edges: {
from: string
to: string
amount: string
hashes: string[]
}[]
}
linkedAddresses: {
exchangeKey: string
addresses: string[]
}[]
exchangeBreakdown: {
exchange: string
exchangeName: (string | null)
xrp: number
addresses: string[]
}[]
truncated?: boolean
}
"GET /token/review/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
md5: string
inactive?: boolean
lastTrade?: (number | null)
score?: number
riskLevel?: ("Low" | "Moderate" | "Elevated" | "High")
assessmentScore?: number
riskCount?: number
positiveCount?: number
factors?: {
name: ("locked" | "holders" | "spread" | "rights" | "traders" | "burned")
points: number
max: number
effect: ("risk" | "neutral" | "positive")
}[]
collapseChance?: number
collapse?: ({
horizonDays: number
chance: number
sample: number
collapsed: number
observed: number
observedCollapsed: number
asOf: number
since: number
kind: {
liquidity: string
age: string
burned: string
freeze: string
top10: string
creator: string
}
} | null)
}
"GET /whale-activity/feed": GETWhaleActivityFeed
"GET /whale-activity/{id}": GETWhaleActivityFeed
"GET /traders/rotations": {
success: true
attribution?: string
took: number
ledger_index?: number
since: (number | null)
period: string
count: number
total: number
rotations: Rotations[]
pagination: Pagination
}
"GET /traders/rotations/{tokenId}": {
success: true
attribution?: string
took: number
ledger_index?: number
md5: string
since: (number | null)
period: string
offset: number
limit: number
inflow: number
outflow: number
netFlow: number
totalIn: number
totalOut: number
into: Rotations[]
outOf: Rotations[]
}
"GET /traders/{account}/rotations": {
success: true
attribution?: string
took: number
ledger_index?: number
address: string
since: (number | null)
period: string
count: number
total: number
rotations: Rotations[]
pagination: Pagination
}
"GET /token/analytics/market": {
success: true
attribution?: string
took: number
ledger_index?: number
since: (number | null)
daily: {
date: string
volume: number
trades: number
marketcap: (number | null)
tokenCount: (number | null)
avgTradeSize: number
volumeAMM: number
volumeNonAMM: number
tradesAMM: number
tradesNonAMM: number
uniqueTraders: number
uniqueTradersAMM: number
uniqueTradersNonAMM: number
ammDeposit: number
ammWithdraw: number
ammCreate: number
ammDepositVolume: number
ammWithdrawVolume: number
ammNetFlow: number
volumeByPlatform: {
[k: string]: VolumeByPlatform
}
}[]
aggregates: {
"24h": H2
"7d": H2
"30d": H2
all: H2
}
percentChanges: {
volume24hPct: (number | null)
trades24hPct: (number | null)
marketcap24hPct: (number | null)
volume7dPct: (number | null)
}
platformStatsAll: {
[k: string]: VolumeByPlatform
}
traderBalances: TraderBalances
uniqueTraderCount: number
lastUpdated: number
}
"GET /token/analytics/traders": {
success: true
attribution?: string
took: number
ledger_index?: number
since: (number | null)
sort: string
order: string
period: string
minTrades?: number
minTokens?: number
data: {
address: string
isAMM?: boolean
xrpBalance?: number
dexVolume?: number
ammVolume?: number
buyVolume?: number
sellVolume?: number
totalTokens?: number
sourceTagStats?: {
sourceTag: number
trades: number
volume: number
}[]
totalVolume: number
volume24h: number
totalTrades: number
totalProfit: number
avgROI: (number | null)
winRate: (number | null)
washTradingScore: number
firstTradeDate: (number | null)
lastTradeDate: (number | null)
}[]
pagination: Pagination
}
"GET /token/analytics/traders/summary": {
success: true
attribution?: string
took: number
ledger_index?: number
since: (number | null)
traderBalances: TraderBalances
uniqueTraderCount: number
}
"GET /token/analytics/sources": {
success: true
attribution?: string
took: number
ledger_index?: number
since: (number | null)
count: number
total: number
offset: number
limit: number
order: string
sources: {
sourceTag: (number | null)
name: (string | null)
further?: boolean
volume: number
volumeAMM: number
trades: number
traders: number
firstTradeDate: (number | null)
lastTradeDate: (number | null)
}[]
}
"GET /token/analytics/token/{id}": {
success: true
attribution?: string
took: number
ledger_index?: number
md5: string
since: (number | null)
traders: number
winningTraders: number
losingTraders: number
winRate: (number | null)
trades: number
tokensBought: number
tokensSold: number
xrpBought: number
xrpSold: number
avgBuyPrice: (number | null)
avgSellPrice: (number | null)
profit: number
heldWithCost: number
costOfHeld: number
avgCost: (number | null)
valueOfHeld: (number | null)
activeTraders: {
"24h": number
"7d": number
"30d": number
all: number
}
}
"GET /traders/token-traders/{id}": GETTradersTokenTradersId
"GET /token/analytics/token/{id}/traders": GETTradersTokenTradersId
"GET /traders/{account}": {
success: true
attribution?: string
took: number
ledger_index?: number
address: string
since: (number | null)
rank: (number | null)
isAMM: boolean
profit: number
totalProfit: number
unrealizedPnl: number
totalPnl: number
holdingValue: number
roi: (number | null)
totalRoi: (number | null)
winRate: (number | null)
winningTokens: number
losingTokens: number
winningTrades: number
losingTrades: number
totalTokensTraded: number
totalTrades: number
buyCount: number
sellCount: number
buyVolume: number
sellVolume: number
dexVolume: number
ammVolume: number
dexProfit: number
ammProfit: number
volume24h: number
trades24h: number
profit24h: number
profit7d: number
profit30d: number
maxProfitTrade: number
maxLossTrade: number
washTradingScore: number
firstTradeDate: (number | null)
lastTradeDate: (number | null)
tokenPerformance: TokenPerformance[]
pagination: {
totalTokens: number
offset: number
limit: number
hasMore: boolean
}
}
"GET /token/analytics/trader/{address}": {
success: true
attribution?: string
took: number
ledger_index?: number
address: string
since: (number | null)
rank: (number | null)
isAMM: boolean
profit: number
totalProfit: number
unrealizedPnl: number
totalPnl: number
holdingValue: number
roi: (number | null)
totalRoi: (number | null)
winRate: (number | null)
winningTokens: number
losingTokens: number
winningTrades: number
losingTrades: number
totalTokensTraded: number
totalTrades: number
buyCount: number
sellCount: number
buyVolume: number
sellVolume: number
dexVolume: number
ammVolume: number
dexProfit: number
ammProfit: number
volume24h: number
trades24h: number
profit24h: number
profit7d: number
profit30d: number
maxProfitTrade: number
maxLossTrade: number
washTradingScore: number
firstTradeDate: (number | null)
lastTradeDate: (number | null)
}
"GET /token/analytics/trader/{address}/tokens": {
success: true
attribution?: string
took: number
ledger_index?: number
address: string
since: (number | null)
sort: string
order: string
count: number
total: number
tokens: TokenPerformance[]
pagination: Pagination
}
"GET /token/analytics/trader/{address}/history": {
success: true
attribution?: string
took: number
ledger_index?: number
address: string
startDate: number
endDate: number
count: number
total: number
history: {
date: string
volume: number
trades: number
buyVolume: number
sellVolume: number
profit: number
}[]
pagination: Pagination
}
"GET /token/analytics/trader/{address}/trades": {
success: true
attribution?: string
took: number
ledger_index?: number
address: string
data: Data[]
meta: Meta
}
"GET /account/token-stats/{account}/{md5}": {
success: true
attribution?: string
took: number
account: string
md5: string
balance: number
avgBuyPrice: (number | null)
totalBought: number
totalSold: number
totalSpentXRP: number
totalReceivedXRP: number
realizedPnl: number
unrealizedPnl: number
totalPnl: number
holdingValue: number
avgBuyMcap: (number | null)
currentMcap: (number | null)
totalRoi: number
firstTradeTime: number
lastTradeTime: number
tradeCount: number
since: (number | null)
exit: ({
xrp: number
impactPct: number
poolChangePct: (number | null)
pnl: number
split: {
amm: number
orderbook: number
}
} | null)
}
"GET /account/balance/{account}": {
success: true
attribution?: string
took: number
account: string
balance: number
total: number
balanceDrops?: string
spendableDrops?: string
ownerCount?: number
sequence?: number
flags?: number
reserve?: number
reserveDrops?: string
name?: (string | null)
domain?: string
inception?: (number | null)
parent?: (string | null)
rank?: number
}
"POST /account/balance": {
success: true
attribution?: string
took: number
count: number
data: {
account: string
balance: number
total: number
}[]
}
"GET /account/balance/pair/{account}": {
success: true
attribution?: string
took: number
account: string
pair: {
curr1: Curr2
curr2: Curr2
}
}
"GET /account/info/{account}": GETAccountInfoAccount
"GET /account/info/live/{account}": GETAccountInfoAccount
"POST /account/names": {
success: true
attribution?: string
took: number
names: {
[k: string]: string
}
}
"GET /account/search-by-name": {
success: true
attribution?: string
took: number
resolvedName: (string | null)
results: {
account: string
name: string
source: string
}[]
}
"POST /account/resolve": {
success: true
attribution?: string
took: number
count: number
accounts: {
address: string
name: string
logo: (string | null)
tagRequired: boolean
}[]
}
"GET /account/offers/{account}": {
success: true
attribution?: string
took: number
account: string
offset: number
limit: number
total: number
offers: Offers[]
}
"GET /account/recent-trades/{account}": {
success: true
attribution?: string
took: number
account: string
count: number
limit: number
keptFrom?: number
trades: Data[]
}
"GET /lp-positions/{account}": {
result: "success"
attribution?: string
took: number
account: string
count: number
positions: {
[k: string]: {
ammAccount: string
asset1: Asset
asset2: Asset
currentLpBalance: string
poolShare: number
currentAsset1: Paid
currentAsset2: Paid
depositedAsset1: (Paid | null)
depositedAsset2: (Paid | null)
poolValueXrp: (number | null)
holdValueXrp: (number | null)
ilPercent: (number | null)
feesEarnedXrp: (number | null)
since: (number | null)
}
}
truncated?: boolean
}
"GET /trustlines/{account}": {
success: true
attribution?: string
took: number
account: string
accountActive: boolean
accountData: ({
balance: number
total: number
reserve: number
} | null)
xrp: {
value: number
balance: number
usd?: number
pro24h?: number
}
total: number
zeroCount: number
offset: number
limit: number
lines: (Lines | {
_id: string
Flags: number
LedgerEntryType: string
Balance: Balance
LowLimit: Balance
HighLimit: Balance
} | {
_id: string
Flags: number
LedgerEntryType: string
Account: string
MPTokenIssuanceID: string
MPTAmount: string
})[]
issued?: Issued[]
tokenCount?: number
totalValue?: number
truncated?: boolean
subsetSize?: number
partial?: boolean
}
"GET /account/trustline/{account}/{issuer}/{currency}": {
success: true
attribution?: string
took: number
account: string
issuer: string
currency: string
hasTrustline: boolean
balance: string
limit?: (string | null)
value?: number
frozenByIssuer?: boolean
frozenByHolder?: boolean
}
"GET /account/trustlines/{account}": {
success: true
attribution?: string
took: number
account?: unknown
lines?: unknown
ledger_index?: unknown
ledger_hash?: unknown
validated?: unknown
limit?: unknown
marker?: unknown
result?: Record<string, unknown>
}
"GET /account/currencies/{account}": {
success: true
attribution?: string
took: number
send_currencies?: unknown
receive_currencies?: unknown
ledger_index?: unknown
ledger_hash?: unknown
validated?: unknown
limit?: unknown
marker?: unknown
result?: Record<string, unknown>
}
"GET /account/gateway/{account}": {
success: true
attribution?: string
took: number
account?: unknown
obligations?: unknown
balances?: unknown
assets?: unknown
frozen_balances?: unknown
locked?: unknown
ledger_index?: unknown
ledger_hash?: unknown
validated?: unknown
limit?: unknown
marker?: unknown
result?: Record<string, unknown>
}
"GET /account/nfts/{account}": {
success: true
attribution?: string
took: number
account?: unknown
account_nfts?: unknown
ledger_index?: unknown
ledger_hash?: unknown
validated?: unknown
limit?: unknown
marker?: unknown
result?: Record<string, unknown>
}
"GET /account/objects/{account}": {
success: true
attribution?: string
took: number
account?: unknown
account_objects?: unknown
ledger_index?: unknown
ledger_hash?: unknown
validated?: unknown
limit?: unknown
marker?: unknown
result?: Record<string, unknown>
}
"GET /account/noripple/{account}": {
success: true
attribution?: string
took: number
problems?: unknown
transactions?: unknown
ledger_index?: unknown
ledger_hash?: unknown
validated?: unknown
limit?: unknown
marker?: unknown
result?: Record<string, unknown>
}
"GET /account/channels/{account}": {
success: true
attribution?: string
took: number
account?: unknown
channels?: unknown
ledger_index?: unknown
ledger_hash?: unknown
validated?: unknown
limit?: unknown
marker?: unknown
result?: Record<string, unknown>
}
"GET /account/checks/{account}": {
success: true
attribution?: string
took: number
account: string
objects: Record<string, unknown>[]
truncated?: boolean
result?: Record<string, unknown>
}
"GET /account/deposit-authorized": {
success: true
attribution?: string
took: number
deposit_authorized?: unknown
source_account?: unknown
destination_account?: unknown
ledger_index?: unknown
ledger_hash?: unknown
validated?: unknown
limit?: unknown
marker?: unknown
result?: Record<string, unknown>
}
"GET /account/tx/{account}": {
success: true
attribution?: string
took: number
account: string
limit: number
forward: boolean
ledgerMin?: number
ledgerMax?: number
count: number
hasMore: boolean
marker: ({
ledger: number
seq: number
after?: boolean
} | null)
txs: {
hash: string
ledger_index: number
ledger_hash?: string
close_time_iso?: string
date?: number
ctid?: string
tx_json: Record<string, unknown>
meta: Record<string, unknown>
validated: boolean
role?: ("affected" | "sender" | "destination")
}[]
indexedFrom?: number
completeFrom?: number
}
"GET /account-tx-explain/{account}": {
success: true
attribution?: string
took: number
account: string
summary: string
analysis: {
profile: string
riskLevel: string
headline: string
riskReason: string
keyFindings: string[]
}
period: (string | null)
stats: {
analysed: number
successRate: (number | null)
tradeCount: number
swapCount: number
totalFees: number
xrpNet: number
tokens: {
md5: (string | null)
currency: string
issuer: (string | null)
net: string
count: number
}[]
}
transactions: number
isAll: boolean
sent: number
received: number
affected: number
types: {
[k: string]: number
}
partners: {
account: string
count: number
}[]
txCount: number
topAddresses: {
address: string
label: (string | null)
interactions: number
}[]
firstTime: (number | null)
lastTime: (number | null)
recent: {
hash: unknown
date: unknown
type: string
text: string
}[]
disclaimer: string
}
"GET /tx-explain/{hash}": {
success: true
attribution?: string
took: number
hash: string
ledger_index: number
type: string
result: string
account: string
text: string
summary: string
extracted: {
type: string
platform: (string | null)
}
affected: number
}
"GET /account/ancestry/{account}": {
success: true
attribution?: string
took: number
account: string
limit: number
token_limit?: number
stats: {
ancestorDepth: number
childrenCount: (number | null)
tokensCreated: number
}
tokens: Issued[]
ancestors: Ancestors[]
children: Ancestors[]
}
"GET /account/snapshot/{account}": {
success: true
attribution?: string
took: number
account: string
ledger: number
close_time: number
exists: boolean
xrp: number
tokens: {
currency: string
issuer: string
balance: string
}[]
totalXrp: number
truncated?: boolean
maxLines?: number
}
"GET /account/{address}/admin": GETAccountAddressAdmin
"PATCH /account/{address}/admin": GETAccountAddressAdmin
"POST /account/{address}/logo": {
success: true
attribution?: string
took: number
account: string
logo: string
imgUpdated: number
}
"PUT /account/{address}/verified": {
success: true
attribution?: string
took: number
account: string
name: string
logo: string
tagRequired: boolean
}
"DELETE /account/{address}/verified": {
success: true
attribution?: string
took: number
account: string
verified: boolean
}
"GET /watchlist": {
success: true
attribution?: string
took: number
account: string
count: number
watchlist: string[]
}
"POST /watchlist": {
success: true
attribution?: string
took: number
account: string
action: string
count: number
watchlist: string[]
md5: string
}
"GET /watchlist/nft": {
success: true
attribution?: string
took: number
account: string
count: number
watchlist: Record<string, unknown>
}
"POST /watchlist/nft": {
success: true
attribution?: string
took: number
account: string
action: string
count: number
watchlist: Record<string, unknown>
nftokenId: string
}
"GET /nft": {
success: true
attribution?: string
took: number
taxon?: number
count: number
total: number
offset: number
limit: number
sort: ("created" | "time" | "rarity_rank" | "volume" | "cost.amount")
order: ("asc" | "desc")
nfts: Nfts2[]
}
"GET /nft/account/{account}/nfts": {
success: true
attribution?: string
took: number
account: string
count: number
total: number
offset: number
limit: number
portfolioValue?: number
collections?: {
_id: string
cid: string
slug: string
name?: string
logoImage?: string
count: number
value: number
floor: (number | null)
floor24hAgo?: number
}[]
nfts?: Nfts2[]
}
"GET /nft/account/{account}/offers": {
success: true
attribution?: string
took: number
account: string
count: number
total: number
offset: number
limit: number
offers: Offers2[]
incomingOffers: {
nft_offer_index: string
index: string
NFTokenID: string
owner: string
amount: (string | {
value: string
})
flags: number
destination?: string
expiration?: number
date?: number
orphaned: ("yes" | "no")
funded: boolean
fraud: boolean
fraudType?: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
_id: string
cid: string
cslug: string
issuer: string
collection?: string
meta?: Record<string, unknown>
files?: Files[]
costXRP?: number
floor: (number | null)
floorDiffPct?: number
}[]
totalIncoming: number
incomingOffersTruncated: boolean
}
"GET /nft/analytics/market": {
success: true
attribution?: string
took: number
period: ("24h" | "7d" | "30d" | "all")
daily?: Daily[]
summary: {
total24hVolume: number
total24hSales: number
activeTraders24h: number
mints24h: number
burns24h: number
transfers24h: number
totalVolume: number
totalSales: number
totalCollections: number
activeCollections24h: number
}
aggregates: {
"24h": H3
"7d": H3
"30d": H3
all: H3
}
percentChanges: {
volume24hPct: (number | null)
sales24hPct: (number | null)
traders24hPct: (number | null)
mints24hPct: (number | null)
burns24hPct: (number | null)
transfers24hPct: (number | null)
}
platformStatsAll: {
[k: string]: {
volume: number
sales: number
avgPrice: number
royalties: number
brokerFees: number
}
}
traderBalances: TraderBalances
uniqueTraderCount: number
lastUpdated: number
}
"GET /nft/global-metrics": {
success: true
attribution?: string
took: number
total24hVolume: number
total24hSales: number
volumePct: (number | null)
salesPct: (number | null)
totalCollections: number
activeCollections24h: number
total24hMints: number
total24hBrokerFees: number
total24hRoyalties: number
sentimentScore: (number | null)
marketRSI: (number | null)
daily: Daily[]
volumeHistory: VolumeHistory[]
lastUpdated: number
}
"GET /nft/stats/global": {
success: true
attribution?: string
took: number
totalNFTs: number
totalCollections: number
totalTraders: number
totalBuyers: number
totalSellers: number
collectionsSold: number
volume: number
sales: number
avgPrice: number
mints: number
burns: number
transfers: number
buyOffers: number
sellOffers: number
cancelledOffers: number
royalties: number
brokerFees: number
windows: {
"24h": H3
"7d": H3
"30d": H3
}
lastUpdated: number
}
"GET /nft/analytics/marketplaces": {
success: true
attribution?: string
took: number
count: number
total: number
marketplaces: {
name: string
slug: string
sourceTag: number
volume: number
sales: number
avgPrice: number
mints: number
burns: number
transfers: number
buyOffers: number
sellOffers: number
cancelledOffers: number
royalties: number
brokerFees: number
volume24h: number
sales24h: number
volume30d: number
sales30d: number
volumePct: number
}[]
other: {
volume: number
sales: number
avgPrice: number
mints: number
burns: number
transfers: number
buyOffers: number
sellOffers: number
cancelledOffers: number
royalties: number
brokerFees: number
volume24h: number
sales24h: number
volume30d: number
sales30d: number
volumePct: number
}
lastUpdated: number
}
"GET /nft/brokers/stats": {
success: true
attribution?: string
took: number
count: number
total: number
offset: number
limit: number
brokers: {
address: string
name?: string
sales: number
volume: number
fees: number
feePct: number
firstSale: number
lastSale: number
}[]
}
"GET /nft/traders/{account}/volume": {
success: true
attribution?: string
took: number
account: string
buys: number
sells: number
trades: number
buyVolume: number
sellVolume: number
totalVolume: number
lastBuy: (number | null)
lastSell: (number | null)
}
"GET /nft/analytics/traders": {
success: true
attribution?: string
took: number
sort: ("totalVolume" | "totalTrades" | "buyVolume" | "sellVolume" | "lastTrade" | "vol24h" | "flips" | "profit" | "combinedProfit" | "roi" | "winRate" | "holdingsCount")
traders: {
address: string
xrpBalance: (number | null)
vol24h: number
totalVolume: number
totalTrades: number
buyVolume: number
sellVolume: number
profit: number
combinedProfit: number
roi: (number | null)
winRate: (number | null)
flips: number
holdingsCount: number
lastTrade: (number | null)
buys: number
sells: number
marketplaceBreakdown: {
[k: string]: {
trades: number
volume: number
}
}
}[]
pagination: Pagination
}
"GET /nft/analytics/trader/{account}": {
success: true
attribution?: string
took: number
account: string
rank: (number | null)
totalVolume: number
totalTrades: number
buyVolume: number
sellVolume: number
profit: number
combinedProfit: number
roi: (number | null)
winRate: (number | null)
flips: number
holdingsCount: number
lastTrade: (number | null)
buyCount: number
sellCount: number
unrealizedProfit: number
avgHoldingDays: (number | null)
firstTrade: (number | null)
profit24h: number
profit7d: number
profit30d: number
truncated?: boolean
}
"GET /nft/analytics/trader/{account}/history": {
success: true
attribution?: string
took: number
account: string
count: number
history: {
date: string
volume: number
buyVolume: number
sellVolume: number
trades: number
profit: number
}[]
truncated?: boolean
}
"GET /nft/analytics/trader/{account}/collections": {
success: true
attribution?: string
took: number
account: string
count: number
total: number
offset: number
limit: number
collections: {
cid: string
slug: string
name?: string
logo?: string
volume: number
buyVolume: number
sellVolume: number
trades: number
profit: number
roi: (number | null)
}[]
truncated?: boolean
}
"GET /nft/analytics/trader/{account}/trades": {
success: true
attribution?: string
took: number
account: string
count: number
limit: number
trades: Nfts[]
marker?: string
}
"GET /nft/analytics/rotations": {
success: true
attribution?: string
took: number
period: string
count: number
total: number
rotations: Rotations2[]
pagination: Pagination
truncated?: boolean
}
"GET /nft/analytics/rotations/{cid}": {
success: true
attribution?: string
took: number
cid: string
period: string
offset: number
limit: number
inflow: number
outflow: number
netFlow: number
totalIn: number
totalOut: number
into: Rotations2[]
outOf: Rotations2[]
truncated?: boolean
}
"GET /nft/analytics/trader/{account}/rotations": {
success: true
attribution?: string
took: number
account: string
period: string
count: number
total: number
rotations: Rotations2[]
pagination: Pagination
truncated?: boolean
}
"GET /nft/{nftId}/offers": {
success: true
attribution?: string
took: number
NFTokenID: string
limit: number
sellOffers: Offers2[]
buyOffers: Offers2[]
totalSell: number
totalBuy: number
marker?: string
}
"GET /nft/offers/buy/{nftId}": GETNftOffersBuyNftId
"GET /nft/offers/sell/{nftId}": GETNftOffersBuyNftId
"GET /nft/history": GETNftHistory
"GET /nft/history/{nftId}": GETNftHistory
"GET /nft/activity": GETNftHistory
"GET /nft/transactions/{hash}": {
success: true
attribution?: string
took: number
hash: string
ledger_index: number
count: number
transactions: Nfts[]
}
"GET /nft/{nftId}": {
success: true
attribution?: string
took: number
_id: string
NFTokenID: string
account?: string
issuer: string
taxon: number
cid: string
cslug: string
total: number
flags: number
royalty: number
transferFee: number
sequence: number
serial: number
is_burned: boolean
status: ("live" | "burned")
date?: number
burnedAt?: number
modifiedAt?: number
scam: boolean
scamType?: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
volume: number
url?: string
cost?: Cost
cfloor?: {
amount: number
}
name?: string
collection?: (string | Record<string, unknown>)
collectionVerified?: boolean
meta?: Record<string, unknown>
files?: Files[]
rarity_rank?: number
props?: Props[]
offers: Offers2[]
}
"GET /nft/collections/sparkline/batch": {
success: true
attribution?: string
took: number
data: {
[k: string]: {
prices: number[]
chartColor: string
}
}
count: number
period: string
}
"GET /nft/collections/{slug}/ohlc": {
success: true
attribution?: string
took: number
ohlc: {
t: string
o: number
h: number
l: number
c: number
v: number
s: number
lo?: number
bo?: number
ho?: number
}[]
count: number
total: number
resolution: string
range: string
limit: number
offset: number
cb?: number
truncated?: boolean
}
"GET /nft/collections/{slug}/ohlc/{date}/sales": {
success: true
attribution?: string
took: number
date: string
interval: ("5" | "15" | "30" | "60" | "240" | "D" | "W")
total: number
limit: number
offset: number
sortBy: ("costXRP" | "time")
sales: {
NFTokenID: string
serial: number
costXRP: number
time: number
buyer: string
seller: string
name?: string
thumbnail?: {
small: string
medium: string
}
}[]
}
"GET /nft/collections/{slug}/sparkline": {
success: true
attribution?: string
took: number
data: {
prices: number[]
timestamps?: number[]
}
chartColor: string
period: string
maxPoints: number
}
"GET /nft/collections/{slug}/mints": {
success: true
attribution?: string
took: number
minted: number
burned: number
mints: {
date: string
mints: number
burns: number
}[]
truncated?: boolean
}
"GET /nft/collections/{slug}/ownership": {
success: true
attribution?: string
took: number
totalNFTs: number
totalOwners: number
limit: number
owners: Owners[]
topShare: number
}
"GET /nft/collections/{slug}/listings/distribution": {
success: true
attribution?: string
took: number
floor?: number
total: number
buckets: {
upTo: (number | null)
maxPrice: (number | null)
count: number
}[]
}
"GET /nft/collections/{slug}/floor/history": GETNftCollectionsSlugFloorHistory
"GET /nft/floor/history/{cid}": GETNftCollectionsSlugFloorHistory
"GET /nft/collections/{slug}/listings/history": {
success: true
attribution?: string
took: number
cid: string
slug: string
count: number
history: {
date: string
time: number
listed: number
bids: number
floor: (number | null)
}[]
}
"GET /nft/collections/{slug}/holders/history": {
success: true
attribution?: string
took: number
cid: string
slug: string
count: number
history: {
date: string
time: number
holders: number
}[]
}
"GET /nft/collections/{slug}/nfts": {
success: true
attribution?: string
took: number
nfts: {
_id?: string
NFTokenID?: string
account?: string
issuer?: string
taxon?: number
cid?: string
cslug?: string
total?: number
flags?: number
royalty?: number
transferFee?: number
sequence?: number
serial?: number
is_burned?: boolean
status?: ("live" | "burned")
date?: number
burnedAt?: number
modifiedAt?: number
scam?: boolean
scamType?: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
volume?: number
url?: string
cost?: Cost
cfloor?: {
amount: number
}
name?: string
collection?: (string | Record<string, unknown>)
collectionVerified?: boolean
meta?: Record<string, unknown>
files?: Files[]
rarity_rank?: number
props?: Props[]
}[]
count: number
total: number
sort: ("minted-latest" | "minted-earliest" | "activity" | "price-low" | "price-high" | "offer-low" | "offer-high" | "rarity-rare" | "rarity-common" | "volume-high" | "volume-low" | "recent-sale" | "recent-listed")
hasMore: boolean
pagination: {
total: number
totalPages: number
offset: number
limit: number
hasMore: boolean
}
}
"GET /nft/collections/{slug}/traits": {
success: true
attribution?: string
took: number
traits: {
type: string
values: {
value: string
count: number
}[]
total: number
without: number
}[]
count: number
known: number
total: number
truncated?: boolean
}
"GET /nft/analytics/collection/{slug}/traders": {
success: true
attribution?: string
took: number
traders: {
address: string
vol24h: number
vol7d: number
vol30d: number
volAll: number
trades24h: number
trades7d: number
trades30d: number
tradesAll: number
profit24h: number
profit7d: number
profit30d: number
profitAll: number
buyVolume: number
buys: number
sellVolume: number
sells: number
flips: number
profit: number
roi: (number | null)
winRate: (number | null)
lastTrade: number
}[]
count: number
total: number
offset: number
limit: number
interval: string
sort: ("volAll" | "vol24h" | "vol7d" | "vol30d" | "profitAll" | "profit24h" | "profit7d" | "profit30d" | "tradesAll" | "trades24h" | "trades7d" | "trades30d" | "buyVolume" | "sellVolume" | "flips" | "roi" | "winRate" | "lastTrade")
truncated?: boolean
}
"POST /nft/collections/{slug}/metadata": {
success: true
attribution?: string
took: number
updated: string[]
}
"GET /nft/collections": {
success: true
attribution?: string
took: number
collections: {
_id: string
slug: string
account?: string
accountName?: string
issuer: string
taxon: number
created?: number
items: number
owners: number
burnedItems?: number
floor?: number
otherFloors?: Cost[]
floor24hAgo?: number
floor1dPercent?: number
floor7dPercent?: number
floor30dPercent?: number
totalVol24h: number
volume?: number
totalVolume: number
sales24h?: number
totalSales?: number
listedCount?: number
topOffer?: {
amount: number
}
offers?: number
transferFee?: number
royaltyFee?: number
totalRoyalties?: number
totalBrokerFees?: number
totalFees?: number
origin?: string
marketcap?: {
amount: number
}
trendingScore?: number
name?: string
description?: string
category?: string
logoImage?: string
website?: string
twitter?: string
tags?: string[]
sources?: {
[k: string]: string
}
verified?: boolean
intervalVolume?: number
intervalSales?: number
}[]
count: number
total: number
sort: string
order: string
tagName?: string
minOwners: number
tags: {
tag: string
count: number
}[]
pagination: Pagination2
globalMetrics?: {
total24hVolume: number
total24hSales: number
volumePct: (number | null)
salesPct: (number | null)
totalCollections: number
activeCollections24h: number
total24hMints: number
total24hBrokerFees: number
total24hRoyalties: number
sentimentScore: (number | null)
marketRSI: (number | null)
daily: Daily[]
volumeHistory: VolumeHistory[]
lastUpdated: number
}
collectionCreation?: {
date: string
totalCollections: number
totalItems: number
mints: number
sales: number
volume: number
uniqueCollections: number
topCollections: {
slug: string
name?: string
logoImage?: string
items: number
volume: number
}[]
}[]
}
"GET /nft/collections/resolve": {
success: true
attribution?: string
took: number
_id: string
slug: string
account: string
accountName?: string
issuer: string
taxon: number
created?: number
items: number
owners: number
burnedItems: number
floor?: number
otherFloors?: Cost[]
floor24hAgo?: number
floor1dPercent?: number
floor7dPercent?: number
floor30dPercent?: number
totalVol24h: number
volume: number
totalVolume: number
sales24h: number
totalSales: number
listedCount: number
topOffer?: {
amount: number
}
offers: number
transferFee?: number
royaltyFee?: number
totalRoyalties: number
totalBrokerFees: number
totalFees: number
origin?: string
marketcap?: {
amount: number
}
trendingScore: number
name?: string
description?: string
category?: string
logoImage?: string
website?: string
twitter?: string
tags?: string[]
sources?: {
[k: string]: string
}
verified: boolean
}
"GET /nft/collections/{slug}": {
success: true
attribution?: string
took: number
_id: string
slug: string
account: string
accountName?: string
issuer: string
taxon: number
created?: number
items: number
owners: number
burnedItems: number
floor?: number
otherFloors?: Cost[]
floor24hAgo?: number
floor1dPercent?: number
floor7dPercent?: number
floor30dPercent?: number
totalVol24h: number
volume: number
totalVolume: number
sales24h: number
totalSales: number
listedCount: number
topOffer?: {
amount: number
}
offers: number
transferFee?: number
royaltyFee?: number
totalRoyalties: number
totalBrokerFees: number
totalFees: number
origin?: string
marketcap?: {
amount: number
}
trendingScore: number
name?: string
description?: string
category?: string
logoImage?: string
website?: string
twitter?: string
tags?: string[]
sources?: {
[k: string]: string
}
verified: boolean
nfts?: Nfts2[]
nftLimit?: number
}
"GET /nft/collections/{slug}/metrics": {
success: true
attribution?: string
took: number
_id: string
slug: string
account: string
accountName?: string
issuer: string
taxon: number
created?: number
items: number
owners: number
burnedItems: number
floor?: number
otherFloors?: Cost[]
floor24hAgo?: number
floor1dPercent?: number
floor7dPercent?: number
floor30dPercent?: number
totalVol24h: number
volume: number
totalVolume: number
sales24h: number
totalSales: number
listedCount: number
topOffer?: {
amount: number
}
offers: number
transferFee?: number
royaltyFee?: number
totalRoyalties: number
totalBrokerFees: number
totalFees: number
origin?: string
marketcap?: {
amount: number
}
trendingScore: number
name?: string
description?: string
category?: string
logoImage?: string
website?: string
twitter?: string
tags?: string[]
sources?: {
[k: string]: string
}
verified: boolean
listedPct: number
uniqueOwnersPct: number
windows: {
"24h": H4
"7d": H4
"30d": H4
all: H4
}
royalties: number
brokerFees: number
truncated?: boolean
}
"GET /nft/collections/{slug}/traders": {
success: true
attribution?: string
took: number
traders: {
address: string
volume: number
buyVolume: number
buys: number
sellVolume: number
sells: number
flips: number
profit: number
roi: (number | null)
winRate: (number | null)
lastTrade: number
}[]
count: number
total: number
limit: number
sort: string
truncated?: boolean
}
"GET /nft/collections/{slug}/orderbook": {
success: true
attribution?: string
took: number
asks: Asks[]
bids: Asks[]
totalAsks: number
totalBids: number
limit: number
}
"GET /nft/collections/{slug}/history": {
success: true
attribution?: string
took: number
history: Nfts[]
count: number
total: number
since?: number
sinceLedger: number
pagination: Pagination2
truncated?: boolean
}
"GET /nft/holders/address/{account}": {
success: true
attribution?: string
took: number
account: string
totalCollections: number
offset: number
limit: number
holdings: {
cid: string
slug: string
name?: string
logoImage?: string
count: number
rank: number
percentage: number
}[]
}
"GET /nft/holders/{slug}/distribution": {
success: true
attribution?: string
took: number
cid: string
slug: string
account: string
taxon: number
name?: string
logoImage?: string
stats: Stats
topHolders: Owners[]
offset: number
limit: number
distribution: {
whales: Whales
orcas: Whales
dolphins: Whales
fish: Whales
shrimp: Whales
}
}
"GET /nft/holders/{slug}": {
success: true
attribution?: string
took: number
cid: string
slug: string
account: string
taxon: number
name?: string
logoImage?: string
stats: Stats
topHolders: Owners[]
changes: {
ownersChange: number
since: number
gainers: Gainers[]
losers: Gainers[]
newOwners: {
address: string
count: number
}[]
exitedOwners: {
address: string
had: number
}[]
summary: {
gainers: number
losers: number
newOwners: number
exitedOwners: number
}
}
pagination: {
total: number
pages: number
offset: number
limit: number
}
}
"POST /nft/pin": {
success: true
attribution?: string
took: number
hash: string
status: ("queued" | "pinning" | "pinned" | "failed" | "unknown")
requestedAt?: number
pinnedAt?: number
attempts?: number
error?: string
}
"GET /nft/pin/status/{hash}": {
success: true
attribution?: string
took: number
hash: string
status: ("queued" | "pinning" | "pinned" | "failed" | "unknown")
requestedAt?: number
pinnedAt?: number
attempts?: number
error?: string
pinned?: boolean
}
"GET /scams/addresses": {
success: true
attribution?: string
took: number
category?: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
page: number
limit: number
count: number
total: number
updated_at: (number | null)
addresses: string[]
entries?: Entries[]
}
"GET /scams/check/{account}": {
success: true
attribution?: string
took: number
account: string
is_scam: boolean
category?: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
reasons: Entries[]
suspected: Entries[]
exists: boolean
first_seen: (number | null)
age_seconds: (number | null)
new_account: boolean
}
"GET /scams/memo-spam": {
success: true
attribution?: string
took: number
page: number
limit: number
count: number
total: number
accounts: {
account: string
tx_count: number
unique_destinations: number
memo_samples: string[]
}[]
}
"GET /scams/tokens": {
success: true
attribution?: string
took: number
issuer: string
page: number
limit: number
count: number
total: number
tokens: Issued[]
}
"GET /scams": {
success: true
attribution?: string
took: number
overview: {
scan_window_days?: number
last_scan?: number
total_xrp_stolen: number
wallet_drainers: {
xrp_stolen: number
victims: number
accounts_flagged: number
}
nft_scams: {
xrp_stolen: number
victims: number
scam_accounts: number
scam_sales: number
}
token_scams: {
fake_tokens: number
scam_issuers: number
affected_holders: number
}
memo_spam: {
flagged_accounts: number
total_spam_txs: number
unique_destinations: number
}
domain_monitoring: {
scam_domains: number
}
blocklist: number
}
top_scammers: {
account: string
xrp_stolen: number
sales: number
}[]
top_victims: {
account: string
xrp_lost: number
purchases: number
}[]
domains: Domains[]
how_to_report: {
description: string
steps: string[]
}
rules: {
name: string
category: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
verified: boolean
definition: string
source: string
}[]
}
"GET /scams/domains": {
success: true
attribution?: string
took: number
page: number
limit: number
count: number
total: number
domains: Domains[]
}
"GET /scams/nft": {
success: true
attribution?: string
took: number
page: number
limit: number
count: number
total: number
accounts: Accounts[]
suspected: Entries[]
}
"GET /nft/scam": {
success: true
attribution?: string
took: number
scam_accounts: number
offers: number
victims: number
scam_sales: number
xrp: number
suspected: number
accounts: Accounts[]
}
"GET /scams/report-scam": {
success: true
attribution?: string
took: number
page: number
limit: number
count: number
total: number
reports: Reports[]
}
"GET /scams/report/{domain}": {
success: true
attribution?: string
took: number
domain: string
reported: boolean
confirmations: number
report?: Reports
found?: Domains
}
"PATCH /scams/report/{domain}": {
success: true
attribution?: string
took: number
report: Reports
}
"POST /scams/report": {
success: true
attribution?: string
took: number
recorded: boolean
report: Reports
}
"GET /amm/liquidity-chart": {
success: true
attribution?: string
took: number
ledger_index?: number
period: string
poolType: string
length: number
data: {
date: string
xrpLiquidity?: number
tokenLiquidity?: number
tvl: number
volume: number
fees: number
apr: number
poolCount: number
}[]
}
"POST /account/path-find": {
success: true
attribution?: string
took: number
ledger_index?: number
source_account: string
destination_account: string
destination_amount: (string | Balance)
destination_currencies: string[]
alternatives: {
source_amount: (string | Balance)
paths_computed: PathsComputed[][]
paths_canonical: PathsComputed[][]
}[]
warnings: Warnings[]
status: "success"
}
"GET /platform-stats": {
success: true
attribution?: string
took: number
ledger_index?: number
period: string
from: number
since?: number
totals: {
txCount: number
trades: number
volume: number
buyVolumeXrp: number
sellVolumeXrp: number
uaw: number
uniqueTraders: number
}
platforms: Platforms[]
}
"GET /platform-stats/detail/{sourceTag}": {
success: true
attribution?: string
took: number
ledger_index?: number
sourceTag: number
name: string
slug: string
period: string
from: number
since?: number
limit: number
count: number
total: number
summary: Platforms
tokens: {
md5: string
currency: string
issuer: string
name: string
trades: number
volume: number
buyVolumeXrp: number
sellVolumeXrp: number
}[]
}
"GET /platform-stats/hourly/{sourceTag}": {
success: true
attribution?: string
took: number
ledger_index?: number
sourceTag: number
name: string
slug: string
period: string
from: number
since?: number
length: number
hourly: {
time: number
txCount: number
trades: number
volume: number
buyVolumeXrp: number
sellVolumeXrp: number
uaw: number
uniqueTraders: number
}[]
}
"GET /platform-report": {
success: true
attribution?: string
took: number
ledger_index?: number
date: string
from: number
to: number
generatedAt: number
totalDurationMs: number
errors: string[]
market: {
tradedXRP24H: number
trades24H: number
uniqueTraders24H: number
activeTokens24h: number
totalTokens?: number
totalMarketcap?: number
totalTVL?: number
transactions24H?: number
}
revenue: {
xrpUsdRate?: number
}
ammOverview?: {
activePools: number
totalLiquidityXRP: number
avgTradingFee?: number
topPoolsByApy7d: {
_id: string
assets: Record<string, unknown>[]
apy7d: number
liquidityXRP: number
tradingFee?: number
}[]
}
platforms: {
sourceTag: number
name: string
slug: string
trades: number
volume: number
}[]
launchpads: {
platform: string
total: number
active24h: number
totalVol24h: number
holdersAbove10?: number
successRate?: number
avgMarketcap?: number
}[]
tokenNameThemes: {
totalScanned: number
rankings: {
byVolume: string[]
}
themes: Record<string, unknown>
}
topTokens: {
byVolume: ByVolume[]
byMarketcap?: ByVolume[]
byHolders?: ByVolume[]
byPriceGrowth?: ByVolume[]
newWithTraction: ByVolume[]
}
nameLengthSuccess: {
length: number
count: number
active24h: number
activeRate: number
avgVol24hXRP: number
holdersAbove10?: number
successRate?: number
avgMarketcap?: number
avgHolders?: number
mcapAbove5k?: number
mcapAbove5kRate?: number
}[]
creatorBehavior: {
last24h: {
_id: string
count: number
totalXrp: number
}[]
topExtractorsAllTime: {
_id: string
actionCount: number
totalXrpExtracted: number
}[]
}
riskMetrics: {
totalTraders: number
netProfitAllTraders?: number
totalWinners?: number
totalLosers?: number
totalDexVolume: number
totalAmmVolume: number
defunctTokenCount?: number
collapsedTokenCount?: number
}
dailyNewTokens: {
avgDailyCreation: number
last7Days: {
date: string
count: number
platforms: {
[k: string]: number
}
}[]
}
historicalDeltas: {
available: boolean
yesterdayStr: string
deltas: Record<string, unknown>
}
}
"GET /platform-report/dates": {
date: string
generatedAt: number
durationMs: (number | null)
errorCount: number
}[]
"GET /submit/tx/{hash}": GETSubmitTxHash
"GET /submit/ledger-entry/check/{checkId}": GETSubmitLedgerEntryCheckCheckId
"GET /ledger": {
success: true
attribution?: string
took: number
ledger_index: number
ledger_hash: string
close_time: number
close_time_human: string
parent_hash: string
total_coins: string
txn_count: number
validated: boolean
reserve_base_drops: number
reserve_inc_drops: number
}
"GET /ledger/{index}": {
success: true
attribution?: string
took: number
ledger_index: number
ledger_hash: string
parent_hash: string
account_hash: string
transaction_hash: string
close_time: number
close_time_human: string
close_time_iso: string
close_time_resolution: number
close_flags: number
parent_close_time: number
total_coins: string
txn_count: number
closed: boolean
validated: boolean
transactions?: (string | {
tx_json: Record<string, unknown>
meta: Record<string, unknown>
hash: string
})[]
}
"GET /ledger/at": {
success: true
attribution?: string
took: number
ledger_index: number
close_time: number
clampedToHead?: boolean
clampedToGenesis?: boolean
}
"GET /ledger/entry": GETSubmitLedgerEntryCheckCheckId
"GET /tx/{hash}": GETSubmitTxHash
"POST /submit": POSTSubmit
"POST /submit/preview": {
success: true
attribution?: string
took: number
engine_result: string
engine_result_code?: number
engine_result_message: string
meta?: Record<string, unknown>
tx_json: Record<string, unknown>
sender_after: ({
balance: string
reserve: string
spendable: string
} | null)
}
"GET /submit/fee": {
success: true
attribution?: string
took: number
base_fee: string
median_fee: string
minimum_fee: string
open_ledger_fee: string
current_ledger: number
current_queue_size: number
max_queue_size: number
}
"GET /submit/account/{address}/sequence": {
success: true
attribution?: string
took: number
sequence: number
ledger_index: number
balance: string
ownerCount: number
flags: number
regularKey: (string | null)
cached?: boolean
}
"GET /submit/account/{address}/inbound-tags": {
success: true
attribution?: string
took: number
account: string
sampleSize: number
tagged: number
taggedPct: number
distinctSenders: number
tagsExpected: boolean
}
"GET /submit/types": {
success: true
attribution?: string
took: number
types: string[]
examples: Record<string, unknown>
pool_size: number
}
"POST /rpc": POSTRpc
"GET /testnet/tokens": {
success: true
attribution?: string
took: number
tokens: Tokens3[]
count: number
total: number
page: number
limit: number
sortBy: ("vol24h" | "holders" | "trades24h" | "trustlines" | "tvl" | "firstSeen")
}
"GET /testnet/tokens/{md5}": {
success: true
attribution?: string
took: number
token: Tokens3
pool: (Pool | null)
}
"GET /testnet/tokens/{md5}/holders": {
success: true
attribution?: string
took: number
holders: {
account: string
balance: string
limit: (string | null)
time: (number | null)
}[]
count: number
total: number
page: number
limit: number
}
"GET /testnet/tokens/{md5}/offers": {
success: true
attribution?: string
took: number
bids: Bids[]
asks: Bids[]
limit: number
}
"GET /testnet/tokens/{md5}/trades": {
success: true
attribution?: string
took: number
trades: Trades[]
count: number
total: number
page: number
limit: number
}
"GET /testnet/tokens/{md5}/ohlc": {
success: true
attribution?: string
took: number
interval: "5m"
limit: number
candles: {
time: number
open: number
high: number
low: number
close: number
xrp_volume: number
trades: number
vwap: (number | null)
}[]
}
"GET /testnet/accounts/{address}": {
success: true
attribution?: string
took: number
account: {
account: string
balance: number
total: number
balanceDrops: string
spendableDrops: string
ownerCount: number
sequence: number
flags: number
reserve: number
reserveDrops: string
inception: (number | null)
parent: (string | null)
}
lines: Lines[]
offers: Offers[]
trades: Trades[]
}
"GET /testnet/amm": {
success: true
attribution?: string
took: number
pools: Pool[]
count: number
total: number
page: number
limit: number
}
"GET /testnet/amm/{account}": {
success: true
attribution?: string
took: number
pool: Pool
}
"GET /testnet/nft/collections": {
success: true
attribution?: string
took: number
collections: Collections[]
count: number
total: number
page: number
limit: number
sortBy: ("volume" | "items" | "sales" | "time" | "vol24h" | "sales24h" | "owners")
}
"GET /testnet/nft/collections/{id}": {
success: true
attribution?: string
took: number
collection: Collections
}
"GET /testnet/nft/collections/{id}/nfts": {
success: true
attribution?: string
took: number
nfts: {
_id: string
owner: string
minter: string
URI: (string | null)
serial: number
minted: (number | null)
}[]
count: number
total: number
page: number
limit: number
}
"GET /testnet/nft/history": {
success: true
attribution?: string
took: number
history: {
type: ("MINT" | "BURN" | "LIST" | "BID" | "CANCEL" | "SALE" | "TRANSFER" | "MODIFY")
NFTokenID: string
cid: string
account: string
buyer: (string | null)
seller: (string | null)
amount: (Cost | null)
broker: (string | null)
hash: string
ledger: number
time: number
}[]
count: number
total: number
page: number
limit: number
truncated?: boolean
}
"GET /testnet/nft/{id}": {
success: true
attribution?: string
took: number
nft: Nfts2
offers: Offers2[]
}
"GET /testnet/nft/{id}/offers": {
success: true
attribution?: string
took: number
sell: Offers2[]
buy: Offers2[]
count: number
}
"GET /testnet/fixtures": {
success: true
attribution?: string
took: number
network_id: number
generated_at: number
age_seconds: number
population: Record<string, unknown>
accounts: {
issuer: string
holders: string[]
trader: string
busy: string[]
}
tokens: Record<string, unknown>[]
more_tokens: Record<string, unknown>[]
projects: Record<string, unknown>[]
collections: Record<string, unknown>[]
nft: (string | null)
objects: Record<string, unknown>
catalogue: Record<string, unknown>[]
weeks: Record<string, unknown>
scenarios: Record<string, unknown>[]
}
"GET /testnet/health": {
success: true
attribution?: string
took: number
ok: boolean
validated: number
node: {
state: string
networkId: number
ledgers: string
}
stages: {
tokens: Tokens4
nfts: Tokens4
}
}
"GET /testnet/tx/{hash}": {
success: true
attribution?: string
took: number
validated: boolean
ledger: number
result: string
transaction: Record<string, unknown>
meta: Record<string, unknown>
}
"POST /testnet/rpc": POSTRpc
"POST /testnet/submit": POSTSubmit
"GET /testnet/{address}": {
success: true
attribution?: string
took: number
address: string
activated: boolean
balance: string
balanceXRP: number
reserve: {
baseReserveXRP: number
ownerReserveXRP: number
ownerCount: number
totalReserveXRP: number
}
available: {
drops: string
xrp: number
}
sequence: (number | null)
domain: (string | null)
domainHex: (string | null)
flags: number
ledgerIndex: number
}
"GET /faucet": {
success: true
attribution?: string
took: number
address: string
balance: number
defaultAmount: number
maxAmount: number
}
"POST /faucet": {
success: true
attribution?: string
took: number
hash: string
destination: string
amount: number
cooldownHours: number
}
"POST /keys": {
success: true
attribution?: string
took: number
apiKey: string
keyPrefix: string
id: string
wallet: string
tier: ("anonymous" | "free" | "developer" | "partner" | "business" | "professional" | "enterprise")
credits: number
project: (Project | null)
}
"GET /keys/{wallet}": {
success: true
attribution?: string
took: number
keys: Keys[]
count: number
tier: ("anonymous" | "free" | "developer" | "partner" | "business" | "professional" | "enterprise")
credits: number
}
"DELETE /keys/{wallet}/{id}": {
success: true
attribution?: string
took: number
id: string
status: ("revoked" | "deleted")
revoked: boolean
deleted: boolean
}
"PUT /keys/{wallet}/{id}": {
success: true
attribution?: string
took: number
key: Keys
}
"GET /keys/{wallet}/credits": {
success: true
attribution?: string
took: number
balance: number
tier: ("anonymous" | "free" | "developer" | "partner" | "business" | "professional" | "enterprise")
isAdmin: boolean
allowance: number
used: number
purchased: number
billingCycle: BillingCycle
}
"GET /keys/{wallet}/usage": {
success: true
attribution?: string
took: number
keys: {
id: string
name: string
keyPrefix: string
tier: ("anonymous" | "free" | "developer" | "partner" | "business" | "professional" | "enterprise")
today: {
used: number
limit: number
credits: number
}
total: number
}[]
endpointUsage: Record<string, unknown>
usage: {
date: string
requests: number
credits: number
}[]
}
"GET /keys/{wallet}/logs": {
success: true
attribution?: string
took: number
count: number
logs: {
time: number
keyId: string
keyPrefix: string
endpoint: string
outcome: ("admitted" | "rate_limited" | "payment_required" | "forbidden")
}[]
}
"GET /keys/costs": {
success: true
attribution?: string
took: number
count: number
costs: {
method: string
path: string
credits: number
bucket: string
}[]
websocketMessage: number
}
"POST /feedback": {
success: true
attribution?: string
took: number
recorded: boolean
requestId: string
kind: ("missing_endpoint" | "missing_field" | "missing_parameter" | "wrong_value")
}
"GET /udf/config": {
supported_resolutions: string[]
supports_search: boolean
supports_group_request: boolean
supports_marks: boolean
supports_timescale_marks: boolean
supports_time: boolean
exchanges: Record<string, unknown>[]
symbols_types: Record<string, unknown>[]
}
"GET /udf/symbols": {
name: string
ticker: string
description: string
type: string
session: string
timezone: string
exchange: string
listed_exchange: string
format: string
minmov: number
pricescale: number
has_intraday: boolean
has_daily: boolean
has_weekly_and_monthly: boolean
intraday_multipliers: string[]
supported_resolutions: string[]
volume_precision: number
data_status: string
currency_code: string
}
"GET /udf/search": {
symbol: string
full_name: string
description: string
exchange: string
ticker: string
type: string
}[]
"GET /udf/history": {
s: ("ok" | "no_data")
t?: number[]
o?: number[]
h?: number[]
l?: number[]
c?: number[]
v?: number[]
nextTime?: number
}
"GET /tickers/coingecko": {
ticker_id: string
base_currency: string
target_currency: string
pool_id?: string
last_price?: string
base_volume: string
target_volume: string
bid?: string
ask?: string
high?: string
low?: string
liquidity_in_usd?: string
}[]
"GET /tickers/coinmarketcap": {
trading_pairs: string
base_currency: string
quote_currency: string
last_price?: number
lowest_ask?: number
highest_bid?: number
base_volume: number
quote_volume: number
price_change_percent_24h?: number
highest_price_24h?: number
lowest_price_24h?: number
}[]
"GET /keys/tiers": {
success: true
attribution?: string
took: number
tiers: {
name: ("anonymous" | "free" | "developer" | "partner" | "business" | "professional" | "enterprise")
price: (number | null)
priceYearly: (number | null)
priceXrp: (string | null)
priceXrpYearly: (string | null)
credits: (number | null)
perSecond: (number | null)
burst: (number | null)
perMinute: (number | null)
perDay: (number | null)
multiplier: (number | null)
submitPerSecond: (number | null)
scope: ("ip" | "key")
keys: number
}[]
endpoints: {
prefix: string
perMinute: {
anonymous: (number | null)
free: (number | null)
developer: (number | null)
partner: (number | null)
business: (number | null)
professional: (number | null)
enterprise: (number | null)
}
scope: ("ip" | "tier")
}[]
paymentAddress: (string | null)
xrpRate: (number | null)
}
"GET /keys/packages": {
success: true
attribution?: string
took: number
packages: {
name: string
credits: number
price: number
priceXrp: (string | null)
}[]
xrpRate: (number | null)
}
"POST /keys/purchase": POSTKeysPurchase
"GET /keys/purchase/{invoiceId}": POSTKeysPurchase
"POST /keys/verify-payment": {
success: true
attribution?: string
took: number
status: "applied"
creditsAdded: number
newBalance: number
tier: string
invoiceId: string
message: string
}
"GET /keys/xrp/status/{txHash}": {
success: true
attribution?: string
took: number
txHash: string
status: ("applied" | "short" | "late" | "before_invoice" | "already_paid" | "unknown_tag" | "no_tag" | "wrong_currency")
ledger_index: number
time: number
from: string
destinationTag?: number
amount: string
invoiceId?: string
applied: boolean
}
"GET /keys/payment/{txHash}": {
success: true
attribution?: string
took: number
payment: Payment
invoice: ({
id: string
number?: number
wallet: string
type: ("credits" | "tier")
package?: string
credits?: number
tier?: string
billing?: ("monthly" | "yearly")
status: ("created" | "applied" | "expired" | "refunded")
method: ("xrp" | "card")
price: number
currency: string
amount?: string
received?: string
destinationTag?: number
createdAt: number
expiresAt: number
paidAt?: number
paidBy?: string
refundedAt?: number
} | null)
}
"GET /keys/payments/{wallet}": {
success: true
attribution?: string
took: number
total: number
offset: number
limit: number
payments: Payment[]
}
"GET /keys/invoices/{paymentId}": {
success: true
attribution?: string
took: number
invoice: {
id: string
number?: number
wallet: string
type: ("credits" | "tier")
package?: string
credits?: number
tier?: string
billing?: ("monthly" | "yearly")
status: ("created" | "applied" | "expired" | "refunded")
method: ("xrp" | "card")
price: number
currency: string
amount?: string
received?: string
destinationTag?: number
createdAt: number
expiresAt: number
paidAt?: number
paidBy?: string
refundedAt?: number
seller: {
name: string
address: (string | null)
}
}
}
"POST /keys/card/checkout": {
success: true
attribution?: string
took: number
checkoutUrl: string
sessionId: string
invoiceId: string
price: number
expiresAt: number
}
"GET /keys/card/status/{sessionId}": {
success: true
attribution?: string
took: number
status: ("unpaid" | "complete" | "expired" | "refunded")
type: ("credits" | "tier")
credits?: number
tier: string
balance: number
invoiceId: string
}
"POST /keys/card/webhook": {
success: true
attribution?: string
took: number
received: boolean
}
"GET /keys/{wallet}/subscription": {
success: true
attribution?: string
took: number
subscription: {
tier: string
billing: (("monthly" | "yearly") | null)
credits: number
billingCycle: (BillingCycle | null)
terms: {
tier: string
billing: ("monthly" | "yearly")
start: number
end: number
}[]
}
billingCycle: (BillingCycle | null)
partnerRequest: (PartnerRequest | null)
}
"POST /keys/{wallet}/partner-request": {
success: true
attribution?: string
took: number
partnerRequest: PartnerRequest
}
"GET /keys/partner-requests": {
success: true
attribution?: string
took: number
status: string
limit: number
requests: {
wallet: string
tier: string
contact: string
request: PartnerRequest
}[]
}
"POST /keys/partner-requests/{wallet}/approve": POSTKeysPartnerRequestsWalletApprove
"POST /keys/partner-requests/{wallet}/decline": POSTKeysPartnerRequestsWalletApprove
"POST /keys/{wallet}/tier": {
success: true
attribution?: string
took: number
wallet: string
tier: string
}
"POST /mcp": {
jsonrpc: "2.0"
id: (string | number | null)
result?: Record<string, unknown>
error?: {
code: number
message: string
data?: Record<string, unknown>
}
}
}
export interface Database {
status: string
latency: number
}
export interface Tokens {
md5?: string
issuer?: string
currency?: string
name?: string
user?: string
slug?: string
tokenType?: string
mptIssuanceID?: string
metadata?: Metadata
assetScale?: number
icon?: string
imgUpdated?: number
origin?: string
verified?: number
kyc?: boolean
xVerified?: boolean
tags?: string[]
dateon?: number
date?: string
domain?: string
creator?: string
social?: Social
sources?: Sources
whitepaper?: string
linkedCollections?: LinkedCollections[]
exch?: (string | number)
usd?: string
marketcap?: number
dom?: number
pro5m?: number
pro1h?: number
pro24h?: number
pro7d?: number
pro30d?: number
/**
 * @minItems 2
 * @maxItems 2
 */
maxMin24h?: [number, number]
athDistance?: number
athMarketcap?: number
amount?: string
supply?: string
vol24hxrp?: number
vol24htx?: number
vol24h?: number
vol6hxrp?: number
vol7dxrp?: number
vol24hAMM?: number
vol24hOrderbook?: number
liquidityRatio?: number
holders?: number
trustlines?: number
gini?: number
hhi?: number
top10?: number
creatorHoldingPercent?: number
holders24h?: number
trustlines24h?: number
uniqueTraders24h?: number
uniqueBuyers24h?: number
uniqueSellers24h?: number
buy24hxrp?: number
sell24hxrp?: number
buy24htx?: number
sell24htx?: number
buyTxns24h?: number
sellTxns24h?: number
txns24h?: number
deposit24hxrp?: number
deposit24htx?: number
withdraw24hxrp?: number
withdraw24htx?: number
buyerPressure?: number
tvl?: number
tvlChange24h?: number
isOMCF?: string
tradingFee?: number
AMM?: string
depthPlus2?: number
depthMinus2?: number
lpHolderCount?: number
lpBurnedPercent?: number
lpBurnedAmount?: number
lpBurnedHolders?: number
issuer_info?: IssuerInfo
rsi15m?: number
rsi1h?: number
rsi4h?: number
rsi24h?: number
rsi7d?: number
rsi30d?: number
rsi90d?: number
views24h?: number
trendingScore?: number
assessmentScore?: number
_id?: string
id?: number
p5m?: number
p1h?: number
p24h?: number
p7d?: number
marketcap24h?: number
vol24hx?: number
vol24hxrpAMM?: number
offers?: number
creatorTokenCount?: number
creatorExchange?: string
}
export interface Metadata {
name?: string
ticker?: string
}
export interface Social {
twitter?: string
telegram?: string
discord?: string
website?: string
github?: string
reddit?: string
facebook?: string
linkedin?: string
instagram?: string
youtube?: string
medium?: string
tiktok?: string
twitch?: string
}
export interface Sources {
user?: ("ledger" | "service" | "xrp-ledger.toml")
domain?: ("ledger" | "service" | "xrp-ledger.toml")
icon?: ("ledger" | "service" | "xrp-ledger.toml")
website?: ("ledger" | "service" | "xrp-ledger.toml")
description?: ("ledger" | "service" | "xrp-ledger.toml")
}
export interface LinkedCollections {
slug?: string
issuer?: string
taxon?: number
}
export interface IssuerInfo {
blackholed?: boolean
domain?: string
tickSize?: number
globalFreeze?: boolean
requireAuth?: boolean
disableMaster?: boolean
depositAuth?: boolean
requireDestTag?: boolean
disallowXRP?: boolean
noFreeze?: boolean
defaultRipple?: boolean
transferRate?: number
}
export interface Exch {
USD?: number
EUR?: number
JPY?: number
CNY?: number
}
export interface H {
_id: string
transactions24H: number
tradedXRP24H: number
tradedTokens24H: number
activeAddresses24H: number
uniqueTraders24H: number
globalBuy24hxrp: number
globalSell24hxrp: number
totalAddresses: number
totalOffers: number
totalTrustLines: number
totalTVL: number
lastUpdated: string
updateStatus: string
xrpPro24h?: number
}
export interface Global {
_id: string
total: number
gMarketcap: number
gMarketcapPro?: number
gDexVolume: number
gDexVolumePro?: number
gStableVolume: number
gStableVolumePro?: number
gMemeVolume: number
gMemeVolumePro?: number
gTVL: number
gTVLPro?: number
gXRPdominance?: number
gXRPdominancePro?: number
sentimentScore?: number
avgRSI?: number
totalAddresses: number
totalOffers: number
totalTrustLines: number
}
export interface Cost {
amount: number
currency: string
issuer: string
}
export interface Files {
type: "image"
thumbnail: {
small: string
medium: string
large: string
}
convertedFile: string
}
export interface Props {
type: string
value: string
count: number
}
export interface Pools {
_id: string
ammAccount: string
asset1: Asset
asset2: Asset
tradingFee: number
lpTokenCurrency: string
lpHolderCount: number
tags: string[]
lastTraded?: number
createdTimestamp?: number
apy24h: ApyH
apy7d: ApyH
currentLiquidity: {
asset1Amount: number
asset2Amount: number
lpTokenBalance: number
}
}
export interface Asset {
currency: string
issuer: string
md5: string
name: string
}
export interface ApyH {
apy: number
volume: number
fees: number
liquidity: number
}
export interface RichInfo {
time: number
length: number
holders: number
top10: number
top20: number
top50: number
top100: number
active24H: number
}
export interface M {
sellers: number
sellPressureXrp: number
buyers: number
buyPressureXrp: number
}
export interface Buyers {
account: string
name: (string | null)
balance: string
balance24h: string
change: string
holding: number
value?: number
lastTrade?: number
pnl?: number
roi?: number
breakevenMcap?: number
trades?: number[][]
isAMM?: boolean
isCreator?: boolean
freeze?: boolean
}
export interface Tokens2 {
md5?: string
issuer?: string
currency?: string
name?: string
user?: string
slug?: string
tokenType?: string
mptIssuanceID?: string
metadata?: Metadata
assetScale?: number
icon?: string
imgUpdated?: number
origin?: string
verified?: number
kyc?: boolean
xVerified?: boolean
tags?: string[]
dateon?: number
date?: string
domain?: string
creator?: string
social?: Social
sources?: Sources
whitepaper?: string
linkedCollections?: LinkedCollections[]
exch?: (string | number)
usd?: string
marketcap?: number
dom?: number
pro5m?: number
pro1h?: number
pro24h?: number
pro7d?: number
pro30d?: number
/**
 * @minItems 2
 * @maxItems 2
 */
maxMin24h?: [number, number]
athDistance?: number
athMarketcap?: number
amount?: string
supply?: string
vol24hxrp?: number
vol24htx?: number
vol24h?: number
vol6hxrp?: number
vol7dxrp?: number
vol24hAMM?: number
vol24hOrderbook?: number
liquidityRatio?: number
holders?: number
trustlines?: number
gini?: number
hhi?: number
top10?: number
creatorHoldingPercent?: number
holders24h?: number
trustlines24h?: number
uniqueTraders24h?: number
uniqueBuyers24h?: number
uniqueSellers24h?: number
buy24hxrp?: number
sell24hxrp?: number
buy24htx?: number
sell24htx?: number
buyTxns24h?: number
sellTxns24h?: number
txns24h?: number
deposit24hxrp?: number
deposit24htx?: number
withdraw24hxrp?: number
withdraw24htx?: number
buyerPressure?: number
tvl?: number
tvlChange24h?: number
isOMCF?: string
tradingFee?: number
AMM?: string
depthPlus2?: number
depthMinus2?: number
lpHolderCount?: number
lpBurnedPercent?: number
lpBurnedAmount?: number
lpBurnedHolders?: number
issuer_info?: IssuerInfo
rsi15m?: number
rsi1h?: number
rsi4h?: number
rsi24h?: number
rsi7d?: number
rsi30d?: number
rsi90d?: number
views24h?: number
trendingScore?: number
assessmentScore?: number
}
export interface Data {
_id: string
hash: string
ledger: number
seq: number
maker: string
taker: string
pair: string
paid: Paid
got: Paid
time: number
isAMM: boolean
isLiquidity: boolean
type?: ("create" | "deposit" | "withdraw")
account?: string
lp?: Paid
sourceTag?: number
platform?: string
price?: string
xrp?: number
}
export interface Paid {
issuer: string
currency: string
name: string
value: string
}
export interface Meta {
total?: number
offset: number
limit: number
direction: string
xrp_amount?: number
recordsReturned: number
nextCursor: (number | null)
hasMore: boolean
truncated?: boolean
keptFrom?: number
timeRange: ({
start: number
end: number
} | null)
}
export interface Bids {
price: string
amount: string
total: string
account: string
funded: string
}
export interface GETPairs {
success: true
attribution?: string
took: number
ledger_index?: number
count: number
limit: number
truncated: boolean
pairs: {
pair: string
curr1: Curr
curr2: Curr
count: number
volume: number
id: number
}[]
}
export interface Curr {
currency: string
issuer: string
md5: string
name: string
user?: string
domain?: string
verified?: number
twitter?: string
value: number
}
export interface Amount {
issuer: string
currency: string
name: string
value: string
md5: string
}
export interface SourceAmount {
currency: string
issuer?: string
value: string
}
export interface PriceImpact {
percent: string
xrp?: string
}
export interface Paths {
currency: string
issuer?: string
}
export interface Route {
share: number
tokens: {
currency: string
issuer: string
md5: string
}[]
poolShares: number[]
}
export interface Warnings {
code: ("insufficient_balance" | "line_frozen" | "dest_limit_low" | "token_frozen" | "split_recommended" | "recipient_no_trustline" | "recipient_not_authorized" | "recipient_line_frozen" | "recipient_limit_low" | "recipient_unverified" | "destination_tag_required")
message: string
}
export interface Buy {
count: number
xrp: number
}
export interface Nfts {
_id: string
type: ("MINT" | "BURN" | "TRANSFER" | "SALE" | "CREATE_SELL_OFFER" | "CANCEL_SELL_OFFER" | "CREATE_BUY_OFFER" | "CANCEL_BUY_OFFER" | "MODIFY")
NFTokenID: string
cid: string
account: string
seller?: string
buyer?: string
costXRP?: number
amountXRP?: number
cost?: Cost
brokerFeeXRP?: number
royaltyAmountXRP?: number
broker?: string
destination?: string
expiration?: number
SourceTag?: number
origin?: string
time: number
ledger_index: number
hash: string
}
export interface Received {
count: number
tokens: string
}
export interface Related {
type: ("token" | "collection")
md5?: string
collectionId?: string
slug: string
name: string
issuer: string
holders: number
sharedHolders: number
sharedPct: number
score: number
wallets: string[]
posts: Record<string, unknown>[]
sameProject: boolean
}
export interface GETWhaleActivityFeed {
success: true
attribution?: string
took: number
ledger_index?: number
limit: number
minXrp?: number
count: number
events: {
_id: string
hash: string
ledger: number
time: number
account: string
side: ("buy" | "sell")
md5: string
amount: string
xrp: number
price?: string
trades: number
isAMM: boolean
sourceTag?: number
platform?: string
}[]
tokens: {
[k: string]: {
currency: string
issuer: string
md5: string
name: string
slug: string
}
}
}
export interface Rotations {
from: Asset
to: Asset
volume: number
count: number
traders: number
lastSeen: number
}
export interface Pagination {
page: number
totalPages: number
total: number
offset: number
limit: number
hasMore: boolean
}
export interface VolumeByPlatform {
volume: number
trades: number
fees: number
}
export interface H2 {
volume: number
trades: number
fees: number
volumeAMM: number
volumeNonAMM: number
tradesAMM: number
tradesNonAMM: number
ammDeposits: number
ammWithdraws: number
}
export interface TraderBalances {
balance24h: number
balance7d: number
balance30d: number
balanceAll: number
traders24h: number
traders7d: number
traders30d: number
tradersAll: number
}
export interface GETTradersTokenTradersId {
success: true
attribution?: string
took: number
ledger_index?: number
md5: string
since: (number | null)
interval: string
sort: string
order: string
count: number
total: number
traders: {
address: string
isAMM?: boolean
volume: number
trades: number
tradesAll: number
xrpBought: number
xrpSold: number
tokensBought: number
tokensSold: number
avgBuyPrice: (number | null)
avgSellPrice: (number | null)
actualBalance: number
holdingValue: number
profitInterval?: number
profit: number
unrealizedPnl: number
totalPnl: number
roi: (number | null)
totalRoi: (number | null)
firstTradeDate: (number | null)
lastTradeDate: (number | null)
washTradingScore: number
}[]
pagination: Pagination
}
export interface TokenPerformance {
tokenId: string
name: string
volume: number
trades: number
tradesAll: number
xrpBought: number
xrpSold: number
tokensBought: number
tokensSold: number
avgBuyPrice: (number | null)
avgSellPrice: (number | null)
actualBalance: number
holdingValue: number
profitInterval?: number
profit: number
unrealizedPnl: number
totalPnl: number
roi: (number | null)
totalRoi: (number | null)
firstTradeDate: (number | null)
lastTradeDate: (number | null)
}
export interface Curr2 {
currency: string
issuer: string
value: string
hasTrustline: boolean
}
export interface GETAccountInfoAccount {
success: true
attribution?: string
took: number
account: string
balance: string
total: number
balanceDrops: string
spendableDrops: string
ownerCount: number
sequence: number
flags: number
reserve: number
reserveDrops: string
account_data: Record<string, unknown>
name: (string | null)
domain?: string
inception: (number | null)
parent: (string | null)
lastActive: (number | null)
isAMM: boolean
ledger_index: number
validated: boolean
}
export interface Offers {
_id: string
account: string
seq: number
flags: number
gets: Paid
pays: Paid
pair: string
expire?: number
funded: boolean
distPct: (number | null)
}
export interface Lines {
currency: string
issuer: string
balance: string
limit?: string
value: number
percentOwned: number
freeze?: boolean
md5?: string
name?: string
token?: Tokens2
}
export interface Balance {
currency: string
issuer: string
value: string
}
export interface Issued {
md5: string
name: string
currency: string
user?: string
supply: string
holders: number
usd?: number
marketcap?: number
}
export interface Ancestors {
address: string
name: (string | null)
tokensCreated: number
inception: (number | null)
tokens?: Issued[]
}
export interface GETAccountAddressAdmin {
success: true
attribution?: string
took: number
account: string
editable: {
[k: string]: string | boolean | null
}
readOnly: {
exists: boolean
domain: (string | null)
inception: (number | null)
parent: (string | null)
logo: (string | null)
}
manualFields: string[]
lockedByChain: string[]
fieldOwners: {
[k: string]: "admin" | "chain" | null
}
derived: {
name: (string | null)
nameSource: (("verified" | "xls-26" | "domain") | null)
}
}
export interface Nfts2 {
_id: string
NFTokenID: string
account?: string
issuer: string
taxon: number
cid: string
cslug: string
total: number
flags: number
royalty: number
transferFee: number
sequence: number
serial: number
is_burned: boolean
status: ("live" | "burned")
date?: number
burnedAt?: number
modifiedAt?: number
scam: boolean
scamType?: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
volume: number
url?: string
cost?: Cost
cfloor?: {
amount: number
}
name?: string
collection?: (string | Record<string, unknown>)
collectionVerified?: boolean
meta?: Record<string, unknown>
files?: Files[]
rarity_rank?: number
props?: Props[]
}
export interface Offers2 {
nft_offer_index: string
index: string
NFTokenID: string
owner: string
amount: (string | {
value: string
})
flags: number
destination?: string
expiration?: number
date?: number
orphaned: ("yes" | "no")
funded: boolean
fraud: boolean
fraudType?: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
}
export interface Daily {
date: string
volume: number
sales: number
avgPrice: number
mints: number
burns: number
transfers: number
buyOffers: number
sellOffers: number
cancelledOffers: number
royalties: number
brokerFees: number
uniqueBuyers: number
uniqueSellers: number
uniqueCollections: number
volumeByPlatform: {
[k: string]: {
volume: number
sales: number
}
}
feesByPlatform: {
[k: string]: {
royalties: number
brokerFees: number
}
}
}
export interface H3 {
volume: number
sales: number
avgPrice: number
mints: number
burns: number
transfers: number
buyOffers: number
sellOffers: number
cancelledOffers: number
royalties: number
brokerFees: number
uniqueBuyers: number
uniqueSellers: number
uniqueTraders: number
}
export interface VolumeHistory {
date: string
volume: number
sales: number
}
export interface Rotations2 {
from: From
to: From
volume: number
count: number
traders: number
lastSeen: number
}
export interface From {
cid: string
slug: string
}
export interface GETNftOffersBuyNftId {
success: true
attribution?: string
took: number
NFTokenID: string
limit: number
count: number
total: number
offers: Offers2[]
marker?: string
}
export interface GETNftHistory {
success: true
attribution?: string
took: number
count: number
limit: number
histories: Nfts[]
history: Nfts[]
marker?: string
}
export interface Owners {
address: string
count: number
rank: number
percentage: number
}
export interface GETNftCollectionsSlugFloorHistory {
success: true
attribution?: string
took: number
cid: string
slug: string
count: number
limit: number
history: {
date: string
time: number
floor: (number | null)
}[]
}
export interface Pagination2 {
total: number
offset: number
limit: number
hasMore: boolean
}
export interface H4 {
volume: number
sales: number
averagePrice: (number | null)
traders: number
}
export interface Asks {
NFTokenID: string
index: string
price: number
owner: string
expiration?: number
}
export interface Stats {
totalNFTs: number
totalOwners: number
}
export interface Whales {
threshold: number
holders: number
nfts: number
nftsPct: number
}
export interface Gainers {
address: string
change: number
now: number
}
export interface Entries {
account: string
category: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
rule: string
list?: string
verified: boolean
since: number
last?: number
transactions?: number
affected?: number
xrp?: number
sample?: string
token?: Token
copies?: Copies
evidence: string[]
}
export interface Token {
md5: string
name: string
imitates: string
}
export interface Copies {
collection: string
name: boolean
picture?: {
nft: string
original: string
}
}
export interface Domains {
domain: string
found_in: ("memo" | "nft" | "issuer" | "report")[]
accounts: string[]
since: number
status?: ("pending" | "reviewed" | "confirmed" | "dismissed")
confirmations?: number
}
export interface Accounts {
account: string
category: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
rule: string
list?: string
verified: boolean
since: number
last?: number
transactions?: number
affected?: number
xrp: number
sample?: string
token?: Token
copies?: Copies
evidence: string[]
sales: number
}
export interface Reports {
domain: string
category: ("wallet_drainer" | "dust_spam" | "phishing" | "impersonation" | "fake_airdrop" | "other")
status: ("pending" | "reviewed" | "confirmed" | "dismissed")
confirmations: number
reported_at: number
last_report_at: number
decided_at?: number
account?: string
description?: string
}
export interface PathsComputed {
currency: string
issuer?: string
type: (16 | 48)
}
export interface Platforms {
sourceTag: number
name: string
slug: string
txCount: number
trades: number
volume: number
buyVolumeXrp: number
sellVolumeXrp: number
uaw: number
uniqueTraders: number
pctVolume: number
pctUAW: number
pctTx: number
}
export interface ByVolume {
md5: string
currency: string
issuer: string
name: string
vol24hxrp: number
vol24htx: number
holders?: number
marketcap?: number
pro24h?: number
origin?: string
}
export interface GETSubmitTxHash {
success: true
attribution?: string
took: number
hash: string
ledger_index: number
ledger_hash: string
close_time_iso: string
date: number
ctid?: string
tx_json: Record<string, unknown>
meta: Record<string, unknown>
validated: boolean
}
export interface GETSubmitLedgerEntryCheckCheckId {
success: true
attribution?: string
took: number
index: string
ledger_index: number
ledger_hash: string
node: Record<string, unknown>
validated: boolean
}
export interface POSTSubmit {
success: true
attribution?: string
took: number
engine_result: string
engine_result_code: number
engine_result_message: string
tx_json: Record<string, unknown>
hash: string
accepted: boolean
applied: boolean
broadcast: boolean
kept: boolean
queued: boolean
account_sequence_available: number
account_sequence_next: number
validated_ledger_index: number
outcome?: {
validated: boolean
ledger_index: number
result: string
}
}
export interface POSTRpc {
success: true
attribution?: string
took: number
method: string
result: Record<string, unknown>
}
export interface Tokens3 {
_id: string
issuer: string
currency: string
name: string
exch: (number | null)
spot: (number | null)
amm: (string | null)
vol24h: number
trades24h: number
holders: number
trustlines: number
supply: string
firstSeen: (number | null)
}
export interface Pool {
_id: string
xrp: (number | null)
token: Balance
token2?: Balance
spot: (number | null)
fee: number
lp: string
}
export interface Trades {
maker: string
taker: string
paid: Paid
got: Paid
price: (string | null)
xrp: (number | null)
isAMM: boolean
hash: string
ledger: number
time: number
}
export interface Collections {
_id: string
issuer: string
taxon: number
items: number
burned: number
owners: number
listed: number
bids: number
floor: (number | null)
sales: number
volume: number
royalties: number
brokerFees: number
fees: number
vol24h: number
sales24h: number
time: (number | null)
}
export interface Tokens4 {
ledger: number
at: number
lag: number
}
export interface Project {
name: string
url: string
category: string
description: string
expectedDaily: string
contact?: string
}
export interface Keys {
id: string
name: string
tier: ("anonymous" | "free" | "developer" | "partner" | "business" | "professional" | "enterprise")
keyPrefix: string
status: ("active" | "revoked")
createdAt: number
revokedAt?: number
project?: Project
}
export interface BillingCycle {
start: number
end: number
renewalDate: number
daysRemaining: number
cycleProgress: number
billing: (("monthly" | "yearly") | null)
}
export interface POSTKeysPurchase {
success: true
attribution?: string
took: number
invoiceId: string
status: ("created" | "applied" | "expired" | "refunded")
type: ("credits" | "tier")
package?: string
credits?: number
tier?: string
billing?: string
price: number
payment: {
destination: string
destinationTag: number
amount: string
drops: string
received: string
uri: string
}
expiresAt: number
expiresIn: number
}
export interface Payment {
txHash: string
status: ("applied" | "short" | "late" | "before_invoice" | "already_paid" | "unknown_tag" | "no_tag" | "wrong_currency")
ledger_index: number
time: number
from: string
destinationTag?: number
amount: string
invoiceId?: string
}
export interface PartnerRequest {
status: ("pending" | "approved" | "declined")
creditUrl: string
requestedAt: number
decidedAt: (number | null)
reason: (string | null)
}
export interface POSTKeysPartnerRequestsWalletApprove {
success: true
attribution?: string
took: number
wallet: string
tier: string
contact: string
request: PartnerRequest
}

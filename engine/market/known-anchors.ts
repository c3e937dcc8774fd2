/**
 * Issuers of the main network that pay out, or paid out, one unit of fiat money a token: the anchors (anchors.ts) that are
 * known before the ledgers read so far show them.
 *
 * Why a list beside the rule: that an issuer redeems is a fact outside of the ledger, and a new store contains neither
 * holders nor a day of trades. An address cannot be taken over, so on other networks, where none of these accounts
 * trades, the list has no effect. It only saves an issuer the first day: it stops being an anchor by the same rule as
 * every other.
 *
 * Addresses: the issuers' own documentation and Ripple's gateway information page of 2014/15
 * (ripple.com/knowledge_center/gateway-information); each occurs as issuer of this currency in recorded ledgers.
 * `until`: the issuer stopped paying out; later trades no longer show a price in fiat.
 */
import { Fiat } from './figures.ts';

export interface KnownAnchor {
  readonly name: string;
  readonly fiat: Fiat;
  readonly issuer: string;
  readonly currency: string;
  /** Ripple epoch seconds; exclusive. */
  readonly until?: number;
}

/** 2016-01-01: SnapSwap had ended its US gateway in 2015. */
const SNAPSWAP_END = 504921600;
/** 2016-01-01: RippleChina had stopped redemptions. */
const RIPPLECHINA_END = 504921600;

export const KNOWN_ANCHORS: readonly KnownAnchor[] = [
  {
    name: 'Ripple USD',
    fiat: Fiat.USD,
    issuer: 'rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De',
    currency: '524C555344000000000000000000000000000000',
  },
  {
    name: 'Circle USDC',
    fiat: Fiat.USD,
    issuer: 'rGm7WCVp9gb4jZHWTEtGUr4dd74z2XuWhE',
    currency: '5553444300000000000000000000000000000000',
  },
  { name: 'Bitstamp', fiat: Fiat.USD, issuer: 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B', currency: 'USD' },
  { name: 'GateHub', fiat: Fiat.USD, issuer: 'rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq', currency: 'USD' },
  {
    name: 'SnapSwap',
    fiat: Fiat.USD,
    issuer: 'rMwjYedjc7qqtKYVLiAccJSmCwih4LnE2q',
    currency: 'USD',
    until: SNAPSWAP_END,
  },
  { name: 'GateHub', fiat: Fiat.EUR, issuer: 'rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq', currency: 'EUR' },
  { name: 'Bitstamp', fiat: Fiat.EUR, issuer: 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B', currency: 'EUR' },
  {
    name: 'SnapSwap',
    fiat: Fiat.EUR,
    issuer: 'rMwjYedjc7qqtKYVLiAccJSmCwih4LnE2q',
    currency: 'EUR',
    until: SNAPSWAP_END,
  },
  { name: 'TokyoJPY', fiat: Fiat.JPY, issuer: 'r94s8px6kSw1uZ1MV98dhSRTvc6VMPoPcN', currency: 'JPY' },
  { name: 'Mr. Exchange', fiat: Fiat.JPY, issuer: 'rB3gZey7VWHYRqJHLoHDEJXJ2pEPNieKiS', currency: 'JPY' },
  {
    name: 'Ripple Trade Japan',
    fiat: Fiat.JPY,
    issuer: 'rMAz5ZnK73nyNUL4foAvaxdreczCkG3vA6',
    currency: 'JPY',
  },
  { name: 'RippleFox', fiat: Fiat.CNY, issuer: 'rKiCet8SdvWxPXnAgYarFUXMh1zCPz432Y', currency: 'CNY' },
  { name: 'RippleCN', fiat: Fiat.CNY, issuer: 'rnuF96W4SZoCJmbHYBFoJZpR8eCaxNvekK', currency: 'CNY' },
  {
    name: 'RippleChina',
    fiat: Fiat.CNY,
    issuer: 'razqQKzJRdB4UxFPWf5NEpEG3WMkmwgcXA',
    currency: 'CNY',
    until: RIPPLECHINA_END,
  },
];

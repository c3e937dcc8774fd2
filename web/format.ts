/**
 * Numbers, times and names as people read them. Amounts come as decimal text and are rounded as text: `Intl` takes the
 * digits as they are, where a number would first be cut to 17.
 */
import { shifted } from '../explain/decimal.ts';
import { currency, rates } from './settings.ts';

export { strangersText as text } from '../explain/strangers-text.ts';

type Amount = number | string | null | undefined;

/** What stands where the service has no figure. */
export const NONE = '–';

const formats = new Map<string, Intl.NumberFormat>();

function formatWith(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options);
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat('en', options);
    formats.set(key, format);
  }
  return format;
}

const isAbsent = (value: Amount): value is null | undefined | '' =>
  value === null || value === undefined || value === '' || Number.isNaN(Number(value));

const written = (value: number | string, options: Intl.NumberFormatOptions) =>
  formatWith({ signDisplay: 'negative', ...options }).format(value as Intl.StringNumericLiteral);

/** Issued amounts go up to 10^96: where the names of thousands end, as 1.23E45. */
const HUGE = 1e15;

const rounded = (value: number | string, options: Intl.NumberFormatOptions) =>
  Math.abs(Number(value)) >= HUGE
    ? written(value, {
        signDisplay: options.signDisplay ?? 'negative',
        notation: 'scientific',
        maximumFractionDigits: 2,
      })
    : written(value, options);

/** Up to 5 significant digits: prices of tokens lie anywhere between 10^-15 and 10^6. */
export function price(value: Amount): string {
  if (isAbsent(value)) return NONE;
  const size = Math.abs(Number(value));
  // A longer one than 123,456.78 has no room in lists.
  if (size >= 1e6) return rounded(value, { notation: 'compact', maximumSignificantDigits: 5 });
  if (size >= 1000) return rounded(value, { maximumFractionDigits: 2 });
  return shortened(written(value, { maximumSignificantDigits: 5, maximumFractionDigits: 20 }));
}

const LEADING_ZEROS = /^(-?0\.0)(0{3,})(?=[1-9])/;

/** 0.0000089799 as 0.0₅89799: markets of cheap tokens write how many zeros follow the point. */
const shortened = (digits: string): string =>
  digits.replace(LEADING_ZEROS, (_, start: string, zeros: string) => start + subscript(zeros.length + 1));

const subscript = (count: number): string =>
  [...String(count)].map((digit) => String.fromCodePoint(0x2080 + Number(digit))).join('');

/** XRP: nothing smaller can be paid in it. */
const DROP = 1e-6;

/** 12,345 up to a million, then 1.23M; below a drop as prices are written. */
export function amount(value: Amount): string {
  if (isAbsent(value)) return NONE;
  const size = Math.abs(Number(value));
  if (size >= 1e6) return rounded(value, { notation: 'compact', maximumFractionDigits: 2 });
  if (size >= 100) return written(value, { maximumFractionDigits: 0 });
  const digits = written(value, { maximumSignificantDigits: 4 });
  return size < DROP ? shortened(digits) : digits;
}

/** Places that browsers write in groups, and that are read. */
const PLACES = 20;

/** Every digit that the service sent: in groups, and those that are too many for it as 1.5E-30. */
export function exact(value: Amount): string {
  if (isAbsent(value)) return NONE;
  const [whole = '', fraction = ''] = shifted(String(value), 0).split('.');
  const isLong = whole.length > PLACES + 1 || fraction.length > PLACES;
  return written(value, { maximumFractionDigits: PLACES, notation: isLong ? 'scientific' : 'standard' });
}

export const whole = (value: Amount): string =>
  isAbsent(value) ? NONE : written(value, { maximumFractionDigits: 0 });

/** @param value in percent: 1.5 is +1.50%. Large ones with fewer digits, so that all have room in a column: +120.4%, +12.3K%. */
export function change(value: Amount): string {
  if (isAbsent(value)) return NONE;
  const size = Math.abs(Number(value));
  const digits = size < 100 ? 2 : size < 1000 ? 1 : 0;
  const short =
    size < 1e4
      ? { minimumFractionDigits: digits, maximumFractionDigits: digits }
      : ({ notation: 'compact', maximumSignificantDigits: 3 } as const);
  return `${rounded(value, { signDisplay: 'exceptZero', ...short })}%`;
}

/** @param value in percent. */
export const percent = (value: Amount, digits = 1): string =>
  isAbsent(value) ? NONE : `${rounded(value, { maximumFractionDigits: digits })}%`;

/** An amount of XRP in the chosen currency; null where there is no rate. */
export function inCurrency(xrp: Amount): Amount {
  if (isAbsent(xrp)) return null;
  const chosen = currency.value;
  // XRP stays the text that it is: a division would round it.
  if (chosen === 'XRP') return xrp;
  const rate = rates.value[chosen];
  return rate ? Number(xrp) / rate : null;
}

const signs = { XRP: 'XRP', USD: '$', EUR: '€', JPY: 'JP¥', CNY: 'CN¥' } as const;
/** Sign or code of the chosen currency. */
export const unit = (): string => signs[currency.value];

/** 'now', '12 s', '5 min', '3 h', '2 d'. */
export function age(unixMs: number | null | undefined, now: number): string {
  if (typeof unixMs !== 'number') return NONE;
  const seconds = Math.max(0, Math.round((now - unixMs) / 1000));
  if (seconds < 2) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** '14 s', '3 min 20 s', '5 h 12 min', '3 d 4 h': the two largest units. */
export function duration(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds));
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${minutes} min ${rounded % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
/** In UTC, as ledgers count time. */
export const time = (unixMs: number | null | undefined): string =>
  typeof unixMs === 'number' ? `${times.format(unixMs)} UTC` : NONE;

/** Seconds from the Unix epoch to the one of ledgers: 2000-01-01T00:00:00Z. */
const RIPPLE_EPOCH = 946_684_800;
/** The same of a time as ledgers have it. */
export const closeTime = (seconds: number): string => time((seconds + RIPPLE_EPOCH) * 1000);

/** rHb9CJ…tyTh: the rest belongs into `title`. */
export const shortAddress = (address: string): string =>
  address.length > 16 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;

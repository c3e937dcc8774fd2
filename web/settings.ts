/** What the reader chose: currency and theme, kept in this browser alone. And the fiat rates that answers and frames bring. */
import { signal } from '@preact/signals';

export const CURRENCIES = ['XRP', 'USD', 'EUR', 'JPY', 'CNY'] as const;
export type Currency = (typeof CURRENCIES)[number];
export type Theme = 'system' | 'dark' | 'light';

/** XRP for one unit of the currency, as `exch` in answers; XRP is 1. */
export const rates = signal<Readonly<Partial<Record<Currency, number>>>>({ XRP: 1 });

export const currency = signal<Currency>(kept('currency', CURRENCIES, 'XRP'));
export const theme = signal<Theme>(kept('theme', ['system', 'dark', 'light'], 'system'));

/** Whatever has `exch` of all currencies brings the newest rates; of one currency an empty `exch` says that there is no rate. */
export function noteRates(answer: { exch?: unknown } | null): void {
  const exch = answer?.exch;
  if (typeof exch === 'object' && exch !== null) rates.value = { ...exch, XRP: 1 };
}

export function choose(setting: 'currency' | 'theme', value: string): void {
  if (setting === 'currency') currency.value = CURRENCIES.find((one) => one === value) ?? 'XRP';
  else theme.value = value === 'dark' || value === 'light' ? value : 'system';
  try {
    localStorage.setItem(`millrace.${setting}`, value);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

function kept<T extends string>(setting: string, values: readonly T[], otherwise: T): T {
  try {
    const value = localStorage.getItem(`millrace.${setting}`);
    return values.find((one) => one === value) ?? otherwise;
  } catch {
    return otherwise;
  }
}

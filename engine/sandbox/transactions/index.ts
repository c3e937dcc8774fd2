/** The transaction types that are built: their rules by name. A type that is not here answers `temDISABLED`. */
import type { Rule } from '../apply/rule.ts';

const ALL: readonly Rule[] = [];

/** Rules by `TransactionType`. */
export const RULES: ReadonlyMap<string, Rule> = new Map(ALL.map((rule) => [rule.type, rule]));

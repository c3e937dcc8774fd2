/**
 * Forms of answers that some existing clients read in place of the contract's. Chosen once, when the service starts:
 * rows are kept as bytes, so one service writes one form.
 */
export interface Forms {
  /** `exch` of token rows is a JSON number in place of a string: in lists, search and streams alike. */
  readonly exchNumber: boolean;
  /** `count` of GET /tokens is the number of tokens that match, as `total` is, in place of the rows answered. */
  readonly countTotal: boolean;
}

export const CONTRACT_FORMS: Forms = { exchNumber: false, countTotal: false };

/** Names of the forms as options write them. */
const NAMES: Readonly<Record<string, keyof Forms>> = {
  'exch-number': 'exchNumber',
  'count-total': 'countTotal',
};

/**
 * Reads `none`, or names separated by commas.
 * @throws Error that lists what there is.
 */
export function readForms(text: string): Forms {
  const forms: { -readonly [K in keyof Forms]: Forms[K] } = { ...CONTRACT_FORMS };
  if (text === 'none') return forms;
  for (const name of text.split(',')) {
    const form = Object.hasOwn(NAMES, name.trim()) ? NAMES[name.trim()] : undefined;
    if (form === undefined)
      throw new Error(`none, or ${Object.keys(NAMES).join(' and ')} separated by commas`);
    forms[form] = true;
  }
  return forms;
}

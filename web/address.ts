/** Addresses of accounts, as readers type them. */

const ADDRESS = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/;

/** Whether it can be one: the service checks its last digits. */
export const isAddress = (text: string): boolean => ADDRESS.test(text);
export const NO_ADDRESS = 'Not an address: it begins with r and has 25 to 35 letters and digits';

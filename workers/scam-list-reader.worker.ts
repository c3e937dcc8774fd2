/** Worker thread: reads lists of scam accounts. */
import { type AccountsOfText, accountsIn } from '../platform/scam-list-text.ts';

export default function accountsTask(text: string): AccountsOfText {
  return accountsIn(text);
}

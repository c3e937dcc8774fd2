/** A payment in XRP. */
export interface Payment {
  /** r-addresses. */
  readonly from: string;
  readonly to: string;
  /** What was delivered, XRP. */
  readonly xrp: number;
  /** Unix ms. */
  readonly time: number;
}

export interface Flow {
  readonly account: string;
  /** XRP from and to the account that is asked about. */
  readonly received: number;
  readonly sent: number;
  readonly payments: number;
  /** Unix ms. */
  readonly first: number;
  readonly last: number;
}

/**
 * Payments of an account by counterparty, the largest first by what went either way. What it paid itself counts for nothing.
 * @param payments in any order
 */
export function paymentFlows(account: string, payments: readonly Payment[]): Flow[] {
  const flows = new Map<
    string,
    { received: number; sent: number; payments: number; first: number; last: number }
  >();
  for (const { from, to, xrp, time } of payments) {
    if (from === to || (from !== account && to !== account)) continue;
    const other = from === account ? to : from;
    const flow = flows.get(other) ?? { received: 0, sent: 0, payments: 0, first: time, last: time };
    if (from === account) flow.sent += xrp;
    else flow.received += xrp;
    flow.payments++;
    flow.first = Math.min(flow.first, time);
    flow.last = Math.max(flow.last, time);
    flows.set(other, flow);
  }
  return [...flows]
    .map(([other, flow]) => ({ account: other, ...flow }))
    .sort((a, b) => b.received + b.sent - (a.received + a.sent));
}

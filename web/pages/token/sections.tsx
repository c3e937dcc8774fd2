/** What is told of a token below its market, each when it is scrolled to. */
import { WhenSeen } from '../../parts/when-seen.tsx';
import { Creator } from './creator.tsx';
import { FlowSection } from './flow.tsx';
import { Holders } from './holders.tsx';
import { ReviewSection } from './review.tsx';
import type { TokenRow } from './token-row.ts';
import { Traders } from './traders.tsx';

interface SectionsProps {
  readonly token: TokenRow;
  /** Not XRP, which nobody made and which every trade is priced in. */
  readonly isIssued: boolean;
}

export function Sections({ token, isIssued }: SectionsProps) {
  if (!isIssued)
    return (
      <div class="token-sections">
        <div class="wide-section">
          <WhenSeen height={380}>{() => <Holders token={token} />}</WhenSeen>
        </div>
      </div>
    );
  return (
    <div class="token-sections">
      <WhenSeen height={420}>{() => <ReviewSection token={token} />}</WhenSeen>
      <WhenSeen height={420}>{() => <Traders token={token} />}</WhenSeen>
      <div class="wide-section">
        <WhenSeen height={380}>{() => <Holders token={token} />}</WhenSeen>
      </div>
      <div class="wide-section">
        <WhenSeen height={400}>{() => <Creator token={token} />}</WhenSeen>
      </div>
      <div class="wide-section">
        <WhenSeen height={420}>{() => <FlowSection token={token} />}</WhenSeen>
      </div>
    </div>
  );
}

/** What is told of a token below its market, each when it is scrolled to. */
import { WhenSeen } from '../../parts/when-seen.tsx';
import { Creator } from './creator.tsx';
import { FlowSection } from './flow.tsx';
import { Holders } from './holders.tsx';
import { ReviewSection } from './review.tsx';
import type { TokenRow } from './token-row.ts';
import { Traders } from './traders.tsx';

export function Sections({ token }: { token: TokenRow }) {
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

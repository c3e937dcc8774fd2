/** The review: its score with the reasons, and how often tokens of this kind collapsed, counted and not guessed. */
import type { Answers } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import type { TokenRow } from './token-row.ts';

type Review = Answers['GET /token/review/{id}'];
type Factor = NonNullable<Review['factors']>[number];
type Collapse = NonNullable<Review['collapse']>;

/** What each factor is about. */
const REASONS: Readonly<Record<Factor['name'], string>> = {
  locked: 'XRP in pools',
  holders: 'Number of holders',
  spread: 'How far the supply is spread',
  rights: 'Rights that the issuer has given up',
  traders: 'Traders in 24 hours',
  burned: 'Pool shares that are burned',
};

const FOLLOW = 15;

export function ReviewSection({ token }: { token: TokenRow }) {
  const { value, failure } = useAnswer('/token/review/{id}', { id: token.md5 }, { follow: FOLLOW });
  return (
    <section class="card review">
      <h2>Review</h2>
      <FailureLine of={failure} />
      {value?.inactive && (
        <p class="quiet">
          Nobody trades it: the last trade was{' '}
          {value.lastTrade ? format.time(value.lastTrade) : 'before the ledgers that are known'}. It is not
          judged.
        </p>
      )}
      {value?.factors && <Score review={value} factors={value.factors} />}
      {value?.collapse && <CollapseChance collapse={value.collapse} />}
    </section>
  );
}

function Score({ review, factors }: { review: Review; factors: readonly Factor[] }) {
  return (
    <>
      <p>
        <strong class="review-score">{format.amount(review.assessmentScore)}</strong>
        <span class="quiet"> of 100. Risk: </span>
        <strong>{review.riskLevel}</strong>
      </p>
      <ul class="factors">
        {factors.map(({ name, points, max, effect }) => (
          <li>
            <span>{REASONS[name]}</span>
            <span
              class={`factor-bar ${effect}`}
              style={{ '--share': `${((points / max) * 100).toFixed(0)}%` }}
            />
            <span class="number">
              {format.amount(points)} of {max}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function CollapseChance({ collapse }: { collapse: Collapse }) {
  const { chance, sample, collapsed, horizonDays, observed, observedCollapsed, kind } = collapse;
  return (
    <>
      <h3>
        Chance of collapse within {horizonDays === 1 ? 'a day' : `${horizonDays} days`}:{' '}
        {format.percent(chance, 2)}
      </h3>
      <p class="quiet">
        {sample === 0
          ? 'No token of exactly this kind was seen for so long.'
          : `Of ${format.whole(sample)} tokens of this kind ${format.whole(collapsed)} lost 90 % of price or pool.`}{' '}
        Of all {format.whole(observed)} that were watched {format.whole(observedCollapsed)} did; few
        observations are drawn towards that share.
      </p>
      <p class="quiet">
        Kind: {kind.liquidity} in pools, {kind.age} old, top 10 hold {kind.top10}, creator {kind.creator},
        burned {kind.burned}, freeze {kind.freeze}.
      </p>
    </>
  );
}

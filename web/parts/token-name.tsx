/** A token: its picture or disc, its name, and who issues it. A link to its page. */
import * as format from '../format.ts';
import { linkTo } from '../router.ts';
import { Picture } from './picture.tsx';

interface Named {
  readonly md5: string;
  readonly name: string;
  readonly user?: string | undefined;
  readonly domain?: string | undefined;
  readonly issuer?: string | undefined;
  readonly verified?: number | boolean | undefined;
  /** Address of its icon, of whatever origin: the pages show the service's own copy. */
  readonly icon?: string | undefined;
  /** Unix ms of the picture that was given here. */
  readonly imgUpdated?: number | undefined;
}

export function TokenName({ token }: { token: Named }) {
  const { md5, issuer } = token;
  const by = token.user || token.domain || (issuer ? format.shortAddress(issuer) : '');
  return (
    <a class="token-name" href={linkTo(['token', md5])}>
      <TokenDisc token={token} />
      <span class="token-texts">
        <bdi class="cut" title={format.text(token.name, 400)}>
          {format.text(token.name)}
        </bdi>
        <bdi class="cut quiet" title={issuer}>
          {format.text(by)}
        </bdi>
      </span>
    </a>
  );
}

/** Hues that are told apart, by the first digit of the token's id. */
const HUES = 16;

/** Of the disc, px, and of the smallest file that fills it. */
const SIDE = 28;
const WIDTH = 32;

/** Its picture; a coloured disc with the first letter where it has none. */
function TokenDisc({ token: { md5, name, icon, imgUpdated } }: { token: Named }) {
  const letter = [...format.text(name)][0]?.toUpperCase() ?? '?';
  const hue = (Number.parseInt(md5.slice(0, 2), 16) % HUES) * (360 / HUES);
  const path = `thumb/${md5}_${WIDTH}${imgUpdated === undefined ? '' : `?v=${imgUpdated}`}`;
  return (
    <span class="token-disc" aria-hidden="true" style={{ '--hue': String(hue) }}>
      <Picture path={icon ? path : undefined} side={SIDE} alt="">
        {letter}
      </Picture>
    </span>
  );
}

/** Section 4.9: documents that other sites show in a frame. */
import { XRP } from '../../engine/state/tokens.ts';
import { badRequest } from '../../requests/errors.ts';
import { INTERVAL_NAMES, RANGE_NAMES } from '../../views/intervals.ts';
import { tokenId } from '../common.ts';
import { chartEmbed, logoAddress, scoreEmbed } from '../embed-pages.ts';
import { samples } from '../examples.ts';
import { targetOf } from '../request.ts';
import { type Route, route } from '../route.ts';
import { describe, string } from '../schema.ts';
import { tokenOf } from './tokens.ts';

const HEIGHT = { default: 400, min: 160, max: 1200 } as const;

/** What the parts of a score are about. */
const FACTOR_TITLES = {
  locked: 'XRP in pools',
  holders: 'Number of holders',
  spread: 'Spread of the supply',
  rights: 'Rights given up',
  traders: 'Traders in 24 hours',
  burned: 'Pool shares burned',
} as const;

const theme = {
  in: 'query',
  kind: 'enum',
  values: ['dark', 'light'],
  default: 'dark',
  about: 'Colours',
} as const;

const embed = {
  method: 'GET',
  section: '4.9',
  auth: 'none',
  tier: 'anonymous',
  response: describe(string, 'An HTML document for a frame'),
  produces: ['text/html'],
  bare: true,
  cost: 1,
  bucket: '/embed',
} as const;

const chart = route({
  ...embed,
  path: '/embed/{md5}',
  example: { md5: samples.token, theme: 'light', interval: '1h', height: 320 },
  summary: 'A live chart of a token, to be shown in a frame',
  params: {
    md5: tokenId,
    theme,
    interval: {
      in: 'query',
      kind: 'enum',
      values: INTERVAL_NAMES,
      about: 'Length of a candle; default by range, else 15 minutes',
    },
    range: { in: 'query', kind: 'enum', values: RANGE_NAMES, about: 'How far back' },
    height: { in: 'query', kind: 'int', ...HEIGHT, about: 'Height of the document, CSS pixels' },
    showVolume: { in: 'query', kind: 'bool', default: true, about: 'Bars of volume below the candles' },
    showLogo: { in: 'query', kind: 'bool', default: true, about: "The token's image beside its name" },
    logoUrl: {
      in: 'query',
      kind: 'text',
      maxLength: 1000,
      about:
        'Another image, by its https address; others are ignored. Browsers load it, this service never does',
    },
  },
  handler: ({ md5, theme, interval, range, height, showVolume, showLogo, logoUrl }, context) => {
    const { request, views, mount, network, service } = context;
    const token = tokenOf(views, md5);
    const id = network.engine.state.tokens.md5(token);
    const hasImage = network.tokenData.of(id)?.image !== undefined;
    const own = hasImage ? `${mount.prefix.slice(1)}${mount.prefix && '/'}thumb/${id}_48` : undefined;
    return chartEmbed(service.pages, {
      root: rootOf(request),
      mount: mount.prefix,
      md5: id,
      name: views.tokens.name(token),
      theme: theme === 'light' ? 'light' : 'dark',
      interval,
      range,
      height,
      showVolume,
      logo: showLogo ? (logoAddress(logoUrl) ?? own) : undefined,
    });
  },
});

const score = route({
  ...embed,
  path: '/embed/score/{md5}',
  example: { md5: samples.token, size: 'full' },
  summary: "The score of a token's review, to be shown in a frame",
  params: {
    md5: tokenId,
    theme,
    size: { in: 'query', kind: 'enum', values: ['full'], about: 'full: with what the score is made of' },
  },
  handler: async ({ md5, theme, size }, { request, views, service }) => {
    const token = tokenOf(views, md5);
    if (token === XRP) throw badRequest('XRP has no issuer to review', 'Ask for an issued token or an MPT');
    const review = await views.reviews.of(token);
    const judged = 'score' in review ? review : undefined;
    return scoreEmbed(service.pages, {
      root: rootOf(request),
      name: views.tokens.name(token),
      theme: theme === 'light' ? 'light' : 'dark',
      score: judged?.assessmentScore,
      riskLevel: judged?.riskLevel,
      factors:
        size === 'full'
          ? (judged?.factors ?? []).map(({ name, points, max, effect }) => ({
              title: FACTOR_TITLES[name],
              share: points / max,
              effect,
            }))
          : [],
    });
  },
});

/** From `/v1/embed/x` two steps up. */
function rootOf(request: Request): string {
  const path = targetOf(request).split('?', 1)[0]!;
  return '../'.repeat(path.split('/').length - 2);
}

export const embedRoutes: Route[] = [chart, score];

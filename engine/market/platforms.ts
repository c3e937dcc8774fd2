/** Which platform a transaction came through, by its SourceTag. Tags as clients of this API show them. */

export interface Platform {
  /** Small number kept in trade records; 0 means none. Numbers are never reused. */
  readonly number: number;
  readonly sourceTag: number;
  readonly name: string;
  /** Lower case, words joined by `-`. */
  readonly slug: string;
  /** Tokens are issued through it: its name as the origin of a token. */
  readonly launchpad?: string;
}

const NAMES: readonly (readonly [sourceTag: number, name: string])[] = [
  [111, 'Horizon'],
  [589123, 'Katz Wallet'],
  [10011010, 'Magnetic'],
  [11782013, 'Anodos'],
  [13888813, 'Zerpmon'],
  [19089388, 'HBot'],
  [20102305, 'Opulencex'],
  [20221212, 'xpmarket'],
  [30033003, 'Calypso'],
  [42697468, 'Bithomp faucet'],
  [54955974, 'XAH Teleport'],
  [69420589, 'Bidds'],
  [74920348, 'First Ledger'],
  [89898989, 'Axelar'],
  [100010010, 'StaticBit'],
  [101102979, 'XRP Cafe'],
  [110100111, 'Sologenic'],
  [280957156, 'Dhali'],
  [510162502, 'Sonar Muse'],
  [161803, 'Millrace'],
];

/** Platforms through which tokens are issued, by their SourceTag: the names that clients of this API show as a token's origin. */
const LAUNCHPADS: ReadonlyMap<number, string> = new Map([
  [111, 'Horizon'],
  [161803, 'Millrace'],
  [10011010, 'Magnetic X'],
  [20221212, 'XPMarket'],
  [74920348, 'FirstLedger'],
]);

export const PLATFORMS: readonly Platform[] = NAMES.map(([sourceTag, name], i) => {
  const launchpad = LAUNCHPADS.get(sourceTag);
  const slug = name.toLowerCase().replaceAll(' ', '-');
  return { number: i + 1, sourceTag, name, slug, ...(launchpad !== undefined && { launchpad }) };
});

const BY_TAG = new Map(PLATFORMS.map((p) => [p.sourceTag, p]));

/** Number of the platform of a source tag, 0 when it is unknown. */
export function platformNumber(sourceTag: number): number {
  return BY_TAG.get(sourceTag)?.number ?? 0;
}

export function platformByNumber(number: number): Platform | undefined {
  return PLATFORMS[number - 1];
}

const LAUNCHPAD_NAMES = [...LAUNCHPADS.values()].sort();

/** Place of the platform among those through which tokens are issued, by name; undefined: it is none of them. */
export function placeOfLaunchpad(platform: Platform | undefined): number | undefined {
  return platform?.launchpad === undefined ? undefined : LAUNCHPAD_NAMES.indexOf(platform.launchpad);
}

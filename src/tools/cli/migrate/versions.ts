/** The start of a version. */
export interface Version {
  readonly major: number;
  readonly minor: number;
}

/** The lowest version of a range: `^2.19.0 || ^3` → 2.19. Undefined for `*`, tags and URLs. */
export function readLowestVersion(range: string): Version | undefined {
  const [, major, minor = '0'] = /^[\^~>=v\s]*(\d+)(?:\.(\d+))?/.exec(range) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

/** True when the range begins below a version. False for unknown ranges. */
export function isBelow(range: string | undefined, { major, minor }: Version): boolean {
  const lowest = range === undefined ? undefined : readLowestVersion(range);
  return lowest !== undefined && (lowest.major < major || (lowest.major === major && lowest.minor < minor));
}

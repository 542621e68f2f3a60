/** The start of a version. */
export interface Version {
  readonly major: number;
  readonly minor: number;
}

/** The lowest version of a range: `^2.19.0 || ^3` → 2.19. For `<4.9.0`, the version before it. Undefined for `*`, tags and URLs. */
export function readLowestVersion(range: string): Version | undefined {
  const [, sign = '', major, minor = '0'] = /^\s*([\^~>=v\s]*|<=?\s*)(\d+)(?:\.(\d+))?/.exec(range) ?? [];
  if (major === undefined) return undefined;
  const version = { major: Number(major), minor: Number(minor) };
  if (sign.trim() !== '<') return version;
  return version.minor > 0 ? { ...version, minor: version.minor - 1 } : { major: version.major - 1, minor: Infinity };
}

/** True when the range begins below a version. False for unknown ranges. */
export function isBelow(range: string | undefined, { major, minor }: Version): boolean {
  const lowest = range === undefined ? undefined : readLowestVersion(range);
  return lowest !== undefined && (lowest.major < major || (lowest.major === major && lowest.minor < minor));
}

/** True when no version of a major can be in the range: `^14 || ^15` and `>=12 <16` exclude 16. False for unknown ranges. */
export function excludesMajor(range: string, major: number): boolean {
  return range.split('||').every((part) => {
    const bounds = [...part.replace(/\s+-\s+/, ' <=').matchAll(/([<>]=?|[\^~=v]*)\s*(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?/g)];
    if (bounds.length === 0) return false;
    return bounds.some(([, sign = '', first, minor = '0', patch = '0'], at) => {
      const bound = Number(first);
      if (sign === '<') return bound < major || (bound === major && `${minor}.${patch}` === '0.0');
      if (sign === '<=') return bound < major;
      // The lower end of `14 - 16`.
      const isLowerEnd = sign.startsWith('>') || bounds[at + 1]?.[1] === '<=';
      return isLowerEnd ? bound > major : bound !== major;
    });
  });
}

/** The changed lines of a text with their numbers, marked with "-" or "+". */
export function diffOf(name: string, before: string, after: string): string {
  const old = before.split('\n');
  const fresh = after.split('\n');
  const lines = [`--- ${name}`];
  let [at, to] = [0, 0];
  while (at < old.length || to < fresh.length) {
    if (old[at] === fresh[to]) {
      at++;
      to++;
      continue;
    }
    const [removed, added] = nextDifference(old.slice(at), fresh.slice(to));
    lines.push(
      `@@ line ${at + 1}`,
      ...old.slice(at, at + removed).map((line) => `-${line}`),
      ...fresh.slice(to, to + added).map((line) => `+${line}`),
    );
    at += removed;
    to += added;
  }
  return lines.join('\n');
}

/** The smallest number of lines to skip in each text until they are equal again. */
function nextDifference(old: readonly string[], fresh: readonly string[]): [removed: number, added: number] {
  for (let distance = 1; distance < old.length + fresh.length; distance++) {
    for (let removed = 0; removed <= Math.min(distance, old.length); removed++) {
      const added = distance - removed;
      if (added <= fresh.length && old[removed] === fresh[added] && (removed < old.length || added === fresh.length))
        return [removed, added];
    }
  }
  return [old.length, fresh.length];
}

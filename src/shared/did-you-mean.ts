/** ` Did you mean "Query"?` for the known name nearest to a wrong one; empty when none is near. */
export function didYouMean(wrong: string, known: Iterable<string>, maxEdits: number = Math.ceil(wrong.length * 0.4)): string {
  let best: string | undefined;
  // A suggestion that is further apart would only confuse.
  let limit = maxEdits;
  for (const name of known) {
    const edits = editDistance(wrong.toLowerCase(), name.toLowerCase(), limit);
    if (edits > limit || (edits === limit && best !== undefined)) continue;
    best = name;
    limit = edits;
  }
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}

/** Names for a message: `"A", "B", "C" and 7 more`. */
export function listOf(names: readonly string[], limit = 12): string {
  const shown = names
    .slice(0, limit)
    .map((name) => `"${name}"`)
    .join(', ');
  return names.length > limit ? `${shown} and ${names.length - limit} more` : shown;
}

/** The Levenshtein distance, or any number above `limit` if it is larger than that. */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[to.length]!;
}

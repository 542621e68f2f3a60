/** Text that varies. */
const varying = '\0';
/** Text that varies, and then a dot. */
const varyingLabels = '\u0001';

/**
 * True if a pattern matches only origins of hosts that its author controls: each alternative has a scheme, `$`, and a host that is literal,
 * or literal after a dot. Without `^` and `$`, /shop\.example/ matches https://shop.example.attacker.net; without the dot, /shop\.example$/
 * matches https://evilshop.example; without a backslash, /^https:\/\/api.shop.example$/ matches https://apixshop.example.
 */
export function isOriginPattern({ source }: RegExp): boolean {
  const tokens = source.match(tokenPattern) ?? [];
  const alternatives = alternativesOf(tokens, { next: 0 });
  return alternatives?.every(isOrigin) ?? false;
}

function isOrigin(text: string): boolean {
  const host = /^\^https?:\/\/([^:/^$]+)(?::[\d\0]+)?\$$/.exec(text)?.[1];
  if (host === undefined) return false;
  const end = host.search(/[^\0\u0001]*$/);
  const literal = host.slice(end);
  if (!/\w/.test(literal)) return false;
  return end === 0 || host[end - 1] === varyingLabels || literal.startsWith('.');
}

/** The start of a group, an escaped character, a class, a quantifier, or any other character. */
const tokenPattern = /\(\?(?:<\w+>|[^<]|<.)|\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|./gs;

/** The maximum number of alternatives, because nested groups multiply them. No useful pattern has this many. */
const maxAlternatives = 1000;

/** The texts that match, with marks for what varies. Undefined: the pattern has something else, such as a look-ahead. */
function alternativesOf(tokens: readonly string[], position: { next: number }): readonly string[] | undefined {
  const complete: string[] = [];
  let texts: readonly string[] = [''];
  while (position.next < tokens.length && tokens[position.next] !== ')') {
    const token = tokens[position.next++]!;
    if (token === '|') {
      complete.push(...texts);
      texts = [''];
      continue;
    }
    const part = partOf(token, tokens, position);
    if (part === undefined) return undefined;
    const quantified = quantify(part, tokens, position);
    texts = texts.flatMap((text) => quantified.map((next) => text + next));
    if (texts.length + complete.length > maxAlternatives) return undefined;
  }
  return [...complete, ...texts];
}

function partOf(token: string, tokens: readonly string[], position: { next: number }): readonly string[] | undefined {
  if (token === '(' || token === '(?:' || /^\(\?<\w/.test(token)) {
    const inside = alternativesOf(tokens, position);
    position.next++;
    return inside;
  }
  if (token.startsWith('(?')) return undefined;
  if (token === '.' || token.startsWith('[')) return [varying];
  // No origin has these characters, whose marks mean the start and the end.
  if (token === '\\^' || token === '\\$') return [' '];
  if (token.startsWith('\\')) return [/^\\\w/.test(token) ? varying : token.slice(1)];
  return [token];
}

function quantify(part: readonly string[], tokens: readonly string[], position: { next: number }): readonly string[] {
  const quantifier = tokens[position.next] ?? '';
  if (!/^(?:[?*+]|\{\d.*\})$/.test(quantifier)) return part;
  position.next++;
  // A lazy quantifier matches the same texts.
  if (tokens[position.next] === '?') position.next++;
  if (quantifier === '?') return [...part, ''];
  return [part.every((text) => text.endsWith('.')) ? varyingLabels : varying];
}

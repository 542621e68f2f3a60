import type { HeaderMap } from '../../message/header-map.ts';
import { addVary } from '../../message/header-map.ts';
import { dialects, lifetimeFields } from './dialects.ts';
import type { EdgeDecision, EdgeOptions } from './options.ts';
import type { ReadingRules } from './watched-request.ts';

/** The settings that the header fields of an answer depend on, beside the decision. */
export interface HeaderSettings {
  readonly options: EdgeOptions;
  readonly rules: ReadingRules;
}

/** Writes the decision into the header fields of an answer. A private answer has them already. */
export function writeDecision(
  decision: EdgeDecision,
  { headers, method }: { readonly headers: HeaderMap; readonly method: string },
  { options, rules }: HeaderSettings,
): void {
  const { cdn } = options;
  // One URL must always have the same Netlify-Vary, refusals too: Netlify makes its key from the answer that it has.
  if (cdn === 'netlify' && method === 'GET') headers.set('netlify-vary', netlifyVary(rules));
  if (!decision.public || cdn === undefined) return;
  const dialect = dialects[cdn];
  for (const [name, value] of fieldsFor(decision.maxAge, options)) headers.set(name, value);
  for (const name of rules.varyHeaders) addVary(headers, name);
  if (dialect.tags !== undefined && decision.tags.length > 0) headers.set(dialect.tags.header, decision.tags.join(dialect.tags.separator));
}

type Fields = ReturnType<typeof lifetimeFields>;

const known = new WeakMap<EdgeOptions, Map<number, Fields>>();
/** Lifetimes whose header values are remembered: a schema has few. Answers out of a store add many, as their lifetimes run down. */
const maxKnown = 100;

function fieldsFor(maxAge: number, options: EdgeOptions): Fields {
  let ofOptions = known.get(options);
  if (ofOptions === undefined) known.set(options, (ofOptions = new Map()));
  const found = ofOptions.get(maxAge);
  if (found !== undefined) return found;
  const { browserMaxAge = 0, staleWhileRevalidate, staleIfError } = options;
  const fields = lifetimeFields(dialects[options.cdn!], { maxAge, browserMaxAge, staleWhileRevalidate, staleIfError });
  if (ofOptions.size < maxKnown) ofOptions.set(maxAge, fields);
  return fields;
}

/**
 * Names no query parameters, so the whole query string stays in the key as it is. With a list of parameters, one that is sent
 * twice could be in the key with one of its values and be run with the other.
 */
function netlifyVary({ varyHeaders }: ReadingRules): string {
  return `header=${['accept', ...varyHeaders].join('|')}`;
}

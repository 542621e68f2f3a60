import type { HeaderMap } from '../../message/header-map.ts';
import { addVary } from '../../message/header-map.ts';
import { dialects, lifetimeFields } from './dialects.ts';
import type { EdgeDecision, EdgeOptions } from './options.ts';
import type { ReadingRules } from './watched-request.ts';

/** What the fields of an answer depend on, beside the decision. */
export interface HeaderSettings {
  readonly options: EdgeOptions;
  readonly rules: ReadingRules;
}

/** Writes what was decided into the fields of an answer. One that is private says so already. */
export function writeDecision(
  decision: EdgeDecision,
  { headers, method }: { readonly headers: HeaderMap; readonly method: string },
  { options, rules }: HeaderSettings,
): void {
  const { cdn } = options;
  // The same URL must always send the same, refusals too: Netlify makes its key of the answer it has.
  if (cdn === 'netlify' && method === 'GET') headers.set('netlify-vary', netlifyVary(rules));
  if (!decision.public || cdn === undefined) return;
  const dialect = dialects[cdn];
  for (const [name, value] of fieldsFor(decision.maxAge, options)) headers.set(name, value);
  for (const name of rules.varyHeaders) addVary(headers, name);
  if (dialect.tags !== undefined && decision.tags.length > 0) headers.set(dialect.tags.header, decision.tags.join(dialect.tags.separator));
}

type Fields = ReturnType<typeof lifetimeFields>;

const known = new WeakMap<EdgeOptions, Map<number, Fields>>();
/** Lifetimes that are remembered: schemas have few. Those of answers out of a store are what is left of them. */
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
 * The whole query string stays in the key, as it is where no parameters are named. With a list of them, a parameter that is
 * sent twice could stand in the key by one of its values and be run by the other.
 */
function netlifyVary({ varyHeaders }: ReadingRules): string {
  return `header=${['accept', ...varyHeaders].join('|')}`;
}

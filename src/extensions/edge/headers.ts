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
  const { cdn, browserMaxAge = 0, staleWhileRevalidate, staleIfError } = options;
  // The same URL must always send the same, refusals too: Netlify makes its key of the answer it has.
  if (cdn === 'netlify' && method === 'GET') headers.set('netlify-vary', netlifyVary(rules));
  if (!decision.public || cdn === undefined) return;
  const dialect = dialects[cdn];
  const lifetime = { maxAge: decision.maxAge, browserMaxAge, staleWhileRevalidate, staleIfError };
  for (const [name, value] of lifetimeFields(dialect, lifetime)) headers.set(name, value);
  for (const name of rules.varyHeaders) addVary(headers, name);
  if (dialect.tags !== undefined && decision.tags.length > 0) headers.set(dialect.tags.header, decision.tags.join(dialect.tags.separator));
}

/**
 * The whole query string stays in the key, as it is where no parameters are named. With a list of them, a parameter that is
 * sent twice could stand in the key by one of its values and be run by the other.
 */
function netlifyVary({ varyHeaders }: ReadingRules): string {
  return `header=${['accept', ...varyHeaders].join('|')}`;
}

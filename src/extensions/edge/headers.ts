import { addVary } from '../../shared/index.ts';
import type { HeaderMap } from '../../shared/index.ts';
import { dialects, lifetimeFields } from './dialects.ts';
import type { EdgeDecision, EdgeOptions } from './options.ts';
import type { ReadingRules } from './watched-request.ts';

const rateLimitFields = ['ratelimit', 'ratelimit-policy'];

/** Writes the decision into the header fields of an answer. A private answer has its fields already. */
export function writeDecision(decision: EdgeDecision, headers: HeaderMap, method: string, options: EdgeOptions, rules: ReadingRules): void {
  const { browserMaxAge = 0, staleWhileRevalidate, staleIfError, cdn } = options;
  // All answers of one URL need the same Netlify-Vary, even refusals, because Netlify derives its key from the stored answer.
  if (cdn === 'netlify' && method === 'GET') headers.set('netlify-vary', netlifyVary(rules, headers));
  if (!decision.public || cdn === undefined) return;
  // These fields describe the points of one client.
  for (const name of rateLimitFields) headers.delete(name);
  const dialect = dialects[cdn];
  const lifetime = { maxAge: decision.maxAge, browserMaxAge, staleWhileRevalidate, staleIfError };
  for (const [name, value] of lifetimeFields(dialect, lifetime)) headers.set(name, value);
  if (dialect.keyHasAccept === false) headers.set('content-type', 'application/json; charset=utf-8');
  const { header, separator } = dialect.tags ?? {};
  if (header !== undefined && decision.tags.length > 0) headers.set(header, decision.tags.join(separator));
  for (const name of rules.varyHeaders) addVary(headers, name);
}

/**
 * Without names of query parameters, the whole query string stays in the key. With a list, a parameter sent twice could be in the key with
 * one value and be used with the other. With a list of origins, the option `cors` adds `Vary: Origin` to every answer.
 */
function netlifyVary({ varyHeaders }: ReadingRules, headers: HeaderMap): string {
  const origin = /\borigin\b/i.test(headers.get('vary') ?? '') ? ['origin'] : [];
  return `header=${[...new Set(['accept', ...varyHeaders, ...origin])].join('|')}`;
}

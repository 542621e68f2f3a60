import type { HeaderMap } from '../../shared/index.ts';
import { HttpQueryError } from '../errors/apollo-error.ts';

/** Header fields that a page cannot send to another site without a preflight. */
export const recommendedRequestHeaders: readonly string[] = ['x-apollo-operation-name', 'apollo-require-preflight'];

/** Media types that a page can send to another site without a preflight (Fetch standard, "CORS-safelisted request-header"). */
const withoutPreflight = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

/**
 * Refuses requests that a page of another site could have sent without a preflight. A content-type that requires one, or one
 * of the header fields, shows that it did not.
 */
export function preventCSRF(headers: HeaderMap, requestHeaders: readonly string[]): void {
  const contentType = headers.get('content-type');
  if (contentType !== null && !needsNoPreflight(contentType)) return;
  if (requestHeaders.some((name) => (headers.get(name) ?? '') !== '')) return;
  throw new HttpQueryError(
    400,
    `This operation has been blocked as a potential Cross-Site Request Forgery ` +
      `(CSRF). Please either specify a 'content-type' header (with a type that ` +
      `is not one of ${withoutPreflight.join(', ')}) or provide ` +
      `a non-empty value for one of the following headers: ${requestHeaders.join(', ')}\n`,
  );
}

/** True for media types that any page can send. An invalid one requires a preflight: browsers treat it as unknown. */
export function needsNoPreflight(contentType: string): boolean {
  const essence = /^[\t\n\r ]*([!#$%&'*+\-.^_`|~\w]+\/[!#$%&'*+\-.^_`|~\w]+)[\t\n\r ]*(?:;|$)/.exec(contentType)?.[1];
  return essence !== undefined && withoutPreflight.includes(essence.toLowerCase());
}

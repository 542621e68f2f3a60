import type { HeaderMap } from '../../../message/header-map.ts';
import { HttpQueryError } from '../errors/apollo-error.ts';

/** Header fields that no page can send to another site without asking first. */
export const recommendedRequestHeaders: readonly string[] = ['x-apollo-operation-name', 'apollo-require-preflight'];

/** Media types that a page may send to another site without a preflight (Fetch standard, "CORS-safelisted request-header"). */
const unasked = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

/**
 * Refuses requests that a page of another site could have sent unasked. A content-type that browsers ask about first, or
 * one of the header fields, shows that the request was not.
 */
export function preventCSRF(headers: HeaderMap, requestHeaders: readonly string[]): void {
  const contentType = headers.get('content-type');
  if (contentType !== null && !isUnasked(contentType)) return;
  if (requestHeaders.some((name) => (headers.get(name) ?? '') !== '')) return;
  throw new HttpQueryError(
    400,
    `This operation has been blocked as a potential Cross-Site Request Forgery ` +
      `(CSRF). Please either specify a 'content-type' header (with a type that ` +
      `is not one of ${unasked.join(', ')}) or provide ` +
      `a non-empty value for one of the following headers: ${requestHeaders.join(', ')}\n`,
  );
}

/** Browsers also ask about a text that is no media type: they treat it as an unknown one. */
function isUnasked(contentType: string): boolean {
  const essence = /^[\t\n\r ]*([!#$%&'*+\-.^_`|~\w]+\/[!#$%&'*+\-.^_`|~\w]+)[\t\n\r ]*(?:;|$)/.exec(contentType)?.[1];
  return essence !== undefined && unasked.includes(essence.toLowerCase());
}

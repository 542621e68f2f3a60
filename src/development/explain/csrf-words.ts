import type { CSRFSettings } from '../../http/csrf.ts';
import { parseMediaType } from '../../http/media-type.ts';
import type { HTTPRequest } from '../../message/http-request.ts';

/** Which rule of CSRF prevention let a request through that was let through. */
export function whyLetThrough({ csrfPrevention, csrfRequestHeaders }: CSRFSettings, { headers, body }: HTTPRequest): string {
  if (body.kind === 'value') return 'A direct invocation: no web page can send one.';
  const essence = parseMediaType(headers.get('content-type') ?? '')?.essence;
  if (essence === 'application/json')
    return 'Its content type is application/json, which no page can send to another site without a preflight.';
  const header = csrfRequestHeaders.find((name) => (headers.get(name) ?? '').trim() !== '');
  if (header !== undefined) return `It has the header ${header}, which no page can send to another site without a preflight.`;
  if (csrfPrevention === 'never') return 'csrfPrevention is false: nothing is asked of a request.';
  const site = headers.get('sec-fetch-site');
  const sign = site === null ? 'it has no Sec-Fetch-Site' : `Sec-Fetch-Site is ${site}`;
  return `csrfPrevention is unset, and no browser marks the request as another site's: ${sign}. With csrfPrevention: true it would be refused.`;
}

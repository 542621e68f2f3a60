/** GETs that run no operation: health checks, and browsers that open the address. */
import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import type { ArrivedCall } from '../call.ts';
import { openedInBrowser } from './errors.ts';
import { negotiate, uncacheable } from './response.ts';

/**
 * True for a health check: the path ends with `/health`, or the user agent is that of an AWS load balancer, which cannot send the headers
 * that CSRF prevention requires. No other code reads the path.
 */
export function isHealthCheck({ method, path, queryString, headers }: HTTPRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (/\/health\/?$/.test(path)) return true;
  return queryString === '' && (headers.get('user-agent')?.startsWith('ELB-HealthChecker/') ?? false);
}

/** The answer to a health check, in the format of the Internet draft "Health Check Response Format for HTTP APIs". */
export function healthResponse(status: 'pass' | 'fail'): HTTPResponse {
  const headers = new HeaderMap({ 'content-type': 'application/health+json' });
  return { status: status === 'pass' ? 200 : 503, headers, body: JSON.stringify({ status }) };
}

/** The playground for a browser in development. Without it, a browser that opens the address gets an explanation in JSON, which is thrown. */
export function landingPage(call: ArrivedCall): Promise<HTTPResponse | undefined> | undefined {
  const { settings, request } = call;
  if (!wantsHTML(request)) return undefined;
  if (settings.renderLandingPage !== undefined) return renderPage(settings.renderLandingPage);
  if (request.queryString !== '') return undefined;
  negotiate(call);
  throw openedInBrowser();
}

async function renderPage(render: NonNullable<ArrivedCall['settings']['renderLandingPage']>): Promise<HTTPResponse | undefined> {
  const page = await render();
  if (page === undefined) return undefined;
  const headers = new HeaderMap(page.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('cache-control', uncacheable);
  return { status: 200, headers, body: typeof page.html === 'string' ? page.html : await page.html() };
}

/** A browser's navigation names text/html; clients of an API send a wildcard at most. */
function wantsHTML(request: HTTPRequest): boolean {
  return /(?:^|,)\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(request.headers.get('accept') ?? '');
}

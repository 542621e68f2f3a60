import { HeaderMap } from '../../shared/index.ts';
import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';

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

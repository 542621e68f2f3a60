import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest, HTTPResponse } from '../message/http-messages.ts';

/**
 * True for a health check. Nothing else looks at the path: its end is `/health`. A load balancer's checker is known
 * by its name, because it cannot send the headers that CSRF prevention asks of a GET.
 */
export function isHealthCheck(request: HTTPRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (/\/health\/?$/.test(request.path)) return true;
  return request.queryString === '' && (request.headers.get('user-agent')?.startsWith('ELB-HealthChecker/') ?? false);
}

/** The answer to a health check, in the format of the Internet draft "Health Check Response Format for HTTP APIs". */
export function healthResponse(status: 'pass' | 'fail' = 'pass'): HTTPResponse {
  const headers = new HeaderMap({ 'content-type': 'application/health+json', 'cache-control': 'no-store' });
  return { status: status === 'pass' ? 200 : 503, headers, body: JSON.stringify({ status }) };
}

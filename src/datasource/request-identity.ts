import type { DataSourceRequest } from './request.ts';

/** Fields that differ from call to call without asking for another answer. */
const TRACING = /^(?:traceparent|tracestate|b3|x-b3-.+|(?:x-)?(?:request|correlation)-id|x-amzn-trace-id|x-cloud-trace-context|sentry-trace|x-datadog-.+)$/;

/**
 * The header fields that make a request this one and no other, as text. It holds credentials in clear:
 * for comparing inside the process only, never to be stored.
 */
export function identityOf(request: DataSourceRequest): string {
  const headers = request.headersIfAny;
  if (headers === undefined) return '';

  let identity = '';
  for (const [name, value] of headers) {
    if (!TRACING.test(name)) identity += `${name}: ${value}\n`;
  }
  return identity;
}

import { SpanStatusCode } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';

/** How many errors of one operation are recorded whole. */
const maxRecorded = 10;

/** Records errors as they were thrown: what is masked for clients stands here, where no client reads. */
export function recordErrors(span: Span, errors: readonly unknown[]): void {
  const [first] = errors;
  if (first === undefined) return;
  const causes = errors.slice(0, maxRecorded).map(causeOf);
  for (const cause of causes) span.recordException(cause);
  span.setAttribute('error.type', codeOf(first));
  span.setStatus({ code: SpanStatusCode.ERROR, message: causes[0]!.message });
}

/** `extensions.code`, or that of an error that has none. */
export function codeOf(error: unknown): string {
  const code = (error as { extensions?: { code?: unknown } }).extensions?.code;
  return typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}

function causeOf(error: unknown): Error {
  const { originalError } = error as { originalError?: unknown };
  if (originalError instanceof Error) return originalError;
  return error instanceof Error ? error : new Error(String(error));
}

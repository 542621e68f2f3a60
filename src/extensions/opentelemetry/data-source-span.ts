import { context, SpanKind, trace } from '@opentelemetry/api';
import type { Context, Tracer } from '@opentelemetry/api';

import type { DataSourceCall, DataSourceCallListener } from '../../operation/plugin.ts';
import { CallOutcome } from '../call-outcome.ts';
import { recordErrors } from './errors.ts';
import type { Meters } from './meters.ts';

/** What tells of a call, and the context that it is made in. */
interface CallTelemetry {
  readonly tracer: Tracer;
  readonly meters: Meters;
  readonly operation: Context;
}

/** One span for one call, below that of its operation. What a `fetch` instrumentation adds hangs below it. */
export function followCall({ tracer, meters, operation }: CallTelemetry, { dataSource, request }: DataSourceCall): DataSourceCallListener {
  const source = dataSource.constructor.name;
  const span = tracer.startSpan(
    `${source} ${request.method}`,
    { kind: SpanKind.INTERNAL, attributes: { 'graphql_functions.data_source': source, 'http.request.method': request.method } },
    operation,
  );
  const call = new CallOutcome(request);
  let status: number | undefined;
  return {
    joined: () => call.joined(),
    sent: () => call.sent(),
    aroundSend: (send) => context.with(trace.setSpan(operation, span), send),
    answered: (code) => {
      status = code;
    },
    ended: (error) => {
      const outcome = call.answeredBy;
      if (span.isRecording()) {
        span.setAttribute('graphql_functions.cache.outcome', outcome);
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (call.tries > 1) span.setAttribute('http.request.resend_count', call.tries - 1);
        if (error !== undefined) recordErrors(span, [error]);
      }
      meters.call(source, outcome);
      span.end();
    },
  };
}

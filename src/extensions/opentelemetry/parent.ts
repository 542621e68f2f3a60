import { context, propagation, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, TextMapGetter } from '@opentelemetry/api';

import type { RequestCall } from '../../operation/plugin.ts';

/**
 * The context of a request for which no span is active: the caller's by the registered propagator (`traceparent`, W3C Trace
 * Context), else that of AWS X-Ray, which Lambda puts into the environment for each call.
 */
export function parentOf({ request }: RequestCall): Context {
  const sent = propagation.extract(context.active(), request.headers, fields);
  if (trace.getSpanContext(sent) !== undefined) return sent;
  return parseXRay(request.headers.get('x-amzn-trace-id') ?? globalThis.process?.env['_X_AMZN_TRACE_ID']) ?? sent;
}

const fields: TextMapGetter<RequestCall['request']['headers']> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

/** `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1` (AWS X-Ray, Tracing header). */
function parseXRay(header: string | undefined): Context | undefined {
  const root = /Root=1-([\da-f]{8})-([\da-f]{24})/i.exec(header ?? '');
  const parent = /Parent=([\da-f]{16})/i.exec(header ?? '');
  if (root === null || parent === null) return undefined;
  const traceFlags = header!.includes('Sampled=1') ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const traceId = `${root[1]}${root[2]}`.toLowerCase();
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parent[1]!.toLowerCase(), traceFlags, isRemote: true });
}

export { openTelemetry } from '../extensions/opentelemetry/index.ts';
export type { OpenTelemetryOptions, StageSpans } from '../extensions/opentelemetry/index.ts';

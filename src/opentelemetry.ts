export { openTelemetry } from './extensions/opentelemetry/plugin.ts';
export type { OpenTelemetryOptions, StageSpans } from './extensions/opentelemetry/plugin.ts';

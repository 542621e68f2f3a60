export { openTelemetry } from './plugin.ts';
export type { OpenTelemetryOptions, StageSpans } from './plugin.ts';

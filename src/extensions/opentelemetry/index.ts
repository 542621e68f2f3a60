export { openTelemetry } from './plugin.ts';
export type { OpenTelemetryOptions } from './plugin.ts';

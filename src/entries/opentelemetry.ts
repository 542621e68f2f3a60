export { openTelemetry } from '../extensions/opentelemetry/index.ts';
export type { OpenTelemetryOptions } from '../extensions/opentelemetry/index.ts';
export type { ServerPlugin } from '../server/index.ts';

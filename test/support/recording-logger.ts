import type { Logger } from '../../src/server/operation/types.ts';

/** One call of a logger. */
export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly details: readonly unknown[];
}

/** A logger that prints nothing, and the list of messages logged to it. */
export function recordingLogger(): [logger: Logger, lines: LogLine[]] {
  const lines: LogLine[] = [];
  const record =
    (level: keyof Logger) =>
    (message: string, ...details: unknown[]): void => {
      lines.push({ level, message, details });
    };
  return [{ debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') }, lines];
}

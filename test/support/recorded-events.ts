import { readFileSync } from 'node:fs';

/** An event as a platform sent or documents it; test/fixtures/events/index.json names its origin. */
export interface RecordedEvent {
  readonly file: string;
  /** The folder: the source, and for some its version. */
  readonly kind: string;
  // Any: tests change fields of it.
  readonly event: any;
}

const folder = new URL('../fixtures/events/', import.meta.url);

/** All of them, read again each time, because a test can modify them. */
export function recordedEvents(): RecordedEvent[] {
  const index = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { file: string; kind: string }[];
  return index.map(({ file, kind }) => ({ file, kind, event: JSON.parse(readFileSync(new URL(file, folder), 'utf8')) }));
}

/** One of them, by its file. */
export function recordedEvent(file: string): any {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
}

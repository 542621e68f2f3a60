import { readFileSync } from 'node:fs';

/** An event as a platform sent or documents it; test/fixtures/events/index.json names its origin. */
export interface RecordedEvent {
  readonly file: string;
  /** The name of the folder: the source of the event, for some sources with a version. */
  readonly kind: string;
  // Any: tests change properties of the event.
  readonly event: any;
}

const folder = new URL('../fixtures/events/', import.meta.url);

/** Reads all recorded events again for each call, because a test can modify them. */
export function recordedEvents(): RecordedEvent[] {
  const index = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { file: string; kind: string }[];
  return index.map(({ file, kind }) => ({ file, kind, event: JSON.parse(readFileSync(new URL(file, folder), 'utf8')) }));
}

/** The recorded event of this file. */
export function recordedEvent(file: string): any {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
}

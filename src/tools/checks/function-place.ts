import type { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';

import { shorten } from './problem.ts';
import type { Place } from './problem.ts';

type AnyFunction = (...given: never[]) => unknown;

/** Looking a function up takes up to 100 ms, and one resolver may fail for every row. */
const places = new WeakMap<AnyFunction, Place | null>();

/**
 * Finds the place where a function is written, by V8's inspector: functions have no stack, and `toString` does not tell the place. Returns
 * undefined for functions of packages and of the platform, and on platforms without an inspector.
 */
export function placeOfFunction(given: AnyFunction): Place | undefined {
  let place = places.get(given);
  if (place === undefined) places.set(given, (place = findPlace(given) ?? null));
  return place ?? undefined;
}

/** "functions/graphql.ts:12:5", or undefined. Outside of the working directory, the whole path. */
export function placeTextOf(given: AnyFunction): string | undefined {
  const place = placeOfFunction(given);
  return place && `${shorten(place.file, process.cwd())}:${place.line}:${place.column}`;
}

function findPlace(given: AnyFunction): Place | undefined {
  try {
    const { Session: InspectorSession } = process.getBuiltinModule('node:inspector');
    const session = new InspectorSession();
    session.connect();
    try {
      return toUserPlace(locationOf(session, given));
    } finally {
      session.disconnect();
    }
  } catch {
    return undefined;
  }
}

interface Location {
  readonly url: string;
  /** Begins at 0, like the column. */
  readonly line: number;
  readonly column: number;
}

/** The inspector reads values from the global object. */
const mark = Symbol.for('graphql-functions.located');

/** The session answers before `post` returns, because it debugs its own thread. */
function locationOf(session: Session, given: AnyFunction): Location | undefined {
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
  session.post('Debugger.enable');
  Reflect.set(globalThis, mark, given);
  let objectId: string | undefined;
  session.post('Runtime.evaluate', { expression: `globalThis[Symbol.for('graphql-functions.located')]` }, (_, answer) => {
    ({ objectId } = answer.result);
  });
  Reflect.deleteProperty(globalThis, mark);
  let found: Location | undefined;
  while (objectId !== undefined && found === undefined) {
    const internal = internalsOf(session, objectId);
    const at = internal.get('[[FunctionLocation]]')?.value as { scriptId: string; lineNumber: number; columnNumber: number } | undefined;
    // A function that was bound to its resolver map.
    objectId = internal.get('[[TargetFunction]]')?.objectId;
    if (at !== undefined) found = { url: urls.get(at.scriptId) ?? '', line: at.lineNumber, column: at.columnNumber };
  }
  return found;
}

interface Internal {
  readonly value?: unknown;
  readonly objectId?: string | undefined;
}

function internalsOf(session: Session, objectId: string): Map<string, Internal> {
  const internals = new Map<string, Internal>();
  session.post('Runtime.getProperties', { objectId, ownProperties: true }, (_, { internalProperties = [] }) => {
    for (const { name, value } of internalProperties) if (value !== undefined) internals.set(name, value);
  });
  return internals;
}

/** The place in the source of a bundle, if the function is the user's. */
function toUserPlace(location: Location | undefined): Place | undefined {
  if (location === undefined || !/^(?:file:|\/|[A-Za-z]:\\)/.test(location.url)) return undefined;
  const { findSourceMap } = process.getBuiltinModule('node:module');
  const entry = findSourceMap(location.url)?.findEntry(location.line, location.column);
  const mapped = entry !== undefined && 'originalSource' in entry;
  const url = mapped ? entry.originalSource : location.url;
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (/[\\/]node_modules[\\/]/.test(file)) return undefined;
  const { line, column } = mapped ? { line: entry.originalLine, column: entry.originalColumn } : location;
  return { file, line: line + 1, column: column + 1 };
}

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { createShapes } from './shapes.ts';

const root = join(import.meta.dirname, '../../..');

/** An answer as the platform gets it. */
interface Result {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly rejected?: string;
}

/** The parts of an answer that are compared. */
export interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: unknown;
}

/** Allowed differences, each listed in docs/migration.md under "Withdrawn". */
export const allowed: readonly { readonly name: string; readonly holds: (theirs: Answer, ours: Answer) => boolean }[] = [
  { name: 'an HTML error page', holds: ({ body, status }, ours) => String(body).startsWith('<!DOCTYPE html>') && status === ours.status },
  {
    name: 'a GET without an operation',
    holds: ({ status, body }, ours) => status === ours.status && JSON.stringify(body).includes("undefined (reading 'operation')"),
  },
  { name: 'a batch with null in it', holds: ({ body }, ours) => ours.status === 400 && JSON.stringify(body).includes('of null (reading') },
  {
    name: 'locations of parse and validation errors, which version 2 had',
    holds: (theirs, ours) => isDeepStrictEqual(theirs, { ...ours, body: withoutLocations(ours.body) }),
  },
  // In version 3, the header fields depend on which operation of the batch ends last.
  { name: 'header fields of a batch', holds: (theirs, ours) => Array.isArray(theirs.body) && isDeepStrictEqual(theirs.body, ours.body) },
];

/** Removes the locations of errors without a path; errors of execution have both. */
export function withoutLocations(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body ?? null, (_, value) => (isPlaced(value) && !('path' in value) ? { ...value, locations: undefined } : value)),
  );
}

function isPlaced(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'locations' in value && 'message' in value;
}

/** One of the two libraries, in a separate project. */
export interface Contestant {
  /** The folder whose node_modules contains it. */
  readonly project: string;
  readonly library: string;
  readonly core: string;
}

/** Installs this package in a separate project with version 3's graphql, so that the comparison does not include messages of two majors of graphql. */
export function installOurs(folder: string, graphql: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'graphql-functions'), { recursive: true });
  cpSync(join(root, 'dist'), join(modules, 'graphql-functions/dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(modules, 'graphql-functions/package.json'));
  symlinkSync(graphql, join(modules, 'graphql'), 'dir');
  writeFileSync(join(folder, 'package.json'), '{}');
}

/** The answers of one library to the requests in `folder`. With `tools`: on Express, which is installed there, instead of as plain Lambda functions. */
export function answersOf({ project, library, core }: Contestant, folder: string, tools?: string): Answer[] {
  const program = join(import.meta.dirname, 'answer-requests.ts');
  const file = join(folder, 'answers.json');
  const env = { ...process.env, NODE_ENV: 'test' };
  const where = tools === undefined ? [] : [tools];
  execFileSync(process.execPath, ['--no-warnings', program, project, library, core, join(folder, 'requests.json'), file, ...where], {
    env,
    stdio: 'inherit',
  });
  return (JSON.parse(readFileSync(file, 'utf8')) as Result[]).map(toAnswer);
}

/** Only the names, because the two programs create the handlers. */
export function shapeNames(): string[] {
  class Nothing {
    createHandler(): () => Promise<undefined> {
      return () => Promise.resolve(undefined);
    }
  }
  const plugin = (): object => ({});
  return Object.keys(
    createShapes({
      ApolloServer: Nothing,
      gql: String.raw,
      ApolloServerPluginCacheControl: plugin,
      ApolloServerPluginCacheControlDisabled: plugin,
    }),
  );
}

/** Fields that the transport sets, and fields that are unrelated to GraphQL. */
const unnamed = [
  'x-powered-by',
  'etag',
  'content-length',
  'x-content-type-options',
  'content-security-policy',
  'date',
  'connection',
  'keep-alive',
];

function toAnswer(result: Result): Answer {
  const fields = new Map<string, string | readonly string[]>();
  for (const [name, value] of Object.entries(result.headers ?? {})) fields.set(name.toLowerCase(), value);
  for (const [name, values] of Object.entries(result.multiValueHeaders ?? {}))
    fields.set(name.toLowerCase(), name.toLowerCase() === 'set-cookie' ? values : values.join(', '));
  const cookies = result.cookies ?? [fields.get('set-cookie') ?? []].flat();
  for (const name of ['set-cookie', ...unnamed]) fields.delete(name);
  const text =
    result.isBase64Encoded === true ? Buffer.from(result.body ?? '', 'base64').toString() : (result.body ?? result.rejected ?? '');
  // Our error pages have the same text, but never as HTML.
  if (String(fields.get('content-type')).startsWith('text/')) fields.set('content-type', 'text');
  return { status: result.statusCode, headers: Object.fromEntries(fields) as Record<string, string>, cookies, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

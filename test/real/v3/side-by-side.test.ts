import { deepEqual, equal, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, cpSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { needs, partNamed } from '../parts.ts';
import { generateRequests } from './requests.ts';
import type { GeneratedRequest } from './requests.ts';
import { createShapes } from './shapes.ts';

const root = join(import.meta.dirname, '../../..');
const count = 2000;

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

/** What is compared of an answer. */
interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: unknown;
}

/** What may differ, each named in docs/migration.md under "Withdrawn". */
const allowed: readonly { readonly name: string; readonly holds: (theirs: Answer, ours: Answer) => boolean }[] = [
  { name: 'an HTML error page', holds: ({ body, status }, ours) => String(body).startsWith('<!DOCTYPE html>') && status === ours.status },
  {
    name: 'a GET without an operation',
    holds: ({ status, body }, ours) => status === ours.status && JSON.stringify(body).includes("undefined (reading 'operation')"),
  },
  { name: 'a batch with null in it', holds: ({ body }, ours) => ours.status === 400 && JSON.stringify(body).includes('of null (reading') },
  // Version 3's depends on which operation of the batch ends last.
  { name: 'header fields of a batch', holds: (theirs, ours) => Array.isArray(theirs.body) && isDeepStrictEqual(theirs.body, ours.body) },
];

describe('apollo-server-lambda 3.13 and graphql-functions/v3 over the same handlers', needs('version-3'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'graphql-functions-v3-'));
  let theirs: Answer[];
  let ours: Answer[];
  let requests: GeneratedRequest[];

  before(() => {
    const part = partNamed('version-3').folder;
    installOurs(join(part, 'node_modules/graphql'));
    requests = generateRequests(shapeNames(), count);
    writeFileSync(join(folder, 'requests.json'), JSON.stringify(requests));
    theirs = answersOf(part, 'apollo-server-lambda', 'apollo-server-core');
    ours = answersOf(folder, 'graphql-functions/v3', 'graphql-functions/v3/core');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('every request is answered by both', () => {
    equal(theirs.length, count);
    equal(ours.length, count);
    ok(new Set(requests.map(({ shape }) => shape)).size >= 30);
  });

  test('status, body, cookies and named header fields are the same, but for what is withdrawn by name', () => {
    const different = requests
      .map((request, at) => ({ ...request, theirs: theirs[at]!, ours: ours[at]! }))
      .filter((one) => !isDeepStrictEqual(one.theirs, one.ours))
      .filter((one) => !allowed.some(({ holds }) => holds(one.theirs, one.ours)));

    deepEqual(different, []);
  });

  test('each exception is still needed', () => {
    const unused = allowed.slice(0, 2).filter(({ holds }) => !theirs.some((one, at) => holds(one, ours[at]!)));

    deepEqual(
      unused.map(({ name }) => name),
      [],
    );
  });

  /** With the graphql that version 3 has: their words are to be compared, not graphql-js's of two majors. */
  function installOurs(graphql: string): void {
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, 'graphql-functions'), { recursive: true });
    cpSync(join(root, 'dist'), join(modules, 'graphql-functions/dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(modules, 'graphql-functions/package.json'));
    symlinkSync(graphql, join(modules, 'graphql'), 'dir');
    symlinkSync(join(root, 'node_modules/http-cache-semantics'), join(modules, 'http-cache-semantics'), 'dir');
    writeFileSync(join(folder, 'package.json'), '{}');
  }

  function answersOf(project: string, library: string, core: string): Answer[] {
    const program = join(import.meta.dirname, 'answer-requests.ts');
    const file = join(folder, 'answers.json');
    const env = { ...process.env, NODE_ENV: 'test' };
    execFileSync(process.execPath, ['--no-warnings', program, project, library, core, join(folder, 'requests.json'), file], {
      env,
      stdio: 'inherit',
    });
    return (JSON.parse(readFileSync(file, 'utf8')) as Result[]).map(toAnswer);
  }
});

/** The names alone: the handlers are made in the two programs. */
function shapeNames(): string[] {
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

/** Fields that carriers write, and those that say nothing of GraphQL. */
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
  // Nobody else may keep an answer to a GET that says nothing of itself.
  if (fields.get('cache-control') === 'private, no-store') fields.delete('cache-control');
  const text =
    result.isBase64Encoded === true ? Buffer.from(result.body ?? '', 'base64').toString() : (result.body ?? result.rejected ?? '');
  // The same words, never as HTML.
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

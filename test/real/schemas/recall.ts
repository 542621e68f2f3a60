import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import {
  buildClientSchema,
  buildSchema,
  getNamedType,
  introspectionFromSchema,
  isInterfaceType,
  isObjectType,
  parse,
  printSchema,
} from 'graphql';
import type { GraphQLNamedType, GraphQLSchema } from 'graphql';

import { budget, memoryStore } from '../../../src/entries/budget.ts';
import { createHandler } from '../../../src/entries/index.ts';
import { limits } from '../../../src/entries/limits.ts';
import { mcp } from '../../../src/entries/mcp.ts';
import { importFromPart, pathInPart } from '../../support/real/parts.ts';

/** A question with a second query for those who have not found enough, and the fields that answer it: one of each list. */
interface Question {
  readonly schema: string;
  readonly queries: readonly [first: string, second: string];
  readonly needs: readonly (readonly string[])[];
}

/** The questions of a file, which has their rules. */
function questionsOf(file: string): readonly Question[] {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
    .split(/^= /m)
    .slice(1)
    .flatMap((section) => {
      const [schema, ...blocks] = section.trim().split('\n\n');
      return blocks.map((block): Question => {
        const [first, second, needs] = block.split('\n') as [string, string, string];
        return { schema: schema!, queries: [first, second], needs: needs.split(' ').map((one) => one.split('|')) };
      });
    });
}

/** What a search has answered. */
interface Found {
  readonly sdl: string;
  readonly paths: readonly string[];
}

/** A function that serves a public schema and explores it by HTTP. */
interface Searched {
  readonly schema: GraphQLSchema;
  readonly search: (query: string) => Promise<Found>;
}

/** `describes`: false for the same schema without its descriptions. */
async function serveSchema(name: string, describes: boolean): Promise<Searched> {
  const { __schema } = JSON.parse(await introspectionOf(name), (key, value: unknown) =>
    key === 'description' && !describes ? null : value,
  ) as { readonly __schema: object };
  const schema = buildClientSchema({ __schema: { ...__schema, directives: [] } } as never);
  const handler = createHandler({
    nodeEnv: 'production',
    typeDefs: printSchema(schema),
    resolvers: {},
    plugins: [
      limits({ maxCost: 1_000 }),
      budget({ identity: () => 'agent', capacity: 1_000, refillPerSecond: 10, store: memoryStore({ isOnlyProcess: true }) }),
      mcp({ name, version: '1', explore: true }),
    ],
  } as never) as unknown as (event: Request, context: object) => Promise<Response>;
  return {
    schema,
    async search(query) {
      const params = { name: 'search_schema', arguments: { query } };
      const response = await handler(
        new Request('https://api.example/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        }),
        {},
      );
      const { result } = (await response.json()) as { readonly result: { readonly structuredContent: Found } };
      return result.structuredContent;
    },
  };
}

async function introspectionOf(name: string): Promise<string> {
  const read = (path: string): string => readFileSync(pathInPart('public-schemas', path), 'utf8').replace(/^\{"data":(.*)\}\s*$/s, '$1');
  if (name === 'github') return read('@octokit/graphql-schema/schema.json');
  if (name === 'customer') return read('@shopify/hydrogen-react/customer-account.schema.json');
  if (name === 'forge') {
    const text = readFileSync(new URL('forge.graphql', import.meta.url), 'utf8');
    return JSON.stringify(introspectionFromSchema(buildSchema(text)));
  }
  if (name === 'shop') return read('@shopify/hydrogen-react/storefront.schema.json');
  // The package has a schema for its own version of graphql-js.
  const path = 'swapi-graphql/lib/schema/index.js';
  const require = createRequire(pathInPart('public-schemas', path));
  const { default: swapi } = (await importFromPart('public-schemas', path)).default;
  const { data } = await require('graphql').graphql(swapi, require('graphql/utilities').introspectionQuery);
  return JSON.stringify(data);
}

/** The fields that an answer shows, such as `Issue.title`: in its types, and as steps of its paths. */
function fieldsIn({ sdl, paths }: Found, schema: GraphQLSchema): ReadonlySet<string> {
  const found = new Set<string>();
  for (const definition of sdl.trim() === '' ? [] : parse(sdl).definitions)
    if (definition.kind === 'ObjectTypeDefinition' || definition.kind === 'InterfaceTypeDefinition')
      for (const { name } of definition.fields ?? []) found.add(`${definition.name.value}.${name.value}`);
  for (const path of paths) {
    const [root, ...steps] = path.split(/[.[]/);
    let type: GraphQLNamedType | undefined = schema.getType(root!);
    for (const step of steps) {
      if (step.endsWith(']')) type = schema.getType(step.slice(0, -1));
      else if (isObjectType(type) || isInterfaceType(type)) {
        found.add(`${type.name}.${step}`);
        type = getNamedType(type.getFields()[step]?.type);
      }
    }
  }
  return found;
}

/** The numbers of questions whose fields are all found: by the first query, by the second, and by both. `missed`: those of the first. */
interface Recall {
  readonly counts: readonly number[];
  readonly missed: readonly string[];
}

/** Asks the questions of a file about each of its schemas. */
export async function recallOf(file: string, describes: boolean): Promise<ReadonlyMap<string, Recall>> {
  const questions = questionsOf(file);
  const recalls = new Map<string, Recall>();
  for (const name of new Set(questions.map((question) => question.schema))) {
    const { schema, search } = await serveSchema(name, describes);
    const counts = [0, 0, 0];
    const missed: string[] = [];
    for (const { queries, needs } of questions.filter((question) => question.schema === name)) {
      for (const need of needs.flat()) assertField(schema, need);
      const [first, second] = [fieldsIn(await search(queries[0]), schema), fieldsIn(await search(queries[1]), schema)];
      for (const [at, found] of [first, second, new Set([...first, ...second])].entries()) {
        const lacking = needs.filter((one) => !one.some((field) => found.has(field)));
        if (lacking.length === 0) counts[at]!++;
        else if (at === 0) missed.push(`${queries[0]} (${lacking.join(' ')})`);
      }
    }
    recalls.set(name, { counts, missed });
  }
  return recalls;
}

function assertField(schema: GraphQLSchema, place: string): void {
  const [type, field] = place.split('.') as [string, string];
  const found = schema.getType(type);
  if ((isObjectType(found) || isInterfaceType(found)) && found.getFields()[field]) return;
  throw new Error(`Expected a field of the schema, got "${place}".`);
}

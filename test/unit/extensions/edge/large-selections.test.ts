import { equal, ok } from 'node:assert/strict';
import { it } from 'node:test';

import { buildSchema, parse } from 'graphql';
import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { SchemaHints } from '../../../../src/extensions/edge/schema-hints.ts';
import type { OperationHints } from '../../../../src/extensions/edge/schema-hints.ts';

const types = Array.from({ length: 60 }, (_, at) => `type T${at} implements Node { id: ID! list: [Node!]! }`).join('\n');
const sdl = `interface Node { id: ID! list: [Node!]! } type Query { node: Node! } ${types}`;

// An operation of 5 KB once took 700 ms of CPU, and 73 MiB while its document was kept.
it('few selections of a short operation with nested interfaces are examined', () => {
  const schema = buildSchema(sdl);
  const questions = countQuestions(schema);
  const fields = Array.from({ length: 100 }, (_, at) => `... on Node { f${at}: list { id ... on T${at % 60} { more: id } } }`).join(' ');

  const hints = hintsOf(schema, `{ node { ${fields} } }`);

  equal(hints.policy.maxAge, 60);
  ok(questions() < 20_000, `${questions()} questions for subtypes`);
});

// Sixty of these fragments, 3 KB of text, once used up the memory.
it('fragments that each spread the next two are visited once for each object', () => {
  const schema = buildSchema(sdl);
  const count = 28;
  const fragments = Array.from({ length: count }, (_, at) => {
    const next = at + 1 < count ? `...F${at + 1} ...F${Math.min(count - 1, at + 2)}` : 'id';
    return `fragment F${at} on T0 { ${next} f${at}: id }`;
  });

  const hints = hintsOf(schema, `{ node { id ... on T0 { ...F0 } } } ${fragments.join(' ')}`);

  equal(hints.policy.maxAge, 60);
});

it('an operation with too many selections for many types is private', () => {
  const fields = Array.from({ length: 2_000 }, (_, at) => `f${at}: list { id }`).join(' ');

  equal(hintsOf(buildSchema(sdl), `{ node { ${fields} } }`).policy.maxAge, 0);
});

function hintsOf(schema: GraphQLSchema, text: string): OperationHints {
  const document = parse(text);
  const operation = document.definitions[0] as OperationDefinitionNode;
  return new SchemaHints(60).of(schema, { document, operation })!;
}

/** Counts the calls of `isSubType`, one for each fragment and type. */
function countQuestions(schema: GraphQLSchema): () => number {
  let questions = 0;
  const { isSubType } = schema;
  schema.isSubType = (...types) => {
    questions++;
    return isSubType.apply(schema, types);
  };
  return () => questions;
}

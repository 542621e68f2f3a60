import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildSchema, parse } from 'graphql';

import type { Logger } from '../../../../../src/entries/index.ts';
import { mcp, mcpDefinitions } from '../../../../../src/entries/mcp.ts';
import { cases } from '../../../../support/long-form.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { serveTools } from '../../../../support/mcp-serving.ts';

/** A schema and a document whose JSON Schemas grow exponentially. */
interface Multiplying {
  readonly typeDefs: string;
  readonly document: string;
}

/** Creates an interface with many types, nested in fragments of several kinds. */
function nestedSelections({ types, levels, kind }: { types: number; levels: number; kind: string }): Multiplying {
  const names = Array.from({ length: types }, (_, at) => `T${at}`);
  // Each group has at least one type, because a fragment on an interface without types is invalid.
  const groups = Array.from({ length: 4 }, (_, bit) => `G${bit}`).filter((_, bit) => 1 << bit < types);
  const fields = '{ id: ID! next: Node all: [Node!]! sort: Sort }';
  const groupsOf = (at: number): string => groups.filter((_, bit) => (at & (1 << bit)) !== 0).join(' & ');
  const typeDefs = `
    type Query { node: Node }
    enum Sort { ${Array.from({ length: 20 }, (_, at) => `VALUE_${at}`).join(' ')} }
    interface Node ${fields}
    ${groups.map((group) => `interface ${group} implements Node ${fields}`).join('\n')}
    ${names.map((name, at) => `type ${name} implements Node${groupsOf(at) && ' & '}${groupsOf(at)} { id: ID! next: Node all: [Node!]! sort: Sort own${at}: Int }`).join('\n')}
  `;
  const own = names.map((name, at) => `... on ${name} { own${at} }`).join(' ');
  const bodyOf = (level: number): string => {
    const below = `...F${level + 1}`;
    if (level === levels) return '__typename id';
    if (kind === 'fields') return `__typename sort next { ${below} } all { ${below} }`;
    if (kind === 'types') return `id ${own} next { ${below} }`;
    if (kind === 'groups') return `id ${groups.map((group) => `... on ${group} { next { ${below} } }`).join(' ')}`;
    return `id ${below} ${below} ... on Node { ${below} }`;
  };
  const fragments = Array.from({ length: levels + 1 }, (_, level) => `fragment F${level} on Node { ${bodyOf(level)} }`);
  return { typeDefs, document: `query Nested @mcpTool(description: "x") { node { ...F0 } } ${fragments.join(' ')}` };
}

/** Creates input objects. Each has several fields of the next one's type. */
function nestedInputs({ fields, levels }: { fields: number; levels: number }): Multiplying {
  const inputs = Array.from({ length: levels }, (_, level) => {
    const type = level === levels - 1 ? 'Int' : `In${level + 1}`;
    return `input In${level} { ${Array.from({ length: fields }, (_unused, at) => `f${at}: ${type}`).join(' ')} }`;
  });
  return {
    typeDefs: `type Query { find(by: In0): Int } ${inputs.join(' ')}`,
    document: 'query Nested($by: In0) @mcpTool(description: "x") { find(by: $by) }',
  };
}

function randomMultiplying(random: Random): Multiplying {
  const levels = 1 + random.below(24);
  if (random.chance(0.3)) return nestedInputs({ fields: 1 + random.below(12), levels });
  return nestedSelections({ types: 2 + random.below(59), levels, kind: random.pick(['fields', 'types', 'groups', 'spreads']) });
}

/** Returns the error that the command `check` reports, or its notices. */
function checked({ typeDefs, document }: Multiplying): Error | readonly string[] {
  const schema = buildSchema(mcpDefinitions + typeDefs);
  const trustedDocuments = () => [['nested', { text: document, document: parse(document), errors: [] }]] as never;
  try {
    return mcp({ name: 'a', version: '1' }).check!({ schema, trustedDocuments } as never) as readonly string[];
  } catch (error) {
    return error as Error;
  }
}

async function listed({ typeDefs, document }: Multiplying, logger?: Logger): Promise<any> {
  const server = { typeDefs: [mcpDefinitions, typeDefs], resolvers: {}, trustedDocuments: { documents: { nested: document } } };
  const { legacy } = serveTools({ hidden: undefined }, { ...server, ...(logger && { logger }) });
  return (await legacy('tools/list')).result.tools[0];
}

describe('schemas of tools', () => {
  test('have at most about 64 KB without $ref, or are replaced or refused, in a time that does not grow with their size', async () => {
    const random = createRandom(1);
    const count = cases({ short: 20, long: 600 });
    for (let at = 0; at < count; at++) {
      const given = randomMultiplying(random);
      const found = checked(given);
      if (found instanceof Error) {
        assert.match(found.message, /"nested" cannot be a tool: the JSON Schema of its variables is larger than 64 KB/);
        continue;
      }
      const { inputSchema, outputSchema } = await listed(given);
      assert.ok(JSON.stringify([inputSchema, outputSchema]).length < 140_000);
      assert.doesNotMatch(JSON.stringify([inputSchema, outputSchema]), /\$ref/);
      assert.ok(inputSchema.type === 'object' && outputSchema.type === 'object');
      assert.equal(found.length, 'properties' in outputSchema ? 0 : 1);
    }
  });

  test('of an answer above 64 KB allow any object, and a warning names the tool', async () => {
    const [logger, lines] = recordingLogger();
    const { outputSchema } = await listed(nestedSelections({ types: 40, levels: 16, kind: 'fields' }), logger);

    assert.deepEqual(outputSchema, { type: 'object' });
    const warnings = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    assert.deepEqual(warnings, ['The MCP tool "nested" has no output schema, because it would be larger than 64 KB. Select less.']);
  });

  test('allow any object where an input object contains itself', async () => {
    const { inputSchema } = await listed({
      typeDefs: 'type Query { find(by: By): Int } input By { id: Int and: [By!] }',
      document: 'query Find($by: By) @mcpTool(description: "x") { find(by: $by) }',
    });

    assert.deepEqual(inputSchema.properties.by.properties.and, { type: ['array', 'null'], items: { type: 'object' } });
  });

  test('of answers have the fields of all types and conditions, and require none', async () => {
    const { outputSchema } = await listed({
      typeDefs: 'type Query { all: [Thing!]! } union Thing = A | B type A { id: ID! next: B } type B { id: ID! name: String! next: B }',
      document: `query All($more: Boolean!) @mcpTool(description: "x") {
        all { __typename ... on A { id next { id } } ... on B @include(if: $more) { name next { name } } }
      }`,
    });

    const nullable = { type: ['object', 'null'], properties: { id: { type: 'string' }, name: { type: 'string' } } };
    const properties = { __typename: { type: 'string' }, id: { type: 'string' }, next: nullable, name: { type: 'string' } };
    assert.deepEqual(outputSchema, {
      type: 'object',
      properties: { all: { type: 'array', items: { type: 'object', properties } } },
    });
  });

  test('contain the defaults of input fields', async () => {
    const tool = await listed({
      typeDefs:
        'type Query { find(by: By): Int } input By { first: Int = 10 sort: Sort! = NEW ids: [ID!] = 5 range: Range = { to: 2 } } input Range { to: Int } enum Sort { NEW OLD }',
      document: 'query Find($by: By) @mcpTool(description: "x") { find(by: $by) }',
    });

    const { properties, required } = tool.inputSchema.properties.by;
    const defaults = Object.values(properties).map((property: any) => property.default);
    assert.deepEqual([defaults, required], [[10, 'NEW', ['5'], { to: 2 }], undefined]);
  });
});

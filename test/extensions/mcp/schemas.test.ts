import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildSchema } from 'graphql';

import { mcp, mcpDefinitions } from '../../../src/entries/mcp.ts';
import { cases } from '../../support/long-form.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { serveTools } from './serving.ts';

/** A schema and a document whose JSON Schemas would grow exponentially without `$defs`. */
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

/** Returns the error that the command `check` reports. */
function checked({ typeDefs, document }: Multiplying): Error | undefined {
  const schema = buildSchema(mcpDefinitions + typeDefs);
  const trustedDocuments = () => [['nested', { text: document }]] as never;
  try {
    mcp({ name: 'a', version: '1' }).check!({ schema, trustedDocuments } as never);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

async function listed({ typeDefs, document }: Multiplying): Promise<any> {
  const { legacy } = serveTools(
    { hidden: undefined },
    { typeDefs: [mcpDefinitions, typeDefs], resolvers: {}, trustedDocuments: { documents: { nested: document } } },
  );
  return (await legacy('tools/list')).result.tools[0];
}

describe('schemas of tools', () => {
  test('have a size that is linear in the number of types and selections, not in their product', async () => {
    const random = createRandom(1);
    const count = cases({ short: 20, long: 600 });
    for (let at = 0; at < count; at++) {
      const given = randomMultiplying(random);
      const failure = checked(given);
      if (failure instanceof Error) {
        assert.match(failure.message, /The JSON Schema of "[\w$.]+" is too large/);
        continue;
      }
      const { inputSchema, outputSchema } = await listed(given);
      assert.ok(JSON.stringify([inputSchema, outputSchema]).length < 300_000);
      assert.ok(inputSchema.type === 'object' && outputSchema.type === 'object');
    }
  });

  test('are inlined when they are small, and have $defs above 32 KB', async () => {
    const small = await listed(nestedInputs({ fields: 3, levels: 4 }));
    const large = await listed(nestedInputs({ fields: 12, levels: 6 }));
    const output = await listed(nestedSelections({ types: 40, levels: 4, kind: 'fields' }));

    assert.doesNotMatch(JSON.stringify(small), /\$ref/);
    assert.ok('$defs' in large.inputSchema && large.inputSchema.type === 'object');
    assert.ok('$defs' in output.outputSchema && output.outputSchema.type === 'object');
    assert.ok(JSON.stringify(large).length < 10_000, String(JSON.stringify(large).length));
  });

  test('above 256 KB are an error that names the selection', () => {
    const failure = checked(nestedSelections({ types: 1_500, levels: 6, kind: 'types' }));

    assert.match(String(failure), /The JSON Schema of "node\.next[\w.]*" is too large: expected at most 256 KB for a tool/);
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

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildSchema } from 'graphql';

import { mcp, mcpDefinitions } from '../../../../src/entries/mcp.ts';
import { documents, serveTools, typeDefs } from '../../../support/mcp-serving.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe('the directive', () => {
  const schema = buildSchema('type Query { a: Int }');
  const tool = 'query A @mcpTool(description: "x") { a }';
  const codeFirst = {
    typeDefs: undefined,
    resolvers: undefined,
    schema,
    rootValue: { a: 1 },
    trustedDocuments: { documents: { a: tool } },
  };

  test('needs no definition in a schema of code, and is not part of it', async () => {
    const { call, post } = serveTools({ hidden: undefined }, { ...codeFirst, introspection: true });
    const query = async (text: string, documentId?: string): Promise<any> => (await post({ query: text, documentId }, {}, '/')).json();

    assert.deepEqual((await call('a')).structuredContent, { a: 1 });
    assert.deepEqual(await query(tool), { data: { a: 1 } });
    const [other, listed] = [await query(`${tool} #`), await query('{ __schema { directives { name } } }')];
    assert.equal(other.errors[0].message, 'Unknown directive "@mcpTool".');
    assert.doesNotMatch(JSON.stringify(listed), /mcpTool/);
  });

  test('is validated with its definition, and counts in the version of an operation that a client has not replaced', async () => {
    const old = { text: 'query A @mcpTool(description: "old") { a }', isReplaced: true };
    const documents = [{ b: { text: tool, isReplaced: true } }, { a: 'query A @mcpTool(name: 1) { a }', old, b: tool }];
    const { legacy } = serveTools({ hidden: undefined }, { ...codeFirst, nodeEnv: 'production', trustedDocuments: { documents } });

    const { result } = await legacy('tools/list');

    assert.deepEqual(
      result.tools.map(({ name }: { name: string }) => name),
      ['a'],
    );
    assert.deepEqual(result.tools[0].description, 'x');
  });
});

describe('tools', () => {
  const all = ['fails', 'get_book', 'mine', 'rename', 'search-all'];

  for (const [what, text, message] of [
    ['a subscription', 'subscription S @mcpTool(description: "x") { ticks }', /Unknown|may not be used|is not defined|one answer/],
    ['two operations', 'query A @mcpTool(description: "x") { fails } query B { fails }', /expected one operation, got 2/],
    ['an invalid document', 'query A @mcpTool(description: "x") { nothing }', /Cannot query field/],
    ['a name with a dot', 'query A @mcpTool(name: "a.b", description: "x") { fails }', /1 to 64 letters/],
    ['a name that another tool has', 'query A @mcpTool(name: "Get_Book", description: "x") { fails }', /got two named/],
    ['no description', 'query A @mcpTool { fails }', /needs a description/],
    ['introspection', 'query A @mcpTool(description: "x") { __type(name: "Book") { name } }', /it selects __type/],
  ] as const)
    test(`${what} fails at the start, but in production it is left out, and logged once`, async () => {
      const [logger, lines] = recordingLogger();
      const trustedDocuments = { documents: { ...documents, x: text } };
      const production = serveTools({}, { logger, nodeEnv: 'production', trustedDocuments });

      assert.equal((await serveTools({}, { logger, trustedDocuments }).post(ping)).status, 500);
      const told = lines.splice(0).map(({ message, details }) => `${message} ${String(details[0])}`);
      assert.match(told.join(), message);
      await production.names();
      assert.deepEqual(await production.names(), all);
      assert.deepEqual(
        lines.map(({ level, message }) => `${level}: ${message}`),
        ['error: An MCP tool is left out.'],
      );
    });

  test('are checked by the command check, which starts no server', () => {
    const plugin = mcp({ name: 'shop', version: '1', tools: { x: { document: 'none' } } });
    const schema = buildSchema('type Query { fails: Int }');

    const message = 'Expected the tool "x" of mcp to name a trusted document, got the id "none"';
    assert.throws(() => plugin.check?.({ schema, facts: new Map(), trustedDocuments: () => [] }), new RegExp(message));
  });

  test('need the directive itself: its name in a comment or a string does not expose a document', async () => {
    const unlisted = {
      comment: '# never: no @mcpTool here\nquery Internal { secret }',
      string: 'query Internal2 { book(id: "@mcpTool") { title } secret }',
      other: 'query Internal3 { secret } # @mcpTool @mcpToolDisabled',
    };
    const { call, names, runs } = serveTools({}, { trustedDocuments: { documents: { ...documents, ...unlisted } } });

    assert.deepEqual([await names(), (await call('internal')).code, runs], [all, -32_602, []]);
  });

  test('must use each hidden variable in at least one of them, so that a misspelled name does not expose a variable', async () => {
    const [logger, lines] = recordingLogger();
    const hidden = { tenantt: () => '2' };

    assert.equal((await serveTools({ hidden }, { logger }).post(ping)).status, 500);
    assert.deepEqual(await serveTools({ hidden }, { logger, nodeEnv: 'production' }).names(), []);
    assert.match(JSON.stringify(lines.map(({ details }) => String(details[0]))), /hidden\.tenantt of mcp/);
  });

  test('whose document is invalid use their hidden variables nevertheless', async () => {
    const mine = documents['mine']!.replace('title', 'nothing');
    const { names } = serveTools({}, { nodeEnv: 'production', trustedDocuments: { documents: { ...documents, mine }, only: true } });

    assert.deepEqual(await names(), ['fails', 'get_book', 'rename', 'search-all']);
  });

  test('from the option replace those from the directive', async () => {
    const { names } = serveTools({ tools: { rename_book: { document: 'rename', description: 'Renames', destructive: false } } });

    assert.deepEqual(await names(), ['fails', 'get_book', 'mine', 'rename_book', 'search-all']);
  });

  test('have defaults that fit their schemas', async () => {
    const a = `query A($a: ID = 5, $b: [Sort!] = TITLE, $c: Int = null) @mcpTool(description: "x") {
      book(id: $a) { title } search(text: "a", sort: $b, first: 1) { __typename } fails(c: $c) }`;
    const types = typeDefs.replace('book(id: ID!)', 'book(id: ID)').replace('fails: Int', 'fails(c: Int): Int');
    const { legacy } = serveTools({ hidden: undefined }, { typeDefs: [mcpDefinitions, types], trustedDocuments: { documents: { a } } });

    const { properties } = (await legacy('tools/list')).result.tools[0].inputSchema;

    assert.deepEqual([properties.a.default, properties.b.default, 'default' in properties.c], ['5', ['TITLE'], false]);
  });
});

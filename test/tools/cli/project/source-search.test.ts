import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { SourceSearch } from '../../../../src/tools/cli/project/source-search.ts';
import type { FoundPlace } from '../../../../src/tools/cli/project/source-search.ts';
import { createProject } from '../../../support/functions-project.ts';

/** A search in one file of code. */
async function searchIn(context: TestContext, code: string): Promise<{ search: SourceSearch; file: string }> {
  const { directory } = await createProject(context, { 'a.ts': code });
  const file = join(directory, 'a.ts');
  return { search: new SourceSearch([file]), file };
}

const at = (place: FoundPlace | undefined): string => `${place?.line}:${place?.column}`;

const keys: readonly (readonly [what: string, code: string, expected: string])[] = [
  ['in a map', 'const resolvers = { Book: { book: 1 }, Query: { other: { book: 2 }, book: 3 } };', '1:69'],
  ['in a constant with a type', "export const Query: Resolvers['Query'] = {\n  book() {},\n};", '2:3'],
  [
    'after comments and literals with braces',
    'const x = "Query: {"; // Query: { book\nconst m = { Query: { a: `}`, /* } */ book: 1 } };',
    '2:38',
  ],
  ['with quotes', 'export default { "Query": { \'book\': 1 } };', '1:29'],
  ['in a class', 'class Query {\n  async book() {}\n}', '2:9'],
  ['not in a type of TypeScript', 'interface Query { book: string }\nconst Query = { book: 1 };', '2:17'],
  ['shorthand', 'const book = () => 1;\nexport const map = { Query: { book } };', '2:31'],
];
for (const [what, code, expected] of keys) {
  test(`the resolver Query.book is found ${what}`, async (context) => {
    const { search } = await searchIn(context, code);

    assert.equal(at(search.findKey(['Query', 'book'])), expected);
  });
}

test('a key of the options is searched only in the call', async (context) => {
  const { search, file } = await searchIn(
    context,
    'createHandler({\n  maxTokens: 1,\n});\ncreateHandler(options);\nconst x = { maxTokens: 2 };',
  );

  assert.equal(at(search.findKey(['maxTokens'], { file, line: 1, column: 1 })), '2:3');
  assert.equal(search.findKey(['maxTokens'], { file, line: 4, column: 1 }), undefined);
});

test('schema text is found as a whole, or else by its line and the neighboring lines', async (context) => {
  const { search } = await searchIn(
    context,
    'const a = gql`\n  type A {\n    b: Int\n  }\n`;\nconst c = gql`\n  type C {\n    b: Int\n    d: ${type}\n  }\n`;',
  );
  const whole = '\n  type A {\n    b: Int\n  }\n';
  const filled = '\n  type C {\n    b: Int\n    d: String\n  }\n';

  assert.equal(at(search.findText(whole, whole.indexOf('Int'))), '3:8');
  assert.equal(at(search.findText(filled, filled.indexOf('Int'))), '8:8');
  assert.equal(search.findText('type Q { q: Int }', 9), undefined);
});

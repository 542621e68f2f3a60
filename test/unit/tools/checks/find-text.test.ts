import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { findText } from '../../../../src/tools/checks/find-text.ts';
import { createProject } from '../../../support/functions-project.ts';

test('a text is found in the files that Git has: as a whole, or else by its line and those beside it', async (context) => {
  const { directory } = await createProject(context, {
    '.gitignore': '/dist/\n',
    'dist/bundle.js': 'const a = `\n  type A {\n    b: Int\n  }\n`;',
    'graphql/a.ts': 'const a = gql`\n  type A {\n    b: Int\n  }\n`;\nconst c = gql`\n  type C {\n    b: Int\n    d: ${type}\n  }\n`;',
    'node_modules/a/index.js': 'type Q { q: Int }',
    'documents.json': '{\n  "one": "{ a }"\n}',
  });
  const cwd = process.cwd();
  process.chdir(directory);
  context.after(() => process.chdir(cwd));
  const whole = '\n  type A {\n    b: Int\n  }\n';
  const filled = '\n  type C {\n    b: Int\n    d: String\n  }\n';
  const file = join(directory, 'graphql/a.ts');

  assert.deepEqual(findText(whole, whole.indexOf('Int')), { file, line: 3, column: 8 });
  assert.deepEqual(findText(filled, filled.indexOf('Int')), { file, line: 8, column: 8 });
  assert.deepEqual(findText('"{ a }"', 0), { file: join(directory, 'documents.json'), line: 2, column: 10 });
  assert.equal(findText('type Q { q: Int }', 9), undefined);
});

test('a line that opens several files is found in the file with the line after it', async (context) => {
  const books = 'extend type Query {\n  books: Int\n}\n';
  const users = 'extend type Query {\n  users: Int\n}\n';
  const { directory } = await createProject(context, { 'graphql/books.graphql': books, 'graphql/users.graphql': users });
  const cwd = process.cwd();
  process.chdir(directory);
  context.after(() => process.chdir(cwd));

  const found = findText(`${books}\n${users}`, books.length + 1);

  assert.deepEqual(found, { file: join(directory, 'graphql/users.graphql'), line: 1, column: 1 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startCommand } from '../../../../support/program.ts';
import { runCommandHere } from '../../../../support/command-here.ts';
import { createProject, linkPackage } from '../../../../support/functions-project.ts';

const files = {
  'functions/graphql.ts': `
import { createHandler } from 'graphql-functions';
import typeDefs from './schema/schema.graphql';

export default createHandler({
  typeDefs,
  resolvers: { Query: { book: () => ({ title: 'Emma' }) } },
});
`,
  'functions/schema/schema.graphql': 'type Query { book(id: ID!): Book } type Book { title: String }',
};

test('a handler with a code cache gives the same answers as the function', async (context) => {
  const project = await createProject(context, files);
  await linkPackage(project);

  const { stdout, code } = await runCommandHere(project.directory, 'build', '--out', 'dist');
  const ask = "require('./dist').handler({ query: '{ book(id: 1) { title } }' }).then((it) => console.log(JSON.stringify(it)))";
  const asked = await startCommand(context, ['--expose-gc', '--eval', ask], { cwd: project.directory }).exited;

  assert.equal(code, 0);
  assert.match(stdout, /Wrote dist: deploy it unchanged, with `Handler: index\.handler` on Lambda/);
  assert.equal(asked.stdout, '{"data":{"book":{"title":"Emma"}}}\n');
});

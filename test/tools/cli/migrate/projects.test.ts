import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { migrate, projectWith } from './project.ts';
import { importProjects, modernProjects } from './projects.ts';

for (const [name, { files }] of Object.entries(importProjects)) {
  test(`a project changes as a whole: ${name}`, async (context) => {
    const project = await projectWith(context, files);

    const printed = await migrate(project);

    for (const file of Object.keys(files)) {
      const text = await readFile(join(project.directory, file), 'utf8');
      doesNotMatch(text, /apollo-server/, printed);
      doesNotMatch(text, /\n\n\n/);
    }
  });
}

test('--modern writes most projects of Apollo Server 4 and Yoga without hand work, and names file, line and remedy of the others', async (context) => {
  const left: string[] = [];
  for (const [name, { files }] of Object.entries(modernProjects)) {
    const project = await projectWith(context, files);

    const printed = await migrate(project, { modern: true });

    const texts = await Promise.all(Object.keys(files).map((file) => readFile(join(project.directory, file), 'utf8')));
    for (const text of texts) doesNotMatch(text, /\n\n\n/);
    if (texts.some((text) => /['"](?:@apollo\/server|graphql-yoga)['"]/.test(text))) {
      left.push(name);
      match(printed, /\w+\.js:\d+ {2}Not converted to createHandler: \w/);
    }
  }
  const { length } = Object.keys(modernProjects);

  context.diagnostic(`without hand work: ${length - left.length} of ${length}; left: ${left.join(', ')}`);
  ok(length >= 12);
  ok(length - left.length >= 8, `left: ${left.join(', ')}`);
});

const plain =
  "import { ApolloServer } from 'apollo-server-lambda';\nexport const handler = new ApolloServer({ typeDefs }).createHandler();\n";

async function manifestOf(directory: string): Promise<{ dependencies?: Record<string, string>; devDependencies?: Record<string, string> }> {
  return JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as object;
}

test('in a monorepo the package.json changes that lists the packages: of the package, or of the root', async (context) => {
  const project = await projectWith(context, {
    'package.json': '{ "dependencies": { "apollo-server-lambda": "^3.0.0", "graphql": "^15.0.0" } }\n',
    'packages/hoisted/package.json': '{ "name": "hoisted" }\n',
    'packages/hoisted/handler.js': plain,
    'packages/api/package.json': '{ "dependencies": { "apollo-server-lambda": "^3.0.0" } }\n',
    'packages/api/handler.js': plain,
  });

  await migrate(project);

  deepEqual(Object.keys((await manifestOf(project.directory)).dependencies!), ['graphql', 'graphql-functions']);
  deepEqual(await manifestOf(join(project.directory, 'packages/hoisted')), { name: 'hoisted' });
  const { dependencies } = await manifestOf(join(project.directory, 'packages/api'));
  // graphql is the root's, which has been raised.
  deepEqual(Object.keys(dependencies!), ['graphql-functions']);
});

test('dependencies of Apollo’s packages are added, and those without support for graphql 16 are updated or reported', async (context) => {
  const project = await projectWith(context, {
    'handler.js': `import gql from 'graphql-tag';\nimport { addMocksToSchema } from '@graphql-tools/mock';\n${plain}`,
    'package.json': JSON.stringify({
      dependencies: {
        '@apollo/federation': '^0.25.0',
        'apollo-server-lambda': '^2.19.0',
        'apollo-server-plugin-response-cache': '^0.6.0',
        graphql: '^15.0.0',
      },
      devDependencies: { typescript: '~4.5.2' },
    }),
  });

  const printed = await migrate(project);

  const { dependencies } = await manifestOf(project.directory);
  deepEqual(Object.keys(dependencies!), [
    '@apollo/federation',
    '@graphql-tools/mock',
    'apollo-server-plugin-response-cache',
    'graphql',
    'graphql-functions',
    'graphql-tag',
  ]);
  equal(dependencies!['apollo-server-plugin-response-cache'], '^3.8.2');
  match(printed, /package\.json:1 {2}This version of @apollo\/federation does not support graphql 16\. Use @apollo\/subgraph \^2/);
  match(printed, /package\.json:1 {2}TypeScript ~4\.5\.2 cannot read the types of this package\. Use \^5\.4\.0 or newer\./);
});

test('TypeScript below 5.4 needs skipLibCheck, and is named without it', async (context) => {
  const files = { 'a.js': plain, 'package.json': '{ "devDependencies": { "typescript": "5.3.3" } }' };

  const without = await migrate(await projectWith(context, files));
  const skipping = await migrate(
    await projectWith(context, { ...files, 'tsconfig.json': '{ "compilerOptions": { "skipLibCheck": true } }' }),
  );

  match(without, /package\.json:1 {2}TypeScript 5\.3\.3 requires "skipLibCheck": true/);
  doesNotMatch(skipping, /skipLibCheck": true in/);
});

test('version 2’s createHandler gets cors: {} beside its other options, and options from elsewhere are named', async (context) => {
  const project = await projectWith(context, {
    'package.json': '{ "dependencies": { "apollo-server-lambda": "2.25.0" } }',
    'server.js': "import { ApolloServer } from 'apollo-server-lambda';\nexport const server = new ApolloServer({ typeDefs });\n",
    'handler.js': "import { server } from './server.js';\nexport const handler = server.createHandler({ onHealthCheck });\n",
    'off.js': "import { server } from './server.js';\nexport const handler = server.createHandler({ cors: false });\n",
    'other.js':
      "import { server } from './server.js';\nimport { options } from './options.js';\nexport const handler = server.createHandler(options);\n",
  });

  const printed = await migrate(project);

  match(await readFile(join(project.directory, 'handler.js'), 'utf8'), /createHandler\(\{ cors: \{\}, onHealthCheck \}\)/);
  match(await readFile(join(project.directory, 'off.js'), 'utf8'), /createHandler\(\{ cors: \{\} \}\)/);
  match(printed, /other\.js:3 {2}Without the option cors, version 2 sent no CORS headers/);
});

test('--modern leaves CORS off for version 2, which sent no fields', async (context) => {
  const project = await projectWith(context, {
    'package.json': '{ "dependencies": { "apollo-server-lambda": "2.25.0" } }',
    'a.js': `import { ApolloServer } from 'apollo-server-lambda';
const server = new ApolloServer({ typeDefs, resolvers });
export const handler = server.createHandler();
`,
  });

  await migrate(project, { modern: true });

  const text = await readFile(join(project.directory, 'a.js'), 'utf8');
  match(text, /createHandler\(\{/);
  doesNotMatch(text, /cors/);
});

test('the option uploads is named where the schema has the scalar, in a schema file too', async (context) => {
  const handler = plain.replace('{ typeDefs }', '{ typeDefs, uploads: { maxFiles: 1 } }');
  const withScalar = { 'a.js': handler, 'schema/a.graphql': 'type Mutation { put(file: Upload!): Int }' };

  match(await migrate(await projectWith(context, withScalar)), /a\.js:2 {2}The schema uses the scalar Upload.*docs\/uploads\.md/);
  doesNotMatch(await migrate(await projectWith(context, { 'a.js': handler })), /Upload/);
});

test('type arguments stay, and a server of a fetch handler that reads its bindings is named with the line', async (context) => {
  const project = await projectWith(context, {
    'a.ts': `import { ApolloServer } from '@apollo/server';
import { handlers, startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';

const server = new ApolloServer<MyContext>({ typeDefs, resolvers });

export const handler = startServerAndCreateLambdaHandler(server, handlers.createALBEventRequestHandler());
`,
    'worker.js': `import { createSchema, createYoga } from 'graphql-yoga';

export default {
  fetch(request, env, ctx) {
    const yoga = createYoga({
      schema: createSchema({ typeDefs: 'type Query { a: Int }', resolvers: {} }),
      context: () => ({ db: env.DB }),
    });
    return yoga(request, ctx);
  },
};
`,
  });

  const printed = await migrate(project, { modern: true });

  match(await readFile(join(project.directory, 'a.ts'), 'utf8'), /createHandler<MyContext>\(\{/);
  match(
    printed,
    /worker\.js:7 {2}Not converted to createHandler: its options read env from the enclosing function: read event, env or context/,
  );
});

test('a context function that needs the web’s Request reads it as the event, typed by the entry for web handlers', async (context) => {
  const project = await projectWith(context, modernProjects['Yoga in fetch of a Worker']!.files);

  await migrate(project, { modern: true });

  const text = await readFile(join(project.directory, 'worker.js'), 'utf8');
  match(text, /^import \{ createHandler \} from 'graphql-functions\/fetch';/);
  match(text, /context: \(\{ event: request \}\) => \(\{ path: new URL\(request\.url\)\.pathname \}\)/);
});

test('a file with code that --modern does not foresee is named, and the others change', async (context) => {
  const project = await projectWith(context, {
    'hole.js': `import { ApolloServer } from '@apollo/server';
import { handlers, startServerAndCreateLambdaHandler } from '@as-integrations/aws-lambda';
const server = new ApolloServer({ typeDefs, plugins: [, plugin] });
export const handler = startServerAndCreateLambdaHandler(server, handlers.createALBEventRequestHandler());
`,
    'plain.js': plain,
  });

  const printed = await migrate(project, { modern: true });

  match(printed, /hole\.js:1 {2}migrate failed on this file \(.*\) and left it unchanged/);
  match(await readFile(join(project.directory, 'plain.js'), 'utf8'), /graphql-functions/);
});

test('--modern keeps the indentation of a server inside a function, and leaves no blank line at its start', async (context) => {
  const main = (options: string): string => `import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

async function main() {
  const server = new ApolloServer(${options});

  const { url } = await startStandaloneServer(server, { listen: { port: 4000 } });
  console.log(url);
}
`;
  const project = await projectWith(context, {
    'short.js': main('{ typeDefs, resolvers }'),
    'long.js': main('{\n    typeDefs,\n    resolvers,\n  }'),
  });

  await migrate(project, { modern: true });

  const texts = await Promise.all(['short.js', 'long.js'].map((file) => readFile(join(project.directory, file), 'utf8')));
  for (const text of texts)
    equal(
      text,
      `import { serve } from 'graphql-functions/node';

async function main() {
  const { url } = await serve({
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    introspection: process.env['NODE_ENV'] !== 'production',
    maskErrors: false,
    typeDefs,
    resolvers,
  }, { port: 4000 });
  console.log(url);
}
`,
    );
});

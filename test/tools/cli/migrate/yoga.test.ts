import { deepEqual, equal, match } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { answersOf, migrate, projectWith } from './project.ts';

const schema = `createSchema({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } } })`;
const recipe = `export async function handler(event, lambdaContext) {
  const { method, path } = event.requestContext.http;
  const query = event.rawQueryString ? '?' + event.rawQueryString : '';
  const response = await yoga.fetch(
    'https://example.com' + path + query,
    { method, headers: event.headers, body: event.body ? Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8') : undefined },
    { event, lambdaContext },
  );
  return { statusCode: response.status, headers: Object.fromEntries(response.headers.entries()), body: await response.text(), isBase64Encoded: false };
}
`;

/** Handler files of Yoga that can be written with `createHandler`. Each answers `{ hello }` with "world". */
const written: Readonly<Record<string, string>> = {
  'fetch.mjs': `import { createSchema, createYoga } from 'graphql-yoga';
const yoga = createYoga({ schema: ${schema} });
export default yoga;
`,
  'member.mjs': `import { createSchema, createYoga } from 'graphql-yoga';
const yoga = createYoga({ graphqlEndpoint: '/', schema: ${schema} });
export default { fetch: yoga.fetch };
`,
  'netlify.ts': `import { createSchema, createYoga } from 'graphql-yoga';
const yoga = createYoga({ graphqlEndpoint: '/graphql', context: ({ request }) => ({ user: request.headers.get('x-user') }), schema: ${schema} });
export default async (request: Request, context: any) => yoga.fetch(request, context);
export const config = { path: '/graphql' };
`,
  'default-function.mjs': `import { createSchema, createYoga } from 'graphql-yoga';
const yoga = createYoga({ schema: ${schema}, plugins: [], batching: { limit: 3 }, maskedErrors: false, graphiql: false, landingPage: false });
export default async function handler(request) {
  return await yoga.fetch(request);
}
`,
  'lambda.mjs': `import { createSchema, createYoga } from 'graphql-yoga';
const yoga = createYoga({ graphqlEndpoint: '*', schema: ${schema}, cors: { origin: ['https://example.com'], credentials: true } });
${recipe}`,
  'lambda-default.mjs': `import { createSchema, createYoga } from 'graphql-yoga';
const yoga = createYoga({ schema: ${schema} });
${recipe.replace('export async function handler', 'export default async function')}`,
  'lambda.cjs': `const { createSchema, createYoga } = require('graphql-yoga');
const yoga = createYoga({ schema: ${schema}, context: async ({ event, lambdaContext: { functionName } }) => ({ event, functionName }) });
exports.handler = async (event, lambdaContext) => ${recipe.slice(recipe.indexOf('{\n'))}`.replace(
    'lambdaContext: { functionName } }) => ({ event, functionName })',
    'lambdaContext }) => ({ headers: event.headers, name: lambdaContext.functionName })',
  ),
  // Yoga's documented recipe for a REST API.
  'lambda-rest.ts': `import { createSchema, createYoga } from 'graphql-yoga';
import { APIGatewayEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
const resolvers = { Query: { hello: (_: unknown, __: unknown, { word }: { word: string }) => word } };
const yoga = createYoga<{ event: APIGatewayEvent; lambdaContext: Context }>({
  graphqlEndpoint: '/graphql',
  landingPage: false,
  context: ({ request }) => ({ word: request.headers.has('x-other') ? 'other' : 'world' }),
  schema: createSchema({
    typeDefs: /* GraphQL */ \`
      type Query {
        hello: String
      }
    \`,
    resolvers,
  }),
});
export async function handler(event: APIGatewayEvent, lambdaContext: Context): Promise<APIGatewayProxyResult> {
  let fullPath = event.path;
  if (event.queryStringParameters) {
    fullPath += '?' + new URLSearchParams(event.queryStringParameters as Record<string, string>).toString();
  }
  const headers = new Headers();
  for (const key in event.headers) {
    headers.set(key, event.headers[key] as string);
  }
  const response = await yoga.fetch(
    fullPath,
    { method: event.httpMethod, headers, body: event.body ? Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8') : undefined },
    { event, lambdaContext },
  );
  const responseHeaders = {} as Record<string, string>;
  response.headers.forEach((value, name) => {
    responseHeaders[name] = value;
  });
  return { statusCode: response.status, headers: responseHeaders, body: await response.text(), isBase64Encoded: false };
}
`,
};

test('--modern writes handlers of Yoga with createHandler, and they answer', async (context) => {
  const project = await projectWith(context, written);

  const printed = await migrate(project, { modern: true });

  equal(printed.includes('Not written'), false, printed);
  const { 'member.mjs': _, ...functions } = written;
  const answers = await answersOf(project, Object.keys(functions));
  deepEqual(answers, Object.fromEntries(Object.keys(functions).map((file) => [file, 'world'])));
  match(
    await readFile(join(project.directory, 'member.mjs'), 'utf8'),
    /const yoga = createHandler\([^]*export default \{ fetch: yoga\.fetch \};/,
  );
});

test("--modern shortens Yoga's recipe for Lambda and writes out Yoga's defaults", async (context) => {
  const project = await projectWith(context, { 'a.ts': written['lambda-rest.ts']!, 'b.cjs': written['lambda.cjs']! });

  await migrate(project, { modern: true });

  equal(
    await readFile(join(project.directory, 'a.ts'), 'utf8'),
    `import { createHandler } from 'graphql-functions';
const resolvers = { Query: { hello: (_: unknown, __: unknown, { word }: { word: string }) => word } };
export const handler = createHandler({
  context: ({ request }) => ({ word: request.headers.has('x-other') ? 'other' : 'world' }),
  cors: { origin: '*' },
  introspection: true,
  allowBatchedHttpRequests: false,
  typeDefs: /* GraphQL */ \`
      type Query {
        hello: String
      }
    \`,
  resolvers,
});
`,
  );
  match(
    await readFile(join(project.directory, 'b.cjs'), 'utf8'),
    /context: async \(\{ event, context: lambdaContext \}\) => \(\{ headers: event\.headers, name: lambdaContext\.functionName \}\)/,
  );
});

const server = (options: string): string =>
  `import { createSchema, createYoga } from 'graphql-yoga';\nconst yoga = createYoga({ ${options} });\n`;
const reading = (resolver: string): string =>
  server(`schema: createSchema({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: ${resolver} } } })`);
const lambda = (change: (text: string) => string): string => server(`schema: ${schema}`) + change(recipe);

/** What is in the way, and the line of it. */
const inTheWay: Readonly<Record<string, readonly [text: string, said: RegExp]>> = {
  'a plugin': [`${server(`schema: ${schema}, plugins: [usePlugin()]`)}export default yoga;\n`, /:2 {2}.*the value of plugins/],
  'an option of Yoga': [`${server(`schema: ${schema}, fetchAPI: {}`)}export default yoga;\n`, /:2 {2}.*the value of fetchAPI/],
  'credentials for every origin': [
    `${server(`schema: ${schema}, cors: { origin: '*', credentials: true }`)}export default yoga;\n`,
    /:2 {2}.*the value of cors/,
  ],
  'credentials that are taken for granted': [
    `${server(`schema: ${schema}, cors: { origin: 'https://example.com' }`)}export default yoga;\n`,
    /:2 {2}.*the value of cors/,
  ],
  'a schema of another file': [
    `import { schema } from './schema.js';\n${server('schema')}export default yoga;\n`,
    /:3 {2}.*its schema is not written/,
  ],
  'resolvers of another file': [
    `import { resolvers } from './resolvers.js';\n${server("schema: createSchema({ typeDefs: 'type Query { hello: String }', resolvers })")}export default yoga;\n`,
    /:3 {2}.*resolvers are not all in this file/,
  ],
  'a resolver that reads the request': [
    `${reading('(_, __, { request }) => request.url')}export default yoga;\n`,
    /:2 {2}.*reads request from the context/,
  ],
  'a resolver that passes the context on': [
    `${reading('(_, __, context) => load(context)')}export default yoga;\n`,
    /:2 {2}.*passes the whole context value on/,
  ],
  'a resolver that reads the event': [reading('(_, __, context) => context.event.path') + recipe, /:2 {2}.*reads event from the context/],
  'a context function that reads the body': [
    `${server(`schema: ${schema}, context: async ({ request }) => ({ text: await request.text() })`)}export default yoga;\n`,
    /:2 {2}.*reads more of the request/,
  ],
  'a context function that takes all': [
    `${server(`schema: ${schema}, context: (initial) => initial`)}export default yoga;\n`,
    /:2 {2}.*takes more than/,
  ],
  'a handler that refuses': [
    lambda((text) => text.replace('  const query', '  if (!event.headers.authorization) return { statusCode: 401 };\n  const query')),
    /:5 {2}.*it returns early/,
  ],
  'a handler that logs': [
    lambda((text) => text.replace('  const query', '  console.log(event);\n  const query')),
    /:5 {2}.*it uses console/,
  ],
  'a handler that adds a header field': [
    lambda((text) =>
      text.replace(
        'Object.fromEntries(response.headers.entries())',
        "{ ...Object.fromEntries(response.headers), 'x-frame-options': 'DENY' }",
      ),
    ),
    /it adds x-frame-options/,
  ],
  'a handler that sets a header field': [
    lambda((text) => text.replace('  return', "  response.headers.set('cache-control', 'no-store');\n  return")),
    /it sets a field/,
  ],
  'a handler that keeps a header field back': [
    lambda((text) =>
      text.replace(
        'headers: event.headers,',
        "headers: Object.fromEntries(Object.entries(event.headers).filter(([name]) => name !== 'x-admin')),",
      ),
    ),
    /it has conditions/,
  ],
  'a handler that takes a header field away': [
    lambda((text) =>
      text
        .replace('  const query', "  const { 'x-admin': admin, ...headers } = event.headers;\n  const query")
        .replace('headers: event.headers', 'headers'),
    ),
    /:5 {2}.*it has conditions/,
  ],
  'a handler with a status of its own': [lambda((text) => text.replace('response.status', '200')), /sets the statusCode/],
  'a handler that passes more to the context': [
    lambda((text) => text.replace('{ event, lambdaContext }', '{ event, user: event.headers.user }')),
    /passes more to the context/,
  ],
  'a server that is used twice': [
    `${server(`schema: ${schema}`)}export default yoga;\nexport const POST = yoga;\n`,
    /:2 {2}.*created in a way/,
  ],
  'a server under another name': [
    `import { createYoga as create } from 'graphql-yoga';\nconst yoga = create({});\nexport default yoga;\n`,
    /:1 {2}.*createYoga as create/,
  ],
};

for (const [name, [text, said]] of Object.entries(inTheWay)) {
  test(`--modern leaves a file of Yoga as it is for ${name}, and says the line`, async (context) => {
    const project = await projectWith(context, { 'a.mjs': text });

    const printed = await migrate(project, { modern: true });

    match(printed, said);
    match(printed, /a\.mjs:\d+ {2}Not converted to createHandler/);
    equal(await readFile(join(project.directory, 'a.mjs'), 'utf8'), text);
  });
}

test('a file of Yoga without a server is skipped silently, and counted without --modern', async (context) => {
  const project = await projectWith(context, {
    'schema.mjs':
      "import { createSchema } from 'graphql-yoga';\nexport const schema = createSchema({ typeDefs: 'type Query { a: Int }' });\n",
  });

  match(await migrate(project, { modern: true }), /^\nNo files changed[^\n]*$/);
  await project.write({ 'handler.mjs': written['fetch.mjs']! });
  match(await migrate(project), /^\nNo files changed[^\n]*\n2 files use GraphQL Yoga and were left unchanged: migrate --modern[^\n]*$/);
});

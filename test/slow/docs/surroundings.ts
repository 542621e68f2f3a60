import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { SnippetSurroundings } from '../../support/snippets.ts';

/** A file that `init` writes. */
function template(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../../src/tools/cli/init/templates/shared/graphql', name), 'utf8');
}

/** The code that the pages omit. */
export const surroundings: SnippetSurroundings = {
  wrappers: {
    /** The options of a handler that is made elsewhere on the page. */
    options: `import { GraphQLError } from 'graphql';
import { createHandler } from 'graphql-functions';
import { resolvers, typeDefs } from '../graphql/schema.ts';

export default createHandler({
  typeDefs,
  resolvers,
  // …
});

void GraphQLError;
`,
    /** The same, with `limits`. */
    limited: `import { createHandler } from 'graphql-functions';
import { limits } from 'graphql-functions/limits';
import { resolvers, typeDefs } from '../graphql/schema.ts';

export default createHandler({
  typeDefs,
  resolvers,
  // …
});
`,
    /** Statements in the body of a resolver. */
    resolver: `import { GraphQLError } from 'graphql';

export function resolve(): unknown {
  // …
}

void GraphQLError;
`,
  },
  files: {
    'telemetry.ts': `import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

export const provider = new NodeTracerProvider();
`,
    'graphql/schema.ts': `export const typeDefs = 'type Query { ok: Boolean }';
export const resolvers = { Query: { ok: (): boolean => true } };
`,
  },
  filesOf: {
    'docs/trusted-documents.md': { 'documents/documents.json': '{ "one": "{ __typename }" }\n' },
    'docs/codegen.md': {
      'graphql/books.ts': template('books.ts'),
      'graphql/scalars.ts': template('scalars.ts'),
      'graphql/schema.graphql': 'type Query { book(id: ID!): String }',
      // The generator's output for the schema and settings of the page; test/real/recipes/pages.test.ts compares them.
      'graphql/context.ts': template('context.ts'),
      'graphql/resolvers-types.ts': readFileSync(join(import.meta.dirname, 'resolvers-types.txt'), 'utf8'),
    },
  },
  packages: {
    '@google-cloud/functions-framework': [
      `import type { IncomingMessage } from 'node:http';
export interface Request extends IncomingMessage {
  readonly rawBody?: Buffer;
  readonly url: string;
  readonly method: string;
}
export interface Response {
  append(name: string, value: string): this;
  status(code: number): this;
  end(text: string): this;
}
export function http(name: string, handler: (request: Request, response: Response) => unknown): void;
`,
      'export const http = () => {};',
    ],
    '@azure/functions': [
      `export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: ReadableStream | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}
export interface HttpResponseInit { status?: number; headers?: Record<string, string>; body?: string }
export const app: {
  http(name: string, options: {
    methods?: ('GET' | 'POST' | 'OPTIONS')[];
    authLevel?: 'anonymous' | 'function' | 'admin';
    handler: (request: HttpRequest) => Promise<HttpResponseInit>;
  }): void;
};
`,
      'export const app = { http() {} };',
    ],
    '@aws-sdk/client-cloudfront': [
      `export interface CreateInvalidationCommandInput {
  DistributionId: string | undefined;
  InvalidationBatch: { Paths: { Quantity: number | undefined; Items?: string[] } | undefined; CallerReference: string | undefined } | undefined;
}
export class CreateInvalidationCommand {
  constructor(input: CreateInvalidationCommandInput);
}
export class CloudFrontClient {
  send(command: CreateInvalidationCommand): Promise<{ Location?: string }>;
}
`,
      'export class CreateInvalidationCommand {}\nexport class CloudFrontClient { async send() { return {}; } }',
    ],
    '@vercel/functions': [
      'export function dangerouslyDeleteByTag(tag: string | string[], options?: { revalidationDeadlineSeconds?: number }): Promise<void>;',
      'export const dangerouslyDeleteByTag = async () => {};',
    ],
    express: [
      `import type { IncomingMessage, Server, ServerResponse } from 'node:http';
type Middleware = (request: IncomingMessage, response: ServerResponse) => unknown;
export default function express(): { use(path: string, handler: Middleware): void; listen(port: number): Server };
`,
      'export default () => ({ use() {}, listen() {} });',
    ],
    '@graphql-codegen/cli': [
      `export interface CodegenConfig {
  schema: string;
  generates: Record<string, { plugins: string[]; config?: Record<string, unknown> }>;
}
`,
      '',
    ],
  },
};

import { buildSchema, getNamedType, isAbstractType, isEnumType, isLeafType, isListType, isNonNullType, isObjectType } from 'graphql';
import type { GraphQLOutputType, GraphQLResolveInfo, GraphQLSchema } from 'graphql';

import { createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/entries/index.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import type { LogLine } from '../../../support/recording-logger.ts';
import { resultsOf } from '../../../support/sse.ts';
import type { Answer } from './doors.ts';
import type { CreateRights } from './serving.ts';

/** Who sends an operation. `claims` is what the option returns, or throws if it is an Error; so are the policies. */
export interface GivenCaller {
  readonly claims?: unknown;
  readonly policies?: Readonly<Record<string, unknown>>;
}

/** A server for a schema as text, whose resolvers are made up. */
export interface TextServer {
  /** Sends one operation, or a batch. */
  readonly send: (caller: GivenCaller, body: object, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly handler: (event: unknown, context: object) => Promise<any>;
  /** What has run since the last request: resolvers (`Query.node`), `claims`, and policies (`policy owner`). */
  readonly ran: string[];
  readonly lines: readonly LogLine[];
}

export interface TextServerOptions {
  readonly createRights: CreateRights;
  /** Default: those that the text has. */
  readonly policies?: readonly string[];
  readonly options?: Partial<ServerOptions>;
}

/** Creates a server for a schema as text. A text with `@link` is that of a subgraph. */
export function serveText(typeDefs: string, { createRights, policies, options = {} }: TextServerOptions): TextServer {
  const ran: string[] = [];
  let caller: GivenCaller = {};
  const [logger, lines] = recordingLogger();
  const answerWith = (name: string, answer: unknown): unknown => {
    ran.push(name);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const known =
    policies ?? [...typeDefs.matchAll(/policies: (\[.*?\]\])/g)].flatMap(([, list]) => (JSON.parse(list!) as string[][]).flat());
  const rights = createRights({
    claims: () => answerWith('claims', caller.claims),
    policies: Object.fromEntries(
      known.map((name) => [name, async (): Promise<unknown> => answerWith(`policy ${name}`, caller.policies?.[name])]),
    ),
  });
  const isSubgraph = typeDefs.includes('specs.apollo.dev/federation');
  const whole = {
    nodeEnv: 'test',
    introspection: true,
    maskErrors: true,
    allowBatchedHttpRequests: true,
    logger,
    context: () => ({}),
    ...options,
    plugins: [rights, ...((options.plugins ?? []) as object[])],
    ...(options.schema === undefined && { typeDefs, resolvers: resolversFor(typeDefs, ran) }),
  };
  const handler = createHandler((isSubgraph ? subgraph(whole as never) : whole) as never) as unknown as TextServer['handler'];
  const send: TextServer['send'] = async (next, body, headers) => {
    caller = next;
    ran.length = 0;
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
    const response: Response = await handler(new Request('https://api.example/graphql', init), {});
    const text = await response.text();
    const isStream = response.headers.get('content-type')!.startsWith('text/event-stream');
    return { status: response.status, body: (isStream ? resultsOf(text)[0] : JSON.parse(text)) as Answer['body'] };
  };
  return { send, handler, ran, lines };
}

/** Adds resolvers of all fields, which note their calls. Interfaces and unions are their first type. */
function resolversFor(typeDefs: string, ran: string[]): Record<string, Record<string, any>> {
  const schema = buildSchema(typeDefs, { assumeValidSDL: true });
  const entities = [...typeDefs.matchAll(/(?:type|interface) (\w+)[^{]*@key\(/g)].map(([, name]) => name!);
  const resolvers: Record<string, Record<string, any>> = {};
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isAbstractType(type)) resolvers[type.name] = { __resolveType: (value: any) => value.is ?? schema.getPossibleTypes(type)[0]!.name };
    if (entities.includes(type.name))
      resolvers[type.name] = {
        ...resolvers[type.name],
        __resolveReference: () => {
          ran.push(`${type.name}.__resolveReference`);
          return valueOf(type as GraphQLOutputType, schema);
        },
      };
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const resolve = (_parent: unknown, _args: unknown, _context: unknown, _info: GraphQLResolveInfo): unknown => {
        ran.push(`${type.name}.${field.name}`);
        return valueOf(field.type, schema);
      };
      const subscribe = (...given: Parameters<typeof resolve>): AsyncGenerator => {
        resolve(...given);
        return (async function* () {
          yield {};
        })();
      };
      resolvers[type.name] = { ...resolvers[type.name], [field.name]: type.name === 'Subscription' ? { subscribe, resolve } : resolve };
    }
  }
  return resolvers;
}

function valueOf(type: GraphQLOutputType, schema: GraphQLSchema): unknown {
  if (isNonNullType(type)) return valueOf(type.ofType, schema);
  if (isListType(type)) return [valueOf(type.ofType, schema)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isLeafType(type)) return type.name === 'Int' || type.name === 'ID' ? 1 : type.name === 'Boolean' ? true : 'text';
  const named = getNamedType(type);
  return { is: isAbstractType(named) ? schema.getPossibleTypes(named)[0]!.name : named.name };
}

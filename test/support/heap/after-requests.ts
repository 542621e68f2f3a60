// Sends requests through the handlers of every platform, and prints as JSON which of their values are still reachable afterwards.
// This is a separate program, because its heap must contain only servers.
import { GraphQLError } from 'graphql';

import { costLine } from '../../../src/entries/cost-line.ts';
import { edge } from '../../../src/entries/edge.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { get, post } from '../plain-http.ts';
import type { PlainRequest } from '../plain-http.ts';
import { frontDoors } from '../sources.ts';
import type { FrontDoor, OpenDoor } from '../sources.ts';
import { mark, marksInHeap } from './marks-in-heap.ts';

type Place = (name: string) => string;

const kinds: Readonly<Record<string, (place: Place) => PlainRequest>> = {
  single: (place) => post(operation('echo', place), headers(place)),
  batch: (place) => post([operation('echo', place), operation('fail', place), operation('echo', place)], headers(place)),
  'with errors': (place) => post(operation('fail', place), headers(place)),
  'with refused variables': (place) => post({ ...operation('echo', place), variables: { text: [place('variable')] } }, headers(place)),
  'by GET': (place) => {
    const { query, variables } = operation('echo', place);
    return get({ query, variables: JSON.stringify(variables), unknown: place('parameter') }, headers(place));
  },
  'with a mutation': (place) =>
    post({ ...operation('write', place), query: `mutation ($text: String) { write(text: $text) } # ${place('document')}` }, headers(place)),
};

const typeDefs = `
  type Query { echo(text: String): Echo fail(text: String): Echo! }
  type Mutation { write(text: String): Boolean }
  type Echo { text: String context: String items: [Echo] }
`;

function operation(field: string, place: Place): { readonly query: string; readonly variables: object; readonly extensions: object } {
  return {
    query: `query ($text: String) { ${field}(text: $text) { text context items { text } } } # ${place('document')}`,
    variables: { text: place('variable'), [place('variable name')]: 1 },
    extensions: { note: place('extension') },
  };
}

function headers(place: Place): Partial<PlainRequest> {
  return {
    path: `/${place('path')}`,
    headers: [
      ['Accept', `application/json, text/${place('accept')}`],
      ['Authorization', place('authorization')],
      ['Cookie', `session=${place('cookie')}`],
      ['User-Agent', place('user agent')],
      ['X-Own', place('header')],
      [place('header name'), '1'],
    ],
  };
}

function options(place: Place): ServerOptions {
  const item = (args: { readonly text?: string }, context: { readonly user?: string }): object => ({
    text: args.text,
    context: context.user,
    items: [{ text: Promise.resolve(place('result')) }, { text: place('result') }],
  });
  return {
    nodeEnv: '',
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    typeDefs: `${typeDefs} # ${servers.length}`,
    context: ({ response }) => {
      response.headers.set('x-answer', place('response-header'));
      return { user: place('context') };
    },
    // Every other server has extensions.
    plugins: servers.length % 2 === 0 ? [] : plugins(),
    resolvers: {
      Query: {
        echo: (_parent: unknown, args: object, context: object) => item(args, context),
        fail: async () => {
          throw new GraphQLError(place('error message'), { extensions: { detail: place('error detail') } });
        },
      },
      Mutation: { write: async () => true },
    },
  };
}

const plugins = (): ServerPlugin[] => [
  openTelemetry({ errorMessages: true, flush: async () => {} }),
  costLine({ write() {} }),
  edge({ cdn: 'cloudflare', purge: async () => {} }),
];

const servers: OpenDoor[] = [];

async function sendThrough(door: FrontDoor, kind: string): Promise<void> {
  const place = (name: string): string => mark(`${name}, ${kind}, ${door.name}`);
  const opened = door.open(options(place));
  servers.push(opened);
  await opened.send(kinds[kind]!(place));
  await opened.close();
}

for (const kind of Object.keys(kinds)) for (const door of frontDoors) await sendThrough(door, kind);
console.log(JSON.stringify(await marksInHeap()));

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../../src/entries/fetch.ts';
import { rest } from '../../../../../src/entries/rest.ts';
import { cases } from '../../../../support/long-form.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const documentsOfServer = 50;
const valuesOfDocument = 4;
const servers = cases({ short: 3, long: 50 });
const tables = cases({ short: 20, long: 500 });

type Values = Record<string, unknown>;
type Handler = (request: Request) => Promise<Response>;

/** The arguments of the field, by name. Each is also the type of a variable. */
const types: Readonly<Record<string, string>> = {
  id: 'ID',
  text: 'String',
  int: 'Int',
  float: 'Float',
  flag: 'Boolean',
  genre: 'Genre',
  count: 'Count',
  any: 'Anything',
  ids: '[ID!]',
  ints: '[Int]',
  filter: 'Filter',
  filters: '[Filter!]',
};

const typeDefs = `
  enum Genre { NOVEL POEM }
  scalar Count @specifiedBy(url: "https://scalars.graphql.org/chillicream/short.html")
  scalar Anything
  input Price { min: Float max: Float }
  input Filter { price: Price genre: Genre name: String = "none" }
  type Echo { all: String other: Echo }
  type Query { echo(${Object.entries(types)
    .map(([name, type]) => `${name}: ${type}`)
    .join(' ')}): Echo }
  type Mutation { echo(${Object.entries(types)
    .map(([name, type]) => `${name}: ${type}`)
    .join(' ')}): Echo }
`;

const echo = (_: unknown, values: object): object => ({ all: JSON.stringify(values), other: { all: 'other' } });

function handlerOf(documents: Readonly<Record<string, string>>): Handler {
  const [logger, lines] = recordingLogger();
  const handler = createHandler({
    nodeEnv: 'test',
    logger,
    typeDefs,
    resolvers: { Query: { echo }, Mutation: { echo } },
    trustedDocuments: { documents },
    plugins: [rest()],
  } as never) as unknown as Handler;
  return async (request) => {
    const response = await handler(request);
    const failure = lines.find(({ message }) => message.includes('could not start'));
    assert.equal(failure?.details, undefined);
    return response;
  };
}

const texts = [
  '',
  'x',
  '12',
  '-0',
  'true',
  'null',
  'é',
  '100%',
  'a%2Fb',
  'a/b',
  'a b',
  'a+b',
  '?',
  '#',
  '&',
  '=',
  '{}',
  '"',
  '007',
  '1e3',
  '🙂',
];

/** A value that a URL can have. A text where GraphQL wants another type is wrong in both ways. */
function valueFor(random: Random, type: string): unknown {
  if (type.startsWith('[')) {
    const item = type.replaceAll(/[[\]!]/g, '');
    return Array.from({ length: 1 + random.below(3) }, () => valueFor(random, item));
  }
  const isWrong = random.chance(0.1);
  switch (type) {
    case 'Int':
    case 'Count':
      return isWrong ? random.pick(['two', '', '01', '+1', '1.', '0x1', ' 1', 1.5, 2 ** 40]) : random.pick([0, 1, -7, 1_000]);
    case 'Float':
      return isWrong ? random.pick(['two', '', '.5', 'NaN', 'Infinity']) : random.pick([0, 1.5, -2.25, 1e21, 1e-7]);
    case 'Boolean':
      return isWrong ? random.pick(['yes', '1', 'TRUE', '']) : random.chance(0.5);
    case 'Genre':
      return isWrong ? random.pick(['novel', '', '1']) : random.pick(['NOVEL', 'POEM']);
    case 'Filter':
      return isWrong
        ? random.pick<unknown>([{ no: 1 }, [], 1, { price: 1 }, { genre: 'novel' }])
        : random.pick<unknown>([{}, { price: { min: 1 } }, { genre: 'POEM', name: 'é' }, { price: { min: 1, max: 2.5 }, name: null }]);
    default:
      return random.pick(texts);
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

interface Parameter {
  readonly name: string;
  /** The variable, and fields of input objects in it. */
  readonly path: readonly string[];
  readonly type: string;
}

interface RandomRoute {
  readonly id: string;
  readonly text: string;
  readonly method: string;
  readonly inPath: readonly Parameter[];
  readonly inQuery: readonly Parameter[];
  readonly body: string | undefined;
  /** Variables that are members of the body, by name, with their types. */
  readonly members: readonly (readonly [name: string, type: string])[];
  readonly isSingle: boolean;
}

const members: readonly Parameter[] = [
  { name: 'min', path: ['filter', 'price', 'min'], type: 'Float' },
  { name: 'genreOf', path: ['filter', 'genre'], type: 'Genre' },
];

function randomRoute(random: Random, at: number): RandomRoute {
  const method = random.pick(['GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
  const isMutation = method !== 'GET' && (method !== 'POST' || random.chance(0.5));
  const names = Object.keys(types).filter(() => random.chance(0.35));
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const inPath: Parameter[] = [];
  const inQuery: Parameter[] = [];
  const left: (readonly [string, string])[] = [];
  let body: string | undefined;
  for (const name of names) {
    const type = types[name]!;
    if (name === 'filter' && random.chance(0.5)) {
      for (const member of members) if (random.chance(0.6)) (random.chance(0.5) ? inPath : inQuery).push(member);
      if (hasBody || !inPath.concat(inQuery).some(({ path }) => path[0] === 'filter')) left.push([name, type]);
      continue;
    }
    const parameter = { name, path: [name], type };
    if (random.chance(0.3)) inPath.push(parameter);
    else if (!hasBody || random.chance(0.3)) inQuery.push(parameter);
    else left.push([name, type]);
  }
  if (hasBody && left.length === 1 && random.chance(0.6)) body = left.pop()![0];
  // A variable without a source of GET and DELETE is a parameter of its own name.
  if (!hasBody) inQuery.push(...left.splice(0).map(([name, type]) => ({ name, path: [name], type })));
  const given = (one: Parameter): string => (one.path.length === 1 ? one.name : `${one.name}:$${one.path.join('.')}`);
  const required = new Set(names.filter(() => random.chance(0.2)));
  const variables = names.map(
    (name) =>
      `$${name}: ${types[name]}${required.has(name) ? '!' : ''}${name === 'int' && random.chance(0.3) ? ' = 5' : ''}${name === body ? ' @body' : ''}`,
  );
  const route = `/r${at}${inPath.map((one) => `/{${given(one)}}`).join('')}`;
  const isImplied = !hasBody && inQuery.every(({ path }) => path.length === 1) && random.chance(0.7);
  const query = isImplied || inQuery.length === 0 ? '' : `, queryParameters: [${inQuery.map((one) => `"${given(one)}"`).join(', ')}]`;
  const selection = `echo${names.length === 0 ? '' : `(${names.map((name) => `${name}: $${name}`).join(', ')})`} { all }`;
  const isSingle = random.chance(0.7);
  const operation = `${isMutation ? 'mutation' : 'query'} R${at}${variables.length === 0 ? '' : `(${variables.join(', ')})`}`;
  const text = `${operation} @http(method: ${method}, route: "${route}"${query}) { ${selection} ${isSingle ? '' : '__typename'} }`;
  return { id: `d${at}`, text, method, inPath, inQuery, body, members: left, isSingle };
}

/** Sets a value in an input object, and leaves its other members. */
function put(values: Values, [name, ...below]: readonly string[], value: unknown): void {
  if (below.length === 0) values[name!] = value;
  else put((values[name!] = { ...(values[name!] as object | undefined) }) as Values, below, value);
}

interface Sent {
  readonly request: Request;
  readonly variables: Values;
}

/** A request, and the variables of the same operation by POST. */
function randomRequest(random: Random, { id, method, inPath, inQuery, body, members: left }: RandomRoute): Sent {
  const variables: Values = {};
  let sentBody: unknown;
  const valueOfMember = (type: string): unknown =>
    type === 'Filter' ? random.pick([{}, { name: 'n' }, { price: { max: 3 } }]) : valueFor(random, type);
  if (body !== undefined) sentBody = variables[body] = valueOfMember(types[body]!);
  else if (left.length > 0) {
    for (const [name, type] of left) if (random.chance(0.8)) variables[name] = valueOfMember(type);
    sentBody = { ...variables };
  }
  const path = inPath.map(({ path: target, type }) => {
    let value = valueFor(random, type.replaceAll(/[[\]!]/g, ''));
    // A segment cannot be empty.
    if (value === '') value = 'x';
    if (type === 'Int' && value === 'x') value = 1;
    put(variables, target, type.startsWith('[') ? [value] : value);
    return `/${encodeURIComponent(textOf(value))}`;
  });
  const query = new URLSearchParams();
  for (const { name, path: target, type } of inQuery) {
    if (random.chance(0.3)) continue;
    const value = valueFor(random, type);
    put(variables, target, value);
    for (const one of type.startsWith('[') ? (value as unknown[]) : [value]) query.append(name, textOf(one));
  }
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  const url = `https://shop.example/rest/r${id.slice(1)}${path.join('')}${search}`;
  const isJSON = method === 'POST' || sentBody !== undefined;
  const request = new Request(url, {
    method,
    ...(isJSON && { headers: { 'content-type': 'application/json' } }),
    ...(sentBody !== undefined && { body: JSON.stringify(sentBody) }),
  });
  return { request, variables };
}

describe('routes', () => {
  test(`give the data and the errors of the same operation by POST, for ${servers * documentsOfServer * valuesOfDocument} random requests`, async () => {
    const random = createRandom(70);
    const counts = { data: 0, errors: 0 };
    for (let server = 0; server < servers; server++) {
      const routes = Array.from({ length: documentsOfServer }, (_, at) => randomRoute(random, at));
      const handler = handlerOf(Object.fromEntries(routes.map(({ id, text }) => [id, text])));
      for (const route of routes) {
        for (let at = 0; at < valuesOfDocument; at++) {
          const { request, variables } = randomRequest(random, route);
          const about = `${route.text}\n${request.method} ${request.url}\n${JSON.stringify(variables)}`;
          const answer = await handler(request);
          const given = (await answer.json()) as any;
          const same = {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ documentId: route.id, variables }),
          };
          const { data, errors } = (await (await handler(new Request('https://shop.example/graphql', same))).json()) as any;
          counts[errors === undefined ? 'data' : 'errors']++;
          if (errors === undefined) assert.deepEqual([answer.status, given], [200, route.isSingle ? data.echo : data], about);
          else assert.deepEqual([answer.status, given.errors], [422, errors], about);
        }
      }
    }
    assert.ok(counts.data > counts.errors && counts.errors > servers * 10, JSON.stringify(counts));
  });

  test(`are found by path and method in one order, in ${tables} random tables`, async () => {
    const random = createRandom(71);
    const segments = ['a', 'b', 'c', '{p}'];
    for (let table = 0; table < tables; table++) {
      const made = Array.from({ length: 12 }, () => ({
        method: random.pick(['GET', 'PUT', 'DELETE']),
        shape: Array.from({ length: 1 + random.below(3) }, () => random.pick(segments)),
      }));
      const routes = [...new Map(made.map((one) => [`${one.method} ${one.shape.join('/')}`, one])).values()];
      const documents = routes.map(({ method, shape }, at) => {
        const named = shape.map((segment, place) => (segment === '{p}' ? `{p${place}}` : segment));
        const variables = shape.flatMap((segment, place) => (segment === '{p}' ? [`$p${place}: ID`] : []));
        const uses = shape.flatMap((segment, place) => (segment === '{p}' ? [`x${place}: echo(id: $p${place}) { all }`] : []));
        const head = `${method === 'GET' ? 'query' : 'mutation'} R${at}${variables.length === 0 ? '' : `(${variables.join(', ')})`}`;
        return [
          String(at),
          `${head} @http(method: ${method}, route: "/${named.join('/')}") { found: echo(int: ${at}) { all } __typename ${uses.join(' ')} }`,
        ];
      });
      const handler = handlerOf(Object.fromEntries(documents));
      for (let at = 0; at < 20; at++) {
        const path = Array.from({ length: 1 + random.below(3) }, () => random.pick(['a', 'b', 'c', 'd']));
        const method = random.pick(['GET', 'PUT', 'DELETE']);
        const matching = routes.filter(
          ({ shape }) => shape.length === path.length && shape.every((one, place) => one === '{p}' || one === path[place]),
        );
        const orderOf = ({ shape }: (typeof routes)[number]): string => shape.map((one) => (one === '{p}' ? 1 : 0)).join('');
        const [best] = matching.filter((one) => one.method === method).toSorted((one, other) => orderOf(one).localeCompare(orderOf(other)));
        const answer = await handler(new Request(`https://shop.example/rest/${path.join('/')}`, { method }));
        const about = `${method} ${path.join('/')} of ${routes.map((one) => `${one.method} ${one.shape.join('/')}`).join(', ')}`;

        assert.equal(answer.status, matching.length === 0 ? 404 : best === undefined ? 405 : 200, about);
        if (best !== undefined)
          assert.deepEqual(JSON.parse(((await answer.json()) as any).found.all), { int: routes.indexOf(best) }, about);
      }
    }
  });
});

/**
 * Random queries and searches by agents with random rights. What is hidden is compared with a schema that does not have it: all answers must
 * be the same, to the byte.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { extendSchema, getNamedType, isAbstractType, isCompositeType, isInterfaceType, isObjectType, parse, validate } from 'graphql';
import type { GraphQLNamedType, GraphQLSchema } from 'graphql';

import { cases } from '../../../support/long-form.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { policies, randomModel, scopes } from '../rights/model.ts';
import type { Model, TypeModel } from '../rights/model.ts';
import { OperationGenerator } from '../rights/operations.ts';
import type { RandomOperation } from '../rights/operations.ts';
import { decide, neededPlaces, referenceSchema } from '../rights/reference.ts';
import type { Caller } from '../rights/reference.ts';
import { definition, finds, holes, serve } from './serving.ts';
import type { Effects, Explored, Hole, Told } from './serving.ts';

/** What an agent sends. `operation`: valid, with nothing hidden. */
interface Query {
  readonly given: { readonly query: string; readonly variables?: object };
  readonly operation?: RandomOperation;
}

/** A schema, and the same without what is hidden. */
interface Trial {
  readonly seed: number;
  readonly random: Random;
  readonly explored: Explored;
  /** Undefined if something hides a part of the schema that its other parts need. */
  readonly without: Explored | undefined;
  /** True for the place of a resolver that is hidden, such as `T0.a`. */
  readonly isHidden: (place: string) => boolean;
  /** The names of types that only those know who have read them elsewhere. */
  readonly secretTypes: readonly string[];
  readonly queries: readonly Query[];
  readonly schema: GraphQLSchema;
  readonly isRefused: (operation: RandomOperation, caller: Caller) => boolean;
}

/** `at`: every third schema has marks at places that the others need, too. */
function createTrial(at: number, hole?: Hole): Trial {
  const random = createRandom(at);
  // Rules in code are read in the same way.
  const model = randomModel(random, random.pick([0, 1, 3]));
  const schema = extendSchema(referenceSchema(model), parse(`extend type ${model.roots.query} ${finds}`));
  const generator = new OperationGenerator(model, random, schema);
  const queries = Array.from({ length: 25 }, () => queriesOf(random, model, random.pick(generator.next()))).flat();
  const isRefused: Trial['isRefused'] = (operation, caller) => decide(model, neededPlaces(schema, operation), caller) !== undefined;
  const trial = { seed: at, random, schema, queries, isRefused };
  if (at % 3 === 2) {
    const marks = new Set<string>();
    const explored = serve(model, at, (typeDefs) => withMarks(random, model, typeDefs, marks), hole);
    const secretTypes = [...marks].filter((mark) => !mark.includes('.'));
    queries.push(...smallQueries(schema));
    return { ...trial, explored, without: undefined, isHidden: (place) => isMarked(model, marks, place), secretTypes };
  }
  const rule = random.chance(0.3) ? `@${model.names.authenticated}` : '';
  const withSecrets = (typeDefs: string): string => `
    ${definition}
    ${typeDefs.replaceAll(/(?<=\(given: E0|all: \[In!\])(?=\))/g, ', secretArgument: HiddenInput @internal')}
    extend type ${model.roots.query} { hidden: Hidden @internal ${rule} secretTitle: String @internal }
    extend type T0 { hidden(in: HiddenInput): [Hidden] "The secretTitle" secretTitle: String @internal ${rule} }
    "The secretTitle" type Hidden @internal { id: ID secretTitle(in: HiddenEnum): String hidden: T0 }
    input HiddenInput @internal { a: String } enum HiddenEnum @internal { V9 }
    extend enum E0 { V9 @internal } extend enum Sort { TITLES @internal } extend input In { secretInput: String @internal other: HiddenInput }`;
  const explored = serve(model, at, withSecrets, hole);
  const isHidden = (place: string): boolean => /secretTitle|hidden|Hidden/.test(place);
  return { ...trial, explored, without: serve(model, at), isHidden, secretTypes: [] };
}

/** One field below each field of the root, several times: the resolvers return each possible type in turn. */
function smallQueries(schema: GraphQLSchema): readonly Query[] {
  return Object.values(schema.getQueryType()!.getFields()).flatMap(({ name, type }) => {
    const below = getNamedType(type);
    const fields = isObjectType(below) || isInterfaceType(below) ? Object.keys(below.getFields()) : [];
    const names = isCompositeType(below) ? ['__typename', ...fields] : [];
    return names.map((field) => ({ given: { query: `{ ${[1, 2, 3, 4].map((at) => `x${at}: ${name} { ${field} }`).join(' ')} }` } }));
  });
}

/** Hides some fields and types of queries, and adds them to `marks`. */
function withMarks(random: Random, { types, roots }: Model, typeDefs: string, marks: Set<string>): string {
  const isRoot = (name: string): boolean => Object.values(roots).includes(name);
  let owner = '';
  const lines = typeDefs.split('\n').map((line) => {
    owner = /^(?:extend )?\w+ (\w+)/.exec(line)?.[1] ?? owner;
    const field = /^  (\w+)[:(]/.exec(line)?.[1];
    if (field === undefined || field === 'q0' || !random.chance(0.12)) return line;
    marks.add(`${owner}.${field}`);
    return `${line} @internal`;
  });
  const isHidden = ({ name }: TypeModel): boolean => !isRoot(name) && random.chance(0.2);
  const hidden = [...types.values()].filter((type) => isHidden(type) || (marks.size === 0 && type.name === 'S0'));
  for (const { name } of hidden) marks.add(name);
  const keywords = { object: 'type', interface: 'interface', enum: 'enum', scalar: 'scalar', union: 'union' };
  return [definition, ...lines, ...hidden.map(({ kind, name }) => `extend ${keywords[kind]} ${name} @internal`)].join('\n');
}

/** True for a marked field, one of a marked type, one that returns it, and the same field of a marked interface. */
function isMarked({ types }: Model, marks: ReadonlySet<string>, place: string): boolean {
  const [name, field] = place.split('.') as [string, string?];
  const { interfaces = [], fields } = types.get(name) ?? {};
  const { target } = fields?.get(field!) ?? {};
  const inherited = interfaces.filter((one) => types.get(one)!.fields.has(field!)).flatMap((one) => [one, `${one}.${field}`]);
  return [name, place, target, ...inherited].some((one) => one !== undefined && marks.has(one));
}

const secrets = [
  'secretTitle',
  'hidden { id }',
  'hidden { secretTitle }',
  '... on Hidden { id }',
  'x: secretTitle',
  '...F9',
  '__typename @internal',
];
const others: readonly Query['given'][] = [
  { query: '{ find(by: { secretInput: "x" }) }' },
  { query: '{ find(by: { text: "x", kind: V9 }, all: [{ other: { a: "x" } }]) }' },
  { query: 'query ($by: In) { find(by: $by) }', variables: { by: { text: 'x', secretInput: 'x' } } },
  { query: 'query ($all: [In!] = [{ kind: V9 }]) { find(all: $all) }' },
  { query: 'query ($all: [In!]) { find(all: $all) }', variables: { all: [{ kind: 'V9' }, { other: {} }] } },
  { query: 'query ($kind: E0) { find(by: { kind: $kind }) }', variables: { kind: 'V9' } },
  { query: 'query ($by: In) { find(by: $by) }', variables: { by: { sort: ['TITLE'] } } },
  { query: 'query ($in: HiddenInput) { find(by: { other: $in }) }', variables: { in: {} } },
  { query: 'query ($in: HiddenInput) { find }' },
  { query: '{ find(secretArgument: { a: "x" }) }' },
  { query: '{ find(by: { kind: "V9" }) }' },
  { query: '{ find(by: { secretInptu: "x" }) secretTitel hiden { id } }' },
  { query: '{ __type(name: "Hidden") { name } }' },
  { query: '{ _service { sdl } }' },
  { query: '{ find ...F } fragment F on Hidden { id }' },
  { query: '{ find @internal }' },
  { query: '{ find } query Other { find }' },
  { query: '{ find }', variables: { hidden: 1 } },
  { query: '' },
];

/** An operation, the same with something hidden or that does not exist, and sometimes a fixed one. */
function queriesOf(random: Random, { roots }: Model, operation: RandomOperation): readonly Query[] {
  const { text, variables } = operation;
  const places = [...text.matchAll(/[{)\w] \{ /g)].map(({ index }) => index + 4);
  const at = random.pick(places);
  const changed = random.pick([
    text.slice(0, at) + random.pick(secrets) + ' ' + text.slice(at),
    text.slice(0, at) + random.pick(secrets) + ' ' + text.slice(at),
    text.replace('given: V1', random.pick(['given: V9', 'given: V1, secretArgument: { a: "x" }', 'secretArgument: null'])),
    text.replace(/\bon \w+/, 'on Hidden'),
    text.replace(/\b[a-e]\b/, random.pick(['secretTitle', 'absent', 'hidden'])),
    text.replace(/^query/, random.pick(['mutation', 'subscription'])),
  ]);
  const fixed = random.pick(others);
  return [
    { given: { query: text, variables }, operation },
    { given: { query: changed, variables } },
    ...(random.chance(0.3) ? [{ given: { ...fixed, query: fixed.query.replaceAll('Query', roots.query) } }] : []),
  ];
}

function randomCaller(random: Random): Caller {
  const values: readonly unknown[] = [true, true, true, false, 'yes', new Error('The policy has failed.')];
  return {
    scopes: random.pick([undefined, null, [], scopes, scopes, scopes.filter(() => random.chance(0.6))]),
    policies: new Map(policies.map((name) => [name, random.pick(values)])),
  };
}

/** The problems of an answer that runs a query. */
function problemsOfRun(
  { isRefused, isHidden, without, secretTypes }: Trial,
  { given, operation }: Query,
  caller: Caller,
  told: Told,
  effects: Effects,
): string[] {
  const { calls, points } = effects;
  const problems: string[] = [];
  const isForbidden = /@defer|@stream|__schema|__type\b|_service|_entities|\b(mutation|subscription)\b/.test(given.query);
  if (isForbidden && !told.isError) problems.push('a document runs that must not');
  const hidden = calls.filter(isHidden);
  if (hidden.length > 0) problems.push(`${hidden.join(' ')} ran`);
  for (const name of secretTypes)
    if (new RegExp(`\\b${name}\\b`).test(told.text) && !given.query.includes(name)) problems.push(`${name} is shown`);
  if (isForbidden && calls.length + points > 0) problems.push('a refused document had effects');
  const cost = Number(/\\?"cost\\?":(\d+)/.exec(told.text)?.[1] ?? 0);
  if (effects.isBroke && (calls.length > 0 || !/costliest/.test(told.text)))
    problems.push('a query without points ran, or is not told why it costs so much');
  if (points > cost) problems.push(`${points} points were taken, and ${cost} were told`);
  if (operation === undefined || isForbidden || effects.isBroke) return problems;
  const refused = isRefused(operation, caller);
  if (refused && calls.length + points > 0) problems.push('a query without rights had effects');
  // The tool cannot say which one of several runs. Null for a condition is an error of a query that runs.
  if (parse(given.query).definitions.filter(({ kind }) => kind === 'OperationDefinition').length > 1) return problems;
  if (refused && (without === undefined ? !told.isError : told.status === 200)) problems.push('a query without rights is answered');
  if (without !== undefined && !refused && told.isError && !Object.values(operation.variables).includes(null))
    problems.push('an allowed query is refused');
  return problems;
}

/** The problems of what a search shows: each field must be one that the caller may run. */
function problemsOfSearch(trial: Trial, caller: Caller, told: Told, effects: Effects): string[] {
  const { schema, isHidden, isRefused, secretTypes } = trial;
  const problems: string[] = [];
  if (told.isError) return ['a search is refused'];
  const { sdl, paths } = told.content as { readonly sdl: string; readonly paths: readonly string[] };
  if (sdl.length + paths.join('\n').length > 8_000) problems.push('the slice is too long');
  if (effects.claims > 1 || new Set(effects.asked).size < effects.asked.length) problems.push('claims or a policy were asked twice');
  if (effects.calls.length + effects.points > 0) problems.push('a search had effects');
  const mayRun = (path: string): boolean => {
    const operation = operationOf(schema, path);
    return operation !== undefined && !isRefused(operation, caller);
  };
  problems.push(...paths.filter((path) => !mayRun(path)).map((path) => `the caller may not run ${path}`));
  const fields = new Set<string>();
  for (const type of sdl === '' ? [] : parse(sdl).definitions)
    if (type.kind === 'ObjectTypeDefinition' || type.kind === 'InterfaceTypeDefinition')
      for (const { name } of type.fields ?? []) fields.add(`${type.name.value}.${name.value}`);
  problems.push(...[...fields].filter(isHidden).map((place) => `${place} is shown`));
  problems.push(...secretTypes.filter((name) => new RegExp(`\\b${name}\\b`).test(told.text)).map((name) => `${name} is shown`));
  // From the root by fields that are shown and may be run.
  const unreached = new Set(fields);
  const root = schema.getQueryType()!;
  const ways: (readonly [type: GraphQLNamedType, path: string])[] = [[root, root.name]];
  for (const [type, path] of ways) {
    if (ways.length > 500) break;
    if (isAbstractType(type)) ways.push(...schema.getPossibleTypes(type).map((one) => [one, `${path}[${one.name}]`] as const));
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const { name, type: returned } of Object.values(type.getFields())) {
      if (!fields.has(`${type.name}.${name}`) || path.split('.').length > 6 || !mayRun(`${path}.${name}`)) continue;
      if (unreached.delete(`${type.name}.${name}`)) ways.push([getNamedType(returned), `${path}.${name}`]);
    }
  }
  problems.push(...[...unreached].map((field) => `no way leads to ${field}`));
  return problems;
}

/** The query of a path such as `Query.q0[T0].a`. Undefined: it is not valid. */
function operationOf(schema: GraphQLSchema, path: string): RandomOperation | undefined {
  const [root, ...steps] = path.split(/(?=[.[])/);
  let type = schema.getType(root!);
  for (const step of steps) {
    if (step.startsWith('[')) type = schema.getType(step.slice(1, -1));
    else if (isObjectType(type) || isInterfaceType(type)) type = getNamedType(type.getFields()[step.slice(1)]?.type);
  }
  const end = isCompositeType(type) ? ' { x: __typename @skip(if: true) }' : '';
  const parts = steps.map((step) => (step.startsWith('[') ? `... on ${step.slice(1, -1)}` : step.slice(1)));
  const text = `query First { ${parts.join(' { ')}${end}${' }'.repeat(parts.length)}`;
  const document = parse(text);
  if (validate(schema, document).length > 0) return undefined;
  return { text, document, operationName: 'First', kind: 'query', variables: {}, isDeferred: false };
}

/** Sends everything of a trial until an answer is wrong. */
async function problemIn(trial: Trial): Promise<string | undefined> {
  const { random, explored, without, queries } = trial;
  const words = ['id', 'a', 'b', 'c', 'secretTitle', 'hidden', 'T0', 'kind', 'texts', 'E0', 'V9', 'secret argument', 'in'];
  for (const [at, query] of queries.entries()) {
    const caller = randomCaller(random);
    const isSearch = at % 6 === 0;
    const given = isSearch ? { query: `${random.pick(words)} ${random.pick(words)}`, limit: random.pick([1, 3, 50]) } : query.given;
    const tool = isSearch ? 'search_schema' : 'run_query';
    without?.enter(caller);
    const expected = await without?.call(tool, given);
    const effects = explored.enter(caller);
    const told = await explored.call(tool, given);
    const problems = isSearch ? problemsOfSearch(trial, caller, told, effects) : problemsOfRun(trial, query, caller, told, effects);
    if (expected !== undefined && told.text !== expected.text)
      problems.push(`expected the answer of the schema without what is hidden: ${expected.text}`);
    if (problems.length > 0)
      return [`seed ${trial.seed}`, ...problems, explored.typeDefs, JSON.stringify([caller.scopes, given]), told.text].join('\n');
  }
  return undefined;
}

/** Sends at least this number of queries and searches. */
async function findProblem(least: number, hole?: Hole): Promise<string | undefined> {
  for (let [at, sent] = [1, 0]; sent < least; at++) {
    const trial = createTrial(at, hole);
    const problem = await problemIn(trial);
    if (problem !== undefined) return problem;
    sent += trial.queries.length;
  }
  return undefined;
}

describe('agents that explore', () => {
  const least = cases({ short: 100, long: 10_000 });
  it(`never do, take or learn more than they may: ${least} queries and searches`, async () => {
    assert.equal(await findProblem(least), undefined);
  });

  for (const hole of holes)
    it(`are caught if ${hole}`, async () => {
      assert.notEqual(await findProblem(300, hole), undefined);
    });
});

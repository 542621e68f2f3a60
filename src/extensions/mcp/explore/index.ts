import { GraphQLError, getVariableValues, parse } from 'graphql';
import type { GraphQLNamedType } from 'graphql';

import type { DocumentOutcome, GraphQLRequest, OperationInContext, OperationOutcome, ServerStartContext } from '../../../server/index.ts';
import { isRecord } from '../../../shared/index.ts';
import type { BudgetReport, Facts, LimitsFact, RightsFact, RightsRule } from '../../../shared/index.ts';
import type { ExploreOptions } from '../options.ts';
import type { ListedTool } from '../tools.ts';
import { findUnknown } from './query-errors.ts';
import { Ranking } from './ranking.ts';
import type { Found } from './ranking.ts';
import { Slice } from './slice.ts';
import { VisibleSchema } from './visible-schema.ts';
import type { Field } from './visible-schema.ts';

const maxFound = 50;
const text = { type: 'string' };

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

/** The two tools, as clients see them. */
export const exploreTools: readonly ListedTool[] = [
  {
    name: 'run_query',
    description:
      'Runs a GraphQL query that you have written with what search_schema has found. Only queries run: no mutations, and no introspection. Queries cost points. The result has the cost, and what is left. Request few items and few fields.',
    inputSchema: { ...objectOf({ query: text, variables: { type: 'object' } }, ['query']), additionalProperties: false },
    outputSchema: objectOf({ data: { type: 'object' }, cost: { type: 'number' }, left: { type: 'number' } }, ['data', 'cost']),
    annotations,
  },
  {
    name: 'search_schema',
    description:
      'Finds the fields of the GraphQL schema that answer a question in a few words. Returns types with these fields, and paths from the root: Query.search.nodes[Issue].title is { search { nodes { ... on Issue { title } } } }. The limit is the most fields to find. Fields around these may lack their optional arguments.',
    inputSchema: {
      ...objectOf({ query: text, limit: { type: 'integer', minimum: 1, maximum: maxFound } }, ['query']),
      additionalProperties: false,
    },
    outputSchema: objectOf({ sdl: text, paths: { type: 'array', items: text } }, ['sdl', 'paths']),
    annotations,
  },
];

function objectOf(properties: object, required: readonly string[]): Readonly<Record<string, unknown>> {
  return { type: 'object', properties, required };
}

/** The arguments of both tools. */
export interface ExploreArguments {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly limit?: number;
}

/** The context and the logger of the call of a tool. */
type Caller = Parameters<RightsFact['callerOf']>;

/** The fields that a caller may run. */
type IsAllowed = (field: Field) => boolean;

/** Stands for a wrong rule, which no caller meets. */
const never: RightsRule = {};

/** The fields by which objects are known, and those between a connection and its objects. */
const essential = /^(?:id|name|title|login|email|nodes|edges|node|items|totalCount)$/;
/** The most errors of a query that are shown. */
const maxErrors = 5;

interface Coerced {
  readonly coerced?: Readonly<Record<string, unknown>>;
}

/** Answers `search_schema` and `run_query`. */
export class Explorer {
  readonly #options: ExploreOptions;
  readonly #start: Pick<ServerStartContext, 'schema' | 'facts'>;
  readonly #rights: RightsFact | undefined;
  #visible: VisibleSchema | undefined;
  #ranking: Ranking | undefined;
  /** The rules of fields that have some. */
  #rules: ReadonlyMap<Field, readonly RightsRule[]> | undefined;
  /** The facts of the operations that agents have written, by their requests. */
  readonly #running = new WeakMap<GraphQLRequest, Facts | undefined>();

  /** Throws unless queries have a bound: a price, and a budget. */
  constructor(options: ExploreOptions, start: Pick<ServerStartContext, 'schema' | 'facts'>) {
    const { facts, schema } = start;
    const missing = [
      ...((facts.get('limits') as LimitsFact | undefined)?.maxCost === undefined ? ['limits({ maxCost: 1000 })'] : []),
      ...(facts.get('budget') === undefined ? ['budget({ … })'] : []),
    ];
    if (missing.length > 0)
      throw new Error(`With explore of mcp(), agents write queries that could cost anything. Add ${missing.join(' and ')} to plugins.`);
    if (options.hide !== undefined && !schema.getDirective(options.hide))
      throw new Error(`Expected explore.hide of mcp to name a directive of the schema, got "${options.hide}".`);
    this.#options = options;
    this.#start = start;
    this.#rights = facts.get('rights') as RightsFact | undefined;
  }

  /** Fills what a search without a limit has found with its surroundings: in a small schema, with most of it. */
  async search({ query, limit }: ExploreArguments, ...caller: Caller): Promise<Slice> {
    const isAllowed = await this.#rightsOf(...caller);
    const slice = new Slice(this.#known, isAllowed);
    const found = this.#search(query, isAllowed);
    const shown = found.filter((one) => slice.paths.length < (limit ?? 12) && slice.add(one));
    slice.addAround(new Set(shown.map(({ to }) => to.type)), essential);
    for (const { field } of shown) slice.addInputs(field);
    if (limit !== undefined) return slice;
    // The more of a type was found, the more it has to do with the question.
    const scores = new Map<GraphQLNamedType, number>();
    for (const { from, to, score } of found) for (const one of [from.type, to.type]) scores.set(one, (scores.get(one) ?? 0) + score);
    const types = [...scores.keys()].toSorted((one, other) => scores.get(other)! - scores.get(one)!);
    slice.addAround(new Set([...types, this.#start.schema.getQueryType()!]));
    return slice;
  }

  /** The request of a query. The text runs because this object is known here, whatever is in it. */
  requestOf(query: string, variables: Readonly<Record<string, unknown>>): GraphQLRequest {
    const request = { query, variables: { ...variables } };
    this.#running.set(request, undefined);
    return request;
  }

  /** Returns the cost of a query, and the points that are left if they are known. For one that was refused, also where the cost comes from. */
  reportOn(request: GraphQLRequest, { document, operation, result }: OperationOutcome): { readonly cost: number; readonly left?: number } {
    const { cost = 0, left } = (this.#running.get(request)?.get('budget') as BudgetReport | undefined) ?? {};
    const report = { cost, ...(left !== undefined && { left }) };
    if (result.data !== undefined || document === undefined || operation === undefined) return report;
    const { schema, facts } = this.#start;
    const values = getVariableValues(schema, operation.variableDefinitions ?? [], request.variables ?? {});
    // The values are a member of their own since graphql 17.
    const { coerced } = 'variableValues' in values ? (values.variableValues as Coerced) : (values as Coerced);
    try {
      return { ...report, ...(coerced && (facts.get('limits') as LimitsFact).costliest({ document, operation, variableValues: coerced })) };
    } catch {
      // A page that is too large has no price. The outcome says so.
      return report;
    }
  }

  /** The stage `document`: refuses what agents may not use, as if it did not exist. */
  async read({ request, facts, contextValue, call }: OperationInContext, next: () => Promise<DocumentOutcome>): Promise<DocumentOutcome> {
    const outcome = await next();
    const { errors, source } = outcome;
    if (!this.#running.has(request) || source === undefined) return outcome;
    this.#running.set(request, facts);
    // The text may be too large to be parsed.
    if (errors.some(({ extensions }) => extensions['code'] === 'GRAPHQL_PARSE_FAILED')) return outcome;
    const unknown = findUnknown(this.#known, outcome.document ?? parse(source), request.variables ?? {}).slice(0, maxErrors);
    // The suggestions of graphql-js may name what is hidden.
    let messages = errors.map(({ message }) => message.replace(/ Did you mean [^]*$/, ''));
    if (unknown.length > 0) {
      const isAllowed = await this.#rightsOf(contextValue, call.logger);
      messages = unknown.map(({ message, words = '' }) => {
        const names = this.#search(words, isAllowed).map(({ from, field }) => `${from.type.name}.${field.name}`);
        return names.length === 0 ? message : `${message} The search finds ${names.slice(0, 5).join(', ')}.`;
      });
    } else if (messages.every((message, at) => message === errors[at]!.message)) return outcome;
    const nodes = unknown.length > 0 ? unknown.map(({ node }) => node) : errors.flatMap((error) => error.nodes ?? []);
    // Thrown, it replaces the errors of the server.
    throw new GraphQLError(messages.join(' '), { nodes, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
  }

  /** Throws in production, too, if what is to be hidden is not known. */
  get #known(): VisibleSchema {
    return (this.#visible ??= new VisibleSchema(this.#start.schema, this.#options.hide));
  }

  #search(question: string, isAllowed: IsAllowed): readonly Found[] {
    this.#ranking ??= new Ranking(this.#known);
    return this.#ranking.search(question, isAllowed);
  }

  async #rightsOf(...caller: Caller): Promise<IsAllowed> {
    const rules = (this.#rules ??= this.#readRules(caller[1]));
    const meets = this.#rights?.callerOf(...caller);
    const met = new Set<RightsRule>();
    for (const rule of new Set([...rules.values()].flat())) if (rule !== never && (await meets!(() => [rule]))) met.add(rule);
    return (field) => rules.get(field)?.every((rule) => met.has(rule)) ?? true;
  }

  #readRules(logger: Caller[1]): ReadonlyMap<Field, readonly RightsRule[]> {
    const rules = new Map<Field, readonly RightsRule[]>();
    for (const type of this.#rights === undefined ? [] : this.#known.types)
      for (const field of this.#known.fieldsOf(type).values())
        try {
          const found = this.#rights!.rulesOf(type, field.name);
          if (found.length > 0) rules.set(field, found);
        } catch (error) {
          logger.error('A rule of authorization() is wrong.', error);
          rules.set(field, [never]);
        }
    return rules;
  }
}

/** Says why the arguments of a tool are wrong. */
export function problemOf(given: Readonly<Record<string, unknown>>): string | undefined {
  const { query, variables, limit } = given;
  if (typeof query !== 'string') return 'Expected query to be a string.';
  if (variables !== undefined && !isRecord(variables)) return 'Expected variables to be an object.';
  const isLimit = limit === undefined || (Number.isInteger(limit) && (limit as number) > 0 && (limit as number) <= maxFound);
  return isLimit ? undefined : `Expected limit to be a whole number from 1 to ${maxFound}.`;
}

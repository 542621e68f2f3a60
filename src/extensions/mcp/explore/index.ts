import { getNamedType, GraphQLError, getVariableValues, parse } from 'graphql';
import type { ASTNode, GraphQLNamedType } from 'graphql';

import type {
  DocumentOutcome,
  GraphQLRequest,
  OperationInContext,
  OperationOutcome,
  RequestCall,
  ServerStartContext,
} from '../../../server/index.ts';
import { isRecord } from '../../../shared/index.ts';
import type { BudgetReport, Facts, LimitsFact, RightsFact, RightsRule } from '../../../shared/index.ts';
import type { ExploreOptions } from '../options.ts';
import type { ListedTool } from '../tools.ts';
import { reportUnknown, reportUnknownVariables } from './query-errors.ts';
import type { Report } from './query-errors.ts';
import { Ranking } from './ranking.ts';
import type { Found } from './ranking.ts';
import { Slice } from './slice.ts';
import { VisibleSchema } from './visible-schema.ts';
import type { Field } from './visible-schema.ts';

const maxFound = 50;
const text = { type: 'string' };

/** The two tools, as clients see them. */
export const exploreTools: readonly ListedTool[] = [
  toolOf('run_query', {
    description:
      'Runs a GraphQL query that you have written with what search_schema has found. Only queries run: no mutations, and no introspection. Queries cost points. The result has the cost, and what is left. Request few items and few fields.',
    takes: { query: text, variables: { type: 'object' } },
    gives: { data: { type: 'object' }, cost: { type: 'number' }, left: { type: 'number' } },
    always: ['data', 'cost'],
  }),
  toolOf('search_schema', {
    description:
      'Finds the fields of the GraphQL schema that answer a question in a few words. Returns types with these fields, and paths from the root: Query.search.nodes[Issue].title is { search { nodes { ... on Issue { title } } } }. The limit is the most fields to find. Fields around these may lack their optional arguments.',
    takes: { query: text, limit: { type: 'integer', minimum: 1, maximum: maxFound } },
    gives: { sdl: text, paths: { type: 'array', items: text } },
    always: ['sdl', 'paths'],
  }),
];

function toolOf(
  name: string,
  {
    description,
    takes,
    gives,
    always,
  }: { readonly description: string; readonly takes: object; readonly gives: object; readonly always: readonly string[] },
): ListedTool {
  return {
    name,
    description,
    inputSchema: { type: 'object', properties: takes, required: ['query'], additionalProperties: false },
    outputSchema: { type: 'object', properties: gives, required: always },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  };
}

/** The arguments of both tools. */
export interface ExploreArguments {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly limit?: number;
}

/** The caller of a tool: the context and the logger of the call. */
interface Caller {
  readonly contextValue: unknown;
  readonly logger: RequestCall['logger'];
}

/** The fields that a caller may run. */
type IsAllowed = (field: Field) => boolean;

/** The most errors of a query that are shown. */
const maxErrors = 5;

interface Coerced {
  readonly coerced?: Readonly<Record<string, unknown>>;
  readonly variableValues?: { readonly coerced: Readonly<Record<string, unknown>> };
}

/** Answers `search_schema` and `run_query`. */
export class Explorer {
  readonly #options: ExploreOptions;
  readonly #start: ServerStartContext;
  readonly #rights: RightsFact | undefined;
  #visible: VisibleSchema | undefined;
  #ranking: Ranking | undefined;
  /** The rules of fields that have some. Undefined: a wrong rule, which no caller meets. */
  #rules: ReadonlyMap<Field, readonly RightsRule[] | undefined> | undefined;
  /** The facts of the operations that agents have written, by their requests. */
  readonly #running = new WeakMap<GraphQLRequest, { facts?: Facts }>();

  /** Throws unless queries have a bound: a price, and a budget. */
  constructor(options: ExploreOptions, start: ServerStartContext) {
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
  async search({ query, limit }: ExploreArguments, caller: Caller): Promise<Slice> {
    const isAllowed = await this.#rightsOf(caller);
    const slice = new Slice(this.#known, isAllowed);
    const found = this.#search(query, isAllowed);
    const shown = found.filter((one) => slice.paths.length < (limit ?? 12) && slice.add(one));
    for (const { field } of shown) slice.addInputs(field);
    if (limit === undefined) {
      // The more of a type was found, the more it has to do with the question.
      const scores = new Map<GraphQLNamedType, number>();
      for (const { type, field, score } of found)
        for (const one of [type, getNamedType(field.type)]) scores.set(one, (scores.get(one) ?? 0) + score);
      const types = [...scores.keys()].toSorted((one, other) => scores.get(other)! - scores.get(one)!);
      slice.addAround(new Set([...types, this.#start.schema.getQueryType()!]));
    }
    return slice;
  }

  /** The request of a query. The text runs because this object is known here, whatever is in it. */
  requestOf(query: string, variables: Readonly<Record<string, unknown>>): GraphQLRequest {
    const request = { query, variables: { ...variables } };
    this.#running.set(request, {});
    return request;
  }

  /** Returns the cost of a query, and the points that are left if they are known. For one that was refused, also where the cost comes from. */
  reportOn(request: GraphQLRequest, { document, operation, result }: OperationOutcome): { readonly cost: number; readonly left?: number } {
    const { cost = 0, left } = (this.#running.get(request)?.facts?.get('budget') as BudgetReport | undefined) ?? {};
    const report = { cost, ...(left !== undefined && { left }) };
    if (result.data !== undefined || document === undefined || operation === undefined) return report;
    const { schema, facts } = this.#start;
    // The values are a member of their own since graphql 17.
    const values = getVariableValues(schema, operation.variableDefinitions ?? [], request.variables ?? {}) as Coerced;
    const variableValues = values.variableValues?.coerced ?? values.coerced;
    if (variableValues === undefined) return report;
    try {
      return { ...report, ...(facts.get('limits') as LimitsFact).costliest({ document, operation, variableValues }) };
    } catch {
      // A page that is too large has no price. The outcome says so.
      return report;
    }
  }

  /** The stage `document`: refuses what agents may not use, as if it did not exist. */
  async read(operation: OperationInContext, next: () => Promise<DocumentOutcome>): Promise<DocumentOutcome> {
    const { request, facts, contextValue, call } = operation;
    const running = this.#running.get(request);
    if (running === undefined) return next();
    running.facts = facts;
    const outcome = await next();
    // The text may be too large to be parsed.
    if (outcome.errors.some(({ extensions }) => extensions['code'] === 'GRAPHQL_PARSE_FAILED') || outcome.source === undefined)
      return outcome;
    const document = outcome.document ?? parse(outcome.source);
    const unknown: { readonly message: string; readonly node: ASTNode; readonly words: string | undefined }[] = [];
    const report: Report = (message, node, words) => unknown.push({ message, node, words });
    reportUnknown(this.#known, document, report);
    if (unknown.length === 0) reportUnknownVariables(this.#known, document, request.variables ?? {}, report);
    const shown = unknown.slice(0, maxErrors);
    if (shown.length === 0) {
      // The suggestions of graphql-js may name what is hidden.
      const messages = outcome.errors.map(({ message }) => message.replace(/ Did you mean [^]*$/, ''));
      if (messages.every((message, at) => message === outcome.errors[at]!.message)) return outcome;
      throw refusal(
        messages,
        outcome.errors.flatMap(({ nodes = [] }) => nodes),
      );
    }
    const isAllowed = await this.#rightsOf({ contextValue, logger: call.logger });
    const messages = shown.map(({ message, words }) => {
      const names = this.#search(words ?? '', isAllowed)
        .slice(0, 5)
        .map(({ type, field }) => `${type.name}.${field.name}`);
      return names.length === 0 ? message : `${message} The search finds ${names.join(', ')}.`;
    });
    throw refusal(
      messages,
      shown.map(({ node }) => node),
    );
  }

  /** Throws in production, too, if what is to be hidden is not known. */
  get #known(): VisibleSchema {
    return (this.#visible ??= new VisibleSchema(this.#start.schema, this.#options.hide));
  }

  #search(question: string, isAllowed: IsAllowed): readonly Found[] {
    this.#ranking ??= new Ranking(this.#known);
    return this.#ranking.search(question, isAllowed);
  }

  async #rightsOf({ contextValue, logger }: Caller): Promise<IsAllowed> {
    const rules = (this.#rules ??= this.#readRules(logger));
    const meets = this.#rights?.callerOf(contextValue, logger);
    const met = new Set<RightsRule>();
    for (const rule of new Set([...rules.values()].flatMap((some) => some ?? []))) if (await meets!(() => [rule])) met.add(rule);
    return (field) => !rules.has(field) || rules.get(field)?.every((rule) => met.has(rule)) === true;
  }

  #readRules(logger: Caller['logger']): ReadonlyMap<Field, readonly RightsRule[] | undefined> {
    const rules = new Map<Field, readonly RightsRule[] | undefined>();
    if (this.#rights === undefined) return rules;
    for (const type of this.#known.types)
      for (const field of this.#known.fieldsOf(type).values())
        try {
          const found = this.#rights.rulesOf(type, field.name);
          if (found.length > 0) rules.set(field, found);
        } catch (error) {
          logger.error('A rule of authorization() is wrong.', error);
          rules.set(field, undefined);
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

/** Thrown, it replaces the errors of the server. */
function refusal(messages: readonly string[], nodes: readonly ASTNode[]): GraphQLError {
  return new GraphQLError(messages.join(' '), { nodes, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
}

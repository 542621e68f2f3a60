import { getArgumentValues, isNonNullType, Kind } from 'graphql';
import type { FieldNode, GraphQLArgument, GraphQLField, ValueNode } from 'graphql';

import { isGraphQL17 } from '../graphql-js/version.ts';
import type { Run } from '../run.ts';
import { hasDefault, isPlainLeaf, mapFields, ownDefaultsAmong } from './own-defaults.ts';
import type { OwnDefaultsByName } from './own-defaults.ts';

export type ArgumentValues = Record<string, unknown>;

/**
 * The arguments of a field, worked out as far as they can be before the field runs.
 *
 * Why: graphql-js reads the literals again for every object that the field is run on. A number, a text or an enum
 * value never changes, and a variable's value is taken as it is; only what may fail, or makes an object that a
 * resolver could change, is left to graphql-js. So is the first object where there are literals: to work out what is asked for once
 * takes twice as long as to ask.
 */
export interface PlannedArguments {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  state: 'new' | 'asked' | 'planned';
  /** Undefined: graphql-js works out the values each time. */
  sources: readonly ArgumentSource[] | undefined;
  /** The material of the sources, to notice when it is another. */
  origins: readonly ArgumentOrigin[];
  /** The arguments in whose values defaults are to be copied; worked out when graphql-js is first asked. */
  ownDefaults: OwnDefaultsByName | undefined;
}

interface ArgumentOrigin {
  readonly argument: GraphQLArgument;
  readonly type: unknown;
  readonly defaultValue: unknown;
  readonly default: unknown;
}

type ArgumentSource =
  | { readonly kind: 'constant'; readonly name: string; readonly value: unknown }
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly variable: string;
      readonly nonNull: boolean;
      readonly hasDefault: boolean;
    };

/** Undefined for a field that takes no arguments. */
export function planArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): PlannedArguments | undefined {
  if (definition.args.length === 0) return undefined;
  const planned: PlannedArguments = { definition, node, state: 'new', sources: undefined, origins: noOrigins, ownDefaults: undefined };
  if (definition.args.some((argument) => isLeftToGraphQLJS(node, argument))) planned.state = 'planned';
  else if (!definition.args.some((argument) => isConstant(node, argument))) plan(planned);
  return planned;
}

function plan(planned: PlannedArguments): void {
  const { definition, node } = planned;
  planned.state = 'planned';
  const sources: ArgumentSource[] = [];
  for (const argument of definition.args) {
    const source = planArgument(node, argument);
    if (source === 'unknown') return;
    if (source !== 'absent') sources.push(source);
  }
  planned.sources = sources;
  planned.origins = definition.args.map(originOf);
}

function originOf(argument: GraphQLArgument): ArgumentOrigin {
  const { type, defaultValue } = argument;
  return { argument, type, defaultValue, default: (argument as { default?: unknown }).default };
}

/** True when the schema still has the arguments that were planned. */
export function areArgumentsCurrent({ definition, origins }: PlannedArguments): boolean {
  if (origins.length > 0 && origins.length !== definition.args.length) return false;
  for (let at = 0; at < origins.length; at++) {
    const origin = origins[at]!;
    const { argument } = origin;
    if (definition.args[at] !== argument || argument.type !== origin.type || argument.defaultValue !== origin.defaultValue) return false;
    if ((argument as { default?: unknown }).default !== origin.default) return false;
  }
  return true;
}

/** The values for one run, in an object of the resolver's own. Throws graphql-js's error where one is wrong. */
export function argumentValues(planned: PlannedArguments | undefined, run: Run): ArgumentValues {
  if (planned === undefined) return noValues();
  if (planned.state === 'new') planned.state = 'asked';
  else if (planned.state === 'asked') plan(planned);
  return (
    (planned.sources && valuesOf(planned.sources, run.coerced)) ??
    withOwnDefaults(planned, askGraphQLJS(planned.definition, planned.node, run), run)
  );
}

const noOrigins: readonly ArgumentOrigin[] = [];
const noOwnDefaults: OwnDefaultsByName = [];

function withOwnDefaults(planned: PlannedArguments, values: ArgumentValues, { coerced }: Run): ArgumentValues {
  planned.ownDefaults ??= ownDefaultsAmong(planned.definition.args, planned.node.arguments ?? []) ?? noOwnDefaults;
  if (planned.ownDefaults !== noOwnDefaults) mapFields(values, planned.ownDefaults, coerced);
  return values;
}

/** graphql-js 17 gives arguments in an object without prototype, 16 in an ordinary one. Resolvers can tell. */
function noValues(): ArgumentValues {
  return isGraphQL17 ? (Object.create(null) as ArgumentValues) : {};
}

/** Undefined when a variable is not as it should be: graphql-js knows the default or the words for it. */
function valuesOf(sources: readonly ArgumentSource[], coerced: Readonly<Record<string, unknown>>): ArgumentValues | undefined {
  const values = noValues();
  for (const source of sources) {
    if (source.kind === 'constant') {
      values[source.name] = source.value;
    } else if (Object.hasOwn(coerced, source.variable)) {
      const value = coerced[source.variable];
      if (value === undefined || (value === null && source.nonNull)) return undefined;
      values[source.name] = value;
    } else if (source.nonNull || source.hasDefault) {
      return undefined;
    }
  }
  return values;
}

function askGraphQLJS(definition: GraphQLField<unknown, unknown>, node: FieldNode, run: Run | undefined): ArgumentValues {
  const variableValues = run?.infoParts().variableValues;
  // Fragment variables are an experiment that plans leave to graphql-js; 16 has three parameters.
  return getArgumentValues(definition, node, variableValues, undefined, run?.settings.hideSuggestions);
}

function planArgument(node: FieldNode, argument: GraphQLArgument): ArgumentSource | 'absent' | 'unknown' {
  const { name } = argument;
  if (isConstant(node, argument)) return planConstant(node, argument);
  const value = literalOf(node, argument);
  if (value?.kind !== Kind.VARIABLE) return 'absent';
  return { kind: 'variable', name, variable: value.name.value, nonNull: isNonNullType(argument.type), hasDefault: hasDefault(argument) };
}

/** True when its value is the same in every run: a literal, or the default. */
function isConstant(node: FieldNode, argument: GraphQLArgument): boolean {
  const value = literalOf(node, argument);
  if (value === undefined) return hasDefault(argument) || isNonNullType(argument.type);
  return value.kind !== Kind.VARIABLE;
}

/** True when the value is made anew in every run, because a resolver could change it, or because it may be another. */
function isLeftToGraphQLJS(node: FieldNode, argument: GraphQLArgument): boolean {
  if (!isConstant(node, argument)) return false;
  const kind = literalOf(node, argument)?.kind;
  return !isPlainLeaf(argument.type) || kind === Kind.LIST || kind === Kind.OBJECT;
}

function literalOf(node: FieldNode, { name }: GraphQLArgument): ValueNode | undefined {
  return node.arguments?.find((given) => given.name.value === name)?.value;
}

function planConstant(node: FieldNode, argument: GraphQLArgument): ArgumentSource | 'unknown' {
  try {
    const value = askGraphQLJS({ args: [argument] } as unknown as GraphQLField<unknown, unknown>, node, undefined)[argument.name];
    return typeof value === 'object' && value !== null ? 'unknown' : { kind: 'constant', name: argument.name, value };
  } catch {
    // The error is told at each run, with its place in the response.
    return 'unknown';
  }
}

import { defaultFieldResolver, execute, Kind, parse, validate, versionInfo } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLFieldResolver, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { executePlanned } from '../../../src/executor/execute.ts';
import type { PlannedExecution } from '../../../src/executor/execute.ts';
import { maxRecordedErrors } from '../../../src/executor/costs.ts';
import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { watchRejections } from '../unhandled-rejections.ts';
import { batchFields } from './batched-fields.ts';
import type { BatchedFields } from './batched-fields.ts';
import { Behaviour, logCall, takeCalls } from './behaviour.ts';
import type { Mischief } from './behaviour.ts';
import { recordChannelEvents } from './channel-events.ts';
import { Clockwork, nextTurn } from './clockwork.ts';
import type { Timing } from './clockwork.ts';
import { describeError, findDifference, withNullErrors } from './compare-results.ts';
import { executeWithoutPropagation } from './without-propagation.ts';
import { randomDocument } from './random-document.ts';
import { randomSchema } from './random-schema.ts';

/** An operation that the two executors answered differently. */
export interface Difference {
  readonly seed: number;
  readonly text: string;
  readonly variables: unknown;
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

/** The result of a comparison. */
export interface Comparison {
  readonly operations: number;
  /** The numbers of operations with errors and with data: they show that the comparison covered both. */
  readonly withErrors: number;
  readonly withData: number;
  readonly differences: readonly Difference[];
  /** The number of calls of batched resolvers with more than one parent. */
  readonly batches: number;
  /** The number of unhandled rejections, in our executor and in graphql-js. */
  readonly unhandled: { readonly ours: number; readonly theirs: number };
}

type Findings = { -readonly [K in keyof Comparison]: Comparison[K] } & {
  readonly differences: Difference[];
  readonly unhandled: { ours: number; theirs: number };
};

/** One operation, and how its resolvers behave. */
interface Scenario {
  readonly seed: number;
  readonly timing: Timing;
  readonly mischief: Mischief;
  readonly schema: GraphQLSchema;
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fieldResolver: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly hideSuggestions: boolean;
  /** 0: generated code completes every list of objects. */
  readonly rowsBeforeCode: number;
  /** The tracing channels have listeners. */
  readonly traced: boolean;
  readonly onError: 'PROPAGATE' | 'NULL' | 'HALT';
  /** In our executor, half of the fields are batched. */
  readonly batched: BatchedFields | undefined;
}

/** Default: no tracing, no batches, errors propagate. */
interface Choices extends Partial<Pick<Scenario, 'traced' | 'onError'>> {
  readonly timing: Timing;
  readonly batched?: boolean;
}

const errorHandling = { PROPAGATE: undefined, NULL: { propagates: false }, HALT: { halts: true } };

/** Runs random operations on random schemas through both executors. The same seeds give the same operations. */
export async function compareExecutors(
  firstSeed: number,
  count: number,
  { timing, traced = false, batched = false, onError = 'PROPAGATE' }: Choices,
): Promise<Comparison> {
  const none = { operations: 0, withErrors: 0, withData: 0, batches: 0 };
  const found: Findings = { ...none, differences: [], unhandled: { ours: 0, theirs: 0 } };
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    for (const scenario of scenarios(seed, timing)) {
      const fields = batched ? batchFields(scenario.schema, createRandom(scenario.seed)) : undefined;
      const mischief = batched ? { ...scenario.mischief, listsBelow: 8 } : scenario.mischief;
      await compareOnce({ ...scenario, mischief, traced, onError, batched: fields }, found);
    }
  }
  return found;
}

function* scenarios(seed: number, timing: Timing): Generator<Omit<Scenario, 'traced' | 'onError' | 'batched'>> {
  const random = createRandom(seed);
  const schema = randomSchema(random);
  for (let round = 0; round < 6; round++) {
    const { text, variables } = randomDocument(random, schema);
    const document = parse(text);
    const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    if (operation === undefined || validate(schema, document).length > 0) continue;
    yield { seed: seed * 31 + round, timing, schema, text, variables, document, operation, ...manners(random) };
  }
}

function manners(random: Random): Pick<Scenario, 'mischief' | 'fieldResolver' | 'hideSuggestions' | 'rowsBeforeCode'> {
  return {
    mischief: random.pick(mischiefs),
    fieldResolver: random.chance(0.15) ? customFieldResolver : undefined,
    hideSuggestions: random.chance(0.3),
    rowsBeforeCode: random.chance(0.5) ? 0 : Infinity,
  };
}

const mischiefs: readonly Mischief[] = [
  { wrong: 0.02, late: 0.3 },
  { wrong: 0.1, late: 0.5 },
  { wrong: 0.25, late: 0.7 },
  { wrong: 0.05, late: 0.95 },
];

const customFieldResolver: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) => {
  logCall('custom', info.fieldName, args);
  return defaultFieldResolver(source, args, context, info);
};

async function compareOnce(scenario: Scenario, found: Findings): Promise<void> {
  const { seed, schema, text, variables, document, operation, fieldResolver, hideSuggestions, rowsBeforeCode } = scenario;
  const execution = { schema, document, operation, variableValues: variables, fieldResolver, hideSuggestions };
  // Runs twice, because the second run uses the plan after the first has changed it.
  for (let run = 0; run < 2; run++) {
    scenario.batched?.oneByOne();
    const executeTheirs = scenario.onError === 'PROPAGATE' ? execute : executeWithoutPropagation;
    const expected = await observe(scenario, (run) => executeTheirs({ ...execution, ...run } as Parameters<typeof execute>[0]));
    scenario.batched?.inBatches();
    // Later errors are only counted.
    if ((expected.result.errors?.length ?? 0) >= maxRecordedErrors) return;
    const actual = await observe(scenario, (run) =>
      executePlanned({ ...execution, ...run, rowsBeforeCode, errorHandling: errorHandling[scenario.onError] }),
    );
    scenario.batched?.oneByOne();
    for (const parents of scenario.batched?.takeCalls() ?? []) if (parents > 1) found.batches++;
    found.operations++;
    if (expected.result.errors !== undefined) found.withErrors++;
    if (expected.result.data !== null && expected.result.data !== undefined) found.withData++;
    found.unhandled.theirs += expected.unhandled;
    found.unhandled.ours += actual.unhandled;
    const what = (await differenceOf(scenario, expected, actual)) ?? differentEvent(scenario, expected, actual);
    if (what !== undefined) found.differences.push({ seed, text, variables, what, expected: textOf(expected), actual: textOf(actual) });
  }
}

async function differenceOf(scenario: Scenario, expected: Observation, actual: Observation): Promise<string | undefined> {
  if (scenario.onError === 'HALT') return differenceOfHalted(scenario, expected.result, actual.result);
  if (scenario.onError === 'NULL') {
    const unpropagated = withNullErrors(expected.result, actual.result);
    return findDifference({ expected: unpropagated, actual: actual.result, unpropagated });
  }
  if (textOf(expected) === textOf(actual)) return undefined;
  if (scenario.timing === 'sync' && scenario.batched === undefined) return 'another answer, or other calls';
  const { result } = await observe({ ...scenario, traced: false }, (run) =>
    executeWithoutPropagation({ ...scenario, variableValues: scenario.variables, ...run }),
  );
  const unpropagated = withNullErrors(result, actual.result);
  return findDifference({ expected: expected.result, actual: actual.result, unpropagated, isReordered: scenario.batched !== undefined });
}

/** Checks an answer with HALT: its error must be one that the operation can have; in a synchronous operation, the first. `expected` is the result without propagation. */
function differenceOfHalted({ timing, batched }: Scenario, expected: ExecutionResult, actual: ExecutionResult): string | undefined {
  const { errors = [] } = withNullErrors(expected, actual);
  if (errors.length === 0 || expected.data === undefined)
    return JSON.stringify(expected) === JSON.stringify(actual) ? undefined : 'another answer without an error of a field';
  const [error, second] = actual.errors ?? [];
  if (actual.data !== null || error === undefined || second !== undefined) return 'not one error, and data: null';
  const candidates = (timing === 'sync' && batched === undefined && versionInfo.major >= 17 ? errors.slice(0, 1) : errors).map(
    describeError,
  );
  return candidates.includes(describeError(error)) ? undefined : 'another error';
}

/** Below a value that an error has made null, graphql-js continues and our executor does not, so it has fewer events. */
function differentEvent({ timing }: Scenario, expected: Observation, actual: Observation): string | undefined {
  if (expected.result.errors !== undefined && timing !== 'sync') return undefined;
  const length = Math.max(expected.events.length, actual.events.length);
  for (let at = 0; at < length; at++)
    if (expected.events[at] !== actual.events[at]) return `event ${at}: expected ${expected.events[at]}, got ${actual.events[at]}`;
  return undefined;
}

interface Observation {
  readonly result: ExecutionResult;
  readonly events: readonly string[];
  readonly calls: readonly string[];
  readonly unhandled: number;
}

type Runner = (run: Pick<PlannedExecution, 'rootValue' | 'contextValue'>) => unknown;

async function observe(scenario: Scenario, start: Runner): Promise<Observation> {
  const clockwork = new Clockwork(scenario.timing);
  const behaviour = new Behaviour(scenario.seed, scenario.mischief, clockwork, scenario.schema);
  const contextValue = { behaviour };
  const rootValue = behaviour.rootObject(scenario.schema.getRootType(scenario.operation.operation)!);
  const rejections = watchRejections();
  const { events, stop } = scenario.traced ? recordChannelEvents() : { events: [], stop: () => {} };
  try {
    const outcome = start({ rootValue, contextValue }) as ExecutionResult;
    // A synchronous operation must not have an asynchronous result.
    const calls = takeCalls();
    if (scenario.timing === 'sync')
      return {
        result: outcome,
        calls: scenario.batched === undefined ? calls : [],
        events,
        unhandled: rejections.count(),
      };
    const [result] = await Promise.all([outcome, clockwork.run()]);
    await nextTurn();
    takeCalls();
    return { result, calls: [], events, unhandled: rejections.count() };
  } finally {
    stop();
    rejections.stop();
  }
}

/** Describes everything that a client or a hook can see, and the calls of resolvers. */
function textOf({ result, calls }: Observation): string {
  return JSON.stringify({ keys: Object.keys(result), errors: result.errors?.map(describeError), data: result.data, calls }, undefined, 1);
}

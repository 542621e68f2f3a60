import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import type { Answer, Door } from './doors.ts';
import { policies, randomModel, scopes } from './model.ts';
import type { Model, Rule } from './model.ts';
import { OperationGenerator } from './operations.ts';
import type { RandomOperation } from './operations.ts';
import { decide, neededPlaces, referenceSchema } from './reference.ts';
import type { Caller, Refusal } from './reference.ts';
import { createServer } from './serving.ts';
import type { CreateRights, Effects, Server } from './serving.ts';

/** An operation of one caller, and what it must be answered with. */
export interface Case {
  readonly operation: RandomOperation;
  /** The id of its document. */
  readonly id: string;
  readonly needed: ReadonlySet<string>;
  readonly caller: Caller;
  readonly expected: Refusal;
}

/** A random schema with its server and cases. */
export interface Trial {
  readonly seed: number;
  readonly model: Model;
  readonly server: Server;
  readonly cases: readonly Case[];
}

const documentsOfSchema = 8;

/** `used`: the doors that the server must have. */
export function createTrial(seed: number, createRights: CreateRights, used: readonly Door[]): Trial {
  const random = createRandom(seed);
  const model = randomModel(random, seed);
  const schema = referenceSchema(model);
  const generator = new OperationGenerator(model, random, schema);
  const documents = Array.from({ length: documentsOfSchema }, () => generator.next());
  const own = used.flatMap((door) => door.own ?? []);
  const texts = documents.flatMap(([one], at): [string, string | undefined][] => [
    [String(at), one!.text],
    ...own.map(({ idOf, textOf }): [string, string | undefined] => [idOf(String(at)), textOf(one!, String(at))]),
  ]);
  // rest() refuses to start without a route.
  const filled = own.filter(({ textOf }) => documents.some(([one]) => textOf(one!, '') !== undefined));
  const plugins = [...new Set(filled.map(({ plugin }) => plugin))].map((create) => create());
  const server = createServer(model, { random, createRights, documents: new Map(texts), doors: plugins });
  const cases = documents.flatMap((operations, at) =>
    operations.flatMap((operation): Case[] => {
      const needed = neededPlaces(schema, operation);
      return callersOf(random, model, needed).map((caller) => {
        return { operation, id: String(at), needed, caller, expected: decide(model, needed, caller) };
      });
    }),
  );
  return { seed, model, server, cases };
}

/** Anybody; who has exactly what is needed, as far as that is possible; and who has everything but what one rule needs. */
function callersOf(random: Random, model: Model, needed: ReadonlySet<string>): readonly Caller[] {
  const others: readonly unknown[] = [false, 'yes', 1, undefined, new Error('The policy has failed.')];
  const some = scopes.filter(() => random.chance(0.7));
  const anybody: Caller = {
    scopes: random.pick([undefined, null, [], [...scopes], [...some, 'other']]),
    policies: new Map(policies.map((name) => [name, random.chance(0.6) ? true : random.pick(others)])),
  };
  const exact = decide(model, needed, { scopes: [], policies: new Map() })?.needed ?? [];
  const allTrue = new Map(policies.map((name) => [name, true]));
  const rules = [...needed].flatMap((place) => model.rules.get(place) ?? []);
  const chosen = rules.length < 5 ? rules : rules.filter(() => random.chance(4 / rules.length));
  return [
    { scopes: exact, policies: allTrue },
    ...chosen.map((rule) => callerWithout(random, rule, allTrue)),
    ...(rules.length === 0 || random.chance(0.4) ? [anybody] : []),
  ];
}

/** A caller who lacks a scope or a policy of each alternative of a rule. */
function callerWithout(random: Random, rule: Rule, allTrue: Caller['policies']): Caller {
  const others: readonly unknown[] = [false, 'yes', new Error('The policy has failed.')];
  const lacked = new Set((rule.scopes ?? rule.policies ?? []).map((all) => random.pick(all)));
  const isScopes = rule.scopes !== undefined;
  return {
    scopes: rule.authenticated === true ? undefined : scopes.filter((scope) => !isScopes || !lacked.has(scope)),
    policies: isScopes ? allTrue : new Map([...allTrue].map(([name]) => [name, lacked.has(name) ? random.pick(others) : true])),
  };
}

/** What is sent at once. */
export interface Sending {
  readonly door: Door;
  readonly sent: readonly Case[];
}

/** All cases of a trial, each through a door that takes it. The operations of a batch have one caller, and different names. */
export function sendingsOf({ model, cases }: Trial, doorAt: (at: number) => Door): readonly Sending[] {
  return cases.flatMap((first, at): Sending[] => {
    const door = doorAt(at);
    if (!door.takes(first.operation)) return [];
    const others = cases.filter(({ id, operation }, index) => id !== first.id && index % 5 === at % 5 && door.takes(operation));
    const ofCaller = others
      .filter(({ id }, index) => others.findIndex((one) => one.id === id) === index)
      .map((one) => ({ ...one, caller: first.caller, expected: decide(model, one.needed, first.caller) }));
    return [{ door, sent: [first, ...ofCaller].slice(0, door.atOnce) }];
  });
}

/** Sends cases through a door, those of one caller at once. Returns what is wrong with the answers. */
export async function problemsOf({ seed, model, server }: Trial, sent: readonly Case[], door: Door): Promise<readonly string[]> {
  const { caller } = sent[0]!;
  const effects = server.enter(caller);
  const answers = await door.send(server, sent);
  const problems = answers.length === sent.length ? [] : [`${answers.length} answers`];
  for (const [at, one] of sent.entries()) problems.push(...problemsOfAnswer(one, answers[at]!, { ...effects, admits: server.admits }));
  problems.push(...problemsOfQuestions(model, sent, effects));
  if (sent.every(({ expected }) => expected !== undefined)) {
    if (effects.points > 0) problems.push(`${effects.points} points were taken`);
    if (effects.keys > 0) problems.push(`${effects.keys} keys were claimed`);
  }
  return problems.map((problem) => `seed ${seed}, ${door.name}: ${problem}\n${describe(sent, answers, server)}`);
}

function problemsOfAnswer(
  { operation, needed, expected }: Case,
  { status, challenge, body }: Answer,
  { calls, admits }: Pick<Effects, 'calls'> & Pick<Server, 'admits'>,
): readonly string[] {
  const problems: string[] = [];
  const called = calls.filter(([name]) => name === operation.operationName).map(([, place]) => place);
  const { data, errors = [] } = body;
  const refusal = errors.find(({ extensions }) => extensions?.code === 'UNAUTHENTICATED' || extensions?.code === 'FORBIDDEN');
  if (expected === undefined) {
    if (refusal !== undefined) problems.push(`needless refusal: ${JSON.stringify(refusal)}`);
    else if (data === undefined || (errors.length > 0 && !mayFail(operation))) problems.push('the operation fails');
    const more = called.find((place) => !needed.has(place));
    if (more !== undefined) problems.push(`${more} has run, and is not known to be needed`);
    return problems;
  }
  if (called.length > 0) problems.push(`${called.join(', ')} ran before the refusal`);
  if (data !== undefined || errors.length !== 1 || refusal === undefined) return [...problems, `allowed, expected ${expected.code}`];
  const { code, missing, needed: wanted } = refusal.extensions;
  const told = JSON.stringify({ code, missing, needed: wanted });
  if (challenge === undefined && told !== JSON.stringify(expected)) problems.push(`told ${told}, expected ${JSON.stringify(expected)}`);
  if (code !== expected.code) problems.push(`${code}, expected ${expected.code}`);
  const scope = expected.missing.length === 0 ? undefined : expected.needed.join(' ');
  if (challenge !== undefined && admits && code === 'FORBIDDEN' && /scope="(.*?)"/.exec(challenge)?.[1] !== scope)
    problems.push(`challenge ${challenge}, expected scope ${scope}`);
  const expectedStatus = code === 'UNAUTHENTICATED' ? 401 : 403;
  if (status !== undefined && status !== expectedStatus) problems.push(`status ${status}, expected ${expectedStatus}`);
  return problems;
}

/** A condition that is null fails, and so does a reference to no type. */
function mayFail({ text, variables }: RandomOperation): boolean {
  return Object.values(variables).includes(null) || text.includes('_entities');
}

/** Claims and policies are asked at most once for each operation, and only if their answer matters. */
function problemsOfQuestions(model: Model, sent: readonly Case[], { claimed, asked }: Effects): readonly string[] {
  const problems: string[] = [];
  const rulesOf = ({ needed }: Case): readonly Rule[] => [...needed].flatMap((place) => model.rules.get(place) ?? []);
  if (new Set(claimed).size < claimed.length) problems.push('claims was called twice for an operation');
  const protectedCount = sent.filter((one) => rulesOf(one).length > 0).length;
  if (claimed.length > protectedCount) problems.push(`claims was called for ${claimed.length} operations of ${protectedCount} with rules`);
  if (new Set(asked.map(([context]) => context)).size > protectedCount) problems.push('a policy was asked for an operation without rules');
  const isRepeated = asked.some(([context, name], at) => asked.findIndex(([of, one]) => of === context && one === name) < at);
  if (isRepeated) problems.push('a policy was asked twice for an operation');
  if (sent.length > 1 || asked.length === 0) return problems;
  const [{ needed, caller }] = sent as [Case];
  const known = new Map<string, unknown>(policies.map((name) => [name, true]));
  const rules = rulesOf(sent[0]!);
  for (const [, name] of asked) {
    if (decide(model, needed, { scopes: caller.scopes, policies: known }) !== undefined) problems.push(`${name} was asked too late`);
    if (!rules.some((rule) => rule.policies?.flat().includes(name))) problems.push(`${name} was asked, and no rule has it`);
    known.set(name, caller.policies.get(name));
  }
  return problems;
}

function describe(sent: readonly Case[], answers: readonly Answer[], { typeDefs }: Server): string {
  const told = sent.map(({ operation: { text, operationName, variables }, needed, caller, expected }, at) =>
    [
      text,
      `${operationName} ${JSON.stringify(variables)}, scopes ${JSON.stringify(caller.scopes)}, policies ${JSON.stringify([...caller.policies])}`,
      `needs ${[...needed].join(' ')}; expected ${JSON.stringify(expected)}, got ${JSON.stringify(answers[at])}`,
    ].join('\n'),
  );
  return [typeDefs, ...told].join('\n');
}

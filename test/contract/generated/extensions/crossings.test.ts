import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cases } from '../../../support/long-form.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { watchRejections } from '../../../support/unhandled-rejections.ts';
import { enter, mutationOf, randomShop, typeOf, World } from './crossing-shop.ts';
import type { Attempt, Element, OnError, RootField, Shop } from './crossing-shop.ts';

/** A request that a client sends several times. */
interface Sending {
  readonly client: string;
  readonly key: string | undefined;
  /** The elements of a batch, or a single element. */
  readonly elements: readonly Element[];
  readonly isBatch: boolean;
}

/** The answer to one element. */
interface Answer {
  readonly element: Element;
  readonly request: string;
  readonly status: number;
  readonly text: string;
  readonly body: { readonly data?: Record<string, any> | null; readonly errors?: readonly any[] };
  readonly cacheControl: string;
  readonly isReplay: boolean;
}

const mutationFields: readonly RootField[] = ['reserve', 'charge', 'note'];
const documentsOf = { batch: ['text', 'deferred', 'id'], single: ['text', 'deferred', 'id', 'tool'] } as const;
const onErrors: readonly OnError[] = [undefined, 'PROPAGATE', 'NULL', 'HALT'];

function randomSending(random: Random, at: number): Sending {
  const key = random.chance(0.8) ? `key-${at}` : undefined;
  const isBatch = random.chance(0.3);
  const elements = Array.from({ length: isBatch ? 1 + random.below(3) : 1 }, (_, position): Element => {
    const isQuery = random.chance(0.2);
    const fields = mutationFields.filter(() => random.chance(0.6)).toSorted(() => random.next() - 0.5);
    const document = isQuery ? 'text' : random.pick(documentsOf[isBatch ? 'batch' : 'single']);
    const isTool = document === 'tool';
    return {
      tag: `${at}-${position}`,
      fields: isQuery ? undefined : fields.length === 0 ? ['charge'] : fields,
      onError: isTool ? undefined : random.pick(onErrors),
      onErrorIn: random.pick(['top', 'extensions', 'document'] as const),
      document,
      invalid: !isQuery && !isTool && random.chance(0.1) ? random.pick(['variable', 'page', 'argument'] as const) : undefined,
      hasKey: key !== undefined,
    };
  });
  return { client: random.pick(['ada', 'bob']), key, elements, isBatch };
}

function bodyOf({ tag, fields, onError, onErrorIn, document, invalid }: Element): object {
  const behavior = onErrorIn === 'extensions' ? { extensions: { onError } } : { onError };
  if (fields === undefined) return { query: '{ stock { id price } }', ...behavior };
  if (invalid !== undefined) return { ...invalidMutations[invalid], ...behavior };
  if (document === 'tool') {
    const params = { name: fields.join('_'), arguments: { tag } };
    return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  }
  if (document !== 'id') return { query: mutationOf(fields, { isDeferred: document === 'deferred' }), variables: { tag }, ...behavior };
  const isInDocument = onErrorIn === 'document' && onError !== undefined;
  const documentId = `${fields.join()}${isInDocument ? ` ${onError}` : ''}`;
  return { documentId, variables: { tag }, ...(!isInDocument && behavior) };
}

const invalidMutations = {
  variable: { query: 'mutation ($first: Int!) { refund(first: $first) { id } }', variables: { first: 'many' } },
  page: { query: 'mutation { refund(first: 11) { id } }' },
  argument: { query: 'mutation ($first: Int = 1) { refund(first: $first) { id } }', variables: { first: null } },
} as const;

let requests = 0;

async function send(world: World, shop: Shop, { client, key, elements, isBatch }: Sending): Promise<readonly Answer[]> {
  const id = String(requests++);
  const bodies = elements.map(bodyOf);
  const isGet = !isBatch && elements[0]!.fields === undefined;
  const query = new URLSearchParams({ query: '{ stock { id price } }', ...(elements[0]!.onError && { onError: elements[0]!.onError }) });
  const isTool = elements[0]!.document === 'tool';
  const request = new Request(`https://shop.example/graphql${isTool ? '/mcp' : isGet ? `?${query.toString()}` : ''}`, {
    method: isGet ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      accept: elements[0]!.document === 'deferred' && !isBatch ? 'multipart/mixed, application/json' : 'application/json',
      'x-client': client,
      'x-request': id,
      ...(key !== undefined && { 'idempotency-key': `"${key}"` }),
    },
    ...(!isGet && { body: JSON.stringify(isBatch ? bodies : bodies[0]) }),
    signal: world.clientSignal(),
  });
  const response = await shop.handler(request, { waitUntil: () => {} });
  const text = await response.text();
  const isInParts = response.headers.get('content-type')!.startsWith('multipart/');
  if (isInParts && (key !== undefined || !text.endsWith('-----\r\n'))) world.problems.push(`${text} is in parts, or has no end`);
  // The first part has what was not deferred.
  const json: unknown = JSON.parse(isInParts ? /^\{.*\}\r?$/m.exec(text)![0] : text);
  const parsed = (isTool ? resultOfTool(json as ToolAnswer) : json) as Answer['body'] | Answer['body'][];
  const answers = Array.isArray(parsed) ? parsed : [parsed];
  const common = {
    request: id,
    status: response.status,
    cacheControl: response.headers.get('cache-control') ?? '',
    isReplay: response.headers.has('idempotent-replayed'),
  };
  if (isBatch && response.status === 200 && answers.length !== elements.length) world.problems.push(`${answers.length} answers of a batch`);
  return answers.map((body, at) => ({ ...common, element: elements[at]!, text: JSON.stringify(body), body }));
}

interface ToolAnswer extends Partial<Answer['body']> {
  readonly result?: {
    readonly isError?: true;
    readonly content: readonly [{ readonly text: string }];
    readonly structuredContent?: object;
  };
}

/** The result of the operation that a tool has run. A request that was refused has the errors of GraphQL. */
function resultOfTool({ result, errors }: ToolAnswer): Answer['body'] {
  if (result === undefined) return { errors: errors! };
  return result.isError === true ? JSON.parse(result.content[0].text) : { data: result.structuredContent! };
}

/** Returns the problems of one answer. `attempts` are all attempts of the history. */
function problemsOf({ element, request, text, body, cacheControl }: Answer, shop: Shop, attempts: readonly Attempt[]): string[] {
  const { tag, fields, onError, invalid } = element;
  const problems: string[] = [];
  const errors = body.errors ?? [];
  const say = (problem: string): void => void problems.push(`${tag}: ${problem}: ${text}`);
  if (text.includes('secret-') && shop.kinds.some((kind) => kind.startsWith('redacting'))) say('an answer was sent unseen');
  if (/public|s-maxage/.test(cacheControl) && (fields !== undefined || errors.length > 0)) say(`${cacheControl} of what no other may get`);
  const began = new Set(
    attempts.filter((one) => one.request === request && one.element === element).flatMap((one) => [...one.began.keys()]),
  );
  for (const { message, path = [], extensions = {} } of errors) {
    if (extensions.code !== 'DEADLINE_EXCEEDED' || path.length > 1) continue;
    const hasRun = path.length === 0 ? began.size > 0 : began.has(path[0]);
    if (hasRun && !/may have run/.test(message)) say('it is not said that it may have run');
  }
  if (/RATE_LIMITED|BUDGET_STORE_UNAVAILABLE/.test(text) && began.size > 0) say('it has run without points');
  const areOfFields = errors.every(({ path }) => path !== undefined);
  if (body.data === undefined || !areOfFields || invalid !== undefined) return problems;
  if (onError === 'HALT' && errors.length > 0 && body.data !== null) say('data with HALT');
  if (onError === 'NULL' && body.data === null) say('no data with NULL');
  if (errors.length === 0 && fields !== undefined && fields.some((field) => body.data![field] === undefined)) say('a field is missing');
  return problems;
}

/** Returns the problems of all attempts to run elements. */
function problemsOfAttempts(world: World, shop: Shop): string[] {
  const problems = [...world.problems];
  if (world.purges.some((tag) => tag.endsWith(':Refund'))) problems.push('a mutation that has not run has purged');
  const attemptsOf = new Map<string | undefined, number>();
  for (const { request } of world.attempts.values()) attemptsOf.set(request, (attemptsOf.get(request) ?? 0) + 1);
  for (const [request, count] of attemptsOf)
    if (shop.hasBudget && request !== undefined && count > (world.metered.get(request) ?? 0)) problems.push(`${request} took no points`);
  for (const [name, count] of world.effects)
    if (count > 1 && world.elements.get(name.split(' ')[0]!)!.hasKey) problems.push(`${name} took effect ${count} times with one key`);
  for (const { element, began, ended, signal } of world.attempts.values()) {
    for (const [field, purged] of began) {
      const tags = world.purges.slice(purged);
      const type = typeOf[field];
      const names = ended.get(field) === 'ok' ? [`t:${type}`, `e:${type}:${element.tag}`] : [`t:${type}`];
      // Another field of the type may have returned an object.
      if (ended.get(field) === 'null' && [...ended].some(([other, end]) => typeOf[other] === type && end === 'ok')) continue;
      if (!names.some((name) => tags.includes(name)))
        problems.push(`${field} of ${element.tag} (${ended.get(field)}) purged ${tags.join()}`);
    }
    const hasFailed = [...ended.values()].includes('failed');
    if (!shop.sharesContext && element.onError === 'HALT' && hasFailed && signal?.aborted !== true)
      problems.push(`HALT of ${element.tag} did not abort`);
  }
  return problems;
}

/** Returns the answers of single operations whose cost line says something else. */
function problemsOfLines(world: World, answers: readonly Answer[]): string[] {
  return answers.flatMap(({ request, status, isReplay, text }) => {
    const lines = world.lines.get(request) ?? [];
    if (lines.length === 0 || lines[0]!.batch !== undefined) return [];
    const isLineOfReplay = lines[0]!.idempotency === 'replayed';
    return lines.length === 1 && lines[0]!.status === status && (isLineOfReplay === isReplay || !/"data"/.test(text))
      ? []
      : `${status} ${isReplay ? 'replay ' : ''}${text} has the lines ${JSON.stringify(lines)}`;
  });
}

/** Returns the replays that differ from the answer to the only run of the mutation. `attempts` are all attempts of the history. */
function problemsOfReplays(answers: readonly Answer[], shop: Shop, attempts: readonly Attempt[]): string[] {
  // These plugins run outside the idempotency plugin, and withhold stored and replayed answers.
  const isWithheld = shop.kinds.includes('redactingAround') || shop.kinds.includes('failingAround');
  const mayWithhold = ({ text }: Answer): boolean => isWithheld && /^{"errors":.*(?:was finished|wrapper has failed)/.test(text);
  // Other requests were refused, or their keys were released.
  const hasRun = ({ element, request, text }: Answer): boolean =>
    attempts.some((one) => one.element === element && one.request === request) && !text.includes('DECLINED');
  const told = answers.filter((answer) => answer.element.fields !== undefined && !mayWithhold(answer));
  return told
    .filter(({ isReplay }) => isReplay)
    .flatMap((replay) => {
      const others = told.filter((one) => one.element === replay.element && (one.isReplay || hasRun(one)));
      const other = others.find(({ text, status }) => text !== replay.text || status !== replay.status);
      return other === undefined
        ? []
        : `${replay.element.tag} was told ${other.status} ${other.text}, and then ${replay.status} ${replay.text}`;
    });
}

async function runHistory(seed: number, shops: readonly Shop[], timers: ConstructorParameters<typeof World>[1]): Promise<string[]> {
  const random = createRandom(seed);
  const shop = random.pick(shops);
  const world = new World(random, timers);
  enter(world);
  const sendings = Array.from({ length: 2 }, (_, at) => randomSending(random, at));
  for (const { elements } of sendings) for (const element of elements) world.elements.set(element.tag, element);
  const answers: Answer[] = [];
  const sendAll = (sending: Sending): void =>
    void send(world, shop, sending).then(
      (given) => answers.push(...given),
      // The client has disconnected.
      () => {},
    );
  for (let round = 0; round < 2; round++) {
    for (const sending of sendings) for (let copies = 1 + random.below(2); copies > 0; copies--) sendAll(sending);
    await world.run();
  }
  await world.settle();
  const attempts = [...world.attempts.values()];
  const problems = [
    ...answers.flatMap((answer) => problemsOf(answer, shop, attempts)),
    ...problemsOfAttempts(world, shop),
    ...problemsOfReplays(answers, shop, attempts),
    ...problemsOfLines(world, answers),
  ];

  // A key can be used again if its mutation has not run.
  world.isCalm = true;
  const unused = sendings.filter(
    ({ elements, key }) =>
      key !== undefined && !elements.some(({ tag, invalid }) => invalid === 'argument' || attempts.some((one) => one.element.tag === tag)),
  );
  const before = answers.length;
  for (const sending of unused) sendAll(valid(sending, world));
  await world.settle();
  if (answers.length - before !== unused.reduce((sum, { elements }) => sum + elements.length, 0)) problems.push('an answer is missing');
  for (const { element, text } of answers.slice(before))
    if (/"errors"/.test(text)) problems.push(`the key of ${element.tag} is used up, though nothing has run: ${text}`);
  return problems;
}

/** The same keys with mutations that run. */
function valid(sending: Sending, world: World): Sending {
  const elements = sending.elements.map((element) => ({ ...element, invalid: undefined }));
  for (const element of elements) world.elements.set(element.tag, element);
  return { ...sending, elements };
}

// LONG_FORM_FACTOR=5 runs 20,000 histories.
const histories = cases({ short: 120, long: 4_000 });

test(
  `mutations with keys, points, onError, ids, tools, parts, batches, batched fields, an edge, deadlines, plugins and clients that leave: ${histories} histories`,
  { timeout: 1_800_000 },
  async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 24) });
    const rejections = watchRejections();
    t.after(() => rejections.stop());
    const shopRandom = createRandom(40);
    const shops = Array.from({ length: 60 }, () => randomShop(shopRandom));

    const found: string[] = [];
    for (let seed = 1; seed <= histories && found.length < 5; seed++) {
      const problems = await runHistory(seed, shops, t.mock.timers);
      if (problems.length > 0) found.push(`seed ${seed}: ${problems.join('\n  ')}`);
    }

    assert.deepEqual(found, []);
    assert.equal(rejections.count(), 0);
  },
);

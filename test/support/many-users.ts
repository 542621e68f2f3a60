import { callers } from './witness.ts';

let users = 0;

/** Names of users that nothing else contains, with different lengths. */
export function newUsers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `user-${++users}-${'0'.repeat(1 + (at % 3))}`);
}

/** The answers to several users. */
export interface Answers<TAnswer> {
  readonly answers: readonly TAnswer[];
  /** The parts of answers that name another user, with the request to which they belong. */
  readonly mixed: readonly string[];
}

/** A request of a user. `text`: for messages. */
export interface Sent<TRequest> {
  readonly user: string;
  readonly request: TRequest;
}

/** Sends the requests concurrently, each in the asynchronous context of its user, and searches each answer for the names of other users. */
export async function sendTogether<TRequest, TAnswer>(
  sent: readonly Sent<TRequest>[],
  send: (request: TRequest) => Promise<TAnswer>,
): Promise<Answers<TAnswer>> {
  const answers = await Promise.all(sent.map(({ user, request }) => callers.run(user, () => send(request))));
  const mixed = answers.flatMap((answer, at) => {
    const { user, request } = sent[at]!;
    const text = textOf(answer);
    return Array.from(text.matchAll(/user-\d+-\d+/g)).flatMap(({ 0: name, index }) =>
      name === user ? [] : `answer to ${textOf(request)}: ${text.slice(Math.max(0, index - 200), index + 50)}`,
    );
  });
  return { answers, mixed };
}

/** A text with everything in a value, maps included. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_key, part: unknown) => (part instanceof Map ? [...part] : part));
}

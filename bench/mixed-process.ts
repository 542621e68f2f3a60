import { mixedShapes } from './mixed-shapes.ts';

/** Serves a request. Resolves to the result of a Lambda function, or to a Response. */
export type MixedHandler = (event: any, context: object) => Promise<any>;

/** Serves a round of all shapes for each message of the parent process, which gets microseconds of CPU per request. */
export function serveRounds(handlers: Readonly<Record<'lambda' | 'context' | 'fetch', MixedHandler>>): void {
  let round = 0;
  process.on('message', async (message) => {
    if (message === 'answers') process.send!(await answers(handlers));
    else process.send!(await serve(handlers, round++));
  });
}

async function serve(handlers: Parameters<typeof serveRounds>[0], round: number): Promise<number[]> {
  const times: number[] = [];
  for (const { entry, event, count } of mixedShapes) {
    const events = Array.from({ length: count }, (_, at) => event(round * count + at));
    const handler = handlers[entry];
    const before = process.cpuUsage();
    for (const one of events) {
      const result = await handler(one, {});
      if (entry === 'fetch') await result.text();
    }
    // Each shape pays for its own garbage. Otherwise the next one does, in one round of three: hello, which is small, then takes twice as long.
    globalThis.gc!({ type: 'minor' });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / count);
  }
  return times;
}

/** The data of each shape's first answer, as JSON. */
async function answers(handlers: Parameters<typeof serveRounds>[0]): Promise<string[]> {
  const texts: string[] = [];
  for (const { entry, event } of mixedShapes) {
    const result = await handlers[entry](event(0), {});
    const answer = JSON.parse(typeof result.body === 'string' ? result.body : await result.text());
    texts.push(JSON.stringify(Array.isArray(answer) ? answer.map(({ data }) => data) : answer.data)?.replaceAll('joinedBooks', 'books'));
  }
  return texts;
}

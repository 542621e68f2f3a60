// Runs in one of the runtimes: handles a number of Requests one after another, then responds. Called and timed by bench/request.ts.
import * as graphql16 from 'graphql-16';

import { createHandler } from '../../src/entries/fetch.ts';
import { createFetch } from '../contestants/bare.ts';
import { fetchWithout } from '../contestants/none-entries.ts';
import { requestWorkloads } from '../request-workloads.ts';
import type { RequestWorkload } from '../request-workloads.ts';

type Serve = (request: Request) => Promise<Response>;
type Contestants = Readonly<Record<string, Serve>>;

/** Makes the Requests and nothing else: its time is taken off that of the others. */
const nothing: Serve = async () => idle;
let idle: Response;

const served = new Map<string, Contestants>(requestWorkloads.map((workload) => [workload.name, contestantsOf(workload)]));

function contestantsOf({ typeDefs, resolvers }: RequestWorkload): Contestants {
  const { fetch } = createHandler({ csrfPrevention: true, typeDefs, resolvers });
  const bare = createFetch({ typeDefs, resolvers });
  const bare16 = createFetch({ typeDefs, resolvers }, graphql16 as never);
  const none = fetchWithout(() => answers.get(bare)!);
  return { ours: (request) => fetch(request), bare, bare16, none, nothing };
}

/** What bare graphql-js has answered: known to those who do no GraphQL. */
const answers = new Map<Serve, string>();

async function answer(request: Request): Promise<Response> {
  const parameters = new URL(request.url).searchParams;
  const workload = requestWorkloads.find(({ name }) => name === parameters.get('workload'));
  if (workload === undefined) return new Response('Expected the name of a workload.', { status: 404 });
  const contestants = served.get(workload.name)!;
  const bare = contestants['bare']!;
  if (!answers.has(bare)) answers.set(bare, await (await bare(requestOf(workload, 0))).text());
  const serve = contestants[parameters.get('contestant') ?? '']!;
  idle ??= new Response('');
  let last = idle;
  for (let left = Number(parameters.get('count')); left > 0; left--) last = await serve(requestOf(workload, left));
  return new Response(serve === nothing ? '' : await last.text());
}

function requestOf({ requests }: RequestWorkload, nth: number): Request {
  const { body, headers } = requests[nth % requests.length]!;
  return new Request('https://api.example.com/graphql', { method: 'POST', headers, body });
}

export default { fetch: answer };

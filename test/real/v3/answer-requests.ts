// Answers a list of requests with the handlers of one library: node answer-requests.ts FOLDER LIBRARY CORE REQUESTS ANSWERS.
// FOLDER is the project whose node_modules contains LIBRARY and CORE. Two more arguments, HOST TOOLS, run the handlers on a host whose
// packages are in TOOLS; the host `app` is Lambda with an Express app.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { hostedServer, serverWithApp } from './hosts.ts';
import { createShapes } from './shapes.ts';
import type { Library } from './shapes.ts';
import type { GeneratedRequest } from './requests.ts';

const [folder = '', library = '', core = '', requestsFile = '', answersFile = '', host, tools] = process.argv.slice(2);
const load = createRequire(`${folder}/package.json`);
const made: Library = { ...(load('graphql') as object), ...(load(core) as object), ...(load(library) as object) };
const ApolloServer = serverOn(host as 'express' | 'app' | undefined, (name) => createRequire(`${tools}/package.json`)(name) as unknown);
const shapes = createShapes({ ...made, ApolloServer });
const requests = JSON.parse(readFileSync(requestsFile, 'utf8')) as GeneratedRequest[];
const answers: unknown[] = [];
// Requests run one after another, because the handlers of version 3 keep the current event in a global variable.
for (const [at, { shape, event }] of requests.entries()) {
  const context = { awsRequestId: `call-${at}`, callbackWaitsForEmptyEventLoop: true, getRemainingTimeInMillis: () => 30_000 };
  try {
    answers.push(await shapes[shape]!(event, context));
  } catch (error) {
    answers.push({ rejected: String(error) });
  }
}
writeFileSync(answersFile, JSON.stringify(answers));
process.exit(0);

function serverOn(where: 'express' | 'app' | undefined, loadTools: (name: string) => unknown): unknown {
  if (where === undefined) return made.ApolloServer;
  return where === 'app' ? serverWithApp(made.ApolloServer, loadTools) : hostedServer(made.ApolloServer, loadTools);
}

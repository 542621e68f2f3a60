// Answers a list of requests with the handlers of one library: node answer-requests.ts FOLDER LIBRARY CORE REQUESTS ANSWERS.
// FOLDER is the project whose node_modules contains LIBRARY and CORE. One more argument, TOOLS, runs the handlers on Express, which is
// installed there.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { hostedServer } from './hosts.ts';
import { createShapes } from './shapes.ts';
import type { Library } from './shapes.ts';
import type { GeneratedRequest } from './requests.ts';

const [folder = '', library = '', core = '', requestsFile = '', answersFile = '', tools] = process.argv.slice(2);
const load = createRequire(`${folder}/package.json`);
const made: Library = { ...(load('graphql') as object), ...(load(core) as object), ...(load(library) as object) };
const ApolloServer = tools === undefined ? made.ApolloServer : hostedServer(made.ApolloServer, createRequire(`${tools}/package.json`));
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

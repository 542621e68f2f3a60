// Answers a list of requests with the handlers of one library: node answer-requests.ts FOLDER LIBRARY CORE REQUESTS ANSWERS.
// FOLDER is the project whose node_modules has them.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { createShapes } from './shapes.ts';
import type { GeneratedRequest } from './requests.ts';

const [folder = '', library = '', core = '', requestsFile = '', answersFile = ''] = process.argv.slice(2);
const load = createRequire(`${folder}/package.json`);
const shapes = createShapes({ ...(load('graphql') as object), ...(load(core) as object), ...(load(library) as object) });
const requests = JSON.parse(readFileSync(requestsFile, 'utf8')) as GeneratedRequest[];
const answers: unknown[] = [];
// One after another: the handlers of version 3 keep the event of now in a global variable.
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

import { versionInfo } from 'graphql';

import { compareCoercion } from './compare-coercion.ts';
import { compareLiterals } from './compare-literals.ts';
import { compareExecutors } from './compare-executors.ts';
import { compareSubscriptions } from './compare-subscriptions.ts';
import { compareValidators } from './compare-validators.ts';

// The long form of the differential tests of executor and validator: as many schemas as DIFFERENTIAL_SCHEMAS says (default 1,150: 20,000 operations and more
// than 100,000 documents), from the seed DIFFERENTIAL_SEED on (default 1). Each schema has about 6 operations in each of 3 timings, 2 subscriptions
// and 100 documents; sets of variables follow.
// DIFFERENTIAL_TRACED=1: listens to the tracing channels and compares their events as well (graphql 17); skips the validator.
// Exits with code 1 if there is a difference.
const count = Number(process.env['DIFFERENTIAL_SCHEMAS'] ?? 1_150);
const isTraced = process.env['DIFFERENTIAL_TRACED'] === '1';
const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? 1);

for (const timing of ['sync', 'apart', 'together'] as const) {
  const { operations, withErrors, withData, differences, unhandled } = await compareExecutors(seed, count, {
    timing,
    traced: isTraced,
  });
  const [first] = differences;
  console.log(
    `graphql ${versionInfo.major}, Node ${process.versions.node}, ${timing}${isTraced ? ', traced' : ''}: ${operations} operations (${withErrors} with errors, ${withData} with data), ` +
      `${differences.length} differences, unhandled rejections: ours ${unhandled.ours}, graphql-js ${unhandled.theirs}`,
  );
  if (first !== undefined)
    console.log(first.seed, first.text, first.variables, first.what, `\nexpected ${first.expected}\nactual ${first.actual}`);
  if (differences.length > 0 || unhandled.ours > 0) process.exitCode = 1;
}

if (isTraced) process.exit();

const subscriptions = await compareSubscriptions(seed, count);
console.log(
  `subscriptions: ${subscriptions.subscriptions} with ${subscriptions.events} events, ${subscriptions.withErrors} with errors, ${subscriptions.refused} refused, ` +
    `${subscriptions.failed} with a failing source, ${subscriptions.left} left by the client, ${subscriptions.differences.length} differences`,
  subscriptions.differences.slice(0, 3),
);
if (subscriptions.differences.length > 0 || subscriptions.unhandled > 0 || subscriptions.closedTwice > 0) process.exitCode = 1;

const { documents, valid, accepted, unsound } = compareValidators(seed, count);
console.log(
  `validator: ${documents} documents, ${valid} valid, sure of ${accepted}, wrongly sure of ${unsound.length}`,
  unsound.slice(0, 3),
);
if (unsound.length > 0) process.exitCode = 1;

// More than 5,000 sets of variables for each shape of input.
const coercion = compareCoercion(seed, Math.ceil(count / 4), 1_500);
console.log(
  `variables: ${coercion.accepted} sets coerced, ${coercion.left} left to graphql-js (${coercion.leftAlthoughValid} of them valid), ` +
    `${coercion.differences.length} differences`,
  coercion.differences.slice(0, 3),
);
if (coercion.differences.length > 0) process.exitCode = 1;

const literals = compareLiterals(seed, Math.ceil(count / 4), 250);
console.log(
  `arguments: ${literals.equal} fields with the same values, ${literals.refused} with the same error, ${literals.differences.length} differences`,
  literals.differences.slice(0, 3),
);
if (literals.differences.length > 0) process.exitCode = 1;

#!/usr/bin/env node
import { versions } from 'node:process';

import { missingRequirement } from './requirements.ts';

// Everything else is imported after this check, because those imports fail without a useful message on an old Node or graphql.
const missing = missingRequirement(versions.node);
if (missing === undefined) {
  const { runCommand } = await import('./commands.ts');
  const exitCode = await runCommand(process.argv.slice(2));
  // Timers and connections of a loaded function would keep the process alive.
  if (exitCode !== undefined) process.exit(exitCode);
} else {
  console.error(missing);
  process.exitCode = 1;
}

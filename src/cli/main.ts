#!/usr/bin/env node
import { versions } from 'node:process';

import { missingRequirement } from './requirements.ts';

// Nothing else of ours is imported before: on an old Node, or with an old graphql, that import would fail, and say nothing useful.
const missing = missingRequirement(versions.node);
if (missing === undefined) {
  const { runCommand } = await import('./commands.ts');
  const { exitCode, isOver } = await runCommand(process.argv.slice(2));
  process.exitCode = exitCode;
  // Timers and connections of a function that was loaded here would keep the process from ending.
  if (isOver) process.exit();
} else {
  console.error(missing);
  process.exitCode = 1;
}

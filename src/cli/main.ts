#!/usr/bin/env node
import { versions } from 'node:process';

// Nothing of ours is imported before the version is known: on an old Node that import would fail, and say nothing useful.
const [major = 0, minor = 0] = versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `graphql-functions needs Node 22.19 or newer; this is Node ${versions.node}. Install a newer one from nodejs.org, ` +
      'or give this project its own: npm i -D node@24',
  );
  process.exitCode = 1;
} else {
  const { runCommand } = await import('./commands.ts');
  const { exitCode, isOver } = await runCommand(process.argv.slice(2));
  process.exitCode = exitCode;
  // What a function that was loaded here has opened would keep the process from ending.
  if (isOver) process.exit();
}

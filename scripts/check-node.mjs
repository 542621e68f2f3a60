// Runs before every build, on whatever Node there is: hence plain JavaScript.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `Node 22.19+, 24 or 26 is needed; this is Node ${process.versions.node}. This project brings its own (the package "node" in ` +
      'devDependencies), but its install script has not run: npm rebuild node, without --ignore-scripts.',
  );
  process.exitCode = 1;
}

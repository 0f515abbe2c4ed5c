// node validate.mjs FILE.glb|FILE.gltf...: runs the Khronos validator. Exit status: 1 on an error or a
// warning, 2 on a usage error.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import validator from 'gltf-validator';

const SEVERITIES = ['error', 'warning', 'information', 'hint'];
const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node validate.mjs FILE.glb|FILE.gltf...');
  process.exit(2);
}

let good = true;
for (const file of files) {
  try {
    const read = (path) => new Uint8Array(readFileSync(path));
    const report = await validator.validateBytes(read(file), {
      uri: file,
      maxIssues: 100,
      externalResourceFunction: async (uri) => read(join(dirname(file), decodeURIComponent(uri))),
    });
    const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
    const problems = `${numErrors} errors, ${numWarnings} warnings`;
    console.log(`${file}: ${problems}, ${numInfos} infos, ${numHints} hints`);
    for (const { severity, code, message, pointer, offset } of messages)
      console.log(`  ${SEVERITIES[severity]} ${code} ${pointer ?? `byte ${offset}`}: ${message}`);
    if (numErrors + numWarnings > 0) good = false;
  } catch (fault) {
    console.error(`${file}: ${fault.message ?? fault}`);
    good = false;
  }
}
process.exit(good ? 0 : 1);

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { AdminError } from './command-line/admin-error.ts';
import { callerPath } from './command-line/caller-path.ts';
import { httpUrl } from './command-line/http-url.ts';
import { runProgram } from './command-line/run-program.ts';
import { type Installation, siteFiles } from './reference/site-files.ts';

const parse = httpUrl('It must be a URL, such as https://api.your.domain.');
const url = (text: string): string => parse(text).href.replace(/\/$/, '');

const command = new Command('npm run reference --')
  .description(
    'Writes the reference into a folder that any static host serves: the page, its script, openapi.json, a page for each error code, and the same text as Markdown (llms.txt lists it). It needs no other host.',
  )
  .argument('[folder]', 'where to write it; made if it is missing', callerPath, 'reference')
  .option(
    '--api <url>',
    'base URL of the API for the samples, such as https://api.your.domain',
    url,
  )
  .option('--support <email>', 'e-mail address of your support')
  .option('--terms <url>', 'URL of your terms of service', url)
  .addHelpText(
    'after',
    `
Publish it, then give the stage a "referenceUrl" in cdk.json and deploy, so that the type of every problem
leads to the page of its code.`,
  );
command.action(async (folder: string, options: Installation) => {
  const files = await siteFiles(options);
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  } catch (error) {
    throw new AdminError(`${folder} cannot be written: ${(error as Error).message}.`);
  }
  console.log(`Wrote the reference into ${folder}.`);
});
await runProgram(command);

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A page that a reader follows step by step. */
export interface Walk {
  readonly path: string;
  readonly text: string;
}

/** The walks that CONTRIBUTING.md links, in its order. */
export const walks: readonly Walk[] = [
  ...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/\((\S+\/walks\/\S+\.md)\)/g),
].map(([, path = '']) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** The files that a walk adds. */
export const filesOf = ({ text }: Walk): { readonly path: string; readonly content: string }[] =>
  [...text.matchAll(/`([^`\n]+)`:\n\n```ts\n(.*?)```/gs)].map(([, path = '', content = '']) => ({
    path,
    content,
  }));

/** The patches that a walk keeps for a later release. They apply to a tree that has the walk. */
export const laterPatchesOf = ({ text }: Walk): string[] =>
  [...text.matchAll(/```diff later\n(.*?)```/gs)].map(([, patch = '']) => patch);

/** The patches of a walk. */
export const patchesOf = ({ text }: Walk): string[] =>
  [...text.matchAll(/```diff\n(.*?)```/gs)].map(([, patch = '']) => patch);

/** Whether this tree has a walk already, at least in part: its patches do not fit a second time. */
export const isFollowed = (walk: Walk): boolean =>
  filesOf(walk).some(({ path }) => existsSync(join(root, path))) ||
  patchesOf(walk)
    .flatMap(hunksOf)
    .some(({ file, after }) => hasLines(file, after));

interface Hunk {
  readonly file: string;
  readonly after: readonly string[];
}

const hunksOf = (patch: string): Hunk[] =>
  patch.split(/^(?=--- a\/)/m).flatMap((changes) => {
    const [head = '', ...hunks] = changes.split(/^(?=@@)/m);
    const file = /^--- a\/(.*)$/m.exec(head)?.[1] ?? '';
    return hunks.map((hunk): Hunk => {
      const lines = hunk.split('\n').slice(1, -1);
      const kept = lines.filter((each) => !each.startsWith('-'));
      return { file, after: kept.map((each) => each.slice(1)) };
    });
  });

/** Whether a file has these lines. */
const hasLines = (file: string, lines: readonly string[]): boolean =>
  `\n${readFileSync(join(root, file), 'utf8')}`.includes(`\n${lines.join('\n')}\n`);

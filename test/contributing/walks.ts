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
    .some(({ file, after }) => linesAt(file, after).length > 0);

/** The text of a walk with the line numbers that its hunks have in the files of this tree. */
export const renumberedText = (walk: Walk): string =>
  patchesOf(walk).reduce((text, patch) => text.replace(patch, () => renumbered(patch)), walk.text);

interface Hunk {
  readonly file: string;
  /** The text between the line numbers and the lines. */
  readonly place: string;
  /** The lines as they are written, each with its sign. */
  readonly text: string;
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const hunksOf = (patch: string): Hunk[] =>
  patch.split(/^(?=--- a\/)/m).flatMap((changes) => {
    const [head = '', ...hunks] = changes.split(/^(?=@@)/m);
    const file = /^--- a\/(.*)$/m.exec(head)?.[1] ?? '';
    return hunks.map((hunk): Hunk => {
      const [, line, place = '', text] = /^@@ -(\d+).*? @@(.*?\n)(.+)$/s.exec(hunk) ?? [];
      if (!text) throw new Error(`This is no hunk:\n${hunk}`);
      const lines = text.split('\n').slice(0, -1);
      const without = (sign: string) =>
        lines.filter((each) => !each.startsWith(sign)).map((each) => each.slice(1));
      return { file, place, text, line: Number(line), before: without('+'), after: without('-') };
    });
  });

/** Where a file has these lines. */
const linesAt = (file: string, lines: readonly string[]): number[] => {
  const all = readFileSync(join(root, file), 'utf8').split('\n');
  return all.flatMap((_, index) =>
    lines.every((each, offset) => all[index + offset] === each) ? [index + 1] : [],
  );
};

const renumbered = (patch: string): string => {
  const added: Record<string, number> = {};
  return hunksOf(patch)
    .map(({ file, place, text, line: written, before, after }) => {
      const [line] = linesAt(file, before).sort(
        (a, b) => Math.abs(a - written) - Math.abs(b - written),
      );
      if (line === undefined) throw new Error(`${file} does not have\n${text}`);
      const head = file in added ? '' : `--- a/${file}\n+++ b/${file}\n`;
      const shift = added[file] ?? 0;
      added[file] = shift + after.length - before.length;
      return `${head}@@ -${range(line, before)} +${range(line + shift, after)} @@${place}${text}`;
    })
    .join('');
};

const range = (line: number, { length }: readonly string[]) =>
  length === 1 ? `${line}` : `${line},${length}`;

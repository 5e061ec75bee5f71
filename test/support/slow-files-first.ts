import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The beginnings of the paths of slow files, in the order in which they run. What takes minutes
 * does not start last, when the other workers have nothing left to do. The operators' commands come
 * early, because many of them read the whole table of the shared service, which grows.
 */
const slow: readonly string[] = [
  'test/interleave/interleave.test.ts',
  'bin/admin/',
  'bin/smoke/',
  'test/faults/histories.test.ts',
  'test/interleave/two-versions.test.ts',
  'bin/reference/',
  'bin/local-run/',
];

const rankOf = ({ moduleId, project }: TestSpecification): number => {
  const path = moduleId.slice(project.config.root.length + 1);
  const rank = slow.findIndex((start) => path.startsWith(start));
  return rank === -1 ? slow.length : rank;
};

/** Runs slow files first. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return projects
      .values()
      .flatMap((ofProject) => ofProject.sort((one, other) => rankOf(one) - rankOf(other)))
      .toArray();
  }
}

import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Tests run the TypeScript sources, never a build: every package exports its source under this condition.
const conditions = ['@jwt-auth/source']

// These start or watch processes, their own among them, and get a fresh one for each file. All others share two processes and what
// they have imported: state of a module's own must not matter to them.
const apart = [
  'packages/reliability/test/{faults,fuzz,processes,servers}/*.test.ts',
  'packages/reliability/test/{model,planted-bugs}.test.ts',
  'examples/*/test/**/*.test.ts',
  'scripts/test/**/*.test.ts',
]

// Begun first, so that neither of the two processes is left alone with one of them at the end.
const slowest = [
  'processes/instances-over-one-store',
  'faults/outages',
  'faults/interruptions',
  'reliability/test/model',
  'host-app/test/start',
  'host-app/test/stop',
  'reliability/test/planted-bugs',
  'processes/planted-defects',
]

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification, name: string): boolean => moduleId.endsWith(`${name}.test.ts`)
    const first = slowest.flatMap((name) => sorted.filter((file) => isSlow(file, name)))
    return [...first, ...sorted.filter((file) => !first.includes(file))]
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    setupFiles: ['packages/test-support/src/watch-output.ts'],
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'apart', include: apart } },
      {
        extends: true,
        test: { name: 'together', include: ['packages/*/test/**/*.test.ts'], exclude: apart, isolate: false },
      },
    ],
  },
})

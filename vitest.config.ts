import { defineConfig } from 'vitest/config'

// Tests run the TypeScript sources, never a build: every package exports its source under this condition.
const conditions = ['@jwt-auth/source']

// These start or watch processes, their own among them, and get a fresh one for each file. All others share two processes and what
// they have imported: state of a module's own must not matter to them.
const apart = ['packages/{bench,reliability}/test/**', 'examples/*/test/**', 'scripts/test/**'].map(
  (folder) => `${folder}/*.test.ts`,
)

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    setupFiles: ['packages/test-support/src/watch-output.ts'],
    maxWorkers: 2,
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

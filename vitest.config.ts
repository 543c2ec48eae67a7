import { defineConfig } from 'vitest/config'

// Tests run the TypeScript sources, never a build: every package exports its source under this condition.
const conditions = ['@jwt-auth/source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    setupFiles: ['packages/test-support/src/watch-output.ts'],
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'scripts/test/**/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})

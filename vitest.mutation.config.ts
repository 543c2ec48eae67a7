import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Stryker runs the tests in a copy of the repository, whose `node_modules` are the real ones: a
// package that is imported by its name would be the real, unchanged one. So names lead to the
// copy's sources.
const packages = fileURLToPath(new URL('packages', import.meta.url))
const testSupport = fileURLToPath(new URL('internal/test-support/src', import.meta.url))

// These tests measure time or memory, start processes, or read the files of the repository.
const unfit = ['architecture', 'process-queue', 'verified-tokens']

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@jwt-auth\/test-support$/, replacement: `${testSupport}/index.ts` },
      { find: /^@jwt-auth\/test-support\/([a-z-]+)$/, replacement: `${testSupport}/$1.ts` },
      { find: /^@jwt-auth\/([a-z-]+)$/, replacement: `${packages}/$1/src/index.ts` },
      { find: /^@jwt-auth\/([a-z-]+)\/(?:internal\/)?([a-z0-9/-]+)$/, replacement: `${packages}/$1/src/$2.ts` },
    ],
  },
  // Otherwise each mutant of the code that checks secrets would wait for 300 random secrets.
  test: {
    include: ['packages/{core,passwords,express}/test/**/*.test.ts'],
    exclude: ['**/*.slow.test.ts', ...unfit.map((name) => `**/${name}.test.ts`)],
    testTimeout: 60_000,
    env: { RANDOM_SECRETS: '10' },
  },
})

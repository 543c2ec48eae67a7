import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Stryker runs the tests in a copy of the repository, whose `node_modules` are the real ones: a package that is imported by its name
// would be the real, unchanged one. So names lead to the copy's sources here.
const packages = fileURLToPath(new URL('packages', import.meta.url))
const testSupport = fileURLToPath(new URL('internal/test-support/src', import.meta.url))

const readTests = (): string[] => {
  const tests: unknown = JSON.parse(process.env['MUTATION_TESTS'] ?? '[]')
  return Array.isArray(tests) ? tests.map(String) : []
}

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@jwt-auth\/test-support$/, replacement: `${testSupport}/index.ts` },
      { find: /^@jwt-auth\/test-support\/([a-z-]+)$/, replacement: `${testSupport}/$1.ts` },
      { find: /^@jwt-auth\/([a-z-]+)$/, replacement: `${packages}/$1/src/index.ts` },
      { find: /^@jwt-auth\/([a-z-]+)\/(?:internal\/)?([a-z0-9/-]+)$/, replacement: `${packages}/$1/src/$2.ts` },
    ],
  },
  // Otherwise each mutant of the code that measures secrets would wait for 6,000 random secrets.
  test: { include: readTests(), testTimeout: 10_000, env: { RANDOM_SECRETS: '10' } },
})

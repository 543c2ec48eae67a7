import { defineConfig } from 'tsup'

// Browsers load ES modules, unlike the packages for Node, which have one CommonJS build
// (docs/design/packages.md).
export default defineConfig({
  entry: { index: 'src/index.ts', sessions: 'src/sessions.ts', dpop: 'src/dpop.ts' },
  format: ['esm', 'cjs'],
  // All entry points share the class of errors.
  splitting: true,
  platform: 'neutral',
  target: 'es2022',
  // TypeScript 6 calls an option that tsup sets itself deprecated.
  dts: { compilerOptions: { ignoreDeprecations: '6.0', customConditions: [] } },
  clean: true,
})

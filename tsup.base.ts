import type { Options } from 'tsup'

/**
 * What every published package is built with: ESM, CommonJS and types from the same sources. Without source maps, because the built
 * code is readable and the maps would be more than half of each package.
 */
export const packageBuild = (entry: Record<string, string>): Options => ({
  entry,
  format: ['esm', 'cjs'],
  target: 'node20',
  // TypeScript 6 calls an option that tsup sets itself deprecated.
  dts: { compilerOptions: { ignoreDeprecations: '6.0', customConditions: [] } },
  clean: true,
  splitting: true,
  cjsInterop: true,
})

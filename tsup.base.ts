import { mkdir, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { transform } from 'esbuild'
import type { Options } from 'tsup'

type Plugin = NonNullable<Options['plugins']>[number]

/**
 * What every published package is built with: one CommonJS build in `dist/code`, its types, and the entry points, which re-export the
 * build for `import` and for `require` (docs/design/packages.md). Without source maps, because the built code is readable and the maps would
 * be more than half of each package.
 *
 * @param supportsImport keeps `import()`, for modules that a user names. Otherwise `import()` becomes `require`, which Jest also runs.
 */
export const packageBuild = (entry: Record<string, string>, { supportsImport = false } = {}): Options[] => [
  {
    entry: Object.fromEntries(Object.entries(entry).map(([name, source]) => [`code/${name}`, source])),
    // esbuild shares code between the entry points of ESM only.
    format: 'esm',
    outExtension: () => ({ js: '.cjs' }),
    plugins: [toCommonJs(supportsImport)],
    target: 'node20',
    clean: true,
    splitting: true,
  },
  // TypeScript 6 calls an option that tsup sets itself deprecated.
  { entry, format: 'cjs', dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0', customConditions: [] } } },
]

const toCommonJs = (supportsImport: boolean): Plugin => ({
  name: 'to-common-js',
  renderChunk: async (code, { path, entryPoint, exports }) => {
    if (entryPoint !== undefined) await writeEntryPoint(basename(path, '.cjs'), exports ?? [])
    return transform(code, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      supported: { 'dynamic-import': supportsImport },
    })
  },
})

/** Writes the files of an entry point, except its CommonJS types. */
const writeEntryPoint = async (entry: string, names: readonly string[]): Promise<void> => {
  const files = {
    [`${entry}.js`]:
      names.length === 0 ? [`import './${entry}.cjs'`] : [`export { ${names.join(', ')} } from './${entry}.cjs'`],
    // Assignments, because Node reads the names of a CommonJS file from its text, which takes 50 ms for the whole code of core.
    [`${entry}.cjs`]: [
      "'use strict'",
      "Object.defineProperty(exports, '__esModule', { value: true })",
      `const code = require('./code/${entry}.cjs')`,
      ...names.map((name) => `exports.${name} = code.${name}`),
    ],
    [`${entry}.d.ts`]: [`export * from './${entry}.cjs'`],
  }
  await mkdir('dist', { recursive: true })
  for (const [name, lines] of Object.entries(files)) await writeFile(`dist/${name}`, `${lines.join('\n')}\n`)
}

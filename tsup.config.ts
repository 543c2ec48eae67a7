import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { transform } from 'esbuild'
import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['plugins']>[number]

interface Entry {
  readonly '@jwt-auth/source': string
  /** Missing for `./package.json`, and for files that only this repository imports. */
  readonly import?: { readonly default: string }
}

interface Manifest {
  readonly bin?: object
  readonly exports: Record<string, Entry>
}

const { bin, exports }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))

const entry: Record<string, string> = bin === undefined ? {} : { cli: 'src/cli.ts' }
for (const { '@jwt-auth/source': source, import: built } of Object.values(exports))
  if (built !== undefined) entry[basename(built.default, '.js')] = source

const toCommonJs: Plugin = {
  name: 'to-common-js',
  renderChunk: async (code, { path, entryPoint, exports }) => {
    if (entryPoint !== undefined) await writeEntryPoint(basename(path, '.cjs'), exports ?? [])
    return transform(code, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      // Commands import modules that a user names. Elsewhere, `import()` becomes `require`, which Jest also runs.
      supported: { 'dynamic-import': bin !== undefined },
    })
  },
}

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

/**
 * What a published package is built with, unless it has its own file: one CommonJS build in `dist/code`, its types, and the entry
 * points of its manifest, which re-export the build for `import` and for `require` (docs/design/packages.md). Without source maps, because
 * the built code is readable and the maps would be more than half of each package.
 */
export default defineConfig([
  {
    entry: Object.fromEntries(Object.entries(entry).map(([name, source]) => [`code/${name}`, source])),
    // esbuild shares code between the entry points of ESM only.
    format: 'esm',
    outExtension: () => ({ js: '.cjs' }),
    plugins: [toCommonJs],
    target: 'node20',
    clean: true,
    splitting: true,
  },
  {
    entry,
    format: 'cjs',
    // TypeScript 6 calls an option that tsup sets itself deprecated.
    dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0', customConditions: [] } },
  },
])

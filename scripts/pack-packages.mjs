// Packs the published packages for tests.
import { run } from './processes.mjs'
import { root } from './workspace.mjs'

/**
 * Packs every published package into a folder, as `pnpm publish` does. Resolves to the paths of the
 * tarballs by package name.
 */
export const packPackages = async (folder) => {
  const args = ['--recursive', '--filter', './packages/*', 'pack', '--json', '--pack-destination', folder]
  const packed = JSON.parse(await run(`${root}/node_modules/.bin/pnpm`, args, { cwd: root }))
  return Object.fromEntries(packed.map(({ name, filename }) => [name, filename]))
}

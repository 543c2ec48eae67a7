// What the other scripts need to know of the workspace.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Returns the published packages: folder relative to the root, and manifest. */
export const publishedPackages = () =>
  readdirSync(join(root, 'packages'))
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) }))

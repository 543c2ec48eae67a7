// The root folder and the published packages of this workspace.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Returns the folder, relative to the root, and the manifest of each published package. */
export const publishedPackages = () =>
  readdirSync(join(root, 'packages'))
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) }))

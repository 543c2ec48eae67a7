import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, findProblem, unknown } from './finding.js'

/**
 * Checks that all packages of jwt-auth in a folder have one version: they are released together.
 */
export const checkPackages = (folder: string): Finding => {
  try {
    const packages = readdirSync(folder).map((name) => [name, readVersion(join(folder, name))] as const)
    const versions = new Set(packages.map(([, version]) => version))
    const list = packages.map(([name, version]) => `@jwt-auth/${name} ${version}`).join(', ')
    return findProblem('packages', versions.size > 1, `have different versions. Install the same of all: ${list}.`)
  } catch {
    return unknown('packages', `${folder} does not exist. Run the command in the folder of your application.`)
  }
}

const readVersion = (folder: string): string =>
  String(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version)

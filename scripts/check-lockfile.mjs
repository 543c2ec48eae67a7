// Fails when the lockfile holds a version with a known hole, whoever asked for it. Part of `npm run check`; needs no network, unlike
// `pnpm audit`, and so gives the same answer on every machine.
//
// Usage: node scripts/check-lockfile.mjs [lockfile]
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { knownHoles } from './known-holes.mjs'
import { root } from './workspace.mjs'

/** Every package of a pnpm lockfile (version 9): keys of the section `packages`, such as `  '@scope/name@1.2.3':`. */
const readPackages = (lockfile) => {
  const [, section = ''] = lockfile.split(/^packages:$/m)
  const keys = section.split(/^\S/m)[0].matchAll(/^ {2}'?(@?[^@\s']+)@([^'\n]+?)'?:$/gm)
  return [...keys].map(([, name, version]) => ({ name, version }))
}

/** The numbers of a version; a pre-release comes before its release. `undefined` for what is none, a tarball's address, say. */
const readVersion = (text) => {
  const [, major, minor, patch, preRelease] = /^(\d+)\.(\d+)\.(\d+)(-.+)?$/.exec(text) ?? []
  return major === undefined
    ? undefined
    : [Number(major), Number(minor), Number(patch), preRelease === undefined ? 1 : 0]
}

const isOlder = (version, other) => {
  const position = version.findIndex((part, index) => part !== other[index])
  return position !== -1 && version[position] < other[position]
}

/** Good is what is as new as the newest fix, or as new as the fix of its own release line. What can't be read is not good. */
const isGood = (text, fixedIn) => {
  const version = readVersion(text)
  if (version === undefined) return false
  const fixes = fixedIn.map(readVersion)
  return fixes.some((fix, index) => !isOlder(version, fix) && (fix[0] === version[0] || index === fixes.length - 1))
}

const describe = ({ name, version }, { fixedIn, advisory, hole }) =>
  `${name} ${version}: at least ${fixedIn.join(' or ')} is needed (${advisory}: ${hole}).
    \`pnpm why --recursive ${name}\` names what brings it in: raise that, or set \`${name}\` under \`overrides\` in
    pnpm-workspace.yaml; then \`pnpm install\` and commit pnpm-lock.yaml.`

const path = process.argv[2] ?? join(root, 'pnpm-lock.yaml')
const packages = readPackages(readFileSync(path, 'utf8'))
const faults = packages.flatMap((found) =>
  knownHoles
    .filter(({ name, fixedIn }) => name === found.name && !isGood(found.version, fixedIn))
    .map((hole) => describe(found, hole)),
)

// An empty list means that the file has another form than this script knows: that must not pass for a good one.
if (packages.length === 0)
  faults.push(`${path}: no packages were found in it; scripts/check-lockfile.mjs must learn to read it.`)

for (const fault of faults) console.error(fault)
if (faults.length === 0) console.log(`${packages.length} packages, none of them with a known hole`)
process.exitCode = faults.length === 0 ? 0 : 1

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { explainMissing, type Prerequisite } from './prerequisite.js'

/** A browser that is installed on the machine. */
export interface InstalledBrowser extends Prerequisite {
  readonly name: 'Chromium'
  /** Starts the browser without a window, with additional flags. The caller must close it. */
  readonly launch: (flags?: readonly string[]) => Promise<Browser>
}

const programs = ['chromium', 'chromium-browser', 'google-chrome']

// Without the requests that a browser sends on its own, and without the sandbox, which containers and root do not allow. The tests open
// pages of this repository only.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Returns Chromium: the program that the variable `TEST_CHROMIUM` names, or one of `PATH`. The value `none` makes it missing.
 *
 * @throws Error when the variable names no program
 *
 * @example
 * describeEach([findChromium()], 'the page in $name', ({ launch }) => { … })
 */
export const findChromium = (): InstalledBrowser => {
  const { file = '', missing } = findProgram()
  return {
    name: 'Chromium',
    missing,
    launch: (more = []) => chromium.launch({ executablePath: file, args: [...flags, ...more] }),
  }
}

const findProgram = (): { readonly file?: string | undefined; readonly missing?: string | undefined } => {
  const given = process.env['TEST_CHROMIUM'] || undefined
  if (given === 'none') return { missing: explainMissing(false, 'TEST_CHROMIUM is `none`. Unset TEST_CHROMIUM.') }
  if (given !== undefined) {
    if (!isExecutable(given)) throw new TypeError(`TEST_CHROMIUM must be the file of a program, not ${given}.`)
    return { file: given }
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const file = folders.flatMap((folder) => programs.map((name) => join(folder, name))).find(isExecutable)
  const explanation =
    'Chromium is not installed. Install it (Debian: apt-get install chromium), or set TEST_CHROMIUM to its file.'
  return { file, missing: explainMissing(file !== undefined, explanation) }
}

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

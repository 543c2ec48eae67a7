import { type Browser, chromium } from 'playwright-core'
import { launch as launchPuppeteer, type Browser as PuppeteerBrowser } from 'puppeteer-core'
import { findProgram, isExecutable } from './own-servers.js'
import { explainMissing, type Prerequisite } from './prerequisite.js'

/** A browser that is installed on the machine. */
export interface InstalledBrowser extends Prerequisite {
  readonly name: 'Chromium'
  /** Starts the browser without a window, with additional flags. The caller must close it. */
  readonly launch: (flags?: readonly string[]) => Promise<Browser>
}

/**
 * Firefox, installed on the machine. playwright-core drives only a Firefox of its own, so
 * puppeteer-core drives this one.
 */
export interface InstalledFirefox extends Prerequisite {
  readonly name: 'Firefox'
  /**
   * Starts Firefox without a window. It resolves the hosts to this machine. The caller must close
   * it.
   */
  readonly launch: (hosts?: readonly string[]) => Promise<PuppeteerBrowser>
}

// Without the requests that a browser sends on its own, and without the sandbox, which containers
// and root do not allow. The tests open pages of this repository only.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// Pages come back from the browser's history as they do for users.
const ignoreDefaultArgs = ['--disable-back-forward-cache']

/**
 * Returns Chromium: the program that the variable `TEST_CHROMIUM` names, or one found on `PATH`.
 * The value `none` makes it missing.
 *
 * @throws Error when the variable names no program
 *
 * @example
 * describeEach([findChromium()], 'the page in $name', ({ launch }) => { … })
 */
export const findChromium = (): InstalledBrowser => {
  const { file = '', missing } = findBrowser({
    name: 'Chromium',
    programs: ['chromium', 'chromium-browser', 'google-chrome'],
    debian: 'chromium',
    variable: 'TEST_CHROMIUM',
  })
  return {
    name: 'Chromium',
    missing,
    launch: (more = []) => chromium.launch({ executablePath: file, args: [...flags, ...more], ignoreDefaultArgs }),
  }
}

// Firefox makes the timers of background tabs wait for a second.
const prefs = { 'dom.min_background_timeout_value': 0, 'dom.timeout.enable_budget_timer_throttling': false }

/**
 * Returns Firefox: the program that the variable `TEST_FIREFOX` names, or one found on `PATH`. The
 * value `none` makes it missing.
 *
 * @throws Error when the variable names no program
 */
export const findFirefox = (): InstalledFirefox => {
  const { file = '', missing } = findBrowser({
    name: 'Firefox',
    programs: ['firefox-esr', 'firefox'],
    debian: 'firefox-esr',
    variable: 'TEST_FIREFOX',
  })
  return {
    name: 'Firefox',
    missing,
    launch: (hosts = []) =>
      launchPuppeteer({
        browser: 'firefox',
        executablePath: file,
        acceptInsecureCerts: true,
        extraPrefsFirefox: { ...prefs, 'network.dns.localDomains': hosts.join(',') },
      }),
  }
}

interface BrowserProgram {
  readonly name: string
  readonly programs: readonly string[]
  /** The package of Debian. */
  readonly debian: string
  /** The variable that may name the file. */
  readonly variable: string
}

const findBrowser = ({
  name,
  programs,
  debian,
  variable,
}: BrowserProgram): { readonly file?: string | undefined; readonly missing?: string | undefined } => {
  const given = process.env[variable] || undefined
  if (given === 'none') return { missing: explainMissing(false, `${variable} is \`none\`. Unset ${variable}.`) }
  if (given !== undefined) {
    if (!isExecutable(given)) throw new TypeError(`${variable} must be the file of a program, not ${given}.`)
    return { file: given }
  }
  const file = findProgram(...programs)
  const explanation = `${name} is not installed. Install it (Debian: apt-get install ${debian}), or set ${variable} to its file.`
  return { file, missing: explainMissing(file !== undefined, explanation) }
}

import type { Network, NetworkActivity, World } from './network.js'
import type { TabCall, TabOptions, TabScript, TabState } from './page/tab.js'
import type { TabContext, TabPage } from './tab-context.js'

/** The tabs of one browser, and their time. */
export interface Device {
  readonly openTabs: (count: number) => Promise<readonly Tab[]>
  /** Closes all tabs, when nothing is in progress. */
  readonly closeTabs: () => Promise<void>
  /** Lets the time pass from event to event until all calls have settled. */
  readonly settle: () => Promise<void>
  /** Lets the time pass. */
  readonly pass: (seconds: number) => Promise<void>
}

/** A page with a client. */
export interface Tab {
  readonly page: TabPage
  /** Starts calls in one task, and returns the function that reads their results. */
  readonly start: (...calls: readonly TabCall[]) => Promise<() => Promise<readonly string[]>>
  readonly snapshot: () => Promise<string>
  /** Returns the thumbprint of the key of the session. */
  readonly thumbprint: () => Promise<string | undefined>
  /** Loads the page again, when nothing is in progress. */
  readonly reload: () => Promise<void>
}

interface DeviceSetup {
  readonly context: TabContext
  readonly network: Network
  readonly world: World
  readonly tabOptions: Pick<TabOptions, 'baseUrl' | 'transport' | 'bind'>
  /** The URL of the pages. */
  readonly pageUrl: string
}

// The clock of the device differs from that of the server by years.
const startOfDevice = Date.UTC(2012, 5, 6, 7, 8, 9)

// Chromium opens no more connections to one host (HTTP/1.1).
const connections = 6

// A call that takes longer hangs.
const patienceMs = 600_000

// Far longer than any exchange takes, also on a busy machine.
const longestWorkMs = 60_000

export const createDevice = ({ context, network, world, tabOptions, pageUrl }: DeviceSetup): Device => {
  const tabs: TabPage[] = []
  // The messages that tabs have sent, once for each receiver, less those that tabs have received.
  let undelivered = 0
  let last: readonly Pick<TabState, 'sent' | 'received'>[] = []

  const clock = () => ({ wallMs: startOfDevice + world.elapsedMs(), monotonicMs: world.elapsedMs() })

  /** Moves all clocks to the present time, and returns what happens. */
  const look = async (): Promise<{ readonly states: readonly TabState[]; readonly network: NetworkActivity }> => {
    network.release()
    const now = clock()
    const states = await Promise.all(tabs.map((page) => callTab(page, (tab, clock) => tab.setClock(clock), now)))
    for (const [place, { sent, received }] of states.entries()) {
      const before = last[place] ?? emptyState
      undelivered += (sent - before.sent) * (tabs.length - 1) - (received - before.received)
    }
    last = states
    return { states, network: network.read() }
  }

  const isQuiet = (states: readonly TabState[], { working, held }: NetworkActivity): boolean => {
    const requests = sum(states, ({ requests }) => requests)
    const waiting = sum(states, ({ waitingForLock }) => waitingForLock)
    const holding = sum(states, ({ holdingLock }) => holdingLock)
    const computing = sum(states, ({ computing }) => computing)
    const isWaitingForTime = requests === held || (held >= connections && requests > held)
    return isWaitingForTime && working === 0 && computing === 0 && undelivered === 0 && (waiting === 0 || holding > 0)
  }

  /**
   * Waits until only the time can change anything. Two equal looks at all counters prove that
   * nothing happened in between.
   */
  const quiesce = async (): Promise<readonly TabState[]> => {
    const end = performance.now() + longestWorkMs
    let before = ''
    while (performance.now() < end) {
      const { states, network } = await look()
      const seen = JSON.stringify([states, network])
      if (seen === before && isQuiet(states, network)) return states
      before = seen
    }
    throw new Error(`Something stays in progress (${undelivered} messages): ${before}`)
  }

  /**
   * Moves the time to the next event, but not beyond a limit. Returns whether there is an event.
   */
  const moveToNext = (states: readonly TabState[], limitMs: number): boolean => {
    const dues = states.map(({ nextDueMs = Infinity }) => nextDueMs)
    const next = Math.min(...dues, network.read().nextDueMs ?? Infinity)
    if (next > limitMs) return false
    world.moveTo(next)
    return true
  }

  const startClient = (page: TabPage): Promise<void> =>
    callTab(page, (tab, options) => tab.open(options), { ...tabOptions, clock: clock(), seed: tabs.length })

  const toTab = (page: TabPage): Tab => ({
    page,
    start: async (...calls) => {
      const first = await callTab(page, (tab, calls) => tab.start(calls), calls)
      return () => callTab(page, (tab, some) => tab.results(some), { first, count: calls.length })
    },
    snapshot: () => callTab(page, (tab) => tab.snapshot(), undefined),
    thumbprint: () => callTab(page, (tab) => tab.thumbprint(), undefined),
    reload: async () => {
      const place = tabs.indexOf(page)
      await page.reload()
      last = last.with(place, emptyState)
      await startClient(page)
      await quiesce()
    },
  })

  return {
    openTabs: async (count) => {
      const pages = await Promise.all(Array.from({ length: count }, () => context.openPage()))
      await Promise.all(pages.map((page) => page.goto(pageUrl)))
      for (const page of pages) {
        await startClient(page)
        tabs.push(page)
        await quiesce()
      }
      return pages.map(toTab)
    },
    closeTabs: async () => {
      last = []
      await Promise.all(tabs.splice(0).map((page) => page.close()))
    },
    settle: async () => {
      const limitMs = world.elapsedMs() + patienceMs
      for (;;) {
        const states = await quiesce()
        if (states.every(({ pending }) => pending === 0)) return
        if (!moveToNext(states, limitMs)) throw new Error(`Some calls never settle: ${JSON.stringify(states)}`)
      }
    },
    pass: async (seconds) => {
      const limitMs = world.elapsedMs() + seconds * 1_000
      while (moveToNext(await quiesce(), limitMs));
      world.moveTo(limitMs)
      await quiesce()
    },
  }
}

const emptyState = { sent: 0, received: 0 }

const sum = (states: readonly TabState[], read: (state: TabState) => number): number =>
  states.reduce((total, state) => total + read(state), 0)

/** Calls the script of a tab. */
const callTab = async <A, R>(page: TabPage, call: (tab: TabScript, argument: A) => R, argument: A): Promise<R> =>
  // The script of the tab returns what its type says.
  (await page.evaluate(`(${call})(tab, ${JSON.stringify(argument)})`)) as R

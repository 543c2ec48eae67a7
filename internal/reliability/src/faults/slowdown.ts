const measuredCpuMs = 150
const maxTimes = 20

/**
 * Measures how many times longer this machine takes than an idle one: the time that passes while this process uses some processor
 * time. Returns 1 if the machine takes less than twice as long, and at most 20. Deadlines are multiplied by it, so that a busy
 * machine does not exceed them.
 */
export const measureSlowdown = (): number => {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  while (usedMs(before) < measuredCpuMs) {
    // Uses processor time.
  }
  const times = (performance.now() - startedAt) / usedMs(before)
  return times < 2 ? 1 : Math.min(Math.ceil(times), maxTimes)
}

const usedMs = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/**
 * Runs a piece of work with another local time zone in this process, and puts the old one back. Node follows the `TZ`
 * variable when it changes; a worker thread doesn't, where the work simply runs in the machine's zone.
 */
export const inTimeZone = async (zone: string, work: () => Promise<void>): Promise<void> => {
  const before = process.env['TZ']
  process.env['TZ'] = zone
  try {
    await work()
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
}

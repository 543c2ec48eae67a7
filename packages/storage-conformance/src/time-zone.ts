/**
 * Runs work in another local time zone, and restores the time zone of the process afterwards. A worker thread ignores changes of
 * `TZ`: there, the work runs in the time zone of the machine.
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

import type { InstanceSettings } from './instance-settings.js'
import { type Instance, startInstance } from './start-instance.js'

/**
 * Starts several instances at once, and ends all of them when the use is over, well or not. Rejects when one can't start.
 *
 * @example await withInstances([settings, settings], async ([one, other]) => { … })
 */
export const withInstances = async <T>(
  settings: readonly InstanceSettings[],
  use: (instances: readonly Instance[]) => Promise<T>,
): Promise<T> => {
  const starts = await Promise.allSettled(settings.map(startInstance))
  const instances = starts.flatMap((start) => (start.status === 'fulfilled' ? start.value : []))
  try {
    for (const start of starts) if (start.status === 'rejected') throw start.reason
    return await use(instances)
  } finally {
    await Promise.all(instances.map((instance) => instance.kill()))
  }
}

import type { InstanceSettings } from './instance-settings.js'
import { type Instance, startInstance } from './start-instance.js'

/**
 * Starts instances concurrently and calls `use`. Kills all of them afterwards, even when `use` rejects. Rejects when an instance
 * cannot start.
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

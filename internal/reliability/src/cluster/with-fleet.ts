import { type Fleet, type FleetSettings, startFleet } from './fleet.js'
import type { Store } from './stores/store.js'

/**
 * Starts a fleet over a new store and calls `use`. Removes the fleet and the store afterwards, even when `use` rejects.
 *
 * @example await withFleet(store, { graceSeconds: 0 }, (fleet) => refreshAtBarrier(fleet, { userId: 1, count: 64 }))
 */
export const withFleet = async <T>(
  { create }: Store,
  settings: FleetSettings,
  use: (fleet: Fleet) => Promise<T>,
): Promise<T> => {
  const store = await create()
  try {
    const fleet = await startFleet(store, settings)
    try {
      return await use(fleet)
    } finally {
      await fleet.stop()
    }
  } finally {
    await store.drop()
  }
}

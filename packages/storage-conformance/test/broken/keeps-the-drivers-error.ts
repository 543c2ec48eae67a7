import type { SessionStorage } from '@jwt-auth/core'

/** Keeps the error of the driver as the cause. Drivers write the values of a duplicate key into a property. */
export const keepsTheDriversError = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  create: async (session, options) => {
    try {
      await storage.create(session, options)
    } catch {
      const detail = `Key (user_id, selector_hash)=(${session.userId}, ${session.selectorHash}) already exists.`
      throw new Error('could not create a session', { cause: Object.assign(new Error('duplicate key'), { detail }) })
    }
  },
})

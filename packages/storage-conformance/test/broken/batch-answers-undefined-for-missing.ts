import type { SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Leaves a gap in the answer where an id is missing. */
export const batchAnswersUndefinedForMissing = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: async (ids, options) => {
    const found = await storage.findByIds(ids, options)
    const answer: SessionRecord[] = []
    answer.length = ids.length
    for (const session of found) answer[ids.indexOf(session.id)] = session
    return answer
  },
})

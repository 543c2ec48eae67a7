import { createDeadline } from '@jwt-auth/core/internal/ports/deadline'
import { machineSystem } from '@jwt-auth/core/internal/system'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: 'the deadline around a call that returns synchronously',
  open: async () => {
    const runInTime = createDeadline(1_000, machineSystem.startTimer)
    const run = () => runInTime(() => 1)
    return {
      check: async () => {
        if ((await run()) !== 1) throw new Error('The answer was lost.')
      },
      run,
    }
  },
}

import bcrypt from 'bcrypt'
import { password } from '../../world/sample-user.js'
import type { OperationContender } from '../operation-contender.js'

/** The least that a login must do: one comparison. */
export const contender: OperationContender = {
  title: 'bcrypt alone',
  open: async ({ bcryptCost }) => {
    const hash = await bcrypt.hash(password, bcryptCost)
    return {
      check: async () => {
        if (!(await bcrypt.compare(password, hash))) throw new Error('The right password was refused.')
        if (await bcrypt.compare('another', hash)) throw new Error('Another password was accepted.')
      },
      run: () => bcrypt.compare(password, hash),
    }
  },
}

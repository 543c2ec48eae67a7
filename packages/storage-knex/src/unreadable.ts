/** Creates the error of a row that this adapter did not write. `fault` names the column, and never repeats what it holds. */
export const unreadable = (fault: string): TypeError =>
  new TypeError(`jwt-auth: knex storage could not read a session: ${fault}.`)

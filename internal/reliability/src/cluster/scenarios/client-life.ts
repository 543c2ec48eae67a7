import type { Grant } from '../../history/operation-log.js'
import type { Random } from '../../random.js'
import type { Door, Recorder } from '../recorder.js'

/** What a client lives in. */
export interface ClientSurroundings {
  readonly recorder: Recorder
  readonly random: Random
  /** The instances that are there at the moment. */
  readonly doors: () => readonly Door[]
  readonly isOver: () => boolean
}

const mostSteps = 12
const mostTabs = 4

/**
 * A client's life: it logs in, goes about, refreshes in several tabs at once, tries again when no answer came, logs out, and
 * logs in again, at a random instance each time. When it is over it finishes the session it has.
 */
export const liveAsClient = async (surroundings: ClientSurroundings, userId: number): Promise<void> => {
  const { recorder, random, doors, isOver } = surroundings
  while (!isOver()) {
    const { grant } = await recorder.logIn(random.pick(doors()), userId)
    if (grant !== undefined) await useSession(surroundings, grant)
  }
}

const useSession = async (surroundings: ClientSurroundings, first: Grant): Promise<void> => {
  const { random } = surroundings
  let grant: Grant | undefined = first
  for (let steps = 0; steps < mostSteps && grant !== undefined; steps += 1) {
    grant = random.isOneIn(8) ? await logOut(surroundings, grant) : await goOn(surroundings, grant)
  }
}

/** One step of a session; answers what the client holds then. */
const goOn = async ({ recorder, random, doors }: ClientSurroundings, grant: Grant): Promise<Grant> => {
  const door = random.pick(doors())
  switch (random.between(1, 4)) {
    case 1:
      await recorder.visit(door, grant)
      return grant
    case 2:
      await recorder.validate(door, grant)
      return grant
    default: {
      const tabs = Array.from({ length: random.between(1, mostTabs) }, () => random.pick(doors()))
      const answers = await Promise.all(tabs.map((tab) => recorder.refresh(tab, grant)))
      return answers.find((answer) => answer.grant !== undefined)?.grant ?? grant
    }
  }
}

/** Logs out, at two instances at once, and looks whether that holds; answers nothing when it was acknowledged. */
const logOut = async ({ recorder, random, doors }: ClientSurroundings, grant: Grant): Promise<Grant | undefined> => {
  const tabs = [random.pick(doors()), random.pick(doors())]
  const outcomes = await Promise.all(tabs.map((tab) => recorder.revoke(tab, grant)))
  await recorder.visit(random.pick(doors()), grant)
  return outcomes.some(({ kind }) => kind === 'revoked' || kind === 'already-revoked') ? undefined : grant
}

/** The argument of a process that loads its code at once, and begins when its parent lets it. */
export const heldArgument = '--held'

/** Lets a held process begin. */
export const release = 'begin'

/** True in a process that a parent has started with `heldArgument`. */
export function isHeld(args: readonly string[]): boolean {
  return process.connected && args.length === 1 && args[0] === heldArgument
}

/** Waits until the parent lets this process begin. Ends it with its parent. */
export async function untilReleased(): Promise<void> {
  const end = () => process.exit(0)
  process.once('disconnect', end)
  await new Promise((resolve) => process.once('message', resolve))
  process.off('disconnect', end)
}

export type TestOutcome = {
  state: string
  file: string
  name: string
  /** Why it was skipped. */
  note?: string | undefined
  /** How far its long form came. */
  played?: string | undefined
  /** Why it failed: the code and the message of its first error. */
  failure?: string | undefined
}

/**
 * The last lines of a run: how far long forms came, why tests were skipped or failed, then the counts, alone on the last
 * line. A test counts as skipped when it gave a reason itself; those that a filter of the command line left out do not
 * count.
 */
export function summarizeRun(outcomes: readonly TestOutcome[], filesThatDidNotLoad: number): string[] {
  const count = (state: string) => outcomes.filter((each) => each.state === state).length
  const skipped = outcomes.filter((each) => each.state === 'skipped' && each.note)
  const reasons = new Map<string, number>()
  for (const { file, note } of skipped) {
    const reason = `${file}: ${note}`
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  const counts = `${count('passed')} passed, ${count('failed') + filesThatDidNotLoad} failed`
  return [
    ...outcomes.flatMap(({ file, name, played }) => (played ? [`Played ${file}, ${name}: ${played}`] : [])),
    ...[...reasons].map(([reason, times]) => `Skipped ${times} of ${reason}`),
    ...outcomes.flatMap(({ state, file, name, failure = 'no reason given' }) =>
      state === 'failed' ? [`Failed ${file}, ${name}: ${failure}`] : [],
    ),
    skipped.length > 0 ? `${counts}, ${skipped.length} skipped` : counts,
  ]
}

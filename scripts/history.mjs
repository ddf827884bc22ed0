// Git, as the release script and the check of pull requests ask it.
import { execFileSync } from 'node:child_process'
import { projectFolder } from './install.mjs'

/** A reason not to go on, in words for the person who ran the command. */
export class Refusal extends Error {}

/** Runs git in this repository and returns what it prints. When git fails, its own words are the refusal. */
export function git(args, { input = '' } = {}) {
  try {
    return execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8', input, stdio: 'pipe' }).trimEnd()
  } catch (error) {
    throw new Refusal(`git ${args[0]} failed: ${String(error.stderr || error.message).trim()}`, { cause: error })
  }
}

/** Refuses when a commit after `from`, up to `to`, is a merge commit. */
export function refuseMerges(from, to) {
  // A shallow clone has cut the parents off, so that no commit of its edge looks like a merge.
  if (git(['rev-parse', '--is-shallow-repository']) === 'true') {
    throw new Refusal('This clone is shallow, so merge commits may be hidden. Run git fetch --unshallow first.')
  }
  const merges = git(['log', '--merges', '--format=  %h %s', `${from}..${to}`])
  if (merges === '') return
  throw new Refusal(
    `History is linear, but these are merge commits:\n${merges}\n` +
      `Rebase them away with git rebase ${from}, then run this again.`,
  )
}

/** Ends the process with the refusal alone; any other error keeps its stack. */
export function explainRefusal(act) {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

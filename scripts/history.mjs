// Git commands for the release script and for the check of pull requests.
import { execFileSync } from 'node:child_process'
import { projectFolder } from './install.mjs'

/** A refused command, with a message for the developer who ran it. */
export class Refusal extends Error {}

/** Runs git in this repository and returns what it prints. When git fails, the refusal quotes its message. */
export function git(args, { input = '' } = {}) {
  try {
    return execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8', input, stdio: 'pipe' }).trimEnd()
  } catch (error) {
    throw new Refusal(`git ${args[0]} failed: ${String(error.stderr || error.message).trim()}`, { cause: error })
  }
}

/** Refuses when a commit after `from`, up to `to`, is a merge commit. */
export function refuseMerges(from, to) {
  // A shallow clone lacks the parents of its oldest commits, so a merge among them looks like an ordinary commit.
  if (git(['rev-parse', '--is-shallow-repository']) === 'true') {
    throw new Refusal('This clone is shallow, so merge commits may be hidden. Run git fetch --unshallow first.')
  }
  const merges = git(['log', '--merges', '--format=  %h %s', `${from}..${to}`])
  if (merges === '') return
  throw new Refusal(
    `History is linear, but these are merge commits:\n${merges}\n` +
      `Remove them with git rebase ${from}, then run this again.`,
  )
}

/** Runs a command. A refusal prints its message only; any other error keeps its stack. */
export async function explainRefusal(act) {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

// node scripts/check-history.mjs <from> <to>: fails when the commits between them include a merge commit.
import { explainRefusal, Refusal, refuseMerges } from './history.mjs'

explainRefusal(() => {
  const [from, to] = process.argv.slice(2)
  if (!from || !to) throw new Refusal('node scripts/check-history.mjs <from> <to>, for example origin/main HEAD')
  refuseMerges(from, to)
})

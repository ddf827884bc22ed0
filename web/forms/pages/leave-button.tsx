import { useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import { texts } from '../texts/words.ts'

/** Closes the form on a computer that others use, too. */
export function LeaveButton() {
  const { store } = useForm()
  const [hasFailed, setFailed] = useState(false)
  if (store.isEnded) return null
  const leave = async () => {
    if (!store.files.isEmpty && !confirm(texts.files.leaveWithout)) return
    setFailed(false)
    setFailed(!(await store.leave()))
  }
  return (
    <footer class="leave">
      <button type="button" class="link" onClick={() => void leave()}>
        {texts.leave}
      </button>
      <p role="status">{hasFailed && texts.leaveFailed}</p>
    </footer>
  )
}

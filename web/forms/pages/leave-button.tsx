import { useForm } from '../fields/context.ts'
import { texts } from '../texts/words.ts'

/** Closes the form on a computer that others use, too. */
export function LeaveButton() {
  const { store } = useForm()
  if (store.isEnded) return null
  const leave = () => {
    if (store.files.isEmpty || confirm(texts.files.leaveWithout)) void store.leave()
  }
  return (
    <footer class="leave">
      <button type="button" class="link" onClick={leave}>
        {texts.leave}
      </button>
    </footer>
  )
}

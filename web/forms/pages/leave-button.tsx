import { useForm } from '../fields/context.ts'
import { texts } from '../texts/words.ts'

/** Closes the form on a computer that others use, too. */
export function LeaveButton() {
  const { store } = useForm()
  if (store.isEnded) return null
  return (
    <footer class="leave">
      <button type="button" class="link" onClick={() => void store.leave().catch(() => undefined)}>
        {texts.leave}
      </button>
    </footer>
  )
}

/**
 * The script of a notice in a frame: it tells the page around that a notice is shown, and how high it is. It goes
 * to the one origin that the frame named, and holds nothing of a customer.
 */
export function noticeScript(parent: string): string {
  const origin = JSON.stringify(parent)
  return `addEventListener('load',()=>{const tell=(m)=>parent.postMessage({source:'svc-form',version:1,...m},${origin});tell({type:'notice'});tell({type:'height',height:document.body.getBoundingClientRect().height})})`
}

// What Python packed into the page: bytes, deflated and in base64.

/** Bytes of a text: deflated, in base64. @param {string} text @returns {Promise<ArrayBuffer>} */
export async function bytesOf(text) {
  const deflated = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

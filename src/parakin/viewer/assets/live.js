// Poses from a running program: a stream of events from the server that the page came from, and answers to it.

/** @typedef {{ events: string, answers: string }} LiveData addresses, with their token */

export class Live {
  /** @param {LiveData} data @param {(pose: number[]) => void} show @param {(text: string) => void} say */
  constructor(data, show, say) {
    this.data = data;
    this.source = new EventSource(data.events);
    this.source.addEventListener("open", () => say("live"));
    this.source.addEventListener("error", () => say("waiting for the program"));
    this.source.addEventListener("end", () => {
      this.source.close();
      say("the program has ended");
    });
    this.source.addEventListener("pose", (event) => show(JSON.parse(/** @type {MessageEvent<string>} */ (event).data)));
    /** @type {number[] | null} */ this.waiting = null;
    this.busy = false;
  }

  /** Tells the program where the robot was put by hand; of many poses only the newest is sent. @param {number[]} pose */
  async answer(pose) {
    this.waiting = pose;
    if (this.busy) return;
    this.busy = true;
    while (this.waiting) {
      const body = JSON.stringify(this.waiting);
      this.waiting = null;
      try {
        await fetch(this.data.answers, { method: "POST", body, headers: { "Content-Type": "application/json" } });
      } catch {
        break;
      }
    }
    this.busy = false;
  }
}
